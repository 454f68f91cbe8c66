// Proximal Newton by block coordinate descent on a working set (Friedman, Hastie and Tibshirani
// 2010; Yuan, Ho and Lin 2012).
//
//   min_{w, b}  sum_i s_i loss(y_i, x_i W + b)
//               + sum_c lasso_c |w_c| + ridge_c (w_c - centre_c)^2 / 2 + sum_g mass_g |w_g|_2
//
// Coordinate c = j K + k is feature j, output k. Each round replaces the loss by its quadratic
// model at the weights w,
//
//   model(d) = sum_i r_i'(x_i d) + (x_i d)' H_i (x_i d) / 2,   r, H: first and second derivatives
//
// solves model + penalty by passes over the working blocks, then searches along the step d. The
// exponentials are computed once per round. The multinomial loss keeps its exact Hessian diag(h) -
// h h' per row: its diagonal alone would need hundreds of rounds.
//
//   coordinate.cpp         rounds and line search
//   coordinate_sweep.cpp   the model by columns: passes keep its residuals R = r + H (X d) right
//   coordinate_blocks.cpp  the same where rows have one score each: columns in vectors
//   coordinate_bases.cpp   its eigenvectors of small blocks, and extrapolation
//   coordinate_gram.cpp    the model by its Gram matrix, for few coordinates
//   coordinate_newton.cpp  steps on all weights of the support at once
#pragma once
#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "numeric/blocks.hpp"
#include "numeric/gram.hpp"
#include "numeric/loss_rows.hpp"
#include "numeric/matrix.hpp"
#include "numeric/support.hpp"

namespace laconic::numeric {

// lasso_c |w_c| + ridge_c (w_c - centre_c)^2 / 2 of every coordinate, over w >= 0 if positive;
// arrays have one entry per coordinate, or one for all.
struct SeparableTerms {
    Vec<double> lasso, ridge, centre;
    bool positive = false;
};

// When a descent ends. The tolerance is relative: a coordinate off by v from optimal counts as
//
//     v / (lasso_c + mass_g + sqrt(ridge_c F)),    or v / sqrt(a_c F) where nothing penalises it,
//
// F the objective and a_c the curvature, so that no scale of the columns, of the targets or of the
// weights of rows makes a difference. The relative duality gap is about as large.
//
// Without `damped`, steps may fail for good where rows are saturated (see `dampen`), as a test
// shows.
struct DescentLimits {
    double tolerance = 0;
    int max_rounds = 1, max_passes = 200;
    bool damped = true;
};

class Descent {
  public:
    Descent(const Matrix& X, const LossRows& loss, const Blocks& blocks, Vec<double> mass);

    // Replaces the mass of every block.
    void reweigh(Vec<double> mass);

    // One call works on the blocks in `working` until their violation is below `tolerance` or
    // `max_rounds` are spent. The weights, the intercept (size K, or 0 for none) and the scores
    // move together. Returns (rounds, violation, value of the loss).
    std::tuple<int, double, double> descend(Vec<int64_t> working, const SeparableTerms& terms,
                                            MutVec<double> weights, MutVec<double> intercept,
                                            MutVec<double> scores, const DescentLimits& limits);

    // At most `max_rounds` steps of Newton's method on the weights that differ from zero, each with
    // at most `max_passes` products by the Hessian. Returns the violation among them before the
    // last step.
    double polish(const SeparableTerms& terms, MutVec<double> weights, MutVec<double> intercept,
                  MutVec<double> scores, const DescentLimits& limits);

  private:
    struct Values {  // a vector, or one value for all
        const double* data = nullptr;
        bool same = true;
        double operator[](int64_t c) const { return data[same ? 0 : c]; }
    };

    std::tuple<int, double, double> rounds(const DescentLimits& limits);
    void attach(const SeparableTerms& terms, MutVec<double> weights, MutVec<double> intercept,
                MutVec<double> scores);
    double evaluate(const double* s, bool with_curvature);
    double search(double before, double full_penalty, double slope, double& value);
    bool dampen(double step);
    double penalty() const;
    void place(double t);
    void remember(std::vector<double>& into);
    void restore(const std::vector<double>& from);

    // Both solve the model from the present weights; they return the slope of the loss along the
    // step and the violation at its start.
    double solve_by_columns(double tolerance, double& violation);
    double solve_by_gram(double tolerance, double& violation);

    double pass(bool first);
    double solve_one_score(double tolerance, double& violation);
    double sweep(const std::vector<int32_t>& slots);
    double step_one(int32_t slot);
    double step_group(int64_t g, int64_t size);
    double step_level();
    void solve_in_basis(int64_t size, const double* vectors, double mass, double length);
    void solve_by_prox(const int64_t* coordinates, int64_t size, const double* vectors,
                       double mass);
    void find_moving();
    void keep_bases();
    const double* basis(int64_t g, int64_t size);
    void remember_point();
    void take_point(const std::vector<double>& point);
    double model_value() const;
    void extrapolate();
    double step_single(int64_t c, double mass, double& curvature, bool first);
    double step_block(int64_t g, const int64_t* coordinates, int64_t size, double* a, bool first);
    double step_intercept();
    void move(int64_t j, int64_t k, double delta);
    double block_violation(const int64_t* coordinates, int64_t size, const double* a, double length,
                           double mass) const;
    double solve_length(const double* a, int64_t size, double mass, double guess) const;
    void bound_curvature(const int64_t* coordinates, int64_t size, double* a);

