// Losses of one row: scores s (K), targets y -> value, residual r = d loss / d s, curvature h (a
// diagonal that bounds the Hessian at s), and the convex conjugate at a residual, which the duality
// gap needs. `steepest` bounds the curvature at every s.
//
//   logistic        log(1 + exp(s)) - y s            y in {0, 1} per score, or one class per row:
//                                                    one against the rest
//   multinomial     log sum_k exp(s_k) - s_y         y = class
//   squared         (s - y)^2 / 2                    y per score
//   squared hinge   max(0, 1 - t s)^2, t = 2 y - 1   as logistic
//   Poisson         exp(s) - y s + y log y - y       y >= 0 per score
//   Huber           d^2 / 2 where |d| <= delta, delta |d| - delta^2 / 2 beyond, d = s - y
//   Tweedie         half the deviance of y from exp(s), of power p in [1, 2]; see TweedieLoss
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

namespace laconic::numeric {

// The targets of one row: one per score, or the number of its class.
struct Targets {
    const double* at;
    bool each;
    double of(int k) const { return at[each ? k : 0]; }
    bool gold(int k) const { return each ? at[k] > 0 : at[0] == k; }
};

struct LogisticLoss {
    static constexpr bool quadratic = false, coupled = false;
    static constexpr double steepest = 0.25;

    double row(const double* s, int K, Targets y, double* r, double* h) const {
        double value = 0;
        for (int k = 0; k < K; ++k) {
            const double t = y.gold(k), e = std::exp(-std::abs(s[k]));
            const double p = s[k] >= 0 ? 1 / (1 + e) : e / (1 + e);
            value += std::log1p(e) + (s[k] > 0 ? s[k] : 0) - t * s[k];
            // p - t loses all digits once p rounds to t: write it from e, which does not.
            r[k] = t == 1 ? (s[k] >= 0 ? -e / (1 + e) : -1 / (1 + e)) : p - t;
            if (h) h[k] = e / ((1 + e) * (1 + e));
        }
        return value;
    }
    double conjugate(const double* r, int K, Targets y) const {
        double value = 0;
        for (int k = 0; k < K; ++k) {
            const double p = r[k] + (y.gold(k) ? 1.0 : 0.0);
            if (p < -1e-12 || p > 1 + 1e-12) return std::numeric_limits<double>::infinity();
            if (p > 0 && p < 1) value += p * std::log(p) + (1 - p) * std::log1p(-p);
        }
        return value;
    }
};

// The Hessian of a row is diag(h) - h h' with h = p, which lies below diag(h): `coupled` says that
// there is this second part.
struct MultinomialLoss {
    static constexpr bool quadratic = false, coupled = true;
    static constexpr double steepest = 0.5;

    double row(const double* s, int K, Targets y, double* r, double* h) const {
        const int gold = static_cast<int>(y.of(0));
        const double top = *std::max_element(s, s + K);
        double total = 0, rest = 0;
        for (int k = 0; k < K; ++k) {
            const double e = std::exp(s[k] - top);
            r[k] = e;
            total += e;
            if (k != gold) rest += e;
        }
        for (int k = 0; k < K; ++k) {
            r[k] /= total;
            if (h) h[k] = r[k];
        }
        const double value = std::log(total) + top - s[gold];
        r[gold] = -rest / total;
        return value;
    }
    double conjugate(const double* r, int K, Targets y) const {
        double value = 0, sum = 0;
        for (int k = 0; k < K; ++k) {
            const double p = r[k] + (y.gold(k) ? 1.0 : 0.0);
            if (p < -1e-12) return std::numeric_limits<double>::infinity();
            if (p > 0) value += p * std::log(p);
            sum += r[k];
        }
        return std::abs(sum) <= 1e-9 ? value : std::numeric_limits<double>::infinity();
    }
};

struct SquaredLoss {
    static constexpr bool quadratic = true, coupled = false;
    static constexpr double steepest = 1;

