// The chain design over features of tokens, fused with its losses: scores -> inference -> residual -> gradient.
//
// A feature owns adjacent weights, one for each label it has been seen with (or for all labels). A token stores for each of its
// features where the feature's weights begin, so that scoring reads one place and walks on: labels_[w] is the label of weight w,
// its high bit marks the last weight of a feature. Features of a template are a slice, so threads that take different templates
// write different weights: no gradient is held twice, and sums are the same for any number of threads.
#include "chain.hpp"
#include "kernels.hpp"
#include "threads.hpp"

namespace {

constexpr uint16_t last_of_feature = 0x8000;
enum class Kind { log, hinge, perceptron };

class ChainDesign {
  public:
    ChainDesign(Vec<int32_t> ids, Vec<int64_t> sizes, Vec<int64_t> ptr, Vec<int32_t> gold, int n_labels, bool all_labels)
        : n_templates_(static_cast<int64_t>(sizes.size())),
          n_tokens_(static_cast<int64_t>(gold.size())),
          n_labels_(n_labels),
          stride_(lane_stride(n_labels)),
          ptr_(ptr.data(), ptr.data() + ptr.size()),
          gold_(gold.data(), gold.data() + gold.size()) {
        require(n_labels >= 1 && n_labels < 32768, "there must be from 1 to 32767 labels");
        require(static_cast<int64_t>(ids.size()) == n_tokens_ * n_templates_, "ids must have n_tokens * n_templates entries");
        check_ptr(ptr, n_tokens_, "ptr");
        check_range(gold, 0, n_labels, "gold");
        std::vector<int64_t> first(n_templates_ + 1, 0);  // first feature of a template
        for (int64_t m = 0; m < n_templates_; ++m) {
            require(sizes.data()[m] >= 0, "sizes must not be negative");
            first[m + 1] = first[m] + sizes.data()[m];
        }
        require(first[n_templates_] < INT32_MAX, "there must be fewer than 2^31 features");
        const int32_t* id = ids.data();
        for (int64_t i = 0; i < n_tokens_; ++i)
            for (int64_t m = 0; m < n_templates_; ++m, ++id)
                require(*id == -1 || (*id >= first[m] && *id < first[m + 1]), "ids must be -1 or in the slice of their template");
        lay_out(ids.data(), first, all_labels);
        count_gold();
    }

    int64_t n_penalised() const { return static_cast<int64_t>(labels_.size()); }
    int64_t n_weights() const { return n_penalised() + n_labels_ * (n_labels_ + 1); }
    nb::object feature_ptr() const { return to_numpy(std::vector<int64_t>(feature_ptr_.begin(), feature_ptr_.end())); }
    nb::object weight_label() const {
        std::vector<int32_t> label(labels_.size());
        for (size_t w = 0; w < label.size(); ++w) label[w] = labels_[w] & ~last_of_feature;
        return to_numpy(std::move(label));
    }

    // unary scores (n_tokens, L) of weights.
    void score(Vec<double> weights, MutVec<double> unary, int threads) const {
        check_weights(weights.size());
        require(static_cast<int64_t>(unary.size()) == n_tokens_ * n_labels_, "unary must have n_tokens * n_labels entries");
        const double* w = weights.data();
        double* out = unary.data();
        nb::gil_scoped_release release;
        parallel_ranges(n_tokens_, threads, 256, [&](int64_t begin, int64_t end, int) {
            std::vector<double> row(stride_);
            for (int64_t t = begin; t < end; ++t) {
                score_token(t, w, row.data());
                std::copy_n(row.data(), n_labels_, out + t * n_labels_);
            }
        });
    }

    // The adjoint of score: gradient[w] of the penalised weights = sum of residual[t][label of w] over tokens with its feature.
    void pull(Vec<double> residual, MutVec<double> gradient, int threads) const {
        require(static_cast<int64_t>(residual.size()) == n_tokens_ * n_labels_, "residual must have n_tokens * n_labels entries");
        require(static_cast<int64_t>(gradient.size()) >= n_penalised(), "gradient must have an entry for every penalised weight");
        const double* r = residual.data();
        double* g = gradient.data();
        nb::gil_scoped_release release;
        scatter(r, g, threads);
    }

