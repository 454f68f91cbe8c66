// The quadratic model by its Gram matrix (gram.hpp), where all working blocks are single
// coordinates: a step by delta of coordinate c changes the gradient by delta G_c, one row.
#include "numeric/coordinate.hpp"

namespace laconic::numeric {

// Worth it while the Gram matrix costs less than the fifty passes by columns that it saves.
bool Descent::load_gram() {
    if (!in_gram_.empty() && working_ == in_gram_) return true;
    in_gram_.clear();
    bent_.clear();
    if (working_.size() > 1500) return false;
    // Dense columns are passed over in vectors, so that a Gram matrix pays only if it is small.
    if (one_score_ && X_.is_dense() && 4 * int64_t(working_.size()) > X_.n_rows) return false;
    std::vector<int32_t> output;
    double entries = double(X_.n_rows) * K_;
    for (int64_t g : working_) {
        const int64_t c = blocks_.index[blocks_.ptr[g]];
        output.push_back(static_cast<int32_t>(c % K_));
        X_.column(c / K_, [&](int64_t, double) { ++entries; });
    }
    // A Gram pass costs m^2 contiguous additions, a pass by columns some six times its scattered
    // entries.
    const double m = double(working_.size()) + (has_intercept_ ? K_ : 0);
    if (m * m > 6.0 * entries * (coupled_ ? K_ : 1)) return false;
    gram_.load(X_.n_rows, output, K_, has_intercept_, [&](int64_t c, auto body) {
        X_.column(blocks_.index[blocks_.ptr[working_[c]]] / K_, body);
    });
    if (gram_.cost() > 50.0 * entries * (coupled_ ? K_ : 1)) return false;
    in_gram_ = working_;
    return true;
}

// A large Gram matrix costs far more than the gradient: one of curvatures nearby serves as well,
// since the search along a step asks the loss itself. Small ones are made anew, so that the errors
// of an intercept are squared.
bool Descent::gram_is_near() const {
    if (coupled_ || bent_.size() != H_.size() || gram_.size() < 16) return false;
    double off = 0, total = 0;
    for (size_t i = 0; i < H_.size(); ++i) {
        off += std::abs(H_[i] - bent_[i]);
        total += H_[i];
    }
    return off <= 0.1 * total;
}

double Descent::solve_by_gram(double tolerance, double& violation) {
    gram_.pull(R_.data(), K_);
    if (!gram_is_near()) {
        gram_.bend(H_.data(), coupled_ ? coupling_.data() : nullptr, K_,
                   quadratic_ ? 0 : GramModel::FLAT);
        bent_ = H_;
    }
    const std::vector<double> start_gradient = gram_.gradient;
    step_.assign(gram_.size(), 0.0);
    double inner = violation = gram_pass();
    for (int passes = 1; passes < 10 * max_passes_ && inner > enough(tolerance, violation);
         ++passes)
        inner = gram_pass();
    gram_.scores(step_, D_.data(), K_);
    double slope = 0;
    for (int64_t c = 0; c < gram_.size(); ++c) slope += start_gradient[c] * step_[c];
    return slope;
}

double Descent::gram_pass() {
    double worst = 0;
    const int64_t m = static_cast<int64_t>(working_.size());
    for (int64_t c = 0; c < m; ++c) {
        const int64_t g = working_[c], at = blocks_.index[blocks_.ptr[g]];
        const double old = w_[at];
        worst = std::max(worst,
                         update(at, mass_[g], gram_.gradient[c], gram_.curvature(c) + ridge_[at]));
        if (const double delta = w_[at] - old; delta != 0) {
            step_[c] += delta;
            gram_.move(c, delta);
        }
    }
    for (int64_t c = m; c < gram_.size(); ++c) {
        const double gradient = gram_.gradient[c], curvature = gram_.curvature(c);
        const double delta = curvature > 0 ? -gradient / curvature : 0;
        worst = std::max(worst, relative(std::abs(gradient), 0, 0, curvature));
        b_[c - m] += delta;
        step_[c] += delta;
        gram_.move(c, delta);
    }
    return worst;
}

}  // namespace laconic::numeric