    double row(const double* s, int K, Targets y, double* r, double* h) const {
        double value = 0;
        for (int k = 0; k < K; ++k) {
            r[k] = s[k] - y.of(k);
            if (h) h[k] = 1;
            value += 0.5 * r[k] * r[k];
        }
        return value;
    }
    double conjugate(const double* r, int K, Targets y) const {
        double value = 0;
        for (int k = 0; k < K; ++k) value += r[k] * (0.5 * r[k] + y.of(k));
        return value;
    }
};

struct SquaredHingeLoss {
    static constexpr bool quadratic = false, coupled = false;
    static constexpr double steepest = 2;
    static double sign(Targets y, int k) { return y.gold(k) ? 1.0 : -1.0; }

    double row(const double* s, int K, Targets y, double* r, double* h) const {
        double value = 0;
        for (int k = 0; k < K; ++k) {
            const double t = sign(y, k), m = std::max(0.0, 1 - t * s[k]);
            value += m * m;
            r[k] = -2 * t * m;
            if (h) h[k] = m > 0 ? 2 : 0;
        }
        return value;
    }
    double conjugate(const double* r, int K, Targets y) const {
        double value = 0;
        for (int k = 0; k < K; ++k) {
            const double v = sign(y, k) * r[k];
            if (v > 1e-12) return std::numeric_limits<double>::infinity();
            value += v + 0.25 * v * v;
        }
        return value;
    }
};

inline double entropy(double p) { return p > 0 ? p * (std::log(p) - 1) : 0.0; }

struct PoissonLoss {
    static constexpr bool quadratic = false, coupled = false;
    static constexpr double steepest = std::numeric_limits<double>::infinity();

    double row(const double* s, int K, Targets y, double* r, double* h) const {
        double value = 0;
        for (int k = 0; k < K; ++k) {
            const double rate = std::exp(s[k]), count = y.of(k);
            r[k] = rate - count;
            if (h) h[k] = rate;
            value += rate - count * s[k] + entropy(count);
        }
        return value;
    }
    double conjugate(const double* r, int K, Targets y) const {
        double value = 0;
        for (int k = 0; k < K; ++k) {
            const double p = r[k] + y.of(k);
            if (p < -1e-12 * y.of(k)) return std::numeric_limits<double>::infinity();
            value += entropy(p) - entropy(y.of(k));
        }
        return value;
    }
};

// Beyond delta the curvature is that of the quadratic function that touches the loss at s and -s
// around the target and lies above it everywhere: the second derivative, 0, would let rows that are
// far off take steps without end.
struct HuberLoss {
    static constexpr bool quadratic = false, coupled = false;
    static constexpr double steepest = 1;
    double delta = 1;

    double row(const double* s, int K, Targets y, double* r, double* h) const {
        double value = 0;
        for (int k = 0; k < K; ++k) {
            const double off = s[k] - y.of(k), size = std::abs(off);
            const bool near = size <= delta;
            r[k] = near ? off : std::copysign(delta, off);
            if (h) h[k] = near ? 1 : delta / size;
            value += near ? 0.5 * off * off : delta * (size - 0.5 * delta);
        }
        return value;
    }
    double conjugate(const double* r, int K, Targets y) const {
        double value = 0;
        for (int k = 0; k < K; ++k) {
            if (std::abs(r[k]) > delta * (1 + 1e-12))
                return std::numeric_limits<double>::infinity();
            value += r[k] * (0.5 * r[k] + y.of(k));
        }
        return value;
    }
};

// With a = 2 - p, b = p - 1 and the mean exp(s):
//
//   value = exp(a s) / a + y exp(-b s) / b - y^a / (a b),    r = exp(a s) - y exp(-b s)
//
// p = 1 is the Poisson loss, p = 2 that of Gamma: s - log y + y exp(-s) - 1.
struct TweedieLoss {
    static constexpr bool quadratic = false, coupled = false;
    static constexpr double steepest = std::numeric_limits<double>::infinity();
    double power = 1.5;

