// Weights of (feature, label) pairs, scored by token and pulled back.
//
// A feature owns adjacent weights, one for each label it has been seen with (or for all labels). A token stores for each of its
// features where the feature's weights begin, so that scoring reads one place and walks on: label_[w] is the label of weight w,
// its high bit marks the last weight of a feature. The few features seen often and with many labels make most of the work: their
// weights are copied to rows of all labels first, which are added as vectors; a token stores -2 - row for them, -1 for nothing.
// Features of a template are a slice, so threads that take different templates write different weights: no gradient is held
// twice, and sums are the same for any number of threads.
#pragma once
#include <bit>

#include "bind.hpp"
#include "lanes.hpp"
#include "threads.hpp"

class ChainWeights {
  public:
    ChainWeights(const Vec<int32_t>& ids, const Vec<int64_t>& sizes, const Vec<int32_t>& gold, int n_labels, bool all_labels)
        : n_labels(n_labels),
          stride(lane_stride(n_labels)),
          n_tokens(static_cast<int64_t>(gold.size())),
          n_templates(static_cast<int64_t>(sizes.size())) {
        require(n_labels >= 1 && n_labels < last_, "there must be from 1 to 32767 labels");
        require(static_cast<int64_t>(ids.size()) == n_tokens * n_templates, "ids must have n_tokens * n_templates entries");
        check_range(gold, 0, n_labels, "gold");
        std::vector<int64_t> first(n_templates + 1, 0);  // first feature of a template
        for (int64_t m = 0; m < n_templates; ++m) {
            require(sizes.data()[m] >= 0 && sizes.data()[m] < INT32_MAX, "sizes must be from 0 to below 2^31");
            first[m + 1] = first[m] + sizes.data()[m];
            require(first[m + 1] < INT32_MAX, "there must be fewer than 2^31 features");
        }
        const int32_t* id = ids.data();
        for (int64_t t = 0; t < n_tokens; ++t)
            for (int64_t m = 0; m < n_templates; ++m, ++id)
                require(*id == -1 || (*id >= first[m] && *id < first[m + 1]), "ids must be -1 or in the slice of their template");
        lay_out(ids.data(), gold.data(), first[n_templates], all_labels);
    }

    int64_t size() const { return static_cast<int64_t>(label_.size()); }
    const std::vector<int32_t>& feature_ptr() const { return feature_ptr_; }
    int label(int64_t w) const { return label_[w] & ~last_; }

    // Rows of all labels with the weights of the wide features. Large working memory is the caller's, who can keep it: touching
    // new memory costs more than the sums.
    void wide_rows(const double* w, std::vector<double>& rows) const {
        rows.assign(wide_.size() * stride, 0.0);
        for (size_t k = 0; k < wide_.size(); ++k) walk(wide_[k], [&](int64_t at, int j) { rows[k * stride + j] = w[at]; });
    }

    // row[j] = sum of the weights of the token's features with label j; row has a stride's entries.
    void score(int64_t t, const double* w, const double* wide, double* row) const {
        std::fill(row, row + stride, 0.0);
        split(t, 0, n_templates, [&](const int32_t* rows, int n_rows, const int32_t* narrow, int n_narrow) {
            steps_.add_rows(wide, rows, n_rows, stride, row);
            for (int k = 0; k < n_narrow; ++k) walk(narrow[k], [&](int64_t at, int j) { row[j] += w[at]; });
        });
    }

    // gradient[w] = sum of residual[t][label of w] over the tokens t that have w's feature; residual is (n_tokens, stride).
    // Templates are split over the threads and taken a few at a time, so that their weights stay in the cache as tokens pass.
    void pull(const double* residual, double* gradient, std::vector<double>& wide, int threads) const {
        std::fill(gradient, gradient + size(), 0.0);
        wide.assign(wide_.size() * stride, 0.0);
        parallel_ranges(n_templates, threads, 1, [&](int64_t first, int64_t last, int) {
            for (int64_t begin = first; begin < last; begin += block_)
                for (int64_t t = 0; t < n_tokens; ++t) {
                    const double* r = residual + t * stride;
                    split(t, begin, std::min(last, begin + block_),
                          [&](const int32_t* rows, int n_rows, const int32_t* narrow, int n_narrow) {
                              steps_.spread_rows(r, rows, n_rows, stride, wide.data());
                              for (int k = 0; k < n_narrow; ++k)
                                  walk(narrow[k], [&](int64_t at, int j) { gradient[at] += r[j]; });
                          });
                }
        });
        for (size_t k = 0; k < wide_.size(); ++k) walk(wide_[k], [&](int64_t at, int j) { gradient[at] = wide[k * stride + j]; });
    }