    bool newton(const DescentLimits& limits, double& violation);
    double search_support(double before, const std::vector<double>& gradient,
                          const std::vector<double>& d);
    void find_active();
    template <class Body>
    void each_active_block(Body body) const;
    struct NewtonModel {  // of loss + penalty over the support; bent: the penalty's diagonal
        std::vector<double> gradient, diagonal, bent;
    };
    void active_gradient(NewtonModel& model);
    void hessian_product(const std::vector<double>& v, std::vector<double>& out);
    void factor_support(const NewtonModel& model);
    void solve_newton(const NewtonModel& model, const std::vector<char>& fixed,
                      const DescentLimits& limits, std::vector<double>& d);
    void solve_bent(const NewtonModel& model, const DescentLimits& limits, std::vector<double>& d);

    bool load_gram();
    bool gram_is_near() const;
    double gram_pass();

    // An inexact Newton step: passes go on until the model is solved ten times better than at the
    // start of the round.
    double enough(double tolerance, double violation) const {
        return std::max(quadratic_ ? 0.0 : 0.1 * violation, 0.3 * tolerance);
    }

    // The exact step of one coordinate of the model, with gradient g and curvature a:
    //     w_c <- soft(a w_c - g, lasso_c) / a
    // Returns how far w_c was from optimal.
    double update(int64_t c, double mass, double gradient, double curvature) {
        gradient += ridge_[c] * (w_[c] - centre_[c]);
        const double old = w_[c], lasso = lasso_[c] + mass;
        double off;
        if (old != 0)
            off = std::abs(gradient + (old > 0 ? lasso : -lasso));
        else
            off = std::max(0.0, (positive_ ? -gradient : std::abs(gradient)) - lasso);
        if (curvature > 0)
            w_[c] = soft(curvature * old - gradient, lasso, positive_) / curvature;
        else if (gradient == 0 && lasso > 0)  // a column of zeros: the lasso alone decides
            w_[c] = 0;
        return relative(off, lasso, ridge_[c], curvature);
    }

    // See DescentLimits.
    double relative(double off, double lasso, double ridge, double curvature) const {
        if (!(off > 0)) return 0;
        const double unit = lasso + (ridge > 0 ? std::sqrt(ridge * value_) : 0.0);
        return off / (unit > 0 ? unit : std::sqrt(curvature * value_));
    }

    // The second derivative by the score of row i, output k.
    double bend(int64_t i, int64_t k) const {
        const double h = H_[i * K_ + k];
        return coupled_ ? std::max(h - coupling_[i] * h * h, FLATTEST * sw_[i]) : h;
    }

    // The score of row i, output k moves by `change`: R += H_i e_k change, with the row's Hessian
    // H_i = diag(h) - coupling h h'.
    void shift(int64_t i, int64_t k, double change) {
        double* r = &R_[i * K_];
        const double* h = &H_[i * K_];
        D_[i * K_ + k] += change;
        const double own = change * h[k];
        r[k] += own;
        if (!coupled_) return;
        const double shared = coupling_[i] * own;
        for (int l = 0; l < K_; ++l) r[l] -= shared * h[l];
    }

    static constexpr double FLATTEST = 1e-12;  // least curvature of a row of weight 1
    static constexpr int64_t SMALL = 32;       // size of blocks that are solved alone
    static constexpr int EXTRAPOLATED = 5;     // passes between extrapolations
    static constexpr int CORRECTING = 20;   // products after weights of a Newton step became zero
    static constexpr int BY_DIAGONAL = 20;  // products of a Newton step before blocks help it

    const Matrix& X_;
    const LossRows loss_;
    const int K_;
    const bool coupled_, quadratic_;  // as the loss says
    const bool one_score_;            // per row
    const std::vector<double>& sw_;
    const Blocks& blocks_;
    std::vector<double> mass_;
    std::vector<char> one_feature_;  // whether a block is all outputs of one feature
    Values lasso_, ridge_, centre_;
    bool positive_ = false, has_intercept_ = false;
    double damping_ = 0;       // of Newton steps on the support
    double damped_ = 0;        // the damping of their preconditioner, about
    bool correlated_ = false;  // so that the diagonal is no preconditioner for them
    double value_ = 0;         // the objective at the start of a call
    double least_ = FLATTEST;  // of the curvature of a row of weight 1, see `dampen`
    int max_passes_ = 200;
    std::vector<int64_t> working_, active_;  // blocks at work, and their weights that are not zero
    std::vector<int64_t> offset_;            // of the weights of each block at work
    std::vector<int32_t> every_, moving_;    // places of blocks in working_: all, those not zero
    std::vector<char> known_;                // whether the curvature of a block is
    std::vector<int64_t> moving_weights_, basis_at_;  // where a block's basis is; -1: nowhere
    std::vector<double> bases_, reference_, with_ridge_, curve_;
    std::vector<std::vector<double>> path_;  // the last iterates
    double total_curvature_ = 0, slack_ = 1;
    double reached_ = INFINITY;  // the violation of the model in the last pass of a round
    std::vector<double> norm_;   // of the blocks at work
    double *w_ = nullptr, *b_ = nullptr, *s_ = nullptr;
    std::vector<double> coupling_;  // H_i = diag(h) - coupling_i h h' with h already weighted
    std::vector<double> R_, H_, D_, r_, trial_, moved_, start_, end_, b_start_, b_end_, curvature_;
    std::vector<double> gradient_, target_, delta_, scratch_, step_;
    GramModel gram_;
    std::vector<int64_t> in_gram_;  // the blocks of the Gram matrix
    std::vector<double> bent_;      // the curvatures it was made with
    Support support_;
};

}  // namespace laconic::numeric
