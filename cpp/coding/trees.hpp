// Codes of words: trees over their dimensions, and the proximal step of one small tree in one pass
// up and one down (numeric/forest.hpp has the equations and does it for large forests; this one
// allocates nothing and works on a copy of one tree that fits into the nearest cache).
#pragma once
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <vector>

#include "door/checks.hpp"
#include "door/threads.hpp"

namespace laconic::coding {

// Tree t has the nodes ptr[t] to ptr[t + 1], parents first; `parent` counts from the tree's first
// node, -1 at the root. Trees of one node are the lasso. Node g stands for dimension[g] of the
// codes; the nodes are as many as the dimensions.
struct CodeTrees {
    CodeTrees(Vec<int32_t> ptr_in, Vec<int32_t> dimension_in, Vec<int32_t> parent_in,
              Vec<double> weight_in)
        : ptr(ptr_in.data(), ptr_in.data() + ptr_in.size()),
          dimension(dimension_in.data(), dimension_in.data() + dimension_in.size()),
          parent(parent_in.data(), parent_in.data() + parent_in.size()),
          weight(weight_in.data(), weight_in.data() + weight_in.size()) {
        require(
            ptr.size() >= 2 && ptr[0] == 0 && ptr.back() == static_cast<int32_t>(dimension.size()),
            "ptr must run from 0 to the number of dimensions");
        require(parent.size() == dimension.size() && weight.size() == dimension.size(),
                "parent and weight must have one entry per dimension");
        std::vector<char> seen(dimension.size(), 0);
        for (size_t t = 0; t + 1 < ptr.size(); ++t) {
            require(ptr[t] < ptr[t + 1] && ptr[t + 1] <= ptr.back(), "every tree must have a node");
            largest = std::max(largest, ptr[t + 1] - ptr[t]);
            for (int32_t g = ptr[t]; g < ptr[t + 1]; ++g) {
                const int32_t local = g - ptr[t], up = parent[g];
                require(local == 0 ? up == -1 : up >= 0 && up < local,
                        "a tree must have one root, and parents before children");
                require(dimension[g] >= 0 && dimension[g] < ptr.back() && !seen[dimension[g]],
                        "every dimension must be one node");
                seen[dimension[g]] = 1;
                require(weight[g] >= 0 && std::isfinite(weight[g]),
                        "weight must hold finite numbers that are not negative");
            }
        }
    }
    int32_t n_trees() const { return static_cast<int32_t>(ptr.size()) - 1; }
    int32_t n_dimensions() const { return ptr.back(); }

    std::vector<int32_t> ptr, dimension, parent;
    std::vector<double> weight;
    int32_t largest = 0;
};

// out = argmin_v |v - w|^2 / 2 + scale sum_g weight_g |v_(g and below)| over one tree of n nodes, v
// >= 0 if positive. `below` and `factor` are scratch of n entries. Whether anything is left.
template <class Real>
bool tree_prox(const Real* w, int32_t n, const int32_t* parent, const double* weight, double scale,
               bool positive, Real* out, Real* below, Real* factor) {
    for (int32_t g = 0; g < n; ++g) {
        out[g] = positive && w[g] < 0 ? Real{0} : w[g];
        below[g] = out[g] * out[g];
    }
    for (int32_t g = n - 1; g >= 0; --g) {
        const Real length = std::sqrt(below[g]),
                   left = length - static_cast<Real>(scale * weight[g]);
        factor[g] = left > 0 ? left / length : Real{0};
        if (left > 0 && g > 0) below[parent[g]] += left * left;
    }
    if (factor[0] == 0) {
        std::fill(out, out + n, Real{0});
        return false;
    }
    out[0] *= factor[0];
    for (int32_t g = 1; g < n; ++g) {
        factor[g] *= factor[parent[g]];
        out[g] *= factor[g];
    }
    return true;
}

// sum_g weight_g |v_(g and below)| over one tree; `squares` is scratch.
template <class Real>
double tree_norm(const Real* v, int32_t n, const int32_t* parent, const double* weight,
                 Real* squares) {
    double sum = 0;
    for (int32_t g = 0; g < n; ++g) squares[g] = v[g] * v[g];
    for (int32_t g = n - 1; g >= 0; --g) {
        if (squares[g] > 0) sum += weight[g] * std::sqrt(squares[g]);
        if (g > 0) squares[parent[g]] += squares[g];
    }
    return sum;
}

// Rows of a sparse matrix by words.
struct SparseRows {
    Vec<int64_t> ptr;
    Vec<int32_t> index;
    Vec<float> value;
};

// Rows of `stride` entries, a multiple of 8.
inline int64_t rows_of(size_t entries, int stride, const char* message) {
    require(stride > 0 && stride % 8 == 0 && entries % stride == 0, message);
    return static_cast<int64_t>(entries) / stride;
}

// Calls body(i) for i in [0, n) on a few threads, each taking the next that is left.
template <class Make>
void each_word(int64_t n, int threads, Make make) {
    constexpr int64_t kTaken = 16;
    std::atomic<int64_t> next{0};
    parallel_ranges(std::max(1, threads), threads, 1, [&](int64_t, int64_t, int) {
        auto body = make();
        for (int64_t begin = next.fetch_add(kTaken); begin < n; begin = next.fetch_add(kTaken))
            for (int64_t i = begin; i < std::min(n, begin + kTaken); ++i) body(i);
    });
}

}  // namespace laconic::coding
