// Learning a tagger one sentence at a time (Martins et al. 2011, Algorithm 1, line 5):
//
//     w <- w - eta (phi(x, predicted) - phi(x, gold))
//
// where predicted is the best path (perceptron: Collins 2002), the best path with a cost for every
// wrong label (SVM; MIRA with eta = min(C, loss / |phi(predicted) - phi(gold)|^2): Crammer et al.
// 2006) or the expectation under the model (CRF by stochastic gradients). A step touches the
// features that fire and differ, never all: ridge, lasso and averages wait in the tables
// (numeric/scaled_weights.hpp, numeric/online.hpp). Templates are shrunk by the caller, between
// calls (line 7).
#include "chain/online.hpp"

#include <numeric>

#include "chain/difference.hpp"
#include "chain/tables.hpp"
#include "chain/tagger.hpp"
#include "door/checks.hpp"
#include "numeric/online.hpp"

namespace laconic::chain {

using numeric::OnlineRule;
using numeric::StructuredLoss;

namespace {

class Learner {
  public:
    // weight (per sentence) and cost (per token) may be null: all are 1.
    Learner(Tagger& tagger, const Occurrences& seen, const int32_t* gold, const OnlineRule& rule,
            const float* weight, const float* cost)
        : tagger_(tagger),
          seen_(seen),
          gold_(gold),
          rule_(rule),
          weight_(weight),
          cost_(cost),
          difference_(tagger, rule.grow) {}

    // One sentence; the loss before the step.
    double learn(int64_t s) {
        factor_ = factor_of(s);
        if (const double factor = tagger_.begin_step(rule_); factor != 1)
            shrink_transitions(factor);
        tagger_.read_learning(seen_, s, at_, rule_.reading);
        const double loss = at_.n == 0                          ? 0
                            : rule_.loss == StructuredLoss::log ? by_marginals()
                                                                : by_best();
        tagger_.end_step(rule_);
        if (rule_.dual()) read_dual_transitions();
        return loss;
    }
    int64_t wrong() const { return wrong_; }

  private:
    // What multiplies the step of sentence s.
    double factor_of(int64_t s) const {
        double factor = weight_ ? weight_[s] : 1.0;
        const int64_t n = seen_.length(s);
        if (cost_ && n > 0 && rule_.loss != StructuredLoss::hinge) {
            const float* first = cost_ + seen_.begin(s);
            factor *= std::accumulate(first, first + n, 0.0) / static_cast<double>(n);
        }
        return factor;
    }
    void shrink_transitions(double factor) {
        for (int i = 0; i < tagger_.n_labels; ++i) {
            add_start(i, (factor - 1) * tagger_.start[i]);
            for (int j = 0; j < tagger_.n_labels; ++j)
                add_edge(i, j, (factor - 1) * tagger_.edge[i * tagger_.stride + j]);
        }
    }
    // Transitions are not penalised: w = eta / sqrt(t) sum.
    void read_dual_transitions() {
        for (size_t k = 0; k < tagger_.edge.size(); ++k)
            tagger_.edge[k] = static_cast<float>(tagger_.dual_gain * tagger_.edge_sum[k]);
        for (size_t k = 0; k < tagger_.start.size(); ++k)
            tagger_.start[k] = static_cast<float>(tagger_.dual_gain * tagger_.start_sum[k]);
    }
    const int32_t* gold() const { return gold_ + at_.begin; }

    double score(const int32_t* y) const {
        double total = 0;
        for (int64_t t = 0; t < at_.n; ++t)
            total += at_.unary[t * tagger_.stride + y[t]] + edge_score(t, y);
        return total;
    }
    double edge_score(int64_t t, const int32_t* y) const {
        if (t == 0) return tagger_.start[y[0]];
        const float* table = tagger_.has_pairs ? &at_.edges[t * tagger_.n_labels * tagger_.stride]
                                               : tagger_.edge.data();
        return table[int64_t{y[t - 1]} * tagger_.stride + y[t]];
    }

