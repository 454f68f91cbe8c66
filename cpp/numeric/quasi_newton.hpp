// The vector work of L-BFGS (Nocedal 1980) and OWL-QN (Andrew and Gao 2007, Algorithm 1). At x with
// gradient g of the smooth part, v the pseudo-gradient, H the inverse Hessian of the last steps:
//
//     v_i = g_i + lasso sign(x_i), at x_i = 0 the one-sided slope of smallest size, or 0
//     d = pi(-H v; -v)                pi(a; b): entries of a whose sign is not that of b become 0
//     x <- pi(x + t d; xi)            xi_i = sign(x_i), at x_i = 0 sign(-v_i)
//
// in few passes and in place: with millions of weights the passes, and memory that is touched for
// the first time, cost as much as the gradient. The last steps are kept as floats: they only shape
// the direction, and half the memory is half the time.
#pragma once
#include <cmath>
#include <deque>

#include "door/checks.hpp"

namespace laconic::numeric {

// min smooth(x) + sum ridge_i x_i^2 / 2 + sum lasso_i |x_i|; rates are for the first n_penalised
// entries, zero for the rest.
class QuasiNewton {
  public:
    QuasiNewton(int64_t n, int64_t n_penalised, Vec<double> lasso, Vec<double> ridge, int memory,
                Vec<float> spread)
        : n_(n),
          n_penalised_(n_penalised),
          memory_(memory),
          lasso_(lasso, n_penalised),
          ridge_(ridge, n_penalised),
          spread_(spread.data(), spread.data() + spread.size()) {
        require(spread.size() == 0 || static_cast<int64_t>(spread.size()) == n,
                "spread must be empty or have n entries");
        require(n_penalised >= 0 && n_penalised <= n, "n_penalised must be from 0 to n");
        require(memory >= 1, "memory must be at least 1");
    }

    // out = gradient + ridge x, and the value of the ridge; out may be the gradient itself.
    double add_ridge(Vec<double> x, Vec<double> gradient, MutVec<double> out) const {
        check(x.size() == size() && gradient.size() == size() && out.size() == size());
        nb::gil_scoped_release release;
        double value = 0;
        for (int64_t i = 0; i < n_penalised_; ++i) {
            const double pull = ridge_(i) * x.data()[i];
            value += pull * x.data()[i];
            out.data()[i] = gradient.data()[i] + pull;
        }
        std::copy(gradient.data() + n_penalised_, gradient.data() + n_, out.data() + n_penalised_);
        return 0.5 * value;
    }

    double lasso_value(Vec<double> x) const {
        check(x.size() == size());
        double value = 0;
        for (int64_t i = 0; i < n_penalised_; ++i) value += lasso_(i) * std::abs(x.data()[i]);
        return value;
    }

    // direction = -H pseudo-gradient, kept in the orthant of steepest descent; steepest descent
    // itself, and the memory forgotten, where that is no descent. Returns (slope along the
    // direction, its length).
    std::tuple<double, double> direct(Vec<double> x_in, Vec<double> gradient_in,
                                      MutVec<double> direction_out) {
        check(x_in.size() == size() && gradient_in.size() == size() &&
              direction_out.size() == size());
        const double *x = x_in.data(), *gradient = gradient_in.data();
        double *d = direction_out.data(), slope = 0;
        {
            nb::gil_scoped_release release;
            for (int64_t i = 0; i < n_; ++i) d[i] = -pseudo(i, x, gradient);
            two_loops(d);
            for (int64_t i = 0; i < n_; ++i) {
                const double v = pseudo(i, x, gradient);
                if (i < n_penalised_ && lasso_(i) > 0 && d[i] * v >= 0) d[i] = 0;
                slope += d[i] * v;
            }
            if (!(slope < 0)) {
                pairs_.clear();
                slope = 0;
                for (int64_t i = 0; i < n_; ++i) {
                    const double v = pseudo(i, x, gradient);
                    d[i] = -v * spread(i);
                    slope += d[i] * v;
                }
            }
        }
        return std::make_tuple(slope, std::sqrt(dot(d, d)));
    }

    // moved = x + t direction, where it stays in the orthant, else 0. Returns (lasso value there,
    // <pseudo-gradient, moved - x>).
    std::tuple<double, double> move(Vec<double> x_in, Vec<double> gradient_in,
                                    Vec<double> direction, double t,
                                    MutVec<double> moved_out) const {
        check(x_in.size() == size() && gradient_in.size() == size() && direction.size() == size() &&
              moved_out.size() == size());
        const double *x = x_in.data(), *gradient = gradient_in.data(), *d = direction.data();
        double *moved = moved_out.data(), value = 0, along = 0;
        for (int64_t i = 0; i < n_; ++i) {
            const double v = pseudo(i, x, gradient);
            double to = x[i] + t * d[i];
            if (i < n_penalised_ && lasso_(i) > 0) {
                if (to * (x[i] != 0 ? x[i] : -v) <= 0) to = 0;
                value += lasso_(i) * std::abs(to);
            }
            along += v * (to - x[i]);
            moved[i] = to;
        }
        return std::make_tuple(value, along);
    }

