// Summed losses, residuals, curvatures and conjugates over the rows of a score matrix; the losses
// of one row are in losses.hpp.
#pragma once
#include "door/checks.hpp"
#include "numeric/losses.hpp"

namespace laconic::numeric {

// A kind of loss with its parameter, the targets (one per row, or one per score) and weights of the
// rows, and the number of scores per row.
struct LossData {
    LossKind kind;
    double parameter;
    Vec<double> target, weight;
    int n_outputs;
};

// The targets of row i.
inline Targets targets_of(const LossData& data, int64_t i) {
    const bool each = data.target.size() == data.weight.size() * data.n_outputs;
    return {data.target.data() + (each ? i * data.n_outputs : i), each};
}

// Checks the data of n_scores / n_outputs rows.
void check_rows(const LossData& data, size_t n_scores);

// sum_i s_i loss(y_i, scores_i), and s_i d loss / d scores_i into `residual`.
double loss_value_residual(const LossData& data, Vec<double> scores, MutVec<double> residual,
                           int threads);

// sum_i s_i loss*(scale r_i / s_i), the conjugate of the weighted loss at the scaled residuals.
double loss_conjugate(const LossData& data, Vec<double> residual, double scale, int threads);

// out = s_i h_i: second derivatives of the weighted loss by every score, or an upper bound of them.
void loss_curvature(const LossData& data, Vec<double> scores, MutVec<double> out, int threads);

}  // namespace laconic::numeric
