// A loss over the rows of a score matrix, with its targets and weights: one of losses.hpp, or an
// object in Python.
#pragma once
#include <cmath>
#include <functional>
#include <vector>

#include "numeric/loss_sums.hpp"

namespace laconic::numeric {

struct LossRows {
    int n_outputs = 1;
    bool coupled = false;        // the Hessian of a row is diag(h) - h h'
    bool quadratic = false;      // the quadratic model is the loss itself
    double steepest = INFINITY;  // no curvature of a row of weight 1 is larger
    std::vector<double> weight;
    // (scores, residual, curvature or null) -> the weighted sum; writes weighted derivatives.
    std::function<double(const double*, double*, double*)> evaluate;
};

LossRows kernel_rows(LossKind kind, Vec<double> target, Vec<double> weight, int n_outputs,
                     double parameter);

// `loss` has value_residual(scores) -> (value, residuals) and curvature(scores), see
// laconic.core.losses.bound. Sums over thousands of rows are one call each, so that a loss in NumPy
// costs what its arithmetic costs.
LossRows python_rows(nb::object loss, Vec<double> weight, int n_outputs);

}  // namespace laconic::numeric
