// All weights of a chain's features as one vector: those of (feature, label), then those of
// (feature, pair of labels), for the features of the last n_pairs templates. Label j after label i
// is the pair i * L + j. Pairs need two tokens: at the first token of a sentence such features do
// not fire.
#pragma once
#include "chain/weights.hpp"

namespace laconic::chain {

class ChainParts {
  public:
    struct Data {
        std::span<const int32_t> ids;
        std::span<const int64_t> sizes;
        const std::vector<int64_t>& ptr;
        const std::vector<int32_t>& gold;
        int n_labels;
        int64_t n_pairs;  // templates
    };

    ChainParts(const Data& data, bool all_labels, bool merge_twins)
        : labels(of_labels(data, {all_labels, merge_twins, true})),
          pairs(of_pairs(data, {all_labels, merge_twins, false})) {
        require(size() < INT32_MAX && n_features() < INT32_MAX,
                "there must be fewer than 2^31 features and weights");
    }

    int64_t size() const { return labels.size() + pairs.size(); }
    int64_t n_features() const { return count_features(labels) + count_features(pairs); }

    std::vector<int32_t> unit_ptr() const {
        auto out = labels.layout.unit_ptr;
        const auto& more = pairs.layout.unit_ptr;
        for (size_t unit = 1; unit < more.size(); ++unit)
            out.push_back(static_cast<int32_t>(labels.size()) + more[unit]);
        return out;
    }
    std::vector<int32_t> twins() const { return joined(labels.layout.twins, pairs.layout.twins); }
    std::vector<int32_t> times() const { return joined(labels.layout.times, pairs.layout.times); }
    std::vector<int32_t> first_token() const {
        return joined(labels.layout.first_token, pairs.layout.first_token);
    }
    std::vector<int32_t> feature_unit() const {
        return joined(labels.layout.feature_unit, pairs.layout.feature_unit,
                      static_cast<int32_t>(labels.layout.twins.size()));
    }
    // The label, or pair of labels, of every weight.
    std::vector<int32_t> weight_label() const {
        std::vector<int32_t> out;
        out.reserve(size());
        for (const ChainWeights* part : {&labels, &pairs})
            for (int64_t w = 0; w < part->size(); ++w) out.push_back(part->label_of(w));
        return out;
    }

    // The features from begin to before end that have a weight.
    std::vector<int32_t> alive(const double* weights, int64_t begin, int64_t end) const {
        std::vector<int32_t> found;
        for (int64_t f = begin; f < end; ++f) {
            const Row row = row_of(f, weights);
            if (std::any_of(row.first, row.last, [](double w) { return w != 0; }))
                found.push_back(static_cast<int32_t>(f));
        }
        return found;
    }

    // (features, width): the weights of features, each apart from its twins; width: labels, or
    // pairs of them.
    std::vector<float> feature_rows(const double* weights, const Vec<int32_t>& features) const {
        const bool paired = features.size() && features.data()[0] >= count_features(labels);
        const int width = (paired ? pairs : labels).n_labels;
        std::vector<float> table(features.size() * width, 0.0f);
        for (size_t k = 0; k < features.size(); ++k) {
            const Row row = row_of(features.data()[k], weights);
            require(row.part == (paired ? &pairs : &labels),
                    "features must be all of labels or all of pairs of labels");
            for (const double* w = row.first; w < row.last; ++w)
                table[k * width + row.part->label_of(row.at + (w - row.first))] =
                    static_cast<float>(*w / row.root);
        }
        return table;
    }

    // The weights as they count in scores: those of units times the roots of their twins.
    const double* count_twins(const double* weights, AlignedVector<double>& counted) const {
        if (!labels.has_twins() && !pairs.has_twins()) return weights;
        counted.resize(size());
        labels.times_roots(weights, counted.data());
        pairs.times_roots(weights + labels.size(), counted.data() + labels.size());
        return counted.data();
    }

