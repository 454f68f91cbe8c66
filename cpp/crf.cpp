// The chain design fused with its losses: scores -> inference -> residual = predicted - gold -> gradient, a sentence at a time.
// Weights: those of (feature, label) pairs, then L x L transitions, then L starts if there are any.
#include <mutex>

#include "chain.hpp"
#include "chain_weights.hpp"
#include "kernels.hpp"
#include "threads.hpp"

namespace {

enum class Kind { log, hinge, perceptron };

class ChainDesign {
  public:
    ChainDesign(Vec<int32_t> ids, Vec<int64_t> sizes, Vec<int64_t> ptr, Vec<int32_t> gold, int n_labels, bool all_labels,
                bool start, bool merge_twins)
        : L(n_labels),
          ptr_(ptr.data(), ptr.data() + ptr.size()),
          gold_(checked(gold, n_labels)),
          weights_(ids, sizes, gold_, n_labels, all_labels, merge_twins),
          stride(weights_.stride),
          n_tail_(L * L + (start ? L : 0)) {
        check_ptr(ptr, weights_.n_tokens, "ptr");
        if (merge_twins)
            for (int32_t twins : weights_.layout.twins) root_.push_back(std::sqrt(static_cast<double>(twins)));
        gold_counts_.assign(L * (L + 1), 0.0);
        for (size_t s = 0; s + 1 < ptr_.size(); ++s)
            for (int64_t t = ptr_[s]; t < ptr_[s + 1]; ++t)
                gold_counts_[t == ptr_[s] ? L * L + gold_[t] : gold_[t - 1] * L + gold_[t]] += 1;
    }

    int64_t n_state() const { return weights_.size(); }
    int64_t n_weights() const { return n_state() + n_tail_; }
    nb::object unit_ptr() const { return to_numpy(std::vector<int32_t>(weights_.layout.unit_ptr)); }
    nb::object twins() const { return to_numpy(std::vector<int32_t>(weights_.layout.twins)); }
    nb::object times() const { return to_numpy(std::vector<int32_t>(weights_.layout.times)); }
    nb::object feature_unit() const { return to_numpy(std::vector<int32_t>(weights_.layout.feature_unit)); }
    nb::object first_token() const { return to_numpy(std::vector<int32_t>(weights_.layout.first_token)); }
    nb::object weight_label() const {
        std::vector<int32_t> label(n_state());
        for (size_t w = 0; w < label.size(); ++w) label[w] = weights_.label_of(w);
        return to_numpy(std::move(label));
    }

    // The features from begin to before end that have a weight.
    nb::object alive(Vec<double> weights, int64_t begin, int64_t end) const {
        const auto& layout = weights_.layout;
        check_weights(weights.size());
        require(begin >= 0 && begin <= end && end <= static_cast<int64_t>(layout.feature_unit.size()), "features out of range");
        std::vector<int32_t> found;
        for (int64_t f = begin; f < end; ++f) {
            const int32_t unit = layout.feature_unit[f];
            const double *first = weights.data() + layout.unit_ptr[unit], *last = weights.data() + layout.unit_ptr[unit + 1];
            if (std::any_of(first, last, [](double w) { return w != 0; })) found.push_back(static_cast<int32_t>(f));
        }
        return to_numpy(std::move(found));
    }

    // (features, L): the weights of features, each apart from its twins.
    nb::object feature_rows(Vec<double> weights, Vec<int32_t> features) const {
        const auto& layout = weights_.layout;
        check_weights(weights.size());
        check_range(features, 0, static_cast<int64_t>(layout.feature_unit.size()), "features");
        std::vector<float> table(features.size() * L, 0.0f);
        for (size_t k = 0; k < features.size(); ++k) {
            const int32_t unit = layout.feature_unit[features.data()[k]];
            const double share = root_.empty() ? 1.0 : 1.0 / root_[unit];
            for (int32_t at = layout.unit_ptr[unit]; at < layout.unit_ptr[unit + 1]; ++at)
                table[k * L + weights_.label_of(at)] = static_cast<float>(weights.data()[at] * share);
        }
        return to_numpy(std::move(table));
    }

    // Unary scores (n_tokens, L).
    void score(Vec<double> weights, MutVec<double> unary, int threads) const {
        check_weights(weights.size());
        require(static_cast<int64_t>(unary.size()) == weights_.n_tokens * L, "unary must have n_tokens * n_labels entries");
        const double* w = weights.data();
        double* out = unary.data();
        nb::gil_scoped_release release;
        AlignedVector<double> rows, counted;
        w = count_twins(w, counted);
        weights_.fill(w, rows, threads);
        parallel_ranges(weights_.n_tokens, threads, 256, [&](int64_t begin, int64_t end, int) {
            std::vector<double> padded((end - begin) * stride);
            weights_.score(begin, end, w, rows.data(), padded.data());
            for (int64_t t = begin; t < end; ++t) std::copy_n(padded.data() + (t - begin) * stride, L, out + t * L);
        });
    }

