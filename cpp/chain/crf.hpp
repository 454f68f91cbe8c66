// The batch design of chains fused with its losses: value and gradient of sum_s loss(s), where
//
//     score(y) = w . phi(x, y) = start[y_0] + sum_t unary[t][y_t] + sum_t edge_t[y_{t-1}][y_t]
//
//     loss        value                                              gradient
//     log         log sum_y exp score(y) - score(gold)               E[phi] - phi(gold)
//     hinge       max_y (score(y) + cost |y != gold|) - score(gold)  phi(best) - phi(gold)
//     perceptron  max_y score(y) - score(gold)                       phi(best) - phi(gold)
//
// (Lafferty, McCallum and Pereira 2001 for the log loss.) Predicting is the first half: scores =
// A w, inference makes marginals or a best path of them, residual = predicted - gold, gradient =
// A' residual, one sentence after the other. A itself never exists: features that imply or equal
// each other are added up once (layout.hpp), so that a gradient costs far less than the features
// that fire.
//
// Weights: those of features (parts.hpp), then L x L transitions, then L starts if there are any.
#pragma once
#include <mutex>

#include "chain/inference.hpp"
#include "chain/parts.hpp"
#include "chain/tables.hpp"
#include "door/checks.hpp"
#include "door/threads.hpp"
#include "numeric/structured_loss.hpp"

namespace laconic::chain {

using numeric::StructuredLoss;

// Labels, and which weights there are: the last n_pairs templates are conjoined with pairs of
// labels; weights of all labels or of those seen with a feature; starts or none; features that fire
// at the same tokens share a weight or not.
struct ChainShape {
    int n_labels = 1;
    int64_t n_pairs = 0;
    bool all_labels = false, start = true, merge_twins = false;
};

class ChainDesign {
  public:
    ChainDesign(Vec<int32_t> ids, Vec<int64_t> sizes, Vec<int64_t> ptr, Vec<int32_t> gold,
                const ChainShape& shape)
        : L(shape.n_labels),
          gold_(checked(gold, shape.n_labels)),
          ptr_(checked(ptr, gold.size())),
          parts_({{ids.data(), ids.size()},
                  {sizes.data(), sizes.size()},
                  ptr_,
                  gold_,
                  shape.n_labels,
                  shape.n_pairs},
                 shape.all_labels, shape.merge_twins),
          paired_(shape.n_pairs > 0),
          stride(parts_.labels.stride),
          n_tail_(L * L + (shape.start ? L : 0)) {
        count_gold();
        make_batches();
    }

    int64_t n_single() const { return parts_.labels.size(); }
    int64_t n_state() const { return parts_.size(); }
    int64_t n_weights() const { return n_state() + n_tail_; }
    Array<int32_t> unit_ptr() const { return to_numpy(parts_.unit_ptr()); }
    Array<int32_t> twins() const { return to_numpy(parts_.twins()); }
    Array<int32_t> times() const { return to_numpy(parts_.times()); }
    Array<int32_t> feature_unit() const { return to_numpy(parts_.feature_unit()); }
    Array<int32_t> first_token() const { return to_numpy(parts_.first_token()); }
    Array<int32_t> weight_label() const { return to_numpy(parts_.weight_label()); }

    Array<int32_t> alive(Vec<double> weights, int64_t begin, int64_t end) const {
        check_weights(weights.size());
        require(begin >= 0 && begin <= end && end <= parts_.n_features(), "features out of range");
        return to_numpy(parts_.alive(weights.data(), begin, end));
    }
    Array<float> feature_rows(Vec<double> weights, Vec<int32_t> features) const {
        check_weights(weights.size());
        check_range(features, 0, parts_.n_features(), "features");
        return to_numpy(parts_.feature_rows(weights.data(), features));
    }

