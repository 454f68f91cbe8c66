// Proximal steps and norms of disjoint groups: soft threshold of each entry, then one shrinkage per
// group, which is exact for the sum of both penalties since single entries are nested in groups
// (Jenatton et al. 2011):
//
//     z_i = soft(w_i, soft_i),    v_b = (1 - mass_b / |z_b|_2)_+ z_b    or    clip(z_b, level)
#include "numeric/blocks.hpp"

#include "door/checks.hpp"
#include "door/threads.hpp"

namespace laconic::numeric {

namespace {

double block_norm(const Blocks& blocks, int64_t b, const double* w, Norm norm) {
    double total = 0;
    for (int64_t e = blocks.ptr[b]; e < blocks.ptr[b + 1]; ++e) {
        const double v = w[blocks.contiguous ? e : blocks.index[e]];
        total = norm == Norm::two ? total + v * v : std::max(total, std::abs(v));
    }
    return norm == Norm::two ? std::sqrt(total) : total;
}

}  // namespace

void block_prox(const Blocks& blocks, Vec<double> weights, Vec<double> soft_in, Vec<double> mass_in,
                Norm norm, bool positive, MutVec<double> result, int threads) {
    require(static_cast<int64_t>(weights.size()) == blocks.n && result.size() == weights.size(),
            "weights must have n entries");
    require(soft_in.size() == 1 || static_cast<int64_t>(soft_in.size()) == blocks.n,
            "soft must have 1 or n entries");
    require(static_cast<int64_t>(mass_in.size()) == blocks.size(),
            "mass must have one entry per block");
    const double *w = weights.data(), *lasso = soft_in.data(), *mass = mass_in.data();
    const bool same = soft_in.size() == 1;
    double* out = result.data();
    for (size_t b = 0; b < mass_in.size(); ++b)
        require(mass[b] >= 0, "mass must hold numbers that are not negative");
    for (size_t i = 0; i < weights.size(); ++i)
        require(!std::isnan(w[i]), "weights must not be NaN");
    nb::gil_scoped_release release;
    parallel_ranges(blocks.n, threads, 65536, [&](int64_t begin, int64_t end, int) {
        for (int64_t i = begin; i < end; ++i)
            out[i] = soft(w[i], same ? lasso[0] : lasso[i], positive);
    });
    parallel_ranges(blocks.size(), threads, 8192, [&](int64_t begin, int64_t end, int) {
        for (int64_t b = begin; b < end; ++b) {
            const int64_t first = blocks.ptr[b], last = blocks.ptr[b + 1];
            auto at = [&](int64_t e) -> double& {
                return out[blocks.contiguous ? e : blocks.index[e]];
            };
            if (norm == Norm::two) {
                double squares = 0;
                for (int64_t e = first; e < last; ++e) squares += at(e) * at(e);
                const double length = std::sqrt(squares),
                             scale = length > mass[b] ? 1 - mass[b] / length : 0;
                for (int64_t e = first; e < last; ++e) at(e) *= scale;
            } else {
                const double level =
                    clip_level(last - first, mass[b], [&](int64_t i) { return at(first + i); });
                for (int64_t e = first; e < last; ++e) at(e) = std::clamp(at(e), -level, level);
            }
        }
    });
}

void block_norms(const Blocks& blocks, Vec<double> weights, Norm norm, MutVec<double> result) {
    require(static_cast<int64_t>(weights.size()) == blocks.n, "weights must have n entries");
    require(static_cast<int64_t>(result.size()) == blocks.size(),
            "result must have one entry per block");
    for (int64_t b = 0; b < blocks.size(); ++b)
        result.data()[b] = block_norm(blocks, b, weights.data(), norm);
}

}  // namespace laconic::numeric