    // The adjoint of score: the gradient of the features' weights from residuals (n_tokens, L).
    void pull(Vec<double> residual, MutVec<double> gradient, int threads) {
        require(static_cast<int64_t>(residual.size()) == weights_.n_tokens * L, "residual must have n_tokens * n_labels entries");
        require(static_cast<int64_t>(gradient.size()) == n_state(), "gradient must have an entry for every weight of a feature");
        const double* r = residual.data();
        double* g = gradient.data();
        nb::gil_scoped_release release;
        const std::lock_guard lock(mutex_);
        residual_.resize(weights_.n_tokens * stride);
        for (int64_t t = 0; t < weights_.n_tokens; ++t) std::copy_n(r + t * L, L, residual_.data() + t * stride);
        weights_.pull(residual_.data(), g, rows_, threads);
        by_twins(g);
    }

    // Summed loss and, unless gradient is empty, its gradient. The chunks of sentences do not depend on the threads, so neither
    // do the sums.
    double evaluate(int kind, double cost, Vec<double> weights, MutVec<double> gradient, int threads) {
        check_weights(weights.size());
        require(kind >= 0 && kind <= 2, "loss kind must be 0, 1 or 2");
        require(cost >= 0 && std::isfinite(cost), "cost must be finite and not negative");
        require(gradient.size() == 0 || gradient.size() == weights.size(), "gradient must be empty or have n_weights entries");
        const double* w = weights.data();
        double* g = gradient.size() ? gradient.data() : nullptr;
        nb::gil_scoped_release release;
        const std::lock_guard lock(mutex_);
        std::vector<double> edge(static_cast<size_t>(L) * stride, 0.0);
        std::vector<double> start(L, 0.0);
        const double* tail = w + n_state();
        for (int i = 0; i < L; ++i) std::copy_n(tail + i * L, L, edge.data() + i * stride);
        std::copy(tail + L * L, tail + n_tail_, start.data());
        const chain::Potentials<double> potentials(edge.data(), start.data(), L, stride);
        w = count_twins(w, counted_);
        weights_.fill(w, rows_, threads);
        const Point point{static_cast<Kind>(kind), cost, potentials, g != nullptr};
        residual_.resize(weights_.n_tokens * stride);
        parallel_ranges(weights_.n_tokens, threads, 1024, [&](int64_t begin, int64_t end, int) {
            weights_.score(begin, end, w, rows_.data(), residual_.data() + begin * stride);
        });
        const int64_t n_sentences = static_cast<int64_t>(ptr_.size()) - 1, n_chunks = std::min<int64_t>(n_sentences, 64);
        std::vector<Sums> sums(n_chunks);
        parallel_ranges(n_chunks, threads, 1, [&](int64_t first, int64_t last, int) {
            Work work;
            for (int64_t c = first; c < last; ++c) {
                sums[c].edge.assign(edge.size(), 0.0);
                sums[c].start.assign(L, 0.0);
                for (int64_t s = n_sentences * c / n_chunks; s < n_sentences * (c + 1) / n_chunks; ++s)
                    if (ptr_[s + 1] > ptr_[s]) sentence(s, point, work, sums[c]);
            }
        });
        double value = 0;
        for (const auto& sum : sums) value += sum.value;
        if (!g) return value;
        weights_.pull(residual_.data(), g, rows_, threads);
        by_twins(g);
        double* tail_gradient = g + n_state();
        for (int i = 0; i < n_tail_; ++i) tail_gradient[i] = -gold_counts_[i];
        for (const auto& sum : sums) {
            for (int i = 0; i < L; ++i)
                for (int j = 0; j < L; ++j) tail_gradient[i * L + j] += sum.edge[i * stride + j];
            for (int i = L * L; i < n_tail_; ++i) tail_gradient[i] += sum.start[i - L * L];
        }
        return value;
    }

  private:
    struct Point {
        Kind kind;
        double cost;
        const chain::Potentials<double>& potentials;
        bool differentiate;
    };
    struct Work {
        chain::Scratch<double> scratch;
        std::vector<double> unary;
        std::vector<int32_t> best;
    };
    struct Sums {
        double value = 0;
        std::vector<double> edge, start;
    };

    void check_weights(size_t size) const {
        require(static_cast<int64_t>(size) == n_weights(), "weights must have n_weights entries");
    }

    static std::vector<int32_t> checked(const Vec<int32_t>& gold, int n_labels) {
        require(n_labels >= 1 && n_labels < ChainLayout::last_label, "there must be from 1 to 32767 labels");
        check_range(gold, 0, n_labels, "gold");
        return {gold.data(), gold.data() + gold.size()};
    }

