// Newton's method on the weights that differ from zero. Within an orthant, and away from the zeros
// of group norms, loss + penalty is smooth: with g its gradient and A its Hessian there,
//
//     (A + damping diag(A)) d = -g,    w <- w + t d, where weights that would change their sign
//                                                    become zero
//
// A d is found by conjugate gradients with a diagonal preconditioner (a product costs the entries
// of the active columns, twice) and t by backtracking along the bent path (Bertsekas 1982).
// Coordinate descent finds the support in a few passes but then creeps along directions that many
// weights share, such as exchanges between two classes; these are what this step is for.
#include "numeric/coordinate.hpp"

namespace laconic::numeric {

namespace {

double dot(const std::vector<double>& a, const std::vector<double>& b) {
    double total = 0;
    for (size_t i = 0; i < a.size(); ++i) total += a[i] * b[i];
    return total;
}

}  // namespace

double Descent::polish(const SeparableTerms& terms, MutVec<double> weights,
                       MutVec<double> intercept, MutVec<double> scores,
                       const DescentLimits& limits) {
    attach(terms, weights, intercept, scores);
    nb::gil_scoped_release release;
    double violation = INFINITY;
    for (int round = 0; round < limits.max_rounds && violation > limits.tolerance; ++round)
        if (!newton(limits, violation)) break;
    return violation;
}

// The blocks that hold a weight that is not zero.
void Descent::find_active() {
    working_.clear();
    active_.clear();
    norm_.clear();
    for (int64_t g = 0; g < blocks_.size(); ++g) {
        double squares = 0;
        for (int64_t e = blocks_.ptr[g]; e < blocks_.ptr[g + 1]; ++e)
            squares += w_[blocks_.index[e]] * w_[blocks_.index[e]];
        if (squares == 0) continue;
        working_.push_back(g);
        norm_.push_back(std::sqrt(squares));
        for (int64_t e = blocks_.ptr[g]; e < blocks_.ptr[g + 1]; ++e)
            if (w_[blocks_.index[e]] != 0) active_.push_back(blocks_.index[e]);
    }
}

// Calls body(block's slot in working_, first and last slot in active_).
template <class Body>
void Descent::each_active_block(Body body) const {
    size_t first = 0;
    for (size_t b = 0; b < working_.size(); ++b) {
        size_t last = first;
        for (int64_t e = blocks_.ptr[working_[b]]; e < blocks_.ptr[working_[b] + 1]; ++e)
            if (w_[blocks_.index[e]] != 0) ++last;
        body(b, first, last);
        first = last;
    }
}

// D = X v over the active weights and the intercept.
void Descent::active_scores(const std::vector<double>& v) {
    std::fill(D_.begin(), D_.end(), 0.0);
    for (size_t a = 0; a < active_.size(); ++a) {
        const int64_t k = active_[a] % K_;
        const double by = v[a];
        if (by != 0)
            X_.column(active_[a] / K_, [&](int64_t i, double x) { D_[i * K_ + k] += x * by; });
    }
    if (!has_intercept_) return;
    const double* b = v.data() + active_.size();
    for (size_t i = 0; i < sw_.size(); ++i)
        for (int k = 0; k < K_; ++k) D_[i * K_ + k] += b[k];
}

// out = X'r over the active weights and the intercept.
void Descent::active_pull(const std::vector<double>& r, std::vector<double>& out) const {
    out.assign(active_.size() + (has_intercept_ ? K_ : 0), 0.0);
    for (size_t a = 0; a < active_.size(); ++a) {
        const int64_t k = active_[a] % K_;
        double total = 0;
        X_.column(active_[a] / K_, [&](int64_t i, double x) { total += x * r[i * K_ + k]; });
        out[a] = total;
    }
    if (!has_intercept_) return;
    double* b = out.data() + active_.size();
    for (size_t i = 0; i < sw_.size(); ++i)
        for (int k = 0; k < K_; ++k) b[k] += r[i * K_ + k];
}

// out = A v: X'H X v, the ridge, and of each group norm mass (v / |w| - w <w, v> / |w|^3).
void Descent::hessian_product(const std::vector<double>& v, std::vector<double>& out) {
    active_scores(v);
    for (size_t i = 0; i < sw_.size(); ++i) {
        double* d = &D_[i * K_];
        const double* h = &H_[i * K_];
        double shared = 0;
        for (int k = 0; k < K_; ++k) {
            d[k] *= h[k];
            shared += d[k];
        }
        if (coupled_)
            for (int k = 0; k < K_; ++k) d[k] -= coupling_[i] * shared * h[k];
    }
    active_pull(D_, out);
    for (size_t a = 0; a < active_.size(); ++a) out[a] += ridge_[active_[a]] * v[a];
    each_active_block([&](size_t b, size_t first, size_t last) {
        const double mass = mass_[working_[b]], norm = norm_[b];
        if (mass == 0 || last - first == 1) return;
        double along = 0;
        for (size_t a = first; a < last; ++a) along += w_[active_[a]] * v[a];
        for (size_t a = first; a < last; ++a)
            out[a] += mass / norm * (v[a] - w_[active_[a]] * along / (norm * norm));
    });
}

// The gradient of loss + penalty over the active weights, and the diagonal of the Hessian.
void Descent::active_gradient(std::vector<double>& gradient, std::vector<double>& diagonal) {
    active_pull(R_, gradient);
    diagonal.assign(gradient.size(), 0.0);
    for (size_t a = 0; a < active_.size(); ++a) {
        const int64_t c = active_[a], k = c % K_;
        double total = 0;
        X_.column(c / K_, [&](int64_t i, double x) { total += x * x * bend(i, k); });
        diagonal[a] = total + ridge_[c];
        gradient[a] += ridge_[c] * (w_[c] - centre_[c]) + (w_[c] > 0 ? lasso_[c] : -lasso_[c]);
    }
    each_active_block([&](size_t b, size_t first, size_t last) {
        const double mass = mass_[working_[b]], norm = norm_[b];
        for (size_t a = first; a < last; ++a) {
            const double share = w_[active_[a]] / norm;
            gradient[a] += mass * share;
            diagonal[a] += mass / norm * (1 - share * share);
        }
    });
    if (has_intercept_)
        for (size_t i = 0; i < sw_.size(); ++i)
            for (int k = 0; k < K_; ++k)
                diagonal[active_.size() + k] += bend(static_cast<int64_t>(i), k);
}

// Conjugate gradients for A d = -g, until the residual is `accuracy` of g in the preconditioned
// norm, or along a direction without curvature, which is left out.
void Descent::solve_newton(const std::vector<double>& gradient, const std::vector<double>& diagonal,
                           double accuracy, int max_products, std::vector<double>& d) {
    const size_t m = gradient.size();
    std::vector<double> r(m), z(m), p(m), q;
    d.assign(m, 0.0);
    for (size_t a = 0; a < m; ++a) {
        r[a] = -gradient[a];
        p[a] = z[a] = diagonal[a] > 0 ? r[a] / diagonal[a] : 0;
    }
    double rz = dot(r, z);
    const double enough = accuracy * accuracy * rz;
    for (int step = 0; step < max_products && rz > enough; ++step) {
        hessian_product(p, q);
        for (size_t a = 0; a < m; ++a) q[a] += damping_ * diagonal[a] * p[a];
        const double curvature = dot(p, q);
        double size = 0;
        for (size_t a = 0; a < m; ++a) size += diagonal[a] * p[a] * p[a];
        if (!(curvature > 1e-9 * size)) break;
        const double t = rz / curvature;
        for (size_t a = 0; a < m; ++a) {
            d[a] += t * p[a];
            r[a] -= t * q[a];
            z[a] = diagonal[a] > 0 ? r[a] / diagonal[a] : 0;
        }
        const double next = dot(r, z);
        for (size_t a = 0; a < m; ++a) p[a] = z[a] + next / rz * p[a];
        rz = next;
    }
}

// One step; returns whether the objective fell. `violation` is that at its start.
bool Descent::newton(const DescentLimits& limits, double& violation) {
    find_active();
    const size_t n_active = active_.size();
    violation = 0;
    if (n_active == 0) return false;
    const double before = evaluate(s_, true) + penalty();
    value_ = before;
    std::vector<double> gradient, diagonal, d;
    active_gradient(gradient, diagonal);
    each_active_block([&](size_t b, size_t first, size_t last) {
        double squares = 0, unit = mass_[working_[b]], ridge = 0, curvature = 0;
        for (size_t a = first; a < last; ++a) {
            squares += gradient[a] * gradient[a];
            ridge = std::max(ridge, ridge_[active_[a]]);
            curvature = std::max(curvature, diagonal[a]);
        }
        unit += lasso_[active_[first]];
        violation = std::max(violation, relative(std::sqrt(squares), unit, ridge, curvature));
    });
    for (size_t a = n_active; a < gradient.size(); ++a)
        violation = std::max(violation, relative(std::abs(gradient[a]), 0, 0, diagonal[a]));
    if (violation <= limits.tolerance) return false;
    // Far from the optimum the model itself is wrong: an inexact step does (Dembo, Eisenstat and
    // Steihaug 1982).
    const double accuracy = std::clamp(std::sqrt(violation), 0.01, 0.2);
    // Where rows are saturated the model holds only nearby: a step cut to pieces is replaced
    // by one under a larger damping (Levenberg and Marquardt), of which full steps take away.
    for (int attempt = 0; attempt < 8; ++attempt) {
        solve_newton(gradient, diagonal, accuracy, limits.max_passes, d);
        const double t = search_support(before, gradient, d);
        if (t == 1)
            damping_ = damping_ > 1e-9 ? damping_ / 10 : 0;
        else
            damping_ = std::max(10 * damping_, 1e-8);
        if (t > 0) return true;
    }
    return false;
}

// Backtracking for w <- w + t d, where weights that would change their sign become zero. Returns t;
// 0 if there is none, and nothing moved.
double Descent::search_support(double before, const std::vector<double>& gradient,
                               const std::vector<double>& d) {
    const size_t n_active = active_.size();
    std::vector<double> start, moved(d.size());
    for (int64_t c : active_) start.push_back(w_[c]);
    for (double t = 1; t > 0.1; t *= 0.5) {
        double slope = 0;
        for (size_t a = 0; a < moved.size(); ++a) {
            moved[a] = t * d[a];
            if (a < n_active && (start[a] + moved[a]) * start[a] <= 0) moved[a] = -start[a];
            slope += gradient[a] * moved[a];
        }
        active_scores(moved);
        for (size_t c = 0; c < D_.size(); ++c) moved_[c] = s_[c] + D_[c];
        for (size_t a = 0; a < n_active; ++a) w_[active_[a]] = start[a] + moved[a];
        const double after = evaluate(moved_.data(), false) + penalty();
        if (slope < 0 && after < before && after <= before + 1e-4 * slope) {
            std::copy(moved_.begin(), moved_.end(), s_);
            if (has_intercept_)
                for (int k = 0; k < K_; ++k) b_[k] += moved[n_active + k];
            return t;
        }
    }
    for (size_t a = 0; a < n_active; ++a) w_[active_[a]] = start[a];
    return 0;
}

}  // namespace laconic::numeric