    // Summed loss and, unless gradient is empty, its gradient. Chunks of sentences do not depend on the threads, nor do their
    // sums.
    double evaluate(int kind, double cost, Vec<double> weights, MutVec<double> gradient, int threads) {
        check_weights(weights.size());
        require(kind >= 0 && kind <= 2, "loss kind must be 0, 1 or 2");
        require(cost >= 0 && std::isfinite(cost), "cost must be finite and not negative");
        require(gradient.size() == 0 || gradient.size() == weights.size(), "gradient must be empty or have n_weights entries");
        const double* w = weights.data();
        double* g = gradient.size() ? gradient.data() : nullptr;
        nb::gil_scoped_release release;
        const int L = n_labels_;
        std::vector<double> edge(static_cast<size_t>(L) * stride_, 0.0);
        const double *transition = w + n_penalised(), *start = transition + L * L;
        for (int i = 0; i < L; ++i) std::copy_n(transition + i * L, L, edge.data() + i * stride_);
        const chain::Potentials<double> potentials(edge.data(), start, L, stride_);
        if (g) residual_.resize(n_tokens_ * L);
        const int64_t n_sentences = static_cast<int64_t>(ptr_.size()) - 1, n_chunks = std::min<int64_t>(n_sentences, 64);
        std::vector<Sums> sums(n_chunks);
        parallel_ranges(n_chunks, threads, 1, [&](int64_t first, int64_t last, int) {
            Work work;
            for (int64_t c = first; c < last; ++c) {
                sums[c].edge.assign(edge.size(), 0.0);
                sums[c].start.assign(L, 0.0);
                for (int64_t s = n_sentences * c / n_chunks; s < n_sentences * (c + 1) / n_chunks; ++s)
                    sentence(static_cast<Kind>(kind), cost, s, w, potentials, g != nullptr, work, sums[c]);
            }
        });
        double value = 0;
        for (const auto& sum : sums) value += sum.value;
        if (!g) return value;
        scatter(residual_.data(), g, threads);
        double *edge_gradient = g + n_penalised(), *start_gradient = edge_gradient + L * L;
        for (int i = 0; i < L * (L + 1); ++i) edge_gradient[i] = -gold_counts_[i];
        for (const auto& sum : sums) {
            for (int i = 0; i < L; ++i)
                for (int j = 0; j < L; ++j) edge_gradient[i * L + j] += sum.edge[i * stride_ + j];
            for (int j = 0; j < L; ++j) start_gradient[j] += sum.start[j];
        }
        return value;
    }

  private:
    struct Work {
        chain::Scratch<double> scratch;
        std::vector<double> unary, node;
        std::vector<int32_t> best;
    };
    struct Sums {
        double value = 0;
        std::vector<double> edge, start;
    };

    void check_weights(size_t size) const {
        require(static_cast<int64_t>(size) == n_weights(), "weights must have n_weights entries");
    }

    void lay_out(const int32_t* ids, const std::vector<int64_t>& first, bool all_labels) {
        const int64_t n_features = first[n_templates_];
        const int words = (n_labels_ + 63) / 64;
        std::vector<uint64_t> seen(n_features * words, 0);
        for (int64_t t = 0; t < n_tokens_; ++t)
            for (int64_t m = 0; m < n_templates_; ++m)
                if (const int64_t f = ids[t * n_templates_ + m]; f >= 0) {
                    if (all_labels)
                        for (int j = 0; j < n_labels_; ++j) seen[f * words + j / 64] |= uint64_t{1} << (j % 64);
                    else
                        seen[f * words + gold_[t] / 64] |= uint64_t{1} << (gold_[t] % 64);
                }
        feature_ptr_.resize(n_features + 1, 0);
        for (int64_t f = 0; f < n_features; ++f) {
            int64_t n = 0;
            for (int v = 0; v < words; ++v) n += __builtin_popcountll(seen[f * words + v]);
            require(feature_ptr_[f] + n < INT32_MAX, "there must be fewer than 2^31 weights");
            feature_ptr_[f + 1] = static_cast<int32_t>(feature_ptr_[f] + n);
        }
        labels_.reserve(feature_ptr_[n_features]);
        for (int64_t f = 0; f < n_features; ++f) {
            for (int v = 0; v < words; ++v)
                for (uint64_t bits = seen[f * words + v]; bits; bits &= bits - 1)
                    labels_.push_back(static_cast<uint16_t>(64 * v + __builtin_ctzll(bits)));
            if (feature_ptr_[f + 1] > feature_ptr_[f]) labels_.back() |= last_of_feature;
        }
        slots_.resize(n_tokens_ * n_templates_);
        for (size_t i = 0; i < slots_.size(); ++i) slots_[i] = ids[i] < 0 ? -1 : feature_ptr_[ids[i]];
    }

    void count_gold() {
        const int L = n_labels_;
        gold_counts_.assign(L * (L + 1), 0.0);
        for (size_t s = 0; s + 1 < ptr_.size(); ++s)
            for (int64_t t = ptr_[s]; t < ptr_[s + 1]; ++t)
                gold_counts_[t == ptr_[s] ? L * L + gold_[t] : gold_[t - 1] * L + gold_[t]] += 1;
    }

    void score_token(int64_t t, const double* w, double* row) const {
        std::fill(row, row + stride_, 0.0);
        const int32_t* slot = slots_.data() + t * n_templates_;
        for (int64_t m = 0; m < n_templates_; ++m) {
            int64_t at = slot[m];
            if (at < 0) continue;
            uint16_t label;
            do {
                label = labels_[at];
                row[label & ~last_of_feature] += w[at++];
            } while (!(label & last_of_feature));
        }
    }