    const int n_labels, stride;
    const int64_t n_tokens, n_templates;

  private:
    static constexpr uint16_t last_ = 0x8000;
    static constexpr int64_t block_ = 16;

    // body(weight, label) for the weights of the feature whose first weight is given.
    template <class Body>
    void walk(int64_t at, Body body) const {
        uint16_t label;
        do {
            label = label_[at];
            body(at++, label & ~last_);
        } while (!(label & last_));
    }

    // body(rows, n_rows, narrow, n_narrow): the token's features of some templates, wide ones apart from narrow ones.
    template <class Body>
    void split(int64_t t, int64_t begin, int64_t end, Body body) const {
        constexpr int room = 128;
        int32_t rows[room], narrow[room];
        const int32_t* slot = slot_.data() + t * n_templates;
        for (int64_t m = begin; m < end; m += room) {
            int n_rows = 0, n_narrow = 0;
            for (int64_t k = m; k < std::min(end, m + room); ++k) {
                const int32_t s = slot[k];
                rows[n_rows] = -2 - s;
                n_rows += s < -1;
                narrow[n_narrow] = s;
                n_narrow += s >= 0;
            }
            body(rows, n_rows, narrow, n_narrow);
        }
    }

    void lay_out(const int32_t* ids, const int32_t* gold, int64_t n_features, bool all_labels) {
        const int words = (n_labels + 63) / 64;
        std::vector<uint64_t> seen(n_features * words, 0);
        std::vector<int32_t> times(n_features, 0);
        for (int64_t t = 0; t < n_tokens; ++t)
            for (int64_t m = 0; m < n_templates; ++m)
                if (const int64_t f = ids[t * n_templates + m]; f >= 0) {
                    times[f] += 1;
                    for (int j = all_labels ? 0 : gold[t]; j < (all_labels ? n_labels : gold[t] + 1); ++j)
                        seen[f * words + j / 64] |= uint64_t{1} << (j % 64);
                }
        feature_ptr_.assign(n_features + 1, 0);
        std::vector<int32_t> code(n_features);  // what a token stores for a feature
        for (int64_t f = 0; f < n_features; ++f) {
            int64_t n = 0;
            for (int v = 0; v < words; ++v) n += std::popcount(seen[f * words + v]);
            require(feature_ptr_[f] + n < INT32_MAX, "there must be fewer than 2^31 weights");
            feature_ptr_[f + 1] = static_cast<int32_t>(feature_ptr_[f] + n);
            code[f] = feature_ptr_[f];
            if (n > std::max(3, stride / 8) && times[f] > 3) {
                code[f] = -2 - static_cast<int32_t>(wide_.size());
                wide_.push_back(feature_ptr_[f]);
            }
        }
        label_.reserve(feature_ptr_[n_features]);
        for (int64_t f = 0; f < n_features; ++f) {
            for (int v = 0; v < words; ++v)
                for (uint64_t bits = seen[f * words + v]; bits; bits &= bits - 1)
                    label_.push_back(static_cast<uint16_t>(64 * v + std::countr_zero(bits)));
            if (feature_ptr_[f + 1] > feature_ptr_[f]) label_.back() |= last_;
        }
        slot_.resize(n_tokens * n_templates);
        for (size_t i = 0; i < slot_.size(); ++i) slot_[i] = ids[i] < 0 ? -1 : code[ids[i]];
    }

    const LaneSteps<double>& steps_ = lane_steps<double>();
    std::vector<int32_t> slot_, feature_ptr_, wide_;  // wide_: first weight of every wide feature
    std::vector<uint16_t> label_;
};