    double value(double s, double y) const {
        const double a = 2 - power, b = power - 1;
        const double mean = a > 0 ? std::exp(a * s) : 1, pull = y > 0 ? y * std::exp(-b * s) : 0;
        if (b == 0) return mean - y * s + entropy(y);
        if (a == 0) return s - std::log(y) + pull - 1;
        return mean / a + pull / b - (y > 0 ? std::pow(y, a) / (a * b) : 0);
    }
    double row(const double* s, int K, Targets y, double* r, double* h) const {
        const double a = 2 - power, b = power - 1;
        double total = 0;
        for (int k = 0; k < K; ++k) {
            const double mean = std::exp(a * s[k]), pull = y.of(k) * std::exp(-b * s[k]);
            r[k] = y.of(k) > 0 ? mean - pull : mean;
            if (h) h[k] = a * mean + (y.of(k) > 0 ? b * pull : 0);
            total += value(s[k], y.of(k));
        }
        return total;
    }
    double conjugate(const double* r, int K, Targets y) const {
        double total = 0;
        for (int k = 0; k < K; ++k) total += conjugate(r[k], y.of(k));
        return total;
    }

  private:
    double conjugate(double r, double y) const {
        const double a = 2 - power, b = power - 1, least = power == 1 ? -y : 0;
        if ((power == 1 || y == 0) && r <= least)  // at s = -infinity
            return r < least - 1e-12 * y ? std::numeric_limits<double>::infinity()
                                         : (power == 1 ? -entropy(y) : 0.0);
        if (a == 0 && r >= 1)  // at s = infinity
            return r > 1 + 1e-12 ? std::numeric_limits<double>::infinity() : std::log(y) + 1;
        const double s = score_of(r, y, a, b);
        return r * s - value(s, y);
    }
    // The score whose residual is r: Newton on exp(a s) - y exp(-b s), inside a bracket.
    static double score_of(double r, double y, double a, double b) {
        if (b == 0) return std::log(r + y);
        if (a == 0) return std::log(y / (1 - r));
        if (y == 0) return std::log(r) / a;
        double low = std::log(y), high = low, top = std::pow(y, a);
        if (r >= 0)
            high = std::log(r + top) / a;
        else
            low = -std::log((top - r) / y) / b;
        double s = r >= 0 ? high : low;
        for (int step = 0; step < 100 && high - low > 1e-15 * (1 + std::abs(s)); ++step) {
            const double mean = std::exp(a * s), pull = y * std::exp(-b * s), off = mean - pull - r;
            (off > 0 ? high : low) = s;
            const double newton = s - off / (a * mean + b * pull);
            const double next = newton > low && newton < high ? newton : 0.5 * (low + high);
            if (std::abs(next - s) <= 1e-16 * (1 + std::abs(s))) break;
            s = next;
        }
        return s;
    }
};

enum class LossKind {
    logistic = 0,
    multinomial = 1,
    squared = 2,
    squared_hinge = 3,
    poisson = 4,
    huber = 5,
    tweedie = 6
};

// Calls body with the loss that `kind` and its parameter name: the one place where a kind becomes a
// type.
template <class Body>
auto with_loss(LossKind kind, double parameter, Body body) {
    switch (kind) {
        case LossKind::logistic:
            return body(LogisticLoss{});
        case LossKind::multinomial:
            return body(MultinomialLoss{});
        case LossKind::squared:
            return body(SquaredLoss{});
        case LossKind::squared_hinge:
            return body(SquaredHingeLoss{});
        case LossKind::poisson:
            return body(PoissonLoss{});
        case LossKind::huber:
            return body(HuberLoss{parameter});
        case LossKind::tweedie:
            return body(TweedieLoss{parameter});
    }
    throw std::invalid_argument("there is no such kind of loss");
}

}  // namespace laconic::numeric