    // Templates are split over the threads; a few at a time, so that their weights stay in the cache while the tokens pass.
    void scatter(const double* residual, double* gradient, int threads) const {
        std::fill(gradient, gradient + n_penalised(), 0.0);
        parallel_ranges(n_templates_, threads, 1, [&](int64_t first, int64_t last, int) {
            for (int64_t begin = first; begin < last; begin += block_) {
                const int64_t end = std::min(last, begin + block_);
                for (int64_t t = 0; t < n_tokens_; ++t) {
                    const int32_t* slot = slots_.data() + t * n_templates_;
                    const double* r = residual + t * n_labels_;
                    for (int64_t m = begin; m < end; ++m) {
                        int64_t at = slot[m];
                        if (at < 0) continue;
                        uint16_t label;
                        do {
                            label = labels_[at];
                            gradient[at++] += r[label & ~last_of_feature];
                        } while (!(label & last_of_feature));
                    }
                }
            }
        });
    }

    // One sentence: its loss, and its residual = predicted - gold.
    void sentence(Kind kind, double cost, int64_t s, const double* w, const chain::Potentials<double>& potentials,
                  bool differentiate, Work& work, Sums& sums) {
        const int64_t begin = ptr_[s], n = ptr_[s + 1] - begin;
        if (n == 0) return;
        const int L = n_labels_;
        const int32_t* gold = gold_.data() + begin;
        work.unary.resize(n * stride_);
        work.node.resize(n * stride_);
        double gold_score = potentials.start[gold[0]];
        for (int64_t t = 0; t < n; ++t) {
            double* row = work.unary.data() + t * stride_;
            score_token(begin + t, w, row);
            gold_score += row[gold[t]] + (t ? potentials.edge[gold[t - 1] * stride_ + gold[t]] : 0.0);
            if (kind == Kind::hinge)
                for (int j = 0; j < L; ++j) row[j] += j == gold[t] ? 0.0 : cost;
        }
        double* node = work.node.data();
        if (kind == Kind::log) {
            double* edge_sum = differentiate ? sums.edge.data() : nullptr;
            sums.value += chain::forward_backward(work.unary.data(), n, potentials, work.scratch, node, edge_sum) - gold_score;
        } else {
            work.best.resize(n);
            const int32_t* best = work.best.data();
            const double score = chain::viterbi(work.unary.data(), n, potentials.edge, potentials.start, L, stride_, work.scratch,
                                                work.best.data());
            sums.value += std::max(0.0, score - gold_score);
            std::fill(node, node + n * stride_, 0.0);
            for (int64_t t = 0; t < n; ++t) {
                node[t * stride_ + best[t]] = 1;
                if (t) sums.edge[best[t - 1] * stride_ + best[t]] += 1;
            }
        }
        if (!differentiate) return;
        for (int j = 0; j < L; ++j) sums.start[j] += node[j];
        for (int64_t t = 0; t < n; ++t) {
            double* r = residual_.data() + (begin + t) * L;
            std::copy_n(node + t * stride_, L, r);
            r[gold[t]] -= 1;
        }
    }

    static constexpr int64_t block_ = 12;
    int64_t n_templates_, n_tokens_;
    int n_labels_, stride_;
    std::vector<int64_t> ptr_;
    std::vector<int32_t> gold_, slots_, feature_ptr_;
    std::vector<uint16_t> labels_;
    std::vector<double> gold_counts_, residual_;
};

}  // namespace

void bind_crf(nb::module_& m) {
    nb::class_<ChainDesign>(m, "ChainDesign")
        .def(nb::init<Vec<int32_t>, Vec<int64_t>, Vec<int64_t>, Vec<int32_t>, int, bool>(), nb::arg("ids"), nb::arg("sizes"),
             nb::arg("ptr"), nb::arg("gold"), nb::arg("n_labels"), nb::arg("all_labels") = false)
        .def_prop_ro("n_penalised", &ChainDesign::n_penalised)
        .def_prop_ro("n_weights", &ChainDesign::n_weights)
        .def("feature_ptr", &ChainDesign::feature_ptr)
        .def("weight_label", &ChainDesign::weight_label)
        .def("score", &ChainDesign::score, nb::arg("weights"), nb::arg("unary").noconvert(), nb::arg("threads") = 1)
        .def("pull", &ChainDesign::pull, nb::arg("residual"), nb::arg("gradient").noconvert(), nb::arg("threads") = 1)
        .def("evaluate", &ChainDesign::evaluate, nb::arg("kind"), nb::arg("cost"), nb::arg("weights"),
             nb::arg("gradient").noconvert(), nb::arg("threads") = 1);
}
