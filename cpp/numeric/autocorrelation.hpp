// Weights that move over time: w (features, steps, outputs) by rows, one trajectory per feature and
// output. Its precision is, up to a scale, the tridiagonal matrix (Yogatama 2015, Eq. 3.2)
//
//     A = 1 on the diagonal, alpha beside it; with free ends 1 + alpha in both corners
//
// so that w'A w = s + 2 alpha c with s = sum_t w_t^2 and c = sum_t w_t w_{t+1}, with free ends
// + (w_1^2 + w_T^2) / 2. Its determinant is known in closed form: nothing is factorised.
#pragma once
#include <cmath>
#include <cstdint>

namespace laconic::numeric {

// log det A at alpha in (-1/2, 0], and its derivative. With -2 alpha = 1 / cosh(z) the determinant
// of the n x n matrix without free ends is sinh((n + 1) z) / (sinh(z) (2 cosh(z))^n); with them it
// is (1 + 2 alpha) times that of n - 1.
class LogDeterminant {
  public:
    LogDeterminant(int64_t n_steps, bool free_ends)
        : n_(static_cast<double>(free_ends ? n_steps - 1 : n_steps)), free_(free_ends) {}

    double value(double alpha) const {
        const double x = -2 * alpha, corner = free_ ? std::log1p(-x) : 0.0;
        if (x < tiny || n_ == 0) return corner;
        const double root = std::sqrt((1 - x) * (1 + x)), z = std::log((1 + root) / x);
        // (n + 1) log r + log(1 - e^{-2 (n + 1) z}) - log(root), r = (1 + root) / 2 the larger root
        // of r^2 - r + alpha^2
        return corner + (n_ + 1) * std::log1p(0.5 * (root - 1)) +
               std::log(-std::expm1(-2 * (n_ + 1) * z)) - std::log(root);
    }

    double slope(double alpha) const {
        const double x = -2 * alpha, corner = free_ ? 2 / (1 - x) : 0.0;
        if (x < tiny || n_ == 0) return corner;
        const double root = std::sqrt((1 - x) * (1 + x)), z = std::log((1 + root) / x);
        // d / dz, every term written from its limit at large z so that nothing cancels; dz / d
        // alpha = 2 cosh(z)^2 / sinh(z)
        const double along = 2 * (n_ + 1) / std::expm1(2 * (n_ + 1) * z) - 2 / std::expm1(2 * z) +
                             2 * n_ / (std::exp(2 * z) + 1);
        return corner + along * 2 / (x * root);
    }

  private:
    static constexpr double tiny = 1e-9;
    double n_;
    bool free_;
};

// The truncated exponential on (-C, 0] with rate k, x = k C of either sign: its mean is -C (1 -
// phi(x)).
inline double phi(double x) {
    if (std::abs(x) < 1e-2) return 0.5 - x / 12 + x * x * x / 720;
    return x > 700 ? 1 / x : (x < -700 ? 1 + 1 / x : 1 / x - 1 / std::expm1(x));
}

// log(x / (1 - e^{-x})): the logarithm of C times the density at -C.
inline double log_rate(double x) {
    if (std::abs(x) < 1e-4) return 0.5 * x - x * x / 24;
    return x > 0 ? std::log(x) - std::log(-std::expm1(-x))
                 : std::log(-x) + x - std::log(-std::expm1(x));
}

}  // namespace laconic::numeric
