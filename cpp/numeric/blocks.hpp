// Disjoint blocks of coordinates, checked once: block b owns index[ptr[b]] .. index[ptr[b + 1] -
// 1]; a coordinate may be in none.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "door/checks.hpp"

namespace laconic::numeric {

enum class Norm { two, infinity };

struct Blocks {
    Blocks(Vec<int64_t> ptr_in, Vec<int64_t> index_in, int64_t n_in)
        : n(n_in),
          ptr(ptr_in.data(), ptr_in.data() + ptr_in.size()),
          index(index_in.data(), index_in.data() + index_in.size()) {
        check_ptr(ptr_in, static_cast<int64_t>(index.size()), "ptr");
        require(n >= 0, "n must not be negative");
        check_range(index_in, 0, n, "index");
        std::vector<bool> seen(n, false);
        for (int64_t i : index) {
            if (seen[i])
                throw std::invalid_argument("blocks must not overlap, but coordinate " +
                                            std::to_string(i) + " is in two");
            seen[i] = true;
        }
        bool sorted = true;
        for (size_t i = 0; i < index.size(); ++i)
            sorted = sorted && index[i] == static_cast<int64_t>(i);
        contiguous = sorted;
    }
    int64_t size() const { return static_cast<int64_t>(ptr.size()) - 1; }

    int64_t n;
    std::vector<int64_t> ptr, index;
    bool contiguous = false;  // index is 0, 1, 2, ...: no gather needed
};

// argmin_v (v - w)^2 / 2 + threshold |v|, over v >= 0 if positive.
inline double soft(double w, double threshold, bool positive) {
    const double shrunk = std::abs(w) - threshold;
    if (shrunk <= 0 || (positive && w < 0)) return 0;
    return w < 0 ? -shrunk : shrunk;
}

// The level t >= 0 with sum_i max(|w_i| - t, 0) = mass, 0 if sum |w_i| <= mass: the prox of mass *
// max_i |w_i| clips at t. Newton's method on a convex, piecewise linear function: it ends after
// finitely many steps, from below.
template <class At>
double clip_level(int64_t size, double mass, At at) {
    double level = 0;
    for (;;) {
        double excess = -mass;
        int64_t above = 0;
        for (int64_t i = 0; i < size; ++i)
            if (const double a = std::abs(at(i)); a > level) {
                excess += a - level;
                ++above;
            }
        if (above == 0 || excess <= 0) return level;
        const double next = level + excess / above;
        if (!(next > level)) return level;
        level = next;
    }
}

// out = argmin_v |v - w|^2 / 2 + sum_i soft_i |v_i| + sum_b mass_b |v_b|. A soft of size 1 serves
// all entries.
void block_prox(const Blocks& blocks, Vec<double> weights, Vec<double> soft, Vec<double> mass,
                Norm norm, bool positive, MutVec<double> result, int threads);

// The norm of every block.
void block_norms(const Blocks& blocks, Vec<double> weights, Norm norm, MutVec<double> result);

}  // namespace laconic::numeric