    double by_best() {
        const bool costly = rule_.loss == StructuredLoss::hinge;
        if (costly)
            for (int64_t t = 0; t < at_.n; ++t)
                for (int j = 0; j < tagger_.n_labels; ++j)
                    if (j != gold()[t])
                        at_.unary[t * tagger_.stride + j] += cost_ ? cost_[at_.begin + t] : 1.0f;
        const double best = tagger_.decode(at_);
        const int32_t* predicted = at_.best.data();
        moved_.clear();
        for (int64_t t = 0; t < at_.n; ++t) {
            if (predicted[t] != gold()[t]) moved_.push_back(t);
            wrong_ += predicted[t] != gold()[t];
        }
        if (moved_.empty()) return 0;
        const double loss = best - score(gold());
        double step = rule_.gradient_step();
        if (rule_.aggressive) {
            const double length = difference_.squared(seen_, at_, gold(), moved_);
            step = length > 0 ? std::min(step, loss / length) : 0;
        }
        step *= factor_;
        if (step <= 0) return loss;
        // w += step (phi(gold) - phi(best)), positions and edges that differ
        for (int64_t t : moved_)
            each_feature(t, 0, [&](RowTable& table, int64_t row) {
                table.add(row, gold()[t], step);
                table.add(row, predicted[t], -step);
            });
        each_moved_edge([&](int64_t t) {
            move_edge(t, gold(), step);
            move_edge(t, predicted, -step);
        });
        return loss;
    }

    // Marginals are doubles in the log domain only if floats would lose them, see inference.hpp
    // and tables.hpp.
    double by_marginals() {
        const int L = tagger_.n_labels, stride = tagger_.stride;
        node_.resize(at_.n * stride);
        edge_sum_.assign(static_cast<size_t>(L) * stride, 0.0);
        double log_z;
        const double step = factor_ * rule_.gradient_step();
        if (tagger_.has_pairs) {
            const float* edges = at_.edges.data();
            pair_.resize(at_.n * L * L);
            log_z = chain::forward_backward_at(
                at_.unary.data(), at_.n, [=](int64_t t) { return edges + t * L * stride; },
                tagger_.start.data(), L, stride, at_.scratch, node_.data(),
                [&](int64_t t, int i, const auto* p) {
                    for (int j = 0; j < L; ++j) {
                        pair_[(t * L + i) * L + j] = p[j];
                        edge_sum_[i * stride + j] += p[j];
                    }
                });
        } else {
            const chain::Potentials<float> potentials(tagger_.edge.data(), tagger_.start.data(), L,
                                                      stride);
            log_z = chain::forward_backward(at_.unary.data(), at_.n, potentials, at_.scratch,
                                            node_.data(), edge_sum_.data());
        }
        const double loss = log_z - score(gold());
        for (int64_t t = 0; t < at_.n; ++t) {
            float* residual = node_.data() + t * stride;
            wrong_ += std::max_element(residual, residual + L) - residual != gold()[t];
            residual[gold()[t]] -= 1;  // p(y_t = j) - [gold_t = j]
            each_feature(t, 0, [&](RowTable& table, int64_t row) {
                for (int j = 0; j < L; ++j)
                    if (std::abs(residual[j]) > kNegligible) table.add(row, j, -step * residual[j]);
            });
            if (t == 0) {
                for (int j = 0; j < L; ++j) add_start(j, -step * residual[j]);
                continue;
            }
            edge_sum_[gold()[t - 1] * stride + gold()[t]] -= 1;  // sum_t p(i, j) - [gold = i, j]
            if (!tagger_.has_pairs) continue;
            double* pair = &pair_[t * L * L];
            pair[gold()[t - 1] * L + gold()[t]] -= 1;
            each_feature(t, 1, [&](RowTable& table, int64_t row) {
                for (int k = 0; k < L * L; ++k)
                    if (std::abs(pair[k]) > kNegligible) table.add(row, k, -step * pair[k]);
            });
        }
        for (int i = 0; i < L; ++i)
            for (int j = 0; j < L; ++j) add_edge(i, j, -step * edge_sum_[i * stride + j]);
        return loss;
    }

