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
                bool start)
        : weights_(ids, sizes, gold, n_labels, all_labels),
          L(n_labels),
          stride(weights_.stride),
          n_tail_(L * L + (start ? L : 0)),
          ptr_(ptr.data(), ptr.data() + ptr.size()),
          gold_(gold.data(), gold.data() + gold.size()) {
        check_ptr(ptr, weights_.n_tokens, "ptr");
        gold_counts_.assign(L * (L + 1), 0.0);
        for (size_t s = 0; s + 1 < ptr_.size(); ++s)
            for (int64_t t = ptr_[s]; t < ptr_[s + 1]; ++t)
                gold_counts_[t == ptr_[s] ? L * L + gold_[t] : gold_[t - 1] * L + gold_[t]] += 1;
    }

    int64_t n_penalised() const { return weights_.size(); }
    int64_t n_weights() const { return n_penalised() + n_tail_; }
    nb::object feature_ptr() const {
        return to_numpy(std::vector<int64_t>(weights_.feature_ptr().begin(), weights_.feature_ptr().end()));
    }
    nb::object weight_label() const {
        std::vector<int32_t> label(n_penalised());
        for (size_t w = 0; w < label.size(); ++w) label[w] = weights_.label(w);
        return to_numpy(std::move(label));
    }

    // Unary scores (n_tokens, L).
    void score(Vec<double> weights, MutVec<double> unary, int threads) const {
        check_weights(weights.size());
        require(static_cast<int64_t>(unary.size()) == weights_.n_tokens * L, "unary must have n_tokens * n_labels entries");
        const double* w = weights.data();
        double* out = unary.data();
        nb::gil_scoped_release release;
        std::vector<double> wide;
        weights_.wide_rows(w, wide);
        parallel_ranges(weights_.n_tokens, threads, 256, [&](int64_t begin, int64_t end, int) {
            std::vector<double> row(stride);
            for (int64_t t = begin; t < end; ++t) {
                weights_.score(t, w, wide.data(), row.data());
                std::copy_n(row.data(), L, out + t * L);
            }
        });
    }

    // The adjoint of score: the gradient of the penalised weights from residuals (n_tokens, L).
    void pull(Vec<double> residual, MutVec<double> gradient, int threads) {
        require(static_cast<int64_t>(residual.size()) == weights_.n_tokens * L, "residual must have n_tokens * n_labels entries");
        require(static_cast<int64_t>(gradient.size()) == n_penalised(), "gradient must have an entry for every penalised weight");
        const double* r = residual.data();
        double* g = gradient.data();
        nb::gil_scoped_release release;
        const std::lock_guard lock(mutex_);
        residual_.resize(weights_.n_tokens * stride);
        for (int64_t t = 0; t < weights_.n_tokens; ++t) std::copy_n(r + t * L, L, residual_.data() + t * stride);
        weights_.pull(residual_.data(), g, wide_, threads);
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
        const double* tail = w + n_penalised();
        for (int i = 0; i < L; ++i) std::copy_n(tail + i * L, L, edge.data() + i * stride);
        std::copy(tail + L * L, tail + n_tail_, start.data());
        const chain::Potentials<double> potentials(edge.data(), start.data(), L, stride);
        weights_.wide_rows(w, wide_);
        const Point point{static_cast<Kind>(kind), cost, w, wide_.data(), potentials, g != nullptr};
        if (g) residual_.resize(weights_.n_tokens * stride);
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
        weights_.pull(residual_.data(), g, wide_, threads);
        double* tail_gradient = g + n_penalised();
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
        const double *weights, *wide;
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

    // One sentence: its loss, its residual, and its part of what was predicted for edges and starts.
    void sentence(int64_t s, const Point& point, Work& work, Sums& sums) {
        const int64_t begin = ptr_[s], n = ptr_[s + 1] - begin;
        const int32_t* gold = gold_.data() + begin;
        const auto& potentials = point.potentials;
        work.unary.resize(std::max<size_t>(work.unary.size(), n * stride * 2));
        double *unary = work.unary.data(), *node = point.differentiate ? residual_.data() + begin * stride : unary + n * stride;
        double gold_score = potentials.start[gold[0]];
        for (int64_t t = 0; t < n; ++t) {
            double* row = unary + t * stride;
            weights_.score(begin + t, point.weights, point.wide, row);
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

    const ChainWeights weights_;
    const int L, stride, n_tail_;
    std::vector<int64_t> ptr_;
    std::vector<int32_t> gold_;
    std::vector<double> gold_counts_, residual_, wide_;  // the last two: working memory of one call at a time
    std::mutex mutex_;
};

}  // namespace

void bind_crf(nb::module_& m) {
    nb::class_<ChainDesign>(m, "ChainDesign")
        .def(nb::init<Vec<int32_t>, Vec<int64_t>, Vec<int64_t>, Vec<int32_t>, int, bool, bool>(), nb::arg("ids"),
             nb::arg("sizes"), nb::arg("ptr"), nb::arg("gold"), nb::arg("n_labels"), nb::arg("all_labels") = false,
             nb::arg("start") = true)
        .def_prop_ro("n_penalised", &ChainDesign::n_penalised)
        .def_prop_ro("n_weights", &ChainDesign::n_weights)
        .def("feature_ptr", &ChainDesign::feature_ptr)
        .def("weight_label", &ChainDesign::weight_label)
        .def("score", &ChainDesign::score, nb::arg("weights"), nb::arg("unary").noconvert(), nb::arg("threads") = 1)
        .def("pull", &ChainDesign::pull, nb::arg("residual"), nb::arg("gradient").noconvert(), nb::arg("threads") = 1)
        .def("evaluate", &ChainDesign::evaluate, nb::arg("kind"), nb::arg("cost"), nb::arg("weights"),
             nb::arg("gradient").noconvert(), nb::arg("threads") = 1);
}
