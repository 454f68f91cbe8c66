// The sparse adaptive prior of trajectories (Yogatama 2015, chapter 3): moments of weights, the
// best autocorrelation given them, and products with and solves of tridiagonal precisions A
// (autocorrelation.hpp). A group is a feature (its outputs share scale and autocorrelation) or a
// feature with one output. All that the prior needs of a group's weights is s and c of
// w'A w = s + 2 alpha c: the search for alpha never touches the weights again.
#pragma once
#include <array>

#include "door/checks.hpp"
#include "door/threads.hpp"
#include "numeric/autocorrelation.hpp"

namespace laconic::numeric {

class Trajectories {
  public:
    Trajectories(int64_t n_steps, int64_t n_outputs, bool shared, bool free_ends)
        : T_(n_steps),
          K_(n_outputs),
          shared_(shared),
          free_(free_ends),
          log_det_(n_steps, free_ends) {
        require(n_steps >= 1 && n_outputs >= 1, "n_steps and n_outputs must be at least 1");
        for (int g = 0; g < n_grid; ++g) {
            const double x = std::sinh(low + (high - low) * g / (n_grid - 1));
            grid_[g] = {x, -C * (1 - phi(x))};
        }
    }

    int64_t n_groups(int64_t n_weights) const { return n_weights / (shared_ ? T_ * K_ : T_); }

    // squares = sum w_t^2 and neighbours = sum w_t w_{t+1} (+ half the squares of the ends if they
    // are free), of every group.
    void moments(Vec<double> weights, MutVec<double> squares, MutVec<double> neighbours,
                 int threads) const {
        const int64_t n = features(weights.size());
        check_groups(n, squares.size());
        check_groups(n, neighbours.size());
        const double* w = weights.data();
        double *s = squares.data(), *c = neighbours.data();
        nb::gil_scoped_release release;
        parallel_ranges(n, threads, part, [&](int64_t begin, int64_t end, int) {
            for (int64_t i = begin; i < end; ++i) {
                double *si = s + first_group(i), *ci = c + first_group(i);
                std::fill(si, si + (shared_ ? 1 : K_), 0.0);
                std::fill(ci, ci + (shared_ ? 1 : K_), 0.0);
                for (int64_t t = 0; t < T_; ++t) {
                    const double *now = w + (i * T_ + t) * K_, *next = now + K_;
                    const double corner = free_ ? 0.5 * (t == 0) + 0.5 * (t == T_ - 1) : 0.0;
                    for (int64_t k = 0; k < K_; ++k) {
                        const int64_t g = shared_ ? 0 : k;
                        si[g] += now[k] * now[k];
                        ci[g] += corner * now[k] * now[k] + (t + 1 < T_ ? now[k] * next[k] : 0.0);
                    }
                }
            }
        });
    }

    // For every group the rate kappa (times C) of q(alpha) that is best given its weights, the mean
    // of alpha there, and the value of the prior there up to a constant:
    //     D / 2 log(w'A w + floor) - K / 2 log det A + KL(q(alpha) | p(alpha)),
    // with A at the mean of alpha. As a function of kappa this may have several minima: a grid
    // finds the lowest, and a bracketed secant method its exact place.
    std::tuple<Array<double>, Array<double>, Array<double>> best_rates(Vec<double> squares,
                                                                       Vec<double> neighbours,
                                                                       double tau, double floor,
                                                                       int threads) const {
        const int64_t n = static_cast<int64_t>(squares.size());
        require(neighbours.size() == squares.size(),
                "squares and neighbours must have one entry per group");
        require(std::isfinite(tau) && floor > 0 && std::isfinite(floor),
                "tau must be finite and floor positive");
        const double *s = squares.data(), *c = neighbours.data();
        std::vector<double> x(n), m(n), v(n);
        {
            nb::gil_scoped_release release;
            std::array<double, n_grid> own;
            for (int g = 0; g < n_grid; ++g) own[g] = of_rate(grid_[g].x, tau * C);
            parallel_ranges(n, threads, part, [&](int64_t begin, int64_t end, int) {
                for (int64_t g = begin; g < end; ++g) {
                    const Group group{*this, s[g], c[g], tau * C, floor};
                    x[g] = group.best(own);
                    m[g] = -C * (1 - phi(x[g]));
                    v[g] = group.of_weights(m[g]) + of_rate(x[g], tau * C);
                }
            });
        }
        return {to_numpy(std::move(x)), to_numpy(std::move(m)), to_numpy(std::move(v))};
    }

    // out = scale_g A(alpha_g) w
    void multiply(Vec<double> weights, Vec<double> scale, Vec<double> alpha, MutVec<double> out,
                  int threads) const {
        const int64_t n = features(weights.size());
        check_groups(n, scale.size());
        check_groups(n, alpha.size());
        require(out.size() == weights.size(), "out must have the size of weights");
        const double* w = weights.data();
        nb::gil_scoped_release release;
        parallel_ranges(n, threads, part, [&](int64_t begin, int64_t end, int) {
            for (int64_t i = begin; i < end; ++i)
                for (int64_t t = 0; t < T_; ++t)
                    for (int64_t k = 0; k < K_; ++k) {
                        const int64_t g = first_group(i) + (shared_ ? 0 : k),
                                      e = (i * T_ + t) * K_ + k;
                        const double before = t > 0 ? w[e - K_] : 0.0,
                                     after = t + 1 < T_ ? w[e + K_] : 0.0;
                        out.data()[e] = scale.data()[g] * (diagonal(t, alpha.data()[g]) * w[e] +
                                                           alpha.data()[g] * (before + after));
                    }
        });
    }

