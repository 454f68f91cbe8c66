// What all taggers share: transitions, the scores of a sentence under way, and the best path
// through them.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "chain/inference.hpp"
#include "door/checks.hpp"

namespace laconic::chain {

// A sentence and its scores; one per thread.
struct Scored {
    int64_t begin = 0, n = 0;
    std::vector<int32_t> padded;
    std::vector<float> unary;  // n x stride
    std::vector<float> edges;  // n x (n_labels x stride), only if there are pair templates
    std::vector<int32_t> best;
    chain::Scratch<float> scratch;
};

class Decoder {
  public:
    Decoder(int n_labels_in, bool has_pairs_in)
        : n_labels(checked(n_labels_in)), stride(lane_stride(n_labels)), has_pairs(has_pairs_in) {
        edge.assign(static_cast<size_t>(n_labels) * stride, 0.0f);
        start.assign(stride, 0.0f);
    }

    // Transitions (L x L, by rows) and starts (L).
    void set_transitions(const Vec<float>& edge_in, const Vec<float>& start_in) {
        const size_t L = n_labels;
        require(edge_in.size() == L * L && start_in.size() == L,
                "edge must have L x L entries and start L");
        for (size_t k = 0; k < L * L; ++k)
            require(std::isfinite(edge_in.data()[k]), "edge must be finite");
        for (size_t k = 0; k < L; ++k)
            require(std::isfinite(start_in.data()[k]), "start must be finite");
        for (size_t i = 0; i < L; ++i)
            std::copy_n(edge_in.data() + i * L, L, edge.data() + i * stride);
        std::copy_n(start_in.data(), L, start.data());
    }

    // No scores yet but the transitions.
    void open(int64_t begin, int64_t n, Scored& at) const {
        at.begin = begin;
        at.n = n;
        at.best.resize(n);
        at.unary.assign(n * stride, 0.0f);
        if (!has_pairs) return;
        at.edges.resize(n * n_labels * stride);
        for (int64_t t = 0; t < n; ++t)
            std::copy(edge.begin(), edge.end(), at.edges.begin() + t * n_labels * stride);
    }

    // The best path into at.best, and its score.
    double decode(Scored& at) const {
        if (!has_pairs)
            return chain::viterbi(at.unary.data(), at.n, edge.data(), start.data(), n_labels,
                                  stride, at.scratch, at.best.data());
        const float* edges = at.edges.data();
        const int64_t size = int64_t{n_labels} * stride;
        return chain::viterbi_at(
            at.unary.data(), at.n, [=](int64_t t) { return edges + t * size; }, start.data(),
            n_labels, stride, at.scratch, at.best.data());
    }

    int n_labels, stride;
    bool has_pairs;
    std::vector<float> edge, start;  // n_labels x stride, stride

  private:
    static int checked(int n_labels) {
        require(n_labels >= 1 && n_labels <= 4096, "n_labels must be from 1 to 4096");
        return n_labels;
    }
};

}  // namespace laconic::chain
