// A first-order tagger in memory: a table of features a template, label transitions, and the scores of a sentence.
//
//     unary[t][y] = sum_m weight(feature of template m at t, y),     edge[y'][y], start[y]
//
// Templates conjoined with label pairs have rows of L * L weights and add to the edge into position t.
#pragma once
#include <cstdint>
#include <vector>

#include "chain.hpp"
#include "table.hpp"
#include "templates.hpp"

// What a sentence needs while it is scored; one a thread.
struct Sentence {
    int64_t begin = 0, n = 0;
    std::vector<int32_t> padded;
    std::vector<uint64_t> keys;  // m * n + t, 0 where the template does not fire
    std::vector<int32_t> rows;   // m * n + t, -1 where the feature has no weights
    std::vector<float> unary;    // n x stride
    std::vector<float> edges;    // n x (n_labels x stride), only if there are pair templates
    std::vector<int32_t> best;
    chain::Scratch<float> scratch;
};

class Tagger {
  public:
    Tagger(const Templates& templates_in, Vec<uint8_t> pairs_in, int n_labels_in)
        : templates(templates_in), pairs(pairs_in.data(), pairs_in.data() + pairs_in.size()), n_labels(n_labels_in) {
        require(n_labels >= 1 && n_labels <= 4096, "n_labels must be from 1 to 4096");
        require(static_cast<int64_t>(pairs.size()) == templates.size(), "pairs must have an entry a template");
        stride = lane_stride(n_labels);
        for (int64_t m = 0; m < templates.size(); ++m) {
            tables.emplace_back(pairs[m] ? int64_t{n_labels} * n_labels : n_labels, templates.n_atoms(m));
            has_pairs = has_pairs || pairs[m];
        }
        edge.assign(static_cast<size_t>(n_labels) * stride, 0.0f);
        start.assign(stride, 0.0f);
    }

    // How weights are read while learning: as they are, after paying lazy dues weight by weight or row by row, or as regularized
    // dual averages (Xiao 2009): rows hold sums of steps, weights are dual_gain * soft(sum, dual_threshold).
    enum Reading { kPlain = 0, kByWeight = 1, kByRow = 2, kDual = 3 };

    // Keys, rows and scores of one sentence. Each stage asks memory for what the next one needs.
    void read(const Columns& columns, int64_t s, Sentence& at) const {
        look(columns, s, at, [](int64_t m, int32_t row, const Tagger& self) { return self.tables[m].weights(row); });
    }
    void read_learning(const Columns& columns, int64_t s, Sentence& at, int settle) {
        look(columns, s, at, [this, settle](int64_t m, int32_t row, const Tagger&) -> const float* {
            Table& table = tables[m];
            if (settle == kByWeight || settle == kByRow) table.settle(row, settle == kByRow);
            return settle == kDual ? from_dual(table.weights(row), table.width()) : table.weights(row);
        });
    }

    // The best path into at.best, and its score.
    double decode(Sentence& at) const {
        if (!has_pairs)
            return chain::viterbi(at.unary.data(), at.n, edge.data(), start.data(), n_labels, stride, at.scratch, at.best.data());
        const float* edges = at.edges.data();
        const int64_t size = int64_t{n_labels} * stride;
        return chain::viterbi_at(
            at.unary.data(), at.n, [=](int64_t t) { return edges + t * size; }, start.data(), n_labels, stride, at.scratch,
            at.best.data());
    }

    Templates templates;
    std::vector<uint8_t> pairs;
    int n_labels, stride;
    bool has_pairs = false;
    std::vector<Table> tables;
    std::vector<float> edge, start;  // n_labels x stride, stride
    // Averages or dual averages of steps under way, until they are settled.
    enum Sums { kNoSums, kAverages, kDualSums };
    Sums sums = kNoSums;
    std::vector<float> edge_sum, start_sum;
    double clock = 0;                          // steps that the sums cover
    int64_t rounds = 0;                        // sentences learned from
    double dual_gain = 0, dual_threshold = 0;  // weights are gain * soft(sums, threshold)

    // What a row of dual sums is worth as weights; valid until the next call.
    const float* from_dual(const float* sum, int64_t width) {
        dual_row_.resize((width + 7) / 8 * 8);
        for (int64_t k = 0; k < width; ++k) {
            const double size = std::max(0.0, std::abs(double{sum[k]}) - dual_threshold);
            dual_row_[k] = static_cast<float>(dual_gain * std::copysign(size, double{sum[k]}));
        }
        return dual_row_.data();
    }

  private:
    // weights(m, row) gives the weights of a feature that is there.
    template <class Weights>
    void look(const Columns& columns, int64_t s, Sentence& at, Weights weights) const {
        const int64_t M = templates.size();
        at.begin = columns.ptr[s];
        at.n = columns.ptr[s + 1] - at.begin;
        const int64_t n = at.n;
        templates.pad(columns, at.begin, n, at.padded);
        at.keys.resize(M * n);
        at.rows.resize(M * n);
        at.best.resize(n);
        for (int64_t m = 0; m < M; ++m) {
            uint64_t* keys = at.keys.data() + m * n;
            templates.keys(m, at.padded, n, keys);
            for (int64_t t = 0; t < n; ++t) tables[m].prefetch(keys[t]);
        }
        for (int64_t m = 0; m < M; ++m) {
            const Table& table = tables[m];
            if (table.size() == 0) {
                std::fill_n(at.rows.data() + m * n, n, -1);
                continue;
            }
            for (int64_t e = m * n; e < (m + 1) * n; ++e) {
                at.rows[e] = at.keys[e] == 0 ? -1 : table.candidate(at.keys[e]);
                if (at.rows[e] >= 0) table.prefetch_row(at.rows[e]);
            }
        }
        at.unary.assign(n * stride, 0.0f);
        if (has_pairs) {
            at.edges.resize(n * n_labels * stride);
            for (int64_t t = 0; t < n; ++t) std::copy(edge.begin(), edge.end(), at.edges.begin() + t * n_labels * stride);
        }
        for (int64_t m = 0; m < M; ++m) {
            const float scale = static_cast<float>(tables[m].scale());
            int32_t* rows = at.rows.data() + m * n;
            const uint64_t* keys = at.keys.data() + m * n;
            for (int64_t t = 0; t < n; ++t) {
                if (rows[t] >= 0 && !tables[m].holds(rows[t], keys[t])) rows[t] = tables[m].find(keys[t]);
                if (rows[t] < 0) continue;
                const float* w = weights(m, rows[t], *this);
                if (pairs[m]) {
                    for (int i = 0; i < n_labels; ++i)
                        for (int j = 0; j < n_labels; ++j)
                            at.edges[(t * n_labels + i) * stride + j] += scale * w[i * n_labels + j];
                } else {
                    add_scaled(w, scale, at.unary.data() + t * stride);
                }
            }
        }
    }

    void add_scaled(const float* w, float scale, float* out) const {
        for (int j = 0; j < stride; ++j) out[j] += scale * w[j];
    }

    std::vector<float> dual_row_;
};
