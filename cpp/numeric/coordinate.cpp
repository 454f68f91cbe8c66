// Rounds of the descent: model, step, line search. Nearly all time goes into the passes, which are
// in the other two files.
#include "numeric/coordinate.hpp"

namespace laconic::numeric {

Descent::Descent(const Matrix& X, const LossRows& loss, const Blocks& blocks, Vec<double> mass)
    : X_(X),
      loss_(loss),
      K_(loss.n_outputs),
      coupled_(loss.coupled),
      quadratic_(loss.quadratic),
      one_score_(loss.n_outputs == 1 && !loss.coupled),
      sw_(loss_.weight),
      blocks_(blocks),
      support_(X, loss.n_outputs) {
    require(static_cast<int64_t>(sw_.size()) == X.n_rows, "weight must have n_rows entries");
    require(blocks.n == X.n_cols * K_, "blocks must be over n_cols * n_outputs coordinates");
    reweigh(mass);
    if (blocks.size() > 0) X.need_columns();
    const size_t cells = sw_.size() * K_;
    coupling_.assign(sw_.size(), 0.0);
    R_.resize(cells);
    H_.resize(cells);
    D_.resize(cells);
    trial_.resize(cells);
    moved_.resize(cells);
    one_feature_.resize(blocks.size());
    for (int64_t g = 0; g < blocks.size(); ++g) {
        const int64_t first = blocks.ptr[g], size = blocks.ptr[g + 1] - first;
        bool row = size == K_ && K_ > 1;
        for (int64_t e = 0; row && e < size; ++e)
            row = blocks.index[first + e] == blocks.index[first] / K_ * K_ + e;
        one_feature_[g] = row;
    }
}

void Descent::reweigh(Vec<double> mass) {
    require(static_cast<int64_t>(mass.size()) == blocks_.size(),
            "mass must have one entry per block");
    mass_.assign(mass.data(), mass.data() + mass.size());
}

std::tuple<int, double, double> Descent::descend(Vec<int64_t> working, const SeparableTerms& terms,
                                                 MutVec<double> weights, MutVec<double> intercept,
                                                 MutVec<double> scores,
                                                 const DescentLimits& limits) {
    check_range(working, 0, blocks_.size(), "working");
    attach(terms, weights, intercept, scores);
    max_passes_ = limits.max_passes;
    working_.assign(working.data(), working.data() + working.size());
    std::tuple<int, double, double> result;
    {
        nb::gil_scoped_release release;
        result = rounds(limits);
    }
    return result;
}

// Takes over the arrays of a call, checked.
void Descent::attach(const SeparableTerms& terms, MutVec<double> weights, MutVec<double> intercept,
                     MutVec<double> scores) {
    const Vec<double>&lasso = terms.lasso, &ridge = terms.ridge, &centre = terms.centre;
    const size_t p = static_cast<size_t>(blocks_.n);
    require(lasso.size() == 1 || lasso.size() == p, "lasso must have 1 or n entries");
    require(ridge.size() == 1 || ridge.size() == p, "ridge must have 1 or n entries");
    require(centre.size() == 1 || centre.size() == p, "centre must have 1 or n entries");
    require(weights.size() == p, "weights must have n_cols * n_outputs entries");
    require(intercept.size() == 0 || intercept.size() == static_cast<size_t>(K_),
            "intercept must have 0 or n_outputs entries");
    require(scores.size() == R_.size(), "scores must have n_rows * n_outputs entries");
    lasso_ = {lasso.data(), lasso.size() == 1};
    ridge_ = {ridge.data(), ridge.size() == 1};
    centre_ = {centre.data(), centre.size() == 1};
    positive_ = terms.positive;
    w_ = weights.data();
    b_ = intercept.data();
    has_intercept_ = intercept.size() > 0;
    s_ = scores.data();
}

std::tuple<int, double, double> Descent::rounds(const DescentLimits& limits) {
    const double tolerance = limits.tolerance;
    const int max_rounds = limits.max_rounds;
    double value = evaluate(s_, true), violation = INFINITY;
    value_ = value + penalty();
    size_t n_working = 0;
    bool all_single = true;
    offset_.clear();
    for (int64_t g : working_) {
        offset_.push_back(static_cast<int64_t>(n_working));
        n_working += blocks_.ptr[g + 1] - blocks_.ptr[g];
        all_single = all_single && blocks_.ptr[g + 1] - blocks_.ptr[g] == 1;
    }
    curvature_.resize(n_working);
    const bool by_gram = all_single && load_gram();
    int round = 0;
    while (round < max_rounds) {
        ++round;
        const double before = value + penalty();
        remember(start_);
        if (has_intercept_) b_start_.assign(b_, b_ + K_);
        double slope =
            by_gram ? solve_by_gram(tolerance, violation) : solve_by_columns(tolerance, violation);
        const double after_penalty = penalty();
        slope += after_penalty - (before - value);
        const double step = search(before, after_penalty, slope, value);
        if (violation <= tolerance) break;
        // The loss differs from its model by about the square of the violation; rounding errors of
        // residuals that many passes changed are seen in another round only.
        if (one_score_ && !by_gram && step == 1 && max_rounds > 1 && reached_ <= tolerance &&
            tolerance >= 1e-9 && (quadratic_ || violation * violation <= tolerance)) {
            violation = reached_;
            break;
        }
        if (step < 1) bent_.clear();
        if (limits.damped && dampen(step))
            value = evaluate(s_, true);
        else if (step == 0)
            break;
    }
    return {round, violation, value};
}

// Rows that are saturated have hardly any curvature, so that a Newton step may move their scores by
// hundreds, where the model means nothing: the search cuts such a step to pieces, or finds none.
// Then every row gets at least a curvature `least_`, more each time, up to what bounds the loss
// everywhere (losses.hpp) where there is such a bound: steps under it always gain. A full step
// takes a part of it back. Returns whether there is something new to try.
bool Descent::dampen(double step) {
    const double least = least_;
    if (step < 0.2)
        least_ = std::min(std::max(least_ * 30, 1e-6), loss_.steepest);
    else if (step == 1)
        least_ = coupled_ ? FLATTEST : std::max(least_ / 10, FLATTEST);
    return least_ != least;
}

// The summed loss at scores s; with curvatures also R and H there.
double Descent::evaluate(const double* s, bool with_curvature) {
    if (!with_curvature) return loss_.evaluate(s, trial_.data(), nullptr);
    const double value = loss_.evaluate(s, R_.data(), H_.data());
    for (size_t i = 0; i < sw_.size(); ++i) {
        // A bounded row stands without its coupling, which lowers curvature.
        if (coupled_) coupling_[i] = least_ > FLATTEST || sw_[i] == 0 ? 0 : 1 / sw_[i];
        for (int k = 0; k < K_; ++k) H_[i * K_ + k] = std::max(H_[i * K_ + k], least_ * sw_[i]);
    }
    return value;
}

double Descent::penalty() const {
    double total = 0;
    for (int64_t g : working_) {
        double squares = 0;
        for (int64_t e = blocks_.ptr[g]; e < blocks_.ptr[g + 1]; ++e) {
            const int64_t c = blocks_.index[e];
            const double off = w_[c] - centre_[c];
            total += lasso_[c] * std::abs(w_[c]) + 0.5 * ridge_[c] * off * off;
            squares += w_[c] * w_[c];
        }
        total += mass_[g] * std::sqrt(squares);
    }
    return total;
}

// Backtracking: the first t = 1, 1/2, .. with F(w + t d) <= F(w) + 1e-3 t slope, where slope is
// <gradient, d> + penalty(w + d) - penalty(w) (Yuan, Ho and Lin 2012; the condition is that of
// Tseng and Yun 2009). Moves weights, intercept and scores to that point and refreshes R and H
// there. Returns t; 0 if there is none, and nothing moved.
double Descent::search(double before, double full_penalty, double slope, double& value) {
    const double noise = 1e-12 * std::abs(before);  // of the objective: gains below cannot be seen
    remember(end_);
    if (has_intercept_) b_end_.assign(b_, b_ + K_);
    double t = 1;
    for (int trial = 0; slope < noise && trial < 40; ++trial, t *= 0.5) {
        for (size_t c = 0; c < D_.size(); ++c) moved_[c] = s_[c] + t * D_[c];
        double penalty_now = full_penalty;
        if (t < 1) {
            place(t);
            penalty_now = penalty();
        }
        const double found = evaluate(moved_.data(), true);
        if (found + penalty_now <= before + 1e-3 * t * slope + noise) {
            std::copy(moved_.begin(), moved_.end(), s_);
            value = found;
            return t;
        }
    }
    restore(start_);
    if (has_intercept_) std::copy(b_start_.begin(), b_start_.end(), b_);
    return 0;
}

void Descent::place(double t) {
    size_t slot = 0;
    for (int64_t g : working_)
        for (int64_t e = blocks_.ptr[g]; e < blocks_.ptr[g + 1]; ++e, ++slot)
            w_[blocks_.index[e]] = start_[slot] + t * (end_[slot] - start_[slot]);
    if (has_intercept_)
        for (int k = 0; k < K_; ++k) b_[k] = b_start_[k] + t * (b_end_[k] - b_start_[k]);
}

void Descent::remember(std::vector<double>& into) {
    into.clear();
    for (int64_t g : working_)
        for (int64_t e = blocks_.ptr[g]; e < blocks_.ptr[g + 1]; ++e)
            into.push_back(w_[blocks_.index[e]]);
}

void Descent::restore(const std::vector<double>& from) {
    size_t slot = 0;
    for (int64_t g : working_)
        for (int64_t e = blocks_.ptr[g]; e < blocks_.ptr[g + 1]; ++e)
            w_[blocks_.index[e]] = from[slot++];
}

}  // namespace laconic::numeric
