// The k best paths of a chain, by Lawler's partition (Lawler 1972): a path popped from the queue is
// the best of a set of paths that share its last labels; what is left of the set falls into parts
// that leave the path at one token t for another label i. The best of such a part is known in O(1):
//
//     delta_t(i) + edge_{t+1}[i][y_{t+1}] + score of y from token t + 1 on
//
// with delta the forward scores of Viterbi (inference.hpp). Memory is O(n n_labels) beside the
// paths, time O(n n_labels^2 + k n n_labels).
#pragma once
#include "chain/inference.hpp"

namespace laconic::chain {

// Up to k paths into paths (k, n) by rows and their scores, best first, all different; how many
// there are. The first is Viterbi's; sums are doubles. An empty sentence has one path.
template <class Real, class EdgeAt>
int64_t k_best_at(const Real* unary, int64_t n, EdgeAt edge_at, const Real* start, int n_labels,
                  int stride, int64_t k, int32_t* paths, double* scores) {
    if (k <= 0) return 0;
    if (n == 0) {
        scores[0] = 0;
        return 1;
    }
    struct Part {  // paths that follow `parent` after token t and have another label at t
        double score;
        int64_t parent, t;
        int32_t label;
        // Better parts first; among equals the earliest found.
        bool operator<(const Part& other) const {
            if (score != other.score) return score > other.score;
            if (parent != other.parent) return parent < other.parent;
            return t != other.t ? t > other.t : label < other.label;
        }
    };
    const int L = n_labels;
    std::vector<double> rows(n * L);
    std::vector<int32_t> came(n * L);
    for (int j = 0; j < L; ++j) rows[j] = double(unary[j]) + (start ? start[j] : Real(0));
    for (int64_t t = 1; t < n; ++t) {
        const double* before = &rows[(t - 1) * L];
        double* row = &rows[t * L];
        const Real* edge = edge_at(t);
        std::fill(row, row + L, forbidden);
        for (int i = 0; i < L; ++i)
            for (int j = 0; j < L; ++j) {
                const double s = before[i] + edge[static_cast<int64_t>(i) * stride + j];
                if (s > row[j]) row[j] = s, came[t * L + j] = i;
            }
        for (int j = 0; j < L; ++j) row[j] += unary[t * stride + j];
    }
    const double* last = &rows[(n - 1) * L];
    std::vector<Part> parts;
    for (int32_t j = 0; j < L; ++j)
        if (last[j] != forbidden) parts.push_back({last[j], -1, n - 1, j});

    int64_t found = 0;
    for (; found < k && !parts.empty(); ++found) {
        const auto first = std::min_element(parts.begin(), parts.end());
        const Part best = *first;
        *first = parts.back();
        parts.pop_back();
        int32_t* path = paths + found * n;
        if (best.parent >= 0)
            std::copy(paths + best.parent * n + best.t, paths + best.parent * n + n, path + best.t);
        path[best.t] = best.label;
        for (int64_t t = best.t; t > 0; --t) path[t - 1] = came[t * L + path[t]];
        scores[found] = best.score;
        const size_t room = static_cast<size_t>(k - found - 1);
        double after = 0;  // score of what comes after token t, from its edge on
        for (int64_t t = n - 1; t >= 0 && room > 0; --t) {
            if (t + 1 < n) after += double(unary[(t + 1) * stride + path[t + 1]]);
            if (t < best.t) {
                const Real* edge = t + 1 < n ? edge_at(t + 1) : nullptr;
                // delta_t(i) + edge_{t+1}[i][y_{t+1}] + after
                for (int32_t i = 0; i < L; ++i) {
                    if (i == path[t]) continue;
                    const double s = rows[t * L + i] + after +
                                     (edge ? double(edge[int64_t(i) * stride + path[t + 1]]) : 0.0);
                    if (s != forbidden) parts.push_back({s, found, t, i});
                }
            }
            if (t + 1 < n) after += double(edge_at(t + 1)[int64_t(path[t]) * stride + path[t + 1]]);
            if (parts.size() > 2 * room + 1024) {
                std::nth_element(parts.begin(), parts.begin() + room, parts.end());
                parts.resize(room);
            }
        }
        if (parts.size() > room) {
            std::nth_element(parts.begin(), parts.begin() + room, parts.end());
            parts.resize(room);
        }
    }
    return found;
}

template <class Real>
int64_t k_best(const Real* unary, int64_t n, const Real* edge, const Real* start, int n_labels,
               int stride, int64_t k, int32_t* paths, double* scores) {
    return k_best_at(
        unary, n, [edge](int64_t) { return edge; }, start, n_labels, stride, k, paths, scores);
}

}  // namespace laconic::chain
