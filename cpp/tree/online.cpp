// Learning a parser one sentence at a time (Martins et al. 2011, Algorithm 1, line 5):
//
//     w <- w - eta (phi(x, predicted) - phi(x, gold))
//
// where predicted is the best tree (perceptron), the best one or the k best ones with a cost for
// every wrong head (SVM; MIRA: McDonald, Crammer and Pereira 2005), or the marginals (CRF). Parts
// that gold and prediction share cancel and are never looked up. chain/online.cpp does it for
// chains; numeric/online.hpp has the rule of a step.
#include "tree/online.hpp"

namespace laconic::tree {

using numeric::OnlineRule;
using numeric::StructuredLoss;

namespace {

// How often a feature occurs in gold more often than in a predicted tree.
struct Change {
    int32_t of;  // the template
    uint64_t key;
    double count;
    bool before(const Change& other) const {
        return of != other.of ? of < other.of : key < other.key;
    }
};
using Changes = std::vector<Change>;

double dot(const Changes& x, const Changes& y) {
    double total = 0;
    for (size_t i = 0, j = 0; i < x.size() && j < y.size();) {
        if (x[i].before(y[j])) {
            ++i;
        } else if (y[j].before(x[i])) {
            ++j;
        } else {
            total += x[i++].count * y[j++].count;
        }
    }
    return total;
}

class Learner {
  public:
    Learner(Parser& parser, const TrainingTrees& data, const int32_t* gold, const OnlineRule& rule,
            int64_t k)
        : parser_(parser), data_(data), gold_(gold), rule_(rule), k_(k), at_(parser) {}

    // One sentence; the loss before the step.
    double learn(int64_t s) {
        parser_.begin_step(rule_);
        parser_.read(data_.columns, s, data_.candidates, at_, rule_.reading);
        target_.assign(1, -1);
        target_.insert(target_.end(), gold_ + at_.begin, gold_ + at_.begin + at_.n - 1);
        double loss = 0;
        if (at_.n > 1 && at_.layout.parts_of(target_.data(), of_gold_))
            loss = rule_.loss == StructuredLoss::log ? by_marginals() : by_best();
        parser_.end_step(rule_);
        return loss;
    }
    int64_t wrong() const { return wrong_; }

  private:
    double score_of(const std::vector<PlacedPart> (&parts)[kKinds]) const {
        double total = 0;
        for (int kind = 0; kind < kKinds; ++kind)
            for (const PlacedPart& part : parts[kind]) total += at_.score[kind][part.place];
        return total;
    }
    // A step to gold from the best tree, or from the k best.
    double by_best() {
        if (rule_.loss == StructuredLoss::hinge) {
            for (double& score : at_.score[kArcPart]) score += 1;
            for (const PlacedPart& part : of_gold_[kArcPart]) at_.score[kArcPart][part.place] -= 1;
        }
        double best;
        if (k_ > 1) {
            parser_.decode_k(at_, k_, trees_, values_);
            at_.heads.assign(trees_.begin(), trees_.begin() + at_.n);
            best = values_[0];
        } else {
            best = parser_.decode(at_);
        }
        int64_t wrong = 0;
        for (int m = 1; m < at_.n; ++m) wrong += at_.heads[m] != target_[m];
        wrong_ += wrong;
        const double gold = score_of(of_gold_);
        if (wrong == 0) return 0;
        if (k_ > 1) {
            step_to_k(gold);
            return best - gold;
        }
        collect(at_.heads.data(), changes_);
        double step = rule_.gradient_step();
        if (rule_.aggressive) {
            const double length = dot(changes_, changes_);
            step = length > 0 ? std::min(step, (best - gold) / length) : 0;
        }
        move(changes_, step);
        return best - gold;
    }
    // min |w' - w|^2 / 2 such that gold is ahead of each of the k trees by its cost (Crammer et al.
    // 2006). With d_i = phi(gold) - phi(tree i), w' = w + sum_i alpha_i d_i, and Hildreth's method
    // solves the dual one alpha at a time:
    //     alpha_i <- clip(alpha_i + (behind_i - sum_j alpha_j <d_i, d_j>) / |d_i|^2, 0, C)
    void step_to_k(double gold) {
        std::vector<Changes> changes;
        std::vector<double> behind;
        for (size_t i = 0; i < values_.size(); ++i) {
            const int32_t* heads = trees_.data() + i * at_.n;
            if (std::equal(target_.begin() + 1, target_.end(), heads + 1)) continue;
            changes.emplace_back();
            collect(heads, changes.back());
            behind.push_back(values_[i] - gold);
        }
        const size_t n = changes.size();
        std::vector<double> gram(n * n), alpha(n, 0.0);
        for (size_t i = 0; i < n; ++i)
            for (size_t j = 0; j <= i; ++j)
                gram[i * n + j] = gram[j * n + i] = dot(changes[i], changes[j]);
        for (int sweep = 0; sweep < 1000; ++sweep) {
            double most = 0;
            for (size_t i = 0; i < n; ++i) {
                if (gram[i * n + i] <= 0) continue;
                double left = behind[i];
                for (size_t j = 0; j < n; ++j) left -= alpha[j] * gram[i * n + j];
                const double next = std::clamp(alpha[i] + left / gram[i * n + i], 0.0, rule_.step);
                most = std::max(most, std::abs(next - alpha[i]) * gram[i * n + i]);
                alpha[i] = next;
            }
            if (most < 1e-6) break;
        }
        for (size_t i = 0; i < n; ++i) move(changes[i], alpha[i]);
    }

