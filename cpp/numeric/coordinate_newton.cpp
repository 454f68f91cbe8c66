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

double largest(const std::vector<double>& a) {
    double found = 0;
    for (double x : a) found = std::max(found, std::abs(x));
    return found;
}

}  // namespace

double Descent::polish(const SeparableTerms& terms, MutVec<double> weights,
                       MutVec<double> intercept, MutVec<double> scores,
                       const DescentLimits& limits) {
    attach(terms, weights, intercept, scores);
    nb::gil_scoped_release release;
    double violation = INFINITY;
    support_.forget();
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

// out = A v: X'H X v, the ridge, and of each group norm mass (v / |w| - w <w, v> / |w|^3).
void Descent::hessian_product(const std::vector<double>& v, std::vector<double>& out) {
    support_.product(v, out);
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

// The gradient of loss + penalty over the active weights, the diagonal of the Hessian, and what the
// penalty has of it.
void Descent::active_gradient(NewtonModel& model) {
    // No structured binding: clang before 16 cannot capture one.
    std::vector<double>&gradient = model.gradient, &diagonal = model.diagonal, &bent = model.bent;
    support_.pull(R_, gradient, diagonal);
    bent.assign(gradient.size(), 0.0);
    for (size_t a = 0; a < active_.size(); ++a) {
        const int64_t c = active_[a];
        bent[a] = ridge_[c];
        gradient[a] += ridge_[c] * (w_[c] - centre_[c]) + (w_[c] > 0 ? lasso_[c] : -lasso_[c]);
    }
    each_active_block([&](size_t b, size_t first, size_t last) {
        const double mass = mass_[working_[b]], norm = norm_[b];
        for (size_t a = first; a < last; ++a) {
            const double share = w_[active_[a]] / norm;
            gradient[a] += mass * share;
            bent[a] += mass / norm * (1 - share * share);
        }
    });
    for (size_t a = 0; a < diagonal.size(); ++a) diagonal[a] += bent[a];
}

// Blocks of the Hessian as a preconditioner of Newton steps; those of steps before do while they
// are near.
void Descent::factor_support(const NewtonModel& model) {
    correlated_ = true;
    const double damped = 0.01 + damping_;
    if (support_.has_factors() && damped < 10 * damped_ && damped_ < 10 * damped) return;
    damped_ = damped;
    std::vector<double> extra = model.bent;
    for (size_t a = 0; a < extra.size(); ++a) extra[a] += damping_ * model.diagonal[a];
    support_.factor(extra, model.diagonal);
}

// Conjugate gradients from d for A d = -g over the weights that are not `fixed`, until the residual
// is `tolerance` of g, or along a direction without curvature, which is left out. The diagonal is
// preconditioner enough where weights are hardly correlated; where it is not, blocks of A are.
void Descent::solve_newton(const NewtonModel& model, const std::vector<char>& fixed,
                           const DescentLimits& limits, std::vector<double>& d) {
    const size_t m = d.size();
    std::vector<double> r(m), z(m, 0.0), p(m, 0.0), q;
    bool by_blocks = correlated_;
    auto precondition = [&](const std::vector<double>& of) {
        if (by_blocks)
            support_.precondition(of, z);
        else
            for (size_t a = 0; a < m; ++a)
                z[a] = model.diagonal[a] > 0 ? of[a] / model.diagonal[a] : 0;
        for (size_t a = 0; a < m; ++a)
            if (fixed[a]) z[a] = 0;
        return dot(of, z);
    };
    auto product = [&](const std::vector<double>& v) {
        hessian_product(v, q);
        for (size_t a = 0; a < m; ++a) q[a] += damping_ * model.diagonal[a] * v[a];
    };
    if (by_blocks) factor_support(model);
    std::vector<double> goal(m);  // -g of the weights that are free
    for (size_t a = 0; a < m; ++a) r[a] = goal[a] = fixed[a] ? 0 : -model.gradient[a];
    if (largest(d) > 0) {
        product(d);
        for (size_t a = 0; a < m; ++a) r[a] = fixed[a] ? 0 : r[a] - q[a];
    }
    const double accuracy = limits.tolerance;
    double enough = accuracy * accuracy * precondition(goal), rz = precondition(r), last = INFINITY;
    for (int step = 0; step < limits.max_passes && rz > enough; ++step) {
        if (step == BY_DIAGONAL && !by_blocks) {  // anew, from here
            by_blocks = true;
            factor_support(model);
            enough = accuracy * accuracy * precondition(goal);
            rz = precondition(r);
            last = INFINITY;
        }
        for (size_t a = 0; a < m; ++a) p[a] = z[a] + rz / last * p[a];
        product(p);
        const double curvature = dot(p, q);
        double size = 0;
        for (size_t a = 0; a < m; ++a) size += model.diagonal[a] * p[a] * p[a];
        if (!(curvature > 1e-9 * size)) break;
        const double t = rz / curvature;
        for (size_t a = 0; a < m; ++a) {
            d[a] += t * p[a];
            r[a] = fixed[a] ? 0 : r[a] - t * q[a];
        }
        last = rz;
        rz = precondition(r);
    }
}

// The step of the model: weights that would change their sign become zero, and the others make up
// for that.
void Descent::solve_bent(const NewtonModel& model, const DescentLimits& limits,
                         std::vector<double>& d) {
    d.assign(model.gradient.size(), 0.0);
    std::vector<char> fixed(d.size(), 0);
    DescentLimits left = limits;
    for (int turn = 0; turn < 4; ++turn) {
        solve_newton(model, fixed, left, d);
        left.max_passes = std::min(limits.max_passes, CORRECTING);
        bool any = false;
        for (size_t a = 0; a < active_.size(); ++a) {
            const double w = w_[active_[a]];
            if (fixed[a] || (w + d[a]) * w > 0) continue;
            any = fixed[a] = true;
            d[a] = -w;
        }
        if (!any) return;
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
    support_.choose(active_, has_intercept_);
    support_.curve(H_, coupled_ ? coupling_.data() : nullptr);
    NewtonModel model;
    active_gradient(model);
    const std::vector<double>&gradient = model.gradient, &diagonal = model.diagonal;
    std::vector<double> d;
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
    // Steihaug 1982), and few products.
    const int products = std::max(1, violation > 0.1 ? limits.max_passes / 6 : limits.max_passes);
    const DescentLimits inner{std::clamp(std::sqrt(violation), 0.01, 0.2), 1, products};
    // Where rows are saturated the model holds only nearby: a step cut to pieces is replaced
    // by one under a larger damping (Levenberg and Marquardt), of which full steps take away.
    for (int attempt = 0; attempt < 8; ++attempt) {
        solve_bent(model, inner, d);
        const double t = search_support(before, gradient, d);
        if (!limits.damped) return t > 0;
        if (t == 1)
            damping_ = damping_ > 1e-7 ? damping_ / 10 : 0;
        else
            damping_ = std::max((t > 0 ? 3 : 30) * damping_, 1e-3);
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
        support_.score(moved, D_);
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