    // Keep the step from x to moved if the curvature along it is positive.
    void remember(Vec<double> x, Vec<double> moved, Vec<double> gradient,
                  Vec<double> new_gradient) {
        check(x.size() == size() && moved.size() == size() && gradient.size() == size() &&
              new_gradient.size() == size());
        nb::gil_scoped_release release;
        Pair pair = std::move(spare_);
        if (static_cast<int>(pairs_.size()) == memory_) {
            pair = std::move(pairs_.front());
            pairs_.pop_front();
        }
        pair.s.resize(n_);
        pair.y.resize(n_);
        double along = 0, length = 0;
        for (int64_t i = 0; i < n_; ++i) {
            pair.s[i] = static_cast<float>(moved.data()[i] - x.data()[i]);
            pair.y[i] = static_cast<float>(new_gradient.data()[i] - gradient.data()[i]);
            along += double(pair.s[i]) * pair.y[i];
            length += double(pair.y[i]) * pair.y[i] * spread(i);
        }
        pair.rho = 1 / along;
        pair.scale = along / length;
        if (along > 1e-10 * length && length > 0 && std::isfinite(pair.rho))
            pairs_.push_back(std::move(pair));
        else
            spare_ = std::move(pair);
    }

    void forget() { pairs_.clear(); }
    int64_t n_pairs() const { return static_cast<int64_t>(pairs_.size()); }

  private:
    // One rate for all penalised entries, or one each.
    class Rates {
      public:
        Rates(const Vec<double>& rates, int64_t n)
            : values_(rates.data(), rates.data() + rates.size()), step_(rates.size() > 1) {
            require(rates.size() == 1 || static_cast<int64_t>(rates.size()) == n,
                    "rates must have 1 or n_penalised entries");
        }
        double operator()(int64_t i) const { return values_[i * step_]; }

      private:
        std::vector<double> values_;
        int64_t step_;
    };

    struct Pair {
        std::vector<float> s, y;
        double rho = 0, scale = 0;
    };

    size_t size() const { return static_cast<size_t>(n_); }
    static void check(bool ok) { require(ok, "vectors must have n entries"); }

    double spread(int64_t i) const { return spread_.empty() ? 1.0 : spread_[i]; }

    // v_i: the gradient of smallest size among the one-sided ones at x.
    double pseudo(int64_t i, const double* x, const double* gradient) const {
        const double g = gradient[i], rate = i < n_penalised_ ? lasso_(i) : 0.0;
        if (x[i] != 0) return x[i] > 0 ? g + rate : g - rate;
        return g > rate ? g - rate : g < -rate ? g + rate : 0.0;
    }

    // Sums in eight parts, which the compiler may keep in vectors.
    template <class A>
    double dot(const A* a, const double* b) const {
        double part[8] = {}, rest = 0;
        int64_t i = 0;
        for (; i + 8 <= n_; i += 8)
            for (int k = 0; k < 8; ++k) part[k] += a[i + k] * b[i + k];
        for (; i < n_; ++i) rest += a[i] * b[i];
        for (double p : part) rest += p;
        return rest;
    }

    void add(double factor, const float* a, double* b) const {
        for (int64_t i = 0; i < n_; ++i) b[i] += factor * a[i];
    }

    // q <- H q with the inverse Hessian that the pairs s = x' - x, y = g' - g imply. With S the
    // diagonal spread and rho = 1 / <s, y>:
    //     newest first   a_k = rho_k <s_k, q>,   q -= a_k y_k
    //     then           q <- <s, y> / <y, S y> S q of the newest pair
    //     oldest first   q += (a_k - rho_k <y_k, q>) s_k
    void two_loops(double* q) const {
        std::vector<double> a(pairs_.size());
        for (size_t k = pairs_.size(); k-- > 0;) {
            a[k] = pairs_[k].rho * dot(pairs_[k].s.data(), q);
            add(-a[k], pairs_[k].y.data(), q);
        }
        const double scale = pairs_.empty() ? 1.0 : pairs_.back().scale;
        for (int64_t i = 0; i < n_; ++i) q[i] *= scale * spread(i);
        for (size_t k = 0; k < pairs_.size(); ++k)
            add(a[k] - pairs_[k].rho * dot(pairs_[k].y.data(), q), pairs_[k].s.data(), q);
    }

    int64_t n_, n_penalised_;
    int memory_;
    Rates lasso_, ridge_;
    // The diagonal of H before any step is known, up to a factor; empty: all ones.
    std::vector<float> spread_;
    std::deque<Pair> pairs_;  // oldest first
    Pair spare_;
};

}  // namespace laconic::numeric
