// A first-order tagger in memory: one table of features per template, label transitions, and the
// scores of a sentence.
//
//     unary[t][y] = sum_m weight(feature of template m at t, y),     edge[y'][y], start[y]
//
// Templates conjoined with label pairs have rows of L * L weights and add to the edge into position
// t.
#pragma once
#include <cstdint>
#include <vector>

#include "chain/decoder.hpp"
#include "numeric/online.hpp"
#include "numeric/row_table.hpp"
#include "text/occurrences.hpp"

namespace laconic::chain {

using numeric::AlignedVector;
using numeric::OnlineModel;
using numeric::Reading;
using numeric::RowTable;
using text::Columns;
using text::Matrix32;
using text::Occurrences;
using text::Templates;

// What a sentence needs while it is scored.
struct Sentence : Scored {
    std::vector<uint64_t> keys;  // t * M + m, 0 where the template does not fire
    std::vector<uint64_t> template_keys;
    std::vector<int32_t> rows;  // t * M + m, -1 where the feature has no weights
    // Weights of the features at one token, and the scales of their templates.
    std::vector<const float*> row;
    std::vector<float> scale;
};

class Tagger : public Decoder, public OnlineModel<RowTable> {
  public:
    using Work = Sentence;

    Tagger(const Templates& templates_in, Vec<uint8_t> pairs_in, int n_labels_in)
        : Decoder(n_labels_in, std::any_of(pairs_in.data(), pairs_in.data() + pairs_in.size(),
                                           [](uint8_t p) { return p != 0; })),
          templates(templates_in),
          pairs(pairs_in.data(), pairs_in.data() + pairs_in.size()) {
        require(static_cast<int64_t>(pairs.size()) == templates.size(),
                "pairs must have one entry per template");
        for (int64_t m = 0; m < templates.size(); ++m)
            tables.emplace_back(pairs[m] ? int64_t{n_labels} * n_labels : n_labels,
                                templates.n_atoms(m));
        dual_width_ = has_pairs ? lane_stride(n_labels * n_labels) : stride;
    }

    void check(const Columns& columns) const { templates.check(columns); }

    // Rows and scores of one sentence. Each stage asks memory for what the next one needs.
    void read(const Columns& columns, int64_t s, Sentence& at) const {
        const int64_t M = templates.size();
        open_rows(columns.ptr[s], columns.ptr[s + 1] - columns.ptr[s], at);
        templates.pad(columns, at.begin, at.n, at.padded);
        at.keys.resize(M * at.n);
        at.template_keys.resize(at.n);
        for (int64_t m = 0; m < M; ++m) {
            templates.keys(m, at.padded, at.n, at.template_keys.data());
            for (int64_t t = 0; t < at.n; ++t) {
                at.keys[t * M + m] = at.template_keys[t];
                tables[m].prefetch(at.template_keys[t]);
            }
        }
        const auto candidates = [&](int64_t t) {
            for (int64_t m = 0; m < M; ++m) {
                const uint64_t key = at.keys[t * M + m];
                const int32_t row =
                    key == 0 || tables[m].size() == 0 ? -1 : tables[m].candidate(key);
                at.rows[t * M + m] = row;
                if (row >= 0) tables[m].prefetch_key_and_row(row);
            }
        };
        if (at.n > 0) candidates(0);
        for (int64_t t = 0; t < at.n; ++t) {
            if (t + 1 < at.n) candidates(t + 1);
            for (int64_t m = 0; m < M; ++m) {
                int32_t& row = at.rows[t * M + m];
                if (row >= 0 && !tables[m].holds(row, at.keys[t * M + m]))
                    row = tables[m].find(at.keys[t * M + m]);
            }
            add_token(t, at, [this](int64_t m, int32_t row) { return tables[m].weights(row); });
        }
    }

    // The same while learning from numbered features. A row that is not known yet is looked up by
    // its key, once.
    void read_learning(const Occurrences& seen, int64_t s, Sentence& at, Reading reading) {
        const int64_t M = templates.size();
        open_rows(seen.begin(s), seen.length(s), at);
        for (int64_t t = 0; t < at.n + 2; ++t) {
            if (t < at.n) {
                const int32_t* id = seen.ids(at.begin + t);
                for (int64_t m = 0; m < M; ++m) __builtin_prefetch(&row_of_[std::max(0, id[m])]);
            }
            if (t >= 1 && t <= at.n) find_rows(seen, t - 1, at);
            if (t < 2) continue;
            if (reading == Reading::dual) dual_rows_.resize(M * dual_width_);
            add_token(t - 2, at, [&](int64_t m, int32_t row) -> const float* {
                RowTable& table = tables[m];
                if (reading == Reading::by_weight || reading == Reading::by_row)
                    table.apply_deferred(row, reading == Reading::by_row);
                if (reading != Reading::dual) return table.weights(row);
                row_from_dual(table.weights(row), table.width(), &dual_rows_[m * dual_width_]);
                return &dual_rows_[m * dual_width_];
            });
        }
    }