    // Calls body(table, row) for the features at t of templates whose `pairs` flag is as given; new
    // ones are made if allowed.
    template <class Body>
    void each_feature(int64_t t, uint8_t pairs, Body body) {
        const int64_t M = tagger_.templates.size();
        const int32_t* id = seen_.ids(at_.begin + t);
        for (int64_t m = 0; m < M; ++m) {
            if (tagger_.pairs[m] != pairs || id[m] < 0) continue;
            int32_t row = at_.rows[t * M + m];
            if (row < 0) {
                if (!rule_.grow) continue;
                row = tagger_.insert(seen_, m, t, at_);
            }
            body(tagger_.tables[m], row);
        }
    }

    template <class Body>
    void each_moved_edge(Body body) {
        const int32_t* predicted = at_.best.data();
        for (int64_t t = 0; t < at_.n; ++t)
            if (predicted[t] != gold()[t] || (t > 0 && predicted[t - 1] != gold()[t - 1])) body(t);
    }
    void move_edge(int64_t t, const int32_t* y, double by) {
        if (t == 0) {
            add_start(y[0], by);
            return;
        }
        add_edge(y[t - 1], y[t], by);
        if (tagger_.has_pairs)
            each_feature(t, 1,
                         [&](RowTable& table, int64_t row) { table.add(row, pair_of(t, y), by); });
    }
    void add_edge(int i, int j, double by) {
        const int64_t k = int64_t{i} * tagger_.stride + j;
        if (rule_.dual()) {
            tagger_.edge_sum[k] += static_cast<float>(by);
            return;
        }
        tagger_.edge[k] += static_cast<float>(by);
        if (rule_.averaged) tagger_.edge_sum[k] += static_cast<float>((tagger_.clock - 1) * by);
    }
    void add_start(int j, double by) {
        if (rule_.dual()) {
            tagger_.start_sum[j] += static_cast<float>(by);
            return;
        }
        tagger_.start[j] += static_cast<float>(by);
        if (rule_.averaged) tagger_.start_sum[j] += static_cast<float>((tagger_.clock - 1) * by);
    }

    int64_t pair_of(int64_t t, const int32_t* y) const {
        return int64_t{y[t - 1]} * tagger_.n_labels + y[t];
    }

    static constexpr float kNegligible = 1e-7f;
    Tagger& tagger_;
    const Occurrences& seen_;
    const int32_t* gold_;
    const OnlineRule& rule_;
    const float *weight_, *cost_;
    double factor_ = 1;
    Sentence at_;
    Difference difference_;
    std::vector<int64_t> moved_;
    std::vector<float> node_;
    std::vector<double> edge_sum_, pair_;
    int64_t wrong_ = 0;
};

void check_weights(const std::optional<Vec<float>>& given, int64_t n, const char* expected) {
    if (!given) return;
    require(static_cast<int64_t>(given->size()) == n, expected);
    for (size_t k = 0; k < given->size(); ++k)
        require(given->data()[k] >= 0 && std::isfinite(given->data()[k]), expected);
}

}  // namespace

std::tuple<double, int64_t> learn(Tagger& tagger, const Occurrences& seen, Vec<int32_t> gold,
                                  Vec<int64_t> order, const OnlineRule& rule,
                                  std::optional<Vec<float>> weight,
                                  std::optional<Vec<float>> cost) {
    require(static_cast<int64_t>(gold.size()) == seen.n_tokens,
            "gold must have one entry per token");
    check_range(gold, 0, tagger.n_labels, "gold");
    check_range(order, 0, seen.n_sentences(), "order");
    rule.check();
    check_weights(weight, seen.n_sentences(), "weight must have one entry per sentence, from 0 on");
    check_weights(cost, seen.n_tokens, "cost must have one entry per token, from 0 on");
    if (tagger.begin_sums(rule)) {
        tagger.edge_sum.assign(tagger.edge.size(), 0.0f);
        tagger.start_sum.assign(tagger.start.size(), 0.0f);
    }
    tagger.know(seen);
    Learner learner(tagger, seen, gold.data(), rule, weight ? weight->data() : nullptr,
                    cost ? cost->data() : nullptr);
    return numeric::learn_in_order(learner, order);
}

}  // namespace laconic::chain