    // out = (diag(curvature) + scale_g A(alpha_g))^-1 right, a tridiagonal solve (Thomas) for every
    // trajectory.
    void solve(Vec<double> right, Vec<double> curvature, Vec<double> scale, Vec<double> alpha,
               MutVec<double> out, int threads) const {
        const int64_t n = features(right.size());
        check_groups(n, scale.size());
        check_groups(n, alpha.size());
        require(out.size() == right.size() && curvature.size() == right.size(),
                "curvature and out must have the size of right");
        nb::gil_scoped_release release;
        parallel_ranges(n, threads, part, [&](int64_t begin, int64_t end, int) {
            std::vector<double> upper(T_);
            for (int64_t i = begin; i < end; ++i)
                for (int64_t k = 0; k < K_; ++k) {
                    const int64_t g = first_group(i) + (shared_ ? 0 : k), first = i * T_ * K_ + k;
                    const double d = scale.data()[g], a = alpha.data()[g];
                    double* o = out.data() + first;
                    // Forward elimination: pivot_t = m_t - l^2 / pivot_{t-1}, with m_t on the
                    // diagonal and l = scale alpha beside it; then back substitution.
                    double previous = 0, carried = 0;
                    for (int64_t t = 0; t < T_; ++t) {
                        const double pivot = curvature.data()[first + t * K_] + d * diagonal(t, a) -
                                             (t ? d * a * carried : 0.0);
                        previous =
                            (right.data()[first + t * K_] - (t ? d * a * previous : 0.0)) / pivot;
                        upper[t] = carried = d * a / pivot;
                        o[t * K_] = previous;
                    }
                    for (int64_t t = T_ - 2; t >= 0; --t) o[t * K_] -= upper[t] * o[(t + 1) * K_];
                }
        });
    }

    static constexpr int64_t part = 256;     // features per thread at least
    static constexpr double C = 0.5 - 1e-5;  // alpha lies in (-C, 0]

  private:
    static constexpr int n_grid = 64;
    struct Node {
        double x, mean;
    };

    int64_t outputs() const { return shared_ ? K_ : 1; }

    // The part of a group's cost that is the same for all weights: -K / 2 log det A + KL of the
    // rates x and prior.
    double of_rate(double x, double prior) const {
        const double place = phi(x);
        return log_rate(x) - log_rate(prior) - (x - prior) * place -
               0.5 * outputs() * log_det_.value(-C * (1 - place));
    }

    // What one group's cost is as a function of x = kappa C.
    struct Group {
        const Trajectories& all;
        double squares, neighbours, prior, floor;

        double size() const { return static_cast<double>(all.T_ * all.outputs()); }
        double of_weights(double mean) const {
            return 0.5 * size() * std::log(squares + 2 * mean * neighbours + floor);
        }

        // The derivative by kappa over -d mean / d kappa > 0: where it changes from below to above
        // zero is a minimum.
        double slope(double x) const {
            const double mean = -C * (1 - phi(x));
            const double pull = size() * neighbours / (squares + 2 * mean * neighbours + floor);
            return (x - prior) / C - pull + 0.5 * all.outputs() * all.log_det_.slope(mean);
        }

        double best(const std::array<double, n_grid>& own) const {
            int lowest = 0;
            double least = INFINITY;
            for (int g = 0; g < n_grid; ++g) {
                const double here = own[g] + of_weights(all.grid_[g].mean);
                if (here < least) least = here, lowest = g;
            }
            double a = all.grid_[std::max(lowest - 1, 0)].x,
                   b = all.grid_[std::min(lowest + 1, n_grid - 1)].x;
            double fa = slope(a), fb = slope(b);
            if (fa >= 0) return a;
            // A prior of very large rate can have its minimum beyond the grid.
            for (; fb <= 0; fb = slope(b)) {
                if (b > 1e12) return b;
                a = b, fa = fb, b *= 4;
            }
            int side = 0;
            for (int step = 0; step < 100 && b - a > 1e-12 * (1 + std::abs(a)); ++step) {
                // Illinois: an end that stays twice counts half.
                double x = (fa * b - fb * a) / (fa - fb);
                if (!(x > a && x < b)) x = 0.5 * (a + b);
                const double f = slope(x);
                if (f == 0) return x;
                if (f < 0) {
                    a = x, fa = f;
                    if (side == -1) fb *= 0.5;
                    side = -1;
                } else {
                    b = x, fb = f;
                    if (side == 1) fa *= 0.5;
                    side = 1;
                }
            }
            return 0.5 * (a + b);
        }
    };

    int64_t features(size_t n_weights) const {
        require(n_weights % (T_ * K_) == 0, "weights must be features x steps x outputs");
        return static_cast<int64_t>(n_weights) / (T_ * K_);
    }
    void check_groups(int64_t n_features, size_t n_given) const {
        require(static_cast<int64_t>(n_given) == n_features * (shared_ ? 1 : K_),
                "one entry per group expected");
    }
    int64_t first_group(int64_t feature) const { return shared_ ? feature : feature * K_; }
    double diagonal(int64_t t, double alpha) const {
        return free_ ? 1 + alpha * ((t == 0) + (t == T_ - 1)) : 1.0;
    }

    static constexpr double low = -4, high = 13;  // x = sinh of these

    int64_t T_, K_;
    bool shared_, free_;
    LogDeterminant log_det_;
    std::array<Node, n_grid> grid_;
};

}  // namespace laconic::numeric
