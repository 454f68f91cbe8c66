// Checked arrays for the sweeps of forest.hpp. Single entries are the leaves below the leaves, so
// that their soft threshold comes before the sweep up.
#include "numeric/forest.hpp"

namespace laconic::numeric {

void forest_prox(Forest& forest, Vec<double> weights, Vec<double> soft_in, double scale, Norm norm,
                 bool positive, MutVec<double> result, int threads) {
    require(static_cast<int64_t>(weights.size()) == forest.own.n && result.size() == weights.size(),
            "weights must have n entries");
    require(soft_in.size() == 1 || soft_in.size() == weights.size(),
            "soft must have 1 or n entries");
    require(scale >= 0 && std::isfinite(scale), "scale must be a number that is not negative");
    const double *w = weights.data(), *lasso = soft_in.data();
    double* out = result.data();
    const size_t n = weights.size();
    if (n == 0) return;
    if (soft_in.size() > 1 || lasso[0] != 0 || positive) {
        for (size_t i = 0; i < n; ++i)
            out[i] = soft(w[i], lasso[soft_in.size() == 1 ? 0 : i], positive);
        w = out;
    } else if (!forest.covers_all) {
        std::copy(w, w + n, out);
    }
    const auto mass = [&](int64_t g) { return scale * forest.weight[g]; };
    const auto one = [](int64_t) { return 1.0; };
    require(norm == Norm::two ? forest.prox_two(w, out, mass, threads)
                              : forest.prox_infinity(w, out, mass, one, threads),
            "weights must not be NaN");
}

void forest_prox_curved(Forest& forest, Vec<double> weights, Vec<double> curvature, Norm norm,
                        MutVec<double> result, int threads) {
    require(forest.one_each() && static_cast<int64_t>(weights.size()) == forest.own.n &&
                result.size() == weights.size() && curvature.size() == weights.size(),
            "weights and curvature must have n entries, one per node");
    const double *w = weights.data(), *d = curvature.data();
    double* out = result.data();
    for (size_t i = 0; i < weights.size(); ++i) {
        require(d[i] > 0, "curvature must hold positive numbers");
        out[i] = w[i] < 0 ? 0 : w[i];
    }
    const auto spread = [&](int64_t g) { return forest.weight[g] / d[g]; };
    const auto mass = [&](int64_t g) { return forest.weight[g]; };
    const auto weight = [&](int64_t i) { return d[i]; };
    require(norm == Norm::two ? forest.prox_two(out, out, spread, threads)
                              : forest.prox_infinity(out, out, mass, weight, threads),
            "weights must not be NaN");
}

void forest_norms(const Forest& forest, Vec<double> weights, Norm norm, MutVec<double> result) {
    require(static_cast<int64_t>(weights.size()) == forest.own.n, "weights must have n entries");
    require(static_cast<int64_t>(result.size()) == forest.own.size(),
            "result must have one entry per node");
    forest.norms(weights.data(), norm, result.data());
}

void forest_path_sums(Forest& forest, Vec<double> value, MutVec<double> result) {
    require(static_cast<int64_t>(value.size()) == forest.own.size(),
            "value must have one entry per node");
    require(static_cast<int64_t>(result.size()) == forest.own.n, "result must have n entries");
    std::fill(result.data(), result.data() + result.size(), 0.0);
    forest.path_sums(value.data(), result.data());
}

}  // namespace laconic::numeric
