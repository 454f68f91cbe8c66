// The quadratic model by columns: passes over the working blocks and the intercept. The residuals
// R = r + H (X d) are kept right, so that the gradient of coordinate c = (j, k) is sum_i x_ij R_ik,
// its curvature a = sum_i x_ij^2 H_i,kk, and a pass costs the entries of the working columns.
#include "numeric/coordinate.hpp"

namespace laconic::numeric {

double Descent::solve_by_columns(double tolerance, double& violation) {
    if (one_score_) return solve_one_score(tolerance, violation);
    std::fill(D_.begin(), D_.end(), 0.0);
    r_.assign(R_.begin(), R_.end());
    violation = pass(true);
    double inner = violation;
    for (int passes = 1; passes < max_passes_ && inner > enough(tolerance, violation); ++passes)
        inner = pass(false);
    double slope = 0;
    for (size_t c = 0; c < R_.size(); ++c) slope += r_[c] * D_[c];
    return slope;
}

// One pass over the working blocks and the intercept; the first of a round computes the curvatures.
double Descent::pass(bool first) {
    double worst = 0;
    size_t slot = 0;
    for (int64_t g : working_) {
        const int64_t size = blocks_.ptr[g + 1] - blocks_.ptr[g];
        if (size == 0) continue;
        const int64_t* coordinates = &blocks_.index[blocks_.ptr[g]];
        worst = std::max(worst, size == 1
                                    ? step_single(coordinates[0], mass_[g], curvature_[slot], first)
                                    : step_block(g, coordinates, size, &curvature_[slot], first));
        slot += size;
    }
    if (has_intercept_) worst = std::max(worst, step_intercept());
    return worst;
}

double Descent::step_single(int64_t c, double mass, double& curvature, bool first) {
    const int64_t j = c / K_, k = c % K_;
    double gradient = 0;
    if (first) {
        double a = 0;
        X_.column(j, [&](int64_t i, double x) {
            gradient += x * R_[i * K_ + k];
            a += x * x * bend(i, k);
        });
        curvature = a + ridge_[c];
    } else {
        X_.column(j, [&](int64_t i, double x) { gradient += x * R_[i * K_ + k]; });
    }
    const double old = w_[c], violation = update(c, mass, gradient, curvature);
    if (w_[c] != old) move(j, k, w_[c] - old);
    return violation;
}

void Descent::move(int64_t j, int64_t k, double delta) {
    X_.column(j, [&](int64_t i, double x) { shift(i, k, x * delta); });
}

// Block step under a diagonal metric a, with t = |w| the root that solve_length finds:
//     w_c = b_c / (a_c + mass / t),    b_c = soft(a_c w_c - g_c, lasso_c),    0 if |b| <= mass
double Descent::step_block(int64_t g, const int64_t* coordinates, int64_t size, double* a,
                           bool first) {
    gradient_.assign(size, 0.0);
    target_.resize(size);
    delta_.resize(size);
    if (one_feature_[g]) {
        const int64_t j = coordinates[0] / K_;
        if (first) std::fill(a, a + size, 0.0);
        X_.column(j, [&](int64_t i, double x) {
            const double *r = &R_[i * K_], *h = &H_[i * K_];
            for (int k = 0; k < K_; ++k) gradient_[k] += x * r[k];
            if (first)
                for (int k = 0; k < K_; ++k) a[k] += x * x * h[k];
        });
        if (first)
            for (int64_t e = 0; e < size; ++e) a[e] += ridge_[coordinates[e]];
    } else {
        if (first) bound_curvature(coordinates, size, a);
        for (int64_t e = 0; e < size; ++e) {
            const int64_t j = coordinates[e] / K_, k = coordinates[e] % K_;
            X_.column(j, [&](int64_t i, double x) { gradient_[e] += x * R_[i * K_ + k]; });
        }
    }
    double length = 0, pulled = 0;
    for (int64_t e = 0; e < size; ++e) {
        const int64_t c = coordinates[e];
        gradient_[e] += ridge_[c] * (w_[c] - centre_[c]);
        length += w_[c] * w_[c];
        target_[e] = soft(a[e] * w_[c] - gradient_[e], lasso_[c], positive_);
        pulled += target_[e] * target_[e];
    }
    length = std::sqrt(length);
    pulled = std::sqrt(pulled);
    const double violation = block_violation(coordinates, size, a, length, mass_[g]);
    const double next_length = pulled > mass_[g] ? solve_length(a, size, mass_[g], length) : 0;
    for (int64_t e = 0; e < size; ++e) {
        const int64_t c = coordinates[e];
        const double next = next_length > 0 ? target_[e] / (a[e] + mass_[g] / next_length) : 0;
        delta_[e] = next - w_[c];
        w_[c] = next;
    }
    if (one_feature_[g]) {
        bool any = false;
        for (double d : delta_) any = any || d != 0;
        if (any)
            X_.column(coordinates[0] / K_, [&](int64_t i, double x) {
                double *d = &D_[i * K_], *r = &R_[i * K_], total = 0;
                const double* h = &H_[i * K_];
                for (int k = 0; k < K_; ++k) {
                    const double own = x * delta_[k] * h[k];
                    d[k] += x * delta_[k];
                    r[k] += own;
                    total += own;
                }
                if (coupled_)
                    for (int k = 0; k < K_; ++k) r[k] -= coupling_[i] * total * h[k];
            });
    } else {
        for (int64_t e = 0; e < size; ++e)
            if (delta_[e] != 0) move(coordinates[e] / K_, coordinates[e] % K_, delta_[e]);
    }
    return violation;
}

// Distance of 0 from the subdifferential of the block in the 2-norm, relative (DescentLimits).
double Descent::block_violation(const int64_t* coordinates, int64_t size, const double* a,
                                double length, double mass) const {
    double squares = 0, lasso = 0, ridge = 0, curvature = 0;
    for (int64_t e = 0; e < size; ++e) {
        const int64_t c = coordinates[e];
        double v;
        if (w_[c] != 0)
            v = gradient_[e] + mass * w_[c] / length + (w_[c] > 0 ? lasso_[c] : -lasso_[c]);
        else
            v = soft(-gradient_[e], lasso_[c], positive_);
        squares += v * v;
        lasso = std::max(lasso, lasso_[c]);
        ridge = std::max(ridge, ridge_[c]);
        curvature = std::max(curvature, a[e]);
    }
    const double off = length > 0 ? std::sqrt(squares) : std::max(0.0, std::sqrt(squares) - mass);
    return relative(off, lasso + mass, ridge, curvature);
}

// The root t = |w| of sum_c (b_c / (a_c t + mass))^2 = 1: Newton on 1 - 1 / sqrt(.), which is
// concave in t, inside a bracket, from `guess` if that is in it.
double Descent::solve_length(const double* a, int64_t size, double mass, double guess) const {
    double squares = 0, a_low = INFINITY, a_high = 0;
    for (int64_t e = 0; e < size; ++e) {
        squares += target_[e] * target_[e];
        a_low = std::min(a_low, a[e]);
        a_high = std::max(a_high, a[e]);
    }
    double low = (std::sqrt(squares) - mass) / a_high, high = (std::sqrt(squares) - mass) / a_low;
    double t = guess > low && guess < high ? guess : low;
    for (int step = 0; step < 60 && high - low > 1e-14 * high; ++step) {
        double f = 0, df = 0;
        for (int64_t e = 0; e < size; ++e) {
            const double u = a[e] * t + mass, v = target_[e] * target_[e] / (u * u);
            f += v;
            df -= 2 * v * a[e] / u;
        }
        (f > 1 ? low : high) = t;
        const double root = std::sqrt(f), newton = t + 2 * f * (1 - root) / df;
        const double next = newton > low && newton < high ? newton : 0.5 * (low + high);
        // Newton's errors are squared: a small step is the last.
        if (next == newton && std::abs(next - t) <= 1e-9 * t) return next;
        if (std::abs(next - t) <= 1e-15 * t) return next;
        t = next;
    }
    return t;
}

// An upper bound of the largest eigenvalue of |X_g|' H |X_g|: max_c (A v)_c / v_c for any v > 0
// (Collatz and Wielandt), after two power steps that tighten it.
void Descent::bound_curvature(const int64_t* coordinates, int64_t size, double* a) {
    scratch_.resize(R_.size());
    std::vector<double> v(size, 1.0), next(size);
    double bound = 0, ridge = 0;
    for (int step = 0; step < 3; ++step) {
        for (int64_t e = 0; e < size; ++e)
            X_.column(coordinates[e] / K_,
                      [&](int64_t i, double) { scratch_[i * K_ + coordinates[e] % K_] = 0; });
        for (int64_t e = 0; e < size; ++e)
            X_.column(coordinates[e] / K_, [&](int64_t i, double x) {
                scratch_[i * K_ + coordinates[e] % K_] += std::abs(x) * v[e];
            });
        bound = 0;
        double top = 0;
        for (int64_t e = 0; e < size; ++e) {
            double total = 0;
            X_.column(coordinates[e] / K_, [&](int64_t i, double x) {
                const int64_t cell = i * K_ + coordinates[e] % K_;
                total += std::abs(x) * H_[cell] * scratch_[cell];
            });
            bound = std::max(bound, total / v[e]);
            next[e] = total;
            top = std::max(top, total);
        }
        for (int64_t e = 0; e < size; ++e) v[e] = std::max(next[e] / std::max(top, 1e-300), 1e-3);
    }
    for (int64_t e = 0; e < size; ++e) ridge = std::max(ridge, ridge_[coordinates[e]]);
    std::fill(a, a + size, bound + ridge);
}

double Descent::step_intercept() {
    double worst = 0;
    for (int k = 0; k < K_; ++k) {
        double gradient = 0, curvature = 0;
        for (size_t i = 0; i < sw_.size(); ++i) {
            gradient += R_[i * K_ + k];
            curvature += bend(i, k);
        }
        worst = std::max(worst, relative(std::abs(gradient), 0, 0, curvature));
        const double delta = curvature > 0 ? -gradient / curvature : 0;
        b_[k] += delta;
        for (size_t i = 0; i < sw_.size(); ++i) shift(static_cast<int64_t>(i), k, delta);
    }
    return worst;
}

}  // namespace laconic::numeric