    // With k twins in a unit, its weight is sqrt(k) times that of each: lengths and gradients are those of all of them apart.
    const double* count_twins(const double* w, AlignedVector<double>& counted) const {
        if (root_.empty()) return w;
        counted.resize(n_state());
        each_unit([&](size_t unit, int32_t at) { counted[at] = root_[unit] * w[at]; });
        return counted.data();
    }
    void by_twins(double* gradient) const {
        if (!root_.empty()) each_unit([&](size_t unit, int32_t at) { gradient[at] *= root_[unit]; });
    }
    template <class Body>
    void each_unit(Body body) const {
        const auto& ptr = weights_.layout.unit_ptr;
        for (size_t unit = 0; unit < root_.size(); ++unit)
            for (int32_t at = ptr[unit]; at < ptr[unit + 1]; ++at) body(unit, at);
    }

    // One sentence: from its scores in residual_ to its loss, its residual in the same place, and its part of what was predicted
    // for edges and starts.
    void sentence(int64_t s, const Point& point, Work& work, Sums& sums) {
        const int64_t begin = ptr_[s], n = ptr_[s + 1] - begin;
        const int32_t* gold = gold_.data() + begin;
        const auto& potentials = point.potentials;
        double* node = residual_.data() + begin * stride;
        work.unary.assign(node, node + n * stride);
        double* unary = work.unary.data();
        double gold_score = potentials.start[gold[0]];
        for (int64_t t = 0; t < n; ++t) {
            double* row = unary + t * stride;
            gold_score += row[gold[t]] + (t ? potentials.edge[gold[t - 1] * stride + gold[t]] : 0.0);
            if (point.kind == Kind::hinge)
                for (int j = 0; j < L; ++j) row[j] += j == gold[t] ? 0.0 : point.cost;
        }
        if (point.kind == Kind::log) {
            double* edge_sum = point.differentiate ? sums.edge.data() : nullptr;
            sums.value += chain::forward_backward(unary, n, potentials, work.scratch, node, edge_sum) - gold_score;
        } else {
            work.best.resize(std::max<size_t>(work.best.size(), n));
            int32_t* best = work.best.data();
            const double score = chain::viterbi(unary, n, potentials.edge, potentials.start, L, stride, work.scratch, best);
            sums.value += std::max(0.0, score - gold_score);
            std::fill(node, node + n * stride, 0.0);
            for (int64_t t = 0; t < n; ++t) {
                node[t * stride + best[t]] = 1;
                if (t) sums.edge[best[t - 1] * stride + best[t]] += 1;
            }
        }
        for (int j = 0; j < L; ++j) sums.start[j] += node[j];
        for (int64_t t = 0; t < n; ++t) node[t * stride + gold[t]] -= 1;
    }

    const int L;
    const std::vector<int64_t> ptr_;
    const std::vector<int32_t> gold_;
    const ChainWeights weights_;
    const int stride, n_tail_;
    std::vector<double> gold_counts_, root_;           // root_: of the number of twins in a unit, empty if none are merged
    AlignedVector<double> residual_, rows_, counted_;  // working memory of one call at a time
    std::mutex mutex_;
};

}  // namespace

void bind_crf(nb::module_& m) {
    nb::class_<ChainDesign>(m, "ChainDesign")
        .def(nb::init<Vec<int32_t>, Vec<int64_t>, Vec<int64_t>, Vec<int32_t>, int, bool, bool, bool>(), nb::arg("ids"),
             nb::arg("sizes"), nb::arg("ptr"), nb::arg("gold"), nb::arg("n_labels"), nb::arg("all_labels") = false,
             nb::arg("start") = true, nb::arg("merge_twins") = false)
        .def_prop_ro("n_state", &ChainDesign::n_state)
        .def_prop_ro("n_weights", &ChainDesign::n_weights)
        .def("unit_ptr", &ChainDesign::unit_ptr)
        .def("twins", &ChainDesign::twins)
        .def("times", &ChainDesign::times)
        .def("feature_unit", &ChainDesign::feature_unit)
        .def("first_token", &ChainDesign::first_token)
        .def("weight_label", &ChainDesign::weight_label)
        .def("alive", &ChainDesign::alive, nb::arg("weights"), nb::arg("begin"), nb::arg("end"))
        .def("feature_rows", &ChainDesign::feature_rows, nb::arg("weights"), nb::arg("features"))
        .def("score", &ChainDesign::score, nb::arg("weights"), nb::arg("unary").noconvert(), nb::arg("threads") = 1)
        .def("pull", &ChainDesign::pull, nb::arg("residual"), nb::arg("gradient").noconvert(), nb::arg("threads") = 1)
        .def("evaluate", &ChainDesign::evaluate, nb::arg("kind"), nb::arg("cost"), nb::arg("weights"),
             nb::arg("gradient").noconvert(), nb::arg("threads") = 1);
}
