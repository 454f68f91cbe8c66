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
//   coordinate_gram.cpp    the model by its Gram matrix, for few coordinates
#pragma once
#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "numeric/blocks.hpp"
#include "numeric/gram.hpp"
#include "numeric/loss_rows.hpp"
#include "numeric/matrix.hpp"

namespace laconic::numeric {

// lasso_c |w_c| + ridge_c (w_c - centre_c)^2 / 2 of every coordinate, over w >= 0 if positive;
// arrays have one entry per coordinate, or one for all.
struct SeparableTerms {
    Vec<double> lasso, ridge, centre;
    bool positive = false;
};

// When a descent ends.
struct DescentLimits {
    double tolerance = 0;
    int max_rounds = 1, max_passes = 200;
};

class Descent {
  public:
    Descent(const Matrix& X, const LossRows& loss, const Blocks& blocks, Vec<double> mass);

    // One call works on the blocks in `working` until their violation is below `tolerance` or
    // `max_rounds` are spent. The weights, the intercept (size K, or 0 for none) and the scores
    // move together. Returns (rounds, violation, value of the loss).
    std::tuple<int, double, double> descend(Vec<int64_t> working, const SeparableTerms& terms,
                                            MutVec<double> weights, MutVec<double> intercept,
                                            MutVec<double> scores, const DescentLimits& limits);

  private:
    struct Values {  // a vector, or one value for all
        const double* data = nullptr;
        bool same = true;
        double operator[](int64_t c) const { return data[same ? 0 : c]; }
    };

    std::tuple<int, double, double> rounds(double tolerance, int max_rounds);
    double evaluate(const double* s, bool with_curvature);
    bool search(double before, double full_penalty, double slope, double& value);
    double penalty() const;
    void place(double t);
    void remember(std::vector<double>& into);
    void restore(const std::vector<double>& from);

    // Both solve the model from the present weights; they return the slope of the loss along the
    // step and the violation at its start.
    double solve_by_columns(double tolerance, double& violation);
    double solve_by_gram(double tolerance, double& violation);

    double pass(bool first);
    double step_single(int64_t c, double mass, double& curvature, bool first);
    double step_block(int64_t g, const int64_t* coordinates, int64_t size, double* a, bool first);
    double step_intercept();
    void move(int64_t j, int64_t k, double delta);
    double block_violation(const int64_t* coordinates, int64_t size, double length,
                           double mass) const;
    double solve_length(const double* a, int64_t size, double mass) const;
    void bound_curvature(const int64_t* coordinates, int64_t size, double* a);

    bool load_gram();
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
        w_[c] = soft(curvature * old - gradient, lasso, positive_) / curvature;
        if (old != 0) return std::abs(gradient + (old > 0 ? lasso : -lasso));
        return positive_ ? std::max(0.0, -gradient - lasso)
                         : std::max(0.0, std::abs(gradient) - lasso);
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

    const Matrix& X_;
    const LossRows loss_;
    const int K_;
    const bool coupled_, quadratic_;  // as the loss says
    const std::vector<double>& sw_;
    const Blocks& blocks_;
    const std::vector<double> mass_;
    std::vector<char> one_feature_;  // whether a block is all outputs of one feature
    Values lasso_, ridge_, centre_;
    bool positive_ = false, has_intercept_ = false;
    int max_passes_ = 200;
    std::vector<int64_t> working_;
    double *w_ = nullptr, *b_ = nullptr, *s_ = nullptr;
    std::vector<double> coupling_;  // H_i = diag(h) - coupling_i h h' with h already weighted
    std::vector<double> R_, H_, D_, r_, trial_, moved_, start_, end_, b_start_, b_end_, curvature_;
    std::vector<double> gradient_, target_, delta_, scratch_, step_;
    GramModel gram_;
};

}  // namespace laconic::numeric