    // Scores of labels (n_tokens, L), or those that features give to pairs of labels (n_tokens,
    // L^2).
    void score(Vec<double> weights, MutVec<double> scores, bool pairs, int threads) const {
        const ChainWeights& part = pairs ? parts_.pairs : parts_.labels;
        const int64_t width = part.n_labels;
        check_weights(weights.size());
        require(static_cast<int64_t>(scores.size()) == part.n_tokens * width,
                "scores must have an entry for every token and label");
        const double* w = weights.data();
        double* out = scores.data();
        nb::gil_scoped_release release;
        AlignedVector<double> rows, counted;
        w = parts_.count_twins(w, counted) + (pairs ? parts_.labels.size() : 0);
        part.fill(w, rows, threads);
        parallel_ranges(part.n_tokens, threads, 256, [&](int64_t begin, int64_t end, int) {
            std::vector<double> padded((end - begin) * part.stride);
            part.score(begin, end, w, rows.data(), padded.data());
            for (int64_t t = begin; t < end; ++t)
                std::copy_n(padded.data() + (t - begin) * part.stride, width, out + t * width);
        });
    }

    // The adjoint of score: the gradient of the weights of labels, or pairs, from residuals shaped
    // as the scores.
    void pull(Vec<double> residual, MutVec<double> gradient, bool pairs, int threads) const {
        const ChainWeights& part = pairs ? parts_.pairs : parts_.labels;
        const int64_t width = part.n_labels;
        require(static_cast<int64_t>(residual.size()) == part.n_tokens * width,
                "residual must have an entry for every token and label");
        require(static_cast<int64_t>(gradient.size()) == part.size(),
                "gradient must have an entry for every weight of a feature");
        const double* r = residual.data();
        double* g = gradient.data();
        nb::gil_scoped_release release;
        AlignedVector<double> rows, padded(part.n_tokens * part.stride);
        for (int64_t t = 0; t < part.n_tokens; ++t)
            std::copy_n(r + t * width, width, padded.data() + t * part.stride);
        part.pull(padded.data(), g, rows, threads);
        part.times_roots(g, g);
    }

    // From now on, the loss of sentence s counts weight[s] times.
    void weigh(Vec<double> weight) {
        require(weight.size() + 1 == ptr_.size(), "weight must have one entry per sentence");
        for (size_t s = 0; s < weight.size(); ++s)
            require(weight.data()[s] >= 0 && std::isfinite(weight.data()[s]),
                    "weights must be finite and not negative");
        const std::lock_guard lock(mutex_);
        weight_.assign(weight.data(), weight.data() + weight.size());
        count_gold();
    }

    // Summed loss and, unless gradient is empty, its gradient. The chunks of sentences do not
    // depend on the threads, so neither do the sums.
    double evaluate(StructuredLoss loss, double cost, Vec<double> weights, MutVec<double> gradient,
                    int threads) {
        check_weights(weights.size());
        require(cost >= 0 && std::isfinite(cost), "cost must be finite and not negative");
        require(gradient.size() == 0 || gradient.size() == weights.size(),
                "gradient must be empty or have n_weights entries");
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
        const ChainWeights &labels = parts_.labels, &pairs = parts_.pairs;
        w = parts_.count_twins(w, counted_);
        const double* pair_w = w + labels.size();
        labels.fill(w, rows_, threads);
        pairs.fill(pair_w, pair_rows_, threads);
        const Point point{loss, cost, potentials, pair_w, g != nullptr};
        residual_.resize(labels.n_tokens * stride);
        parallel_ranges(labels.n_tokens, threads, 1024, [&](int64_t begin, int64_t end, int) {
            labels.score(begin, end, w, rows_.data(), residual_.data() + begin * stride);
        });
        double value = 0;
        double *pair_gradient = g ? g + labels.size() : nullptr,
               *tail_gradient = g ? g + n_state() : nullptr;
        if (g) {
            for (int i = 0; i < n_tail_; ++i) tail_gradient[i] = -gold_counts_[i];
            pairs.begin_pull(pair_gradient, pair_row_gradient_);
        }
        for (size_t b = 0; b + 1 < batches_.size(); ++b) {
            for (const Sums& sum : infer(batches_[b], batches_[b + 1], point, threads)) {
                value += sum.value;
                if (g) add_tail(sum, tail_gradient);
            }
            if (g && paired_)
                pairs.pull_some(ptr_[batches_[b]], ptr_[batches_[b + 1]], pair_residual_.data(),
                                pair_gradient, pair_row_gradient_.data(), threads);
        }
        if (!g) return value;
        labels.pull(residual_.data(), g, rows_, threads);
        labels.times_roots(g, g);
        pairs.end_pull(pair_gradient, pair_row_gradient_.data(), threads);
        pairs.times_roots(pair_gradient, pair_gradient);
        return value;
    }