    // The row of a feature of template m at position t of a sentence that is being read, made if
    // there is none.
    int32_t insert(const Occurrences& seen, int64_t m, int64_t t, Sentence& at) {
        int32_t& row = at.rows[t * templates.size() + m];
        if (row < 0) {
            const uint64_t key = key_at(seen, m, t, at);
            row = row_of_[seen.ids(at.begin + t)[m]] = tables[m].insert(key, atoms_.data());
        }
        return row;
    }
    // To be called before sentences of `seen` are read: rows known from other data, or from before
    // rows moved, are forgotten.
    void know(const Occurrences& seen) {
        require(seen.templates == templates, "the features were numbered for other templates");
        if (known_ == seen.serial) return;
        row_of_.assign(std::max<int64_t>(1, seen.first.back()), kUnknown);
        first_ = seen.first;
        known_ = seen.serial;
    }
    void forget_rows() { known_ = 0; }
    // Template m has no features any more.
    void forget_template(int64_t m) {
        if (known_ != 0)
            std::fill(row_of_.begin() + first_[m], row_of_.begin() + first_[m + 1], -1);
    }

    Templates templates;
    std::vector<uint8_t> pairs;
    // The sums of transitions while averages or dual averages are under way.
    std::vector<float> edge_sum, start_sum;

    // The weights that a row of dual sums stands for.
    void row_from_dual(const float* sum, int64_t width, float* out) const {
        for (int64_t k = 0; k < width; ++k) out[k] = static_cast<float>(from_dual(sum[k]));
    }

  private:
    static constexpr int32_t kUnknown = -2;

    void open_rows(int64_t begin, int64_t n, Sentence& at) const {
        const int64_t M = templates.size();
        open(begin, n, at);
        at.rows.resize(M * n);
        at.row.resize(M);
        at.scale.resize(M);
    }

    // Adds the weights(m, row) of all features at t that have some.
    template <class Weights>
    void add_token(int64_t t, Sentence& at, Weights weights) const {
        const int64_t M = templates.size();
        int64_t n = 0;
        for (int64_t m = 0; m < M; ++m) {
            const int32_t row = at.rows[t * M + m];
            if (row < 0) continue;
            const float* w = weights(m, row);
            const float scale = static_cast<float>(tables[m].scale());
            if (pairs[m]) {
                for (int i = 0; i < n_labels; ++i)
                    for (int j = 0; j < n_labels; ++j)
                        at.edges[(t * n_labels + i) * stride + j] += scale * w[i * n_labels + j];
                continue;
            }
            at.row[n] = w;
            at.scale[n++] = scale;
        }
        lane_steps<float>().add_scaled(at.row.data(), at.scale.data(), n, stride,
                                       at.unary.data() + t * stride);
    }

    void find_rows(const Occurrences& seen, int64_t t, Sentence& at) {
        const int64_t M = templates.size();
        const int32_t* id = seen.ids(at.begin + t);
        for (int64_t m = 0; m < M; ++m) {
            int32_t row = id[m] < 0 ? -1 : row_of_[id[m]];
            if (row == kUnknown)
                row = row_of_[id[m]] =
                    tables[m].size() ? tables[m].find(key_at(seen, m, t, at)) : -1;
            at.rows[t * M + m] = row;
            if (row >= 0) tables[m].prefetch_row(row);
        }
    }

    // The key of a feature that fires; its atoms' values are left in atoms_.
    uint64_t key_at(const Occurrences& seen, int64_t m, int64_t t, const Sentence& at) {
        atoms_.resize(templates.n_atoms(m) + 1);
        templates.values(
            m, [&](int64_t view) { return seen.column(view) + at.begin; }, at.n, t, atoms_.data());
        return templates.key(m, atoms_.data());
    }

    // By the number of a feature: its row, -1 if it has none, kUnknown.
    AlignedVector<int32_t> row_of_;
    std::vector<int64_t> first_;  // of the templates' slices of numbers
    // The serial of the occurrences that row_of_ is about, 0 if there are none.
    uint64_t known_ = 0;
    std::vector<int32_t> atoms_;
    std::vector<float> dual_rows_;
    int64_t dual_width_;
};

}  // namespace laconic::chain