    // tables (n, L, stride of labels): the table `edge` and what the features of tokens [begin,
    // begin + n) give to pairs of labels.
    void edge_tables(int64_t begin, int64_t n, const double* pair_weights, const double* rows,
                     const double* edge, std::vector<double>& scores,
                     std::vector<double>& tables) const {
        const int64_t L = labels.n_labels, stride = labels.stride;
        scores.resize(std::max<size_t>(scores.size(), n * pairs.stride));
        tables.resize(std::max<size_t>(tables.size(), n * L * stride));
        pairs.score(begin, begin + n, pair_weights, rows, scores.data());
        for (int64_t t = 0; t < n; ++t) {
            double* table = tables.data() + t * L * stride;
            const double* score = scores.data() + t * pairs.stride;
            std::copy_n(edge, L * stride, table);
            for (int64_t i = 0; i < L; ++i)
                for (int64_t j = 0; j < L; ++j) table[i * stride + j] += score[i * L + j];
        }
    }

    const ChainWeights labels, pairs;

  private:
    struct Row {
        const ChainWeights* part;
        int64_t at;  // in the part
        double root;
        const double *first, *last;
    };
    Row row_of(int64_t feature, const double* weights) const {
        const int64_t n_single = count_features(labels);
        const ChainWeights& part = feature < n_single ? labels : pairs;
        const double* own = feature < n_single ? weights : weights + labels.size();
        const int32_t unit =
            part.layout.feature_unit[feature < n_single ? feature : feature - n_single];
        const int32_t begin = part.layout.unit_ptr[unit], end = part.layout.unit_ptr[unit + 1];
        return {&part, begin, part.root(unit), own + begin, own + end};
    }

    static int64_t count_features(const ChainWeights& part) {
        return static_cast<int64_t>(part.layout.feature_unit.size());
    }

    static std::vector<int32_t> joined(std::vector<int32_t> out, const std::vector<int32_t>& more,
                                       int32_t shift = 0) {
        for (int32_t value : more) out.push_back(value + shift);
        return out;
    }

    static ChainWeights of_labels(const Data& data, ChainLayout::Shape shape) {
        const int64_t M = static_cast<int64_t>(data.sizes.size());
        require(data.n_pairs >= 0 && data.n_pairs <= M,
                "n_pairs must be from 0 to the number of templates");
        require(data.ids.size() == data.gold.size() * M,
                "ids must have n_tokens * n_templates entries");
        const auto sizes = data.sizes.first(M - data.n_pairs);
        if (!data.n_pairs) return ChainWeights(data.ids, sizes, data.gold, data.n_labels, shape);
        std::vector<int32_t> ids;
        ids.reserve(data.gold.size() * sizes.size());
        for (size_t t = 0; t < data.gold.size(); ++t)
            ids.insert(ids.end(), data.ids.data() + t * M, data.ids.data() + t * M + sizes.size());
        return ChainWeights(ids, sizes, data.gold, data.n_labels, shape);
    }

    static ChainWeights of_pairs(const Data& data, ChainLayout::Shape shape) {
        const int64_t M = data.sizes.size(), n_single = M - data.n_pairs, n = data.gold.size(),
                      L = data.n_labels;
        require(!data.n_pairs || L * L < ChainLayout::last_label,
                "templates with pairs of labels take at most 181 labels");
        int64_t shift = 0;
        for (int64_t m = 0; m < n_single; ++m) shift += data.sizes[m];
        std::vector<int32_t> ids, gold(n, -1);
        if (data.n_pairs) ids.reserve(n * data.n_pairs);
        for (size_t s = 0; s + 1 < data.ptr.size(); ++s)
            for (int64_t t = data.ptr[s]; t < data.ptr[s + 1]; ++t) {
                if (t > data.ptr[s])
                    gold[t] = static_cast<int32_t>(data.gold[t - 1] * L + data.gold[t]);
                for (int64_t m = n_single; m < M; ++m) {
                    const int64_t id = data.ids[t * M + m];
                    require(id == -1 || id >= shift,
                            "ids must be -1 or in the slice of their template");
                    ids.push_back(id < 0 || t == data.ptr[s] ? -1
                                                             : static_cast<int32_t>(id - shift));
                }
            }
        return ChainWeights(ids, data.sizes.last(data.n_pairs), gold, static_cast<int>(L * L),
                            shape);
    }
};

}  // namespace laconic::chain