  private:
    struct Point {
        StructuredLoss kind;
        double cost;
        const chain::Potentials<double>& potentials;
        const double* pair_weights;
        bool differentiate;
    };
    struct Work {
        chain::Scratch<double> scratch;
        std::vector<double> unary, pair_scores, edges;
        std::vector<int32_t> best;
    };
    struct Sums {
        double value = 0;
        std::vector<double> edge, start;
    };

    // The transitions and starts of gold.
    void count_gold() {
        gold_counts_.assign(L * (L + 1), 0.0);
        for (size_t s = 0; s + 1 < ptr_.size(); ++s)
            for (int64_t t = ptr_[s]; t < ptr_[s + 1]; ++t)
                gold_counts_[t == ptr_[s] ? L * L + gold_[t] : gold_[t - 1] * L + gold_[t]] +=
                    weight_.empty() ? 1.0 : weight_[s];
    }

    void check_weights(size_t size) const {
        require(static_cast<int64_t>(size) == n_weights(), "weights must have n_weights entries");
    }

    static std::vector<int32_t> checked(const Vec<int32_t>& gold, int n_labels) {
        require(n_labels >= 1 && n_labels < ChainLayout::last_label,
                "there must be from 1 to 32767 labels");
        check_range(gold, 0, n_labels, "gold");
        return {gold.data(), gold.data() + gold.size()};
    }
    static std::vector<int64_t> checked(const Vec<int64_t>& ptr, int64_t n_tokens) {
        check_ptr(ptr, n_tokens, "ptr");
        return {ptr.data(), ptr.data() + ptr.size()};
    }

    // All sentences at once, unless pairs of labels have residuals: these take so much memory that
    // they are pulled back batch by batch. Batches do not depend on the threads.
    void make_batches() {
        const int64_t n_sentences = static_cast<int64_t>(ptr_.size()) - 1;
        const int64_t most = paired_ ? (int64_t{1} << 22) / parts_.pairs.stride : ptr_.back();
        batches_.assign(1, 0);
        for (int64_t s = 1; s <= n_sentences; ++s)
            if (s == n_sentences || ptr_[s + 1] - ptr_[batches_.back()] > most)
                batches_.push_back(s);
    }

    // The sentences [begin, end): from scores to residuals, in place. The chunks do not depend on
    // the threads.
    std::vector<Sums> infer(int64_t begin, int64_t end, const Point& point, int threads) {
        const int64_t n_sentences = end - begin, n_chunks = std::min<int64_t>(n_sentences, 64);
        const bool pull_pairs = paired_ && point.differentiate;
        if (pull_pairs) pair_residual_.assign((ptr_[end] - ptr_[begin]) * parts_.pairs.stride, 0.0);
        std::vector<Sums> sums(n_chunks);
        parallel_ranges(n_chunks, threads, 1, [&](int64_t first, int64_t last, int) {
            Work work;
            for (int64_t c = first; c < last; ++c) {
                sums[c].edge.assign(static_cast<size_t>(L) * stride, 0.0);
                sums[c].start.assign(L, 0.0);
                for (int64_t s = begin + n_sentences * c / n_chunks;
                     s < begin + n_sentences * (c + 1) / n_chunks; ++s) {
                    double* pair = pull_pairs ? pair_residual_.data() +
                                                    (ptr_[s] - ptr_[begin]) * parts_.pairs.stride
                                              : nullptr;
                    if (ptr_[s + 1] > ptr_[s]) sentence(s, point, work, sums[c], pair);
                }
            }
        });
        return sums;
    }

    void add_tail(const Sums& sum, double* gradient) const {
        for (int i = 0; i < L; ++i)
            for (int j = 0; j < L; ++j) gradient[i * L + j] += sum.edge[i * stride + j];
        for (int i = L * L; i < n_tail_; ++i) gradient[i] += sum.start[i - L * L];
    }

