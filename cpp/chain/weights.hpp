// Weights of (feature, label) pairs, scored by token and pulled back. See layout.hpp for how
// they lie.
//
// Blocks of templates share neither rows nor weights, so threads that take different blocks write
// different places: no gradient is held twice, and sums are the same for any number of threads.
// Large working memory is the caller's, who can keep it: touching new memory costs more than the
// sums.
#pragma once
#include <cmath>
#include <span>

#include "chain/layout.hpp"
#include "door/checks.hpp"
#include "door/threads.hpp"
#include "numeric/aligned.hpp"
#include "numeric/lanes.hpp"

namespace laconic::chain {

using numeric::LaneSteps;

class ChainWeights {
  public:
    ChainWeights(std::span<const int32_t> ids, std::span<const int64_t> sizes,
                 const std::vector<int32_t>& gold, int n_labels, ChainLayout::Shape shape)
        : n_labels(n_labels),
          stride(lane_stride(n_labels)),
          n_tokens(static_cast<int64_t>(gold.size())),
          layout(checked(ids, n_tokens, sizes), starts(sizes), gold, n_labels, shape) {
        if (shape.merge_twins)
            for (int32_t twins : layout.twins)
                root_.push_back(std::sqrt(static_cast<double>(twins)));
    }

    int64_t size() const { return static_cast<int64_t>(layout.label.size()); }
    int label_of(int64_t w) const { return layout.label[w] & ~ChainLayout::last_label; }

    // Fills the rows; tokens can then be scored.
    void fill(const double* w, AlignedVector<double>& rows, int threads) const {
        rows.resize(layout.n_rows * stride);
        each_block(threads, [&](const ChainLayout::Block& block) {
            for (int64_t r = block.first_row; r < block.last_row; ++r) {
                double* row = rows.data() + r * stride;
                std::fill(row, row + stride, 0.0);
                if (const int32_t own = block.own[r - block.first_row]; own >= 0)
                    walk(own, [&](int64_t at, int j) { row[j] = w[at]; });
                add(block.rows[r - block.first_row], w, rows.data(), row);
            }
        });
    }

    // out[t - begin][j] = sum of the weights of token t's features with label j, for tokens [begin,
    // end); rows of a stride. Block after block passes over the tokens, so that the rows of a block
    // stay in the cache.
    void score(int64_t begin, int64_t end, const double* w, const double* rows, double* out) const {
        std::fill(out, out + (end - begin) * stride, 0.0);
        for (const auto& block : layout.blocks)
            for (int64_t t = begin; t < end; ++t) {
                if (t + ahead_ < end) fetch(block.tokens[t + ahead_], w, rows);
                add(block.tokens[t], w, rows, out + (t - begin) * stride);
            }
    }

    // gradient[w] = sum of residual[t][label of w] over the tokens t that have w's feature;
    // residual is (n_tokens, stride).
    void pull(const double* residual, double* gradient, AlignedVector<double>& rows,
              int threads) const {
        std::fill(gradient, gradient + size(), 0.0);
        rows.resize(layout.n_rows * stride);
        each_block(threads, [&](const ChainLayout::Block& block) {
            std::fill(rows.data() + block.first_row * stride, rows.data() + block.last_row * stride,
                      0.0);
            pull_tokens(block, 0, n_tokens, residual, gradient, rows.data());
            pull_rows(block, gradient, rows.data());
        });
    }

    // The same in pieces: a beginning, tokens [begin, end) whose residuals begin with that of
    // `begin`, ..., an end.
    void begin_pull(double* gradient, AlignedVector<double>& rows) const {
        std::fill(gradient, gradient + size(), 0.0);
        rows.assign(layout.n_rows * stride, 0.0);
    }
    void pull_some(int64_t begin, int64_t end, const double* residual, double* gradient,
                   double* rows, int threads) const {
        each_block(threads, [&](const ChainLayout::Block& block) {
            pull_tokens(block, begin, end, residual, gradient, rows);
        });
    }
    void end_pull(double* gradient, double* rows, int threads) const {
        each_block(threads,
                   [&](const ChainLayout::Block& block) { pull_rows(block, gradient, rows); });
    }

    // With k twins in a unit, its weight is sqrt(k) times that of each: lengths and gradients are
    // those of all of them apart.
    bool has_twins() const { return !root_.empty(); }
    double root(int64_t unit) const { return root_.empty() ? 1.0 : root_[unit]; }
    void times_roots(const double* from, double* to) const {
        for (size_t unit = 0; unit < root_.size(); ++unit)
            for (int32_t at = layout.unit_ptr[unit]; at < layout.unit_ptr[unit + 1]; ++at)
                to[at] = root_[unit] * from[at];
    }

