// The quadratic model by columns where rows have one score each. The residuals R = r + H X d are
// kept right as in coordinate_sweep.cpp, but X d itself is made once, at the end, and columns are
// whole vectors. After one pass over all working blocks those that are zero rest until the others
// are solved (Friedman, Hastie and Tibshirani 2010).
//
// A small block is solved as if alone, in the basis of the eigenvectors V of X_g' H_ref X_g + ridge
// (Yang and Hastie 2024): with its eigenvalues a, the gradient q and t = |w|,
//
//     V'w = b / (slack a + mass / t),    b = slack a V'w - V'q
//
// Eigenvectors are kept while curvatures H stay near those they were made with, H_ref; slack, at
// least max_i H_i / H_ref,i, makes the block's model an upper bound of the loss's.
//
// Passes creep along directions that many columns share. Every few passes the affine combination of
// the last iterates whose steps nearly cancel takes their place where it is better (Anderson
// acceleration; Bertrand and Massias 2021). Its residuals are the same combination of theirs.
#include "numeric/coordinate.hpp"

namespace laconic::numeric {

double Descent::solve_one_score(double tolerance, double& violation) {
    r_.assign(R_.begin(), R_.end());
    total_curvature_ = 0;
    for (double h : H_) total_curvature_ += h;
    every_.resize(working_.size());
    for (size_t slot = 0; slot < working_.size(); ++slot) every_[slot] = static_cast<int32_t>(slot);
    known_.assign(working_.size(), 0);
    keep_bases();
    const double level = has_intercept_ ? b_[0] : 0;

    double inner = violation = sweep(every_);
    const bool last = quadratic_ || violation < std::min(30 * tolerance, std::sqrt(tolerance));
    const double goal = last ? 0.7 * tolerance : enough(tolerance, violation);
    for (int passes = 1; passes < max_passes_ && inner > goal;) {
        find_moving();
        path_.clear();
        while (passes < max_passes_ && inner > goal) {
            if (path_.empty()) remember_point();
            inner = sweep(moving_);
            ++passes;
            remember_point();
            if (path_.size() > EXTRAPOLATED) {
                if (inner > goal) extrapolate();
                path_.clear();
            }
        }
        if (moving_.size() == every_.size() || passes >= max_passes_) break;
        inner = sweep(every_);
        ++passes;
    }
    reached_ = inner;

    // D = X d, and the slope r'D.
    std::fill(D_.begin(), D_.end(), has_intercept_ ? b_[0] - level : 0.0);
    for (int32_t slot : every_) {
        const int64_t first = blocks_.ptr[working_[slot]], last = blocks_.ptr[working_[slot] + 1];
        for (int64_t e = first; e < last; ++e) {
            const int64_t c = blocks_.index[e];
            const double delta = w_[c] - start_[offset_[slot] + e - first];
            if (delta != 0) X_.column_add(c, delta, D_.data());
        }
    }
    double slope = 0;
    for (size_t i = 0; i < R_.size(); ++i) slope += r_[i] * D_[i];
    return slope;
}

// Blocks with a weight that is not zero.
void Descent::find_moving() {
    moving_.clear();
    moving_weights_.clear();
    for (int32_t slot : every_) {
        const int64_t first = blocks_.ptr[working_[slot]], last = blocks_.ptr[working_[slot] + 1];
        bool any = false;
        for (int64_t e = first; e < last; ++e) any = any || w_[blocks_.index[e]] != 0;
        if (!any) continue;
        moving_.push_back(slot);
        for (int64_t e = first; e < last; ++e) moving_weights_.push_back(blocks_.index[e]);
    }
}

// One pass over some of the working blocks, and the intercept.
double Descent::sweep(const std::vector<int32_t>& slots) {
    double worst = 0;
    for (int32_t slot : slots) {
        const int64_t g = working_[slot], size = blocks_.ptr[g + 1] - blocks_.ptr[g];
        if (size == 0) continue;
        double found;
        if (size == 1) {
            found = step_one(slot);
        } else if (size <= SMALL) {
            found = step_group(g, size);
        } else {
            found = step_block(g, &blocks_.index[blocks_.ptr[g]], size, &curvature_[offset_[slot]],
                               !known_[slot]);
            known_[slot] = true;
        }
        worst = std::max(worst, found);
    }
    if (has_intercept_) worst = std::max(worst, step_level());
    return worst;
}

double Descent::step_one(int32_t slot) {
    const int64_t g = working_[slot], c = blocks_.index[blocks_.ptr[g]];
    double gradient, &curvature = curvature_[offset_[slot]];
    if (!known_[slot]) {
        const ColumnDots dots = X_.column_dots(c, R_.data(), H_.data());
        gradient = dots.gradient;
        curvature = dots.curvature + ridge_[c];
        known_[slot] = true;
    } else {
        gradient = X_.column_dot(c, R_.data());
    }
    const double old = w_[c], violation = update(c, mass_[g], gradient, curvature);
    if (w_[c] != old) X_.column_add(c, w_[c] - old, H_.data(), R_.data());
    return violation;
}

double Descent::step_group(int64_t g, int64_t size) {
    const int64_t* coordinates = &blocks_.index[blocks_.ptr[g]];
    const double mass = mass_[g];
    gradient_.resize(size);
    double length = 0, pulled = 0;
    bool with_lasso = positive_;
    X_.columns_dot(coordinates, size, R_.data(), gradient_.data());
    for (int64_t e = 0; e < size; ++e) {
        const int64_t c = coordinates[e];
        gradient_[e] += ridge_[c] * (w_[c] - centre_[c]);
        length += w_[c] * w_[c];
        const double v = soft(-gradient_[e], lasso_[c], positive_);
        pulled += v * v;
        with_lasso = with_lasso || lasso_[c] != 0;
    }
    if (length == 0 && pulled <= mass * mass) return 0;
    const double* vectors = basis(g, size);
    curve_.assign(vectors + size * size, vectors + size * size + size);
    for (double& a : curve_) a *= slack_;
    const double violation =
        block_violation(coordinates, size, curve_.data(), std::sqrt(length), mass);
    delta_.resize(size);
    for (int64_t e = 0; e < size; ++e) delta_[e] = w_[coordinates[e]];
    if (!(curve_[size - 1] > 0)) {  // columns of zeros: the penalty alone decides
        for (int64_t e = 0; e < size; ++e)
            if (mass + lasso_[coordinates[e]] > 0) delta_[e] = 0;
    } else if (with_lasso) {
        solve_by_prox(coordinates, size, vectors, mass);
    } else {
        solve_in_basis(size, vectors, mass, std::sqrt(length));
    }
    bool any = false;
    for (int64_t e = 0; e < size; ++e) {
        const double next = delta_[e];
        delta_[e] -= w_[coordinates[e]];
        w_[coordinates[e]] = next;
        any = any || delta_[e] != 0;
    }
    if (any) X_.columns_add(coordinates, size, delta_.data(), H_.data(), R_.data());
    return violation;
}

// Replaces the weights in delta_, with the gradient in gradient_, by the solution of the block's
// model.
void Descent::solve_in_basis(int64_t size, const double* vectors, double mass, double length) {
    target_.resize(size);
    double squares = 0;
    for (int64_t a = 0; a < size; ++a) {
        const double* v = vectors + a * size;
        double along = 0, pull = 0;
        for (int64_t e = 0; e < size; ++e) {
            along += v[e] * delta_[e];
            pull += v[e] * gradient_[e];
        }
        target_[a] = curve_[a] * along - pull;
        squares += target_[a] * target_[a];
    }
    std::fill(delta_.begin(), delta_.end(), 0.0);
    if (squares <= mass * mass) return;
    const double t = solve_length(curve_.data(), size, mass, length);
    for (int64_t a = 0; a < size; ++a) {
        const double by = target_[a] / (curve_[a] + mass / t), *v = vectors + a * size;
        for (int64_t e = 0; e < size; ++e) delta_[e] += by * v[e];
    }
}

// The same with a lasso on the entries, or over w >= 0, by some proximal steps with the largest
// eigenvalue L: v <- prox(v - q / L), q <- q + G (v_next - v) with G = V a V'.
void Descent::solve_by_prox(const int64_t* coordinates, int64_t size, const double* vectors,
                            double mass) {
    const double bound = curve_[size - 1];
    target_.resize(size);
    double first = 0;
    for (int step = 0; step < 10; ++step) {
        double squares = 0, moved = 0;
        for (int64_t e = 0; e < size; ++e) {
            target_[e] =
                soft(delta_[e] - gradient_[e] / bound, lasso_[coordinates[e]] / bound, positive_);
            squares += target_[e] * target_[e];
        }
        const double norm = std::sqrt(squares);
        const double keep = norm * bound > mass ? 1 - mass / (norm * bound) : 0;
        for (int64_t e = 0; e < size; ++e) {
            const double next = keep * target_[e];
            target_[e] = next - delta_[e];
            delta_[e] = next;
            moved += target_[e] * target_[e];
        }
        if (step == 0) first = moved;
        if (moved <= 1e-4 * first) break;
        for (int64_t a = 0; a < size; ++a) {
            const double* v = vectors + a * size;
            double along = 0;
            for (int64_t e = 0; e < size; ++e) along += v[e] * target_[e];
            along *= curve_[a];
            for (int64_t e = 0; e < size; ++e) gradient_[e] += along * v[e];
        }
    }
}

// The exact step of the intercept.
double Descent::step_level() {
    double sums[8] = {}, gradient = 0;
    for (size_t i = 0; i < R_.size(); ++i) sums[i & 7] += R_[i];
    for (double sum : sums) gradient += sum;
    const double delta = total_curvature_ > 0 ? -gradient / total_curvature_ : 0;
    b_[0] += delta;
    for (size_t i = 0; i < R_.size(); ++i) R_[i] += delta * H_[i];
    return relative(std::abs(gradient), 0, 0, total_curvature_);
}

}  // namespace laconic::numeric
