// Summed losses, residuals, curvatures and conjugates over the rows of a score matrix; the losses
// of one row are in losses.hpp.
#pragma once
#include "door/checks.hpp"
#include "numeric/losses.hpp"

namespace laconic::numeric {

// Checks the targets and weights of n_scores / n_outputs rows for a loss.
void check_rows(LossKind kind, size_t n_scores, const Vec<double>& target,
                const Vec<double>& weight, int n_outputs);

// sum_i s_i loss(y_i, scores_i), and s_i d loss / d scores_i into `residual`.
double loss_value_residual(LossKind kind, Vec<double> scores, Vec<double> target,
                           Vec<double> weight, int n_outputs, MutVec<double> residual, int threads);

// sum_i s_i loss*(scale r_i / s_i), the conjugate of the weighted loss at the scaled residuals.
double loss_conjugate(LossKind kind, Vec<double> residual, Vec<double> target, Vec<double> weight,
                      int n_outputs, double scale, int threads);

// out = s_i h_i: second derivatives of the weighted loss by every score, or an upper bound of them.
void loss_curvature(LossKind kind, Vec<double> scores, Vec<double> target, Vec<double> weight,
                    int n_outputs, MutVec<double> out, int threads);

}  // namespace laconic::numeric