    const int n_labels, stride;
    const int64_t n_tokens;
    const ChainLayout layout;

  private:
    static constexpr int64_t ahead_ = 8;  // tokens that are prefetched

    static const int32_t* checked(std::span<const int32_t> ids, int64_t n_tokens,
                                  std::span<const int64_t> sizes) {
        const int64_t M = static_cast<int64_t>(sizes.size());
        require(static_cast<int64_t>(ids.size()) == n_tokens * M,
                "ids must have n_tokens * n_templates entries");
        const auto first = starts(sizes);
        const int32_t* id = ids.data();
        for (int64_t t = 0; t < n_tokens; ++t)
            for (int64_t m = 0; m < M; ++m, ++id)
                require(*id == -1 || (*id >= first[m] && *id < first[m + 1]),
                        "ids must be -1 or in the slice of their template");
        return ids.data();
    }

    // The first feature of every template, and the number of all.
    static std::vector<int64_t> starts(std::span<const int64_t> sizes) {
        std::vector<int64_t> first{0};
        for (int64_t size : sizes) {
            require(size >= 0 && size < INT32_MAX, "sizes must be from 0 to below 2^31");
            first.push_back(first.back() + size);
            require(first.back() < INT32_MAX, "there must be fewer than 2^31 features");
        }
        return first;
    }

    template <class Body>
    void each_block(int threads, Body body) const {
        parallel_ranges(layout.blocks.size(), threads, 1, [&](int64_t begin, int64_t end, int) {
            for (int64_t b = begin; b < end; ++b) body(layout.blocks[b]);
        });
    }

    void pull_tokens(const ChainLayout::Block& block, int64_t begin, int64_t end,
                     const double* residual, double* gradient, double* rows) const {
        for (int64_t t = begin; t < end; ++t) {
            if (t + ahead_ < end) fetch(block.tokens[t + ahead_], gradient, rows);
            spread(block.tokens[t], residual + (t - begin) * stride, gradient, rows);
        }
    }

    void pull_rows(const ChainLayout::Block& block, double* gradient, double* rows) const {
        for (int64_t r = block.last_row; r-- > block.first_row;) {
            const double* row = rows + r * stride;
            spread(block.rows[r - block.first_row], row, gradient, rows);
            if (const int32_t own = block.own[r - block.first_row]; own >= 0)
                walk(own, [&](int64_t at, int j) { gradient[at] = row[j]; });
        }
    }

    // body(weight, label) for the weights of the unit whose first weight is given.
    template <class Body>
    void walk(int64_t at, Body body) const {
        uint16_t label;
        do {
            label = layout.label[at];
            body(at++, label & ~ChainLayout::last_label);
        } while (!(label & ChainLayout::last_label));
    }

    // Prefetches what is read soon. Always inline: compilers take a call that only prefetches for
    // one without effect.
    [[gnu::always_inline]] void fetch(const References::Span& span, const double* w,
                                      const double* rows) const {
        for (int k = 0; k < span.n_rows; ++k)
            for (int j = 0; j < stride; j += 8)
                __builtin_prefetch(rows + static_cast<int64_t>(span.rows[k]) * stride + j);
        for (int k = 0; k < span.n_narrow; ++k) {
            __builtin_prefetch(w + span.narrow[k]);
            __builtin_prefetch(layout.label.data() + span.narrow[k]);
        }
    }

    void add(const References::Span& span, const double* w, const double* rows, double* row) const {
        steps_.add_rows(rows, span.rows, span.n_rows, stride, row);
        for (int k = 0; k < span.n_narrow; ++k)
            walk(span.narrow[k], [&](int64_t at, int j) { row[j] += w[at]; });
    }

    void spread(const References::Span& span, const double* row, double* gradient,
                double* rows) const {
        steps_.spread_rows(row, span.rows, span.n_rows, stride, rows);
        for (int k = 0; k < span.n_narrow; ++k)
            walk(span.narrow[k], [&](int64_t at, int j) { gradient[at] += row[j]; });
    }

    const LaneSteps<double>& steps_ = lane_steps<double>();
    std::vector<double> root_;  // of the number of twins in a unit, empty if none are merged
};

}  // namespace laconic::chain
