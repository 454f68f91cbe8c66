// Proximal steps of trajectories, weights (features, steps, outputs) by rows: fused lasso with
// groups, and groups with smooth changes.
#pragma once
#include "door/checks.hpp"

namespace laconic::numeric {

struct FusedTerms {
    double lasso = 0, fusion = 0, mass = 0;
};

// out = prox of lasso sum |w| + fusion sum |w_t - w_{t-1}| + mass |w of a feature|: fusion, soft
// threshold and shrinkage one after the other (Friedman et al. 2007; Zhou et al. 2012), exact since
// each leaves the subgradients of what came before in place.
void fused_prox(Vec<double> weights, int64_t n_steps, int64_t n_outputs, const FusedTerms& terms,
                MutVec<double> out, int threads);

// out = argmin_v v'M v / 2 + mass |v of a feature| - w'v for M with eigenvalues mu in the basis of
// cosines of a path's Laplacian. False where some feature has no finite minimum.
bool smooth_group_minimum(Vec<double> weights, Vec<double> mu, int64_t n_outputs, double mass,
                          MutVec<double> out, int threads);

}  // namespace laconic::numeric