    // One sentence as often as it counts.
    void sentence(int64_t s, const Point& point, Work& work, Sums& sums, double* pair) {
        const double weight = weight_.empty() ? 1.0 : weight_[s];
        if (weight == 1) return once(s, point, work, sums, pair);
        Sums own;
        own.edge.assign(static_cast<size_t>(L) * stride, 0.0);
        own.start.assign(L, 0.0);
        once(s, point, work, own, pair);
        sums.value += weight * own.value;
        for (size_t k = 0; k < own.edge.size(); ++k) sums.edge[k] += weight * own.edge[k];
        for (int j = 0; j < L; ++j) sums.start[j] += weight * own.start[j];
        for (int64_t k = ptr_[s] * stride; k < ptr_[s + 1] * stride; ++k) residual_[k] *= weight;
        if (!pair) return;
        for (int64_t k = 0; k < (ptr_[s + 1] - ptr_[s]) * parts_.pairs.stride; ++k)
            pair[k] *= weight;
    }

    // One sentence: from its scores in residual_ to its loss, its residual in the same place (and,
    // unless null, that of pairs of labels), and its part of what was predicted for edges and
    // starts.
    void once(int64_t s, const Point& point, Work& work, Sums& sums, double* pair) {
        const int64_t begin = ptr_[s], n = ptr_[s + 1] - begin, pair_stride = parts_.pairs.stride;
        const int32_t* gold = gold_.data() + begin;
        const auto& potentials = point.potentials;
        const int64_t step = paired_ ? static_cast<int64_t>(L) * stride : 0;
        if (paired_)
            parts_.edge_tables(begin, n, point.pair_weights, pair_rows_.data(), potentials.edge,
                               work.pair_scores, work.edges);
        const double* edges = paired_ ? work.edges.data() : potentials.edge;
        const auto edge_at = [=](int64_t t) { return edges + t * step; };
        double* node = residual_.data() + begin * stride;
        work.unary.assign(node, node + n * stride);
        double* unary = work.unary.data();
        // score(gold), and cost |y != gold| added to what the hinge decodes
        double gold_score = potentials.start[gold[0]];
        for (int64_t t = 0; t < n; ++t) {
            double* row = unary + t * stride;
            gold_score += row[gold[t]] + (t ? edge_at(t)[gold[t - 1] * stride + gold[t]] : 0.0);
            if (point.kind == StructuredLoss::hinge)
                for (int j = 0; j < L; ++j) row[j] += j == gold[t] ? 0.0 : point.cost;
        }
        const auto add_edge = [&](int64_t t, int i, int j, double p) {
            sums.edge[i * stride + j] += p;
            if (pair) pair[t * pair_stride + i * L + j] += p;
        };
        if (point.kind != StructuredLoss::log) {
            work.best.resize(std::max<size_t>(work.best.size(), n));
            int32_t* best = work.best.data();
            const double score = chain::viterbi_at(unary, n, edge_at, potentials.start, L, stride,
                                                   work.scratch, best);
            sums.value += std::max(0.0, score - gold_score);
            std::fill(node, node + n * stride, 0.0);
            for (int64_t t = 0; t < n; ++t) {
                node[t * stride + best[t]] = 1;
                if (t) add_edge(t, best[t - 1], best[t], 1);
            }
        } else if (paired_) {
            const auto add_row = [&](int64_t t, int i, const double* p) {
                for (int j = 0; j < L; ++j) add_edge(t, i, j, p[j]);
            };
            sums.value += chain::forward_backward_at(unary, n, edge_at, potentials.start, L, stride,
                                                     work.scratch, node, add_row);
            sums.value -= gold_score;
        } else {
            double* edge_sum = point.differentiate ? sums.edge.data() : nullptr;
            sums.value +=
                chain::forward_backward(unary, n, potentials, work.scratch, node, edge_sum) -
                gold_score;
        }
        for (int j = 0; j < L; ++j) sums.start[j] += node[j];
        // residual = predicted - gold
        for (int64_t t = 0; t < n; ++t) {
            node[t * stride + gold[t]] -= 1;
            if (pair && t) pair[t * pair_stride + gold[t - 1] * L + gold[t]] -= 1;
        }
    }

    const int L;
    const std::vector<int32_t> gold_;
    const std::vector<int64_t> ptr_;
    const ChainParts parts_;
    const bool paired_;
    const int stride, n_tail_;
    std::vector<double> gold_counts_;
    std::vector<double> weight_;    // of sentences; empty if all count once
    std::vector<int64_t> batches_;  // of sentences
    // Working memory of one call at a time.
    AlignedVector<double> residual_, rows_, counted_, pair_residual_, pair_rows_,
        pair_row_gradient_;
    std::mutex mutex_;
};

}  // namespace laconic::chain
