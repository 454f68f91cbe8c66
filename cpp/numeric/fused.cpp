// Proximal steps of trajectories: the fused lasso of one trajectory in linear time, and groups of
// smooth trajectories by the cosine basis in which their quadratic form is diagonal.
#include "numeric/fused.hpp"

#include <cmath>
#include <numbers>

#include "door/threads.hpp"

namespace laconic::numeric {

namespace {

constexpr int64_t part = 64;  // features per thread at least

// argmin_x sum_t (x_t - y_t)^2 / 2 + rate sum_t |x_{t+1} - x_t| by dynamic programming (Johnson
// 2013). The derivative of the cost of the first t steps as a function of x_t is increasing and
// piecewise linear; passing it on cuts it off at -rate and rate, where low_[t] and high_[t] note
// its arguments. Walking back, x_t is x_{t+1} cut off there. Each step adds two knots and no knot
// is passed twice: O(T).
class Fusion {
  public:
    explicit Fusion(int64_t n_steps)
        : T_(n_steps), knots_(2 * n_steps), low_(n_steps), high_(n_steps) {}

    void run(double* y, int64_t stride, double rate) {
        if (rate <= 0 || T_ == 1) return;
        int64_t first = T_, last = T_ - 1;  // knots first .. last, none yet
        Line left{1, -y[0]}, right = left;
        for (int64_t t = 0; t + 1 < T_; ++t) {
            Line line = left;
            for (; first <= last && line.at(knots_[first].place) < -rate; ++first)
                line = line + knots_[first].change;
            low_[t] = line.where(-rate);
            const Line rise{line.slope, line.height + rate};
            line = right;
            for (; first <= last && line.at(knots_[last].place) > rate; --last)
                line = line - knots_[last].change;
            high_[t] = std::max(low_[t], line.where(rate));
            knots_[--first] = {low_[t], rise};
            knots_[++last] = {high_[t], {-line.slope, rate - line.height}};
            left = {1, -rate - y[(t + 1) * stride]};
            right = {1, rate - y[(t + 1) * stride]};
        }
        Line line = left;
        for (; first <= last && line.at(knots_[first].place) < 0; ++first)
            line = line + knots_[first].change;
        y[(T_ - 1) * stride] = line.where(0);
        for (int64_t t = T_ - 2; t >= 0; --t)
            y[t * stride] = std::min(std::max(y[(t + 1) * stride], low_[t]), high_[t]);
    }

  private:
    struct Line {
        double slope, height;
        double at(double x) const { return slope * x + height; }
        double where(double value) const { return (value - height) / slope; }
        Line operator+(const Line& other) const {
            return {slope + other.slope, height + other.height};
        }
        Line operator-(const Line& other) const {
            return {slope - other.slope, height - other.height};
        }
    };
    struct Knot {
        double place;
        Line change;
    };
    int64_t T_;
    std::vector<Knot> knots_;
    std::vector<double> low_, high_;
};

// argmin_v v'diag(mu) v / 2 + mass |v| - c'v, in place of c. With theta = mass / |v| it is
//     v = c / (mu + theta),    theta |c / (mu + theta)| = mass
// and the left side of the second rises with theta to |c|. False if there is no finite minimum.
class Secular {
  public:
    Secular(const double* mu, int64_t n_steps, int64_t n_outputs)
        : mu_(mu), T_(n_steps), K_(n_outputs) {}

    bool solve(double* c, double mass) const {
        const int64_t n = T_ * K_;
        double size = 0, free = 0;
        for (int64_t e = 0; e < n; ++e) {
            size += c[e] * c[e];
            if (mu_[e / K_] <= 0) free += c[e] * c[e];
        }
        if (std::sqrt(size) <= mass * (1 + 1e-12)) {
            std::fill(c, c + n, 0.0);
            return true;
        }
        double theta = 0;
        if (mass > 0) {
            if (std::sqrt(free) >= mass) return false;
            // Bounds: the left side lies between theta |c| / (max mu + theta) and, where all mu >
            // 0, theta |c| / (min mu + theta).
            double top = 0;
            for (int64_t t = 0; t < T_; ++t) top = std::max(top, mu_[t]);
            double low = 0, high = top * mass / (std::sqrt(size) - mass);
            theta = high;
            // Newton on 1 / |c / (mu + theta)| - theta / mass, whose first term is concave in
            // theta; bisection where it leaves the bracket.
            for (int step = 0; step < 200 && high - low > 1e-15 * high; ++step) {
                double norm = 0, slope = 0;
                for (int64_t e = 0; e < n; ++e) {
                    const double over = mu_[e / K_] + theta, v = c[e] / over;
                    norm += v * v;
                    slope += v * v / over;
                }
                const double length = std::sqrt(norm), value = 1 / length - theta / mass;
                (value > 0 ? low : high) = theta;
                const double next = theta - value / (slope / (norm * length) - 1 / mass);
                const double moved = next > low && next < high ? next : 0.5 * (low + high);
                if (std::abs(moved - theta) <= 1e-15 * theta) break;
                theta = moved;
            }
        }
        for (int64_t e = 0; e < n; ++e) {
            const double over = mu_[e / K_] + theta;
            if (over <= 0 && c[e] != 0) return false;
            c[e] = over > 0 ? c[e] / over : 0.0;
        }
        return true;
    }

