// A tree over the outputs of a model, for every feature, and descent by features under it.
//
//   min_{w, b}  sum_i s_i loss(y_i, x_i W + b) + sum_j sum_u mass_u |w_{j, outputs(u)}|_2
//
// The prox of one feature is a sweep up and a sweep down the tree, as in forest.hpp; here all
// features share one small tree. A step d of feature j minimises the model
//
//     g'd + sum_k a_k d_k^2 / 2 + the norms of w_j + d
//     g = sum_i s_i x_ij r_i,    a = sum_i s_i x_ij^2 h_i        r, h: derivatives of row i
//
// and a doubles until the objective falls by half of what the model promises, so that it never
// grows. Outputs differ much in curvature, so that one step size for all would be slow. Residuals
// of all rows are kept up to date: a feature without weights that keeps none costs the entries of
// its column times the outputs, and one that moves their exponentials.
#pragma once
#include <tuple>
#include <vector>

#include "door/checks.hpp"
#include "numeric/loss_sums.hpp"
#include "numeric/matrix.hpp"

namespace laconic::numeric {

class OutputTree {
  public:
    // Node u owns outputs index[ptr[u]:ptr[u + 1]]; its group is what it and all below it own.
    OutputTree(Vec<int64_t> parent, Vec<int64_t> ptr, Vec<int64_t> index, Vec<double> weight,
               int64_t n_outputs);

    // out = argmin_v |v - row|^2 / 2 + scale sum_u weight_u |v_u| of every row of (n, K).
    void prox(Vec<double> table, double scale, MutVec<double> out);
    // The least scale at which the prox of every row is zero.
    double gauge(Vec<double> table);
    // sum_u weight_u |row_u|, summed over rows.
    double value(Vec<double> table);

    // `sweeps` of them: the first one over all features of `working`, the others over those that
    // have weights. Weights, intercept (size K, or 0 for none) and scores move together. Returns
    // the number of features with weights.
    int64_t descend(const Matrix& X, const LossData& data, double strength, Vec<int64_t> working,
                    MutVec<double> weights, MutVec<double> intercept, MutVec<double> scores);
    int sweeps = 8;

    int64_t n_outputs() const { return K_; }

  private:
    template <class Loss>
    friend class FeatureSweep;

    bool prox_row(const double* row, double scale, double* out);  // whether it is not zero
    double row_value(const double* row);

    int64_t K_;
    std::vector<int64_t> parent_, ptr_, index_;
    std::vector<double> weight_, below_, factor_;
};

}  // namespace laconic::numeric
