// Losses of one row: scores s (K), target y -> value, residual r = d loss / d s, curvature h (a
// diagonal that bounds the Hessian at s), and the convex conjugate at a residual, which the duality
// gap needs.
//
//   logistic        log(1 + exp(s)) - y s            y in {0, 1}; K > 1: one against the rest
//   multinomial     log sum_k exp(s_k) - s_y         y = class
//   squared         (s - y)^2 / 2                    K = 1
//   squared hinge   max(0, 1 - t s)^2, t = 2 y - 1   as logistic
//   Poisson         exp(s) - y s + y log y - y       y >= 0, K = 1
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

namespace laconic::numeric {

struct LogisticLoss {
    static constexpr bool quadratic = false, coupled = false;
    static double target(double y, int k, int K) { return K == 1 ? y : (y == k ? 1.0 : 0.0); }

    static double row(const double* s, int K, double y, double* r, double* h) {
        double value = 0;
        for (int k = 0; k < K; ++k) {
            const double t = target(y, k, K), e = std::exp(-std::abs(s[k]));
            const double p = s[k] >= 0 ? 1 / (1 + e) : e / (1 + e);
            value += std::log1p(e) + (s[k] > 0 ? s[k] : 0) - t * s[k];
            // p - t loses all digits once p rounds to t: write it from e, which does not.
            r[k] = t == 1 ? (s[k] >= 0 ? -e / (1 + e) : -1 / (1 + e)) : p - t;
            if (h) h[k] = e / ((1 + e) * (1 + e));
        }
        return value;
    }
    static double conjugate(const double* r, int K, double y) {
        double value = 0;
        for (int k = 0; k < K; ++k) {
            const double p = r[k] + target(y, k, K);
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

    static double row(const double* s, int K, double y, double* r, double* h) {
        const int gold = static_cast<int>(y);
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
    static double conjugate(const double* r, int K, double y) {
        double value = 0, sum = 0;
        for (int k = 0; k < K; ++k) {
            const double p = r[k] + (k == static_cast<int>(y) ? 1.0 : 0.0);
            if (p < -1e-12) return std::numeric_limits<double>::infinity();
            if (p > 0) value += p * std::log(p);
            sum += r[k];
        }
        return std::abs(sum) <= 1e-9 ? value : std::numeric_limits<double>::infinity();
    }
};

struct SquaredLoss {
    static constexpr bool quadratic = true, coupled = false;

    static double row(const double* s, int, double y, double* r, double* h) {
        r[0] = s[0] - y;
        if (h) h[0] = 1;
        return 0.5 * r[0] * r[0];
    }
    static double conjugate(const double* r, int, double y) { return r[0] * (0.5 * r[0] + y); }
};

struct SquaredHingeLoss {
    static constexpr bool quadratic = false, coupled = false;
    static double sign(double y, int k, int K) { return (K == 1 ? y > 0 : y == k) ? 1.0 : -1.0; }

    static double row(const double* s, int K, double y, double* r, double* h) {
        double value = 0;
        for (int k = 0; k < K; ++k) {
            const double t = sign(y, k, K), m = std::max(0.0, 1 - t * s[k]);
            value += m * m;
            r[k] = -2 * t * m;
            if (h) h[k] = m > 0 ? 2 : 0;
        }
        return value;
    }
    static double conjugate(const double* r, int K, double y) {
        double value = 0;
        for (int k = 0; k < K; ++k) {
            const double v = sign(y, k, K) * r[k];
            if (v > 1e-12) return std::numeric_limits<double>::infinity();
            value += v + 0.25 * v * v;
        }
        return value;
    }
};

struct PoissonLoss {
    static constexpr bool quadratic = false, coupled = false;
    static double entropy(double p) { return p > 0 ? p * (std::log(p) - 1) : 0.0; }

    static double row(const double* s, int, double y, double* r, double* h) {
        const double rate = std::exp(s[0]);
        r[0] = rate - y;
        if (h) h[0] = rate;
        return rate - y * s[0] + entropy(y);
    }
    static double conjugate(const double* r, int, double y) {
        const double p = r[0] + y;
        return p < -1e-12 * (1 + y) ? std::numeric_limits<double>::infinity()
                                    : entropy(p) - entropy(y);
    }
};

enum class LossKind { logistic = 0, multinomial = 1, squared = 2, squared_hinge = 3, poisson = 4 };

// Calls body with the loss type that `kind` names: the one place where a kind becomes a type.
template <class Body>
auto with_loss(LossKind kind, Body body) {
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
    }
    throw std::invalid_argument("there is no such kind of loss");
}

}  // namespace laconic::numeric