    // Features of gold less those of a tree; parts that both have are passed over.
    void collect(const int32_t* heads, Changes& out) {
        out.clear();
        at_.layout.parts_of(heads, of_tree_);
        for (int kind = 0; kind < kKinds; ++kind) {
            part_ways(of_gold_[kind], of_tree_[kind], only_gold_[kind]);
            part_ways(of_tree_[kind], of_gold_[kind], only_tree_[kind]);
        }
        for (int64_t k = 0; k < parser_.templates.size(); ++k) {
            const size_t first = out.size();
            const auto take = [&](const std::vector<Part>& parts, double count) {
                for (const Part& part : parts)
                    at_.keys.each(k, part, [&](uint64_t key) {
                        if (rule_.grow || parser_.tables[k].find(key) >= 0)
                            out.push_back({static_cast<int32_t>(k), key, count});
                    });
            };
            take(only_gold_[parser_.templates.kind(k)], 1);
            take(only_tree_[parser_.templates.kind(k)], -1);
            merge(out, first);
        }
    }
    // Sorts the changes of one template, which begin at `first`, and adds up those of one feature.
    static void merge(Changes& out, size_t first) {
        std::sort(out.begin() + first, out.end(),
                  [](const Change& a, const Change& b) { return a.key < b.key; });
        size_t kept = first;
        for (size_t i = first; i < out.size();) {
            Change sum = out[i];
            for (++i; i < out.size() && out[i].key == sum.key; ++i) sum.count += out[i].count;
            if (sum.count != 0) out[kept++] = sum;
        }
        out.resize(kept);
    }
    // What of x is not in y; both are in order of places, and may hold a place twice.
    static void part_ways(const std::vector<PlacedPart>& x, const std::vector<PlacedPart>& y,
                          std::vector<Part>& out) {
        out.clear();
        for (size_t i = 0, j = 0; i < x.size(); ++i) {
            while (j < y.size() && y[j].place < x[i].place) ++j;
            if (j < y.size() && y[j].place == x[i].place) {
                ++j;
            } else {
                out.push_back(x[i].part);
            }
        }
    }
    void move(const Changes& changes, double step) {
        if (step <= 0) return;
        for (const Change& change : changes) {
            FlatTable& table = parser_.tables[change.of];
            table.add(table.insert(change.key), step * change.count);
        }
    }

    double by_marginals() {
        const double gold = score_of(of_gold_), log_z = parser_.marginals(at_, residual_);
        for (int kind = 0; kind < kKinds; ++kind)
            for (const PlacedPart& part : of_gold_[kind]) residual_[kind][part.place] -= 1;
        for (const PlacedPart& part : of_gold_[kArcPart])
            wrong_ += residual_[kArcPart][part.place] < -0.5;
        const double step = rule_.gradient_step();
        for (int64_t k = 0; k < parser_.templates.size(); ++k) {
            FlatTable& table = parser_.tables[k];
            const int kind = parser_.templates.kind(k);
            const int32_t* place = at_.layout.lists[kind].place.data();
            parser_.each_key(k, at_, [&](int64_t i, uint64_t key) {
                const double by = residual_[kind][place[i]];
                if (std::abs(by) < kNegligible) return;
                const int64_t slot = rule_.grow ? table.insert(key) : table.find(key);
                if (slot >= 0) table.add(slot, -step * by);
            });
        }
        return log_z - gold;
    }

    static constexpr double kNegligible = 1e-4;
    Parser& parser_;
    const TrainingTrees& data_;
    const int32_t* gold_;
    const OnlineRule& rule_;
    const int64_t k_;  // trees of an aggressive step
    Parse at_;
    std::vector<int32_t> target_, trees_;
    std::vector<double> values_, residual_[kKinds];
    std::vector<PlacedPart> of_gold_[kKinds], of_tree_[kKinds];
    std::vector<Part> only_gold_[kKinds], only_tree_[kKinds];
    Changes changes_;
    int64_t wrong_ = 0;
};

}  // namespace

std::tuple<double, int64_t> learn(Parser& parser, const TrainingTrees& data, Vec<int32_t> gold,
                                  Vec<int64_t> order, const OnlineRule& rule, int64_t k) {
    require(static_cast<int64_t>(gold.size()) == data.columns.n_tokens,
            "gold must have one entry per token");
    check_range(order, 0, data.columns.n_sentences, "order");
    rule.check();
    require(rule.reading != Reading::by_row,
            "a feature of a parser has one weight: there are no rows");
    require(k == 1 || (k > 1 && k <= 1000 && rule.aggressive),
            "k must be 1, or up to 1000 for aggressive steps");
    require(
        rule.loss != StructuredLoss::log || parser.crossing || parser.model <= TreeModel::carreras,
        "the log loss is for models of orders 1 and 2");
    parser.begin_sums(rule);
    Learner learner(parser, data, gold.data(), rule, k);
    return numeric::learn_in_order(learner, order);
}

}  // namespace laconic::tree