  private:
    const double* mu_;
    int64_t T_, K_;
};

int64_t features(size_t n_weights, int64_t n_steps, int64_t n_outputs) {
    require(n_steps >= 1 && n_outputs >= 1, "n_steps and n_outputs must be at least 1");
    require(n_weights % (n_steps * n_outputs) == 0, "weights must be features x steps x outputs");
    return static_cast<int64_t>(n_weights) / (n_steps * n_outputs);
}

}  // namespace

void fused_prox(Vec<double> weights, int64_t n_steps, int64_t n_outputs, const FusedTerms& terms,
                MutVec<double> out, int threads) {
    const double lasso = terms.lasso, fusion = terms.fusion, mass = terms.mass;
    const int64_t n = features(weights.size(), n_steps, n_outputs), size = n_steps * n_outputs;
    require(out.size() == weights.size(), "out must have the size of weights");
    require(lasso >= 0 && fusion >= 0 && mass >= 0, "lasso, fusion and mass must not be negative");
    const double* w = weights.data();
    double* v = out.data();
    nb::gil_scoped_release release;
    parallel_ranges(n, threads, part, [&](int64_t begin, int64_t end, int) {
        Fusion fuse(n_steps);
        std::copy(w + begin * size, w + end * size, v + begin * size);
        for (int64_t i = begin; i < end; ++i) {
            double* here = v + i * size;
            double norm = 0;
            for (int64_t k = 0; k < n_outputs; ++k) fuse.run(here + k, n_outputs, fusion);
            for (int64_t e = 0; e < size; ++e) {
                here[e] =
                    here[e] > lasso ? here[e] - lasso : (here[e] < -lasso ? here[e] + lasso : 0.0);
                norm += here[e] * here[e];
            }
            norm = std::sqrt(norm);
            const double kept = norm > mass ? 1 - mass / norm : 0.0;
            for (int64_t e = 0; e < size; ++e) here[e] *= kept;
        }
    });
}

bool smooth_group_minimum(Vec<double> weights, Vec<double> mu, int64_t n_outputs, double mass,
                          MutVec<double> out, int threads) {
    const int64_t T = static_cast<int64_t>(mu.size()), K = n_outputs, size = T * K;
    const int64_t n = features(weights.size(), T, K);
    require(out.size() == weights.size(), "out must have the size of weights");
    require(mass >= 0, "mass must not be negative");
    for (int64_t t = 0; t < T; ++t) require(mu.data()[t] >= 0, "mu must not be negative");
    const double* w = weights.data();
    double* v = out.data();
    nb::gil_scoped_release release;
    std::vector<double> basis(T * T);  // basis[j T + t]: cosine j at step t
    for (int64_t j = 0; j < T; ++j)
        for (int64_t t = 0; t < T; ++t)
            basis[j * T + t] =
                std::sqrt((j ? 2.0 : 1.0) / T) * std::cos(std::numbers::pi * j * (t + 0.5) / T);
    std::vector<char> finite(std::max(1, threads), 1);
    parallel_ranges(n, threads, part, [&](int64_t begin, int64_t end, int which) {
        const Secular secular(mu.data(), T, K);
        std::vector<double> waves(size);
        for (int64_t i = begin; i < end; ++i) {
            std::fill(waves.begin(), waves.end(), 0.0);
            for (int64_t j = 0; j < T; ++j)
                for (int64_t t = 0; t < T; ++t)
                    for (int64_t k = 0; k < K; ++k)
                        waves[j * K + k] += basis[j * T + t] * w[i * size + t * K + k];
            if (!secular.solve(waves.data(), mass)) finite[which] = 0;
            std::fill(v + i * size, v + (i + 1) * size, 0.0);
            for (int64_t j = 0; j < T; ++j)
                for (int64_t t = 0; t < T; ++t)
                    for (int64_t k = 0; k < K; ++k)
                        v[i * size + t * K + k] += basis[j * T + t] * waves[j * K + k];
        }
    });
    for (char one : finite)
        if (!one) return false;
    return true;
}

}  // namespace laconic::numeric
