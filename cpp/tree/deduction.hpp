// Dynamic programs as deduction over a semiring (Goodman 1999): items are built from two smaller
// ones by rules with scores, the goal stands for a whole tree.
//
//     value(item) = (+) over rules  item <- a, b  with score w  of   w (x) value(a) (x) value(b)
//
//     semiring    (+)            (x)    gives
//     Best        max            +      the best tree
//     KBest       k largest      +      the k best trees
//     inside      log sum exp    +      log Z; outside, with out(goal) = 0,
//                                       out(a) = log sum exp out(item) + w + value(b)
//                                       p(rule) = exp(out(item) + w + value(a) + value(b) - log Z)
//
// A model lists its items in an order in which antecedents come first, and the rules of an item;
// best tree, k best trees, and log Z with marginals are then written once for all models. A model
// has
//
//     int64_t n_items();  int64_t goal();
//     void each_leaf(f);              f(item): items of value 0 that need no rule
//     void each_item(f);              f(item): all others, antecedents first
//     void rules(item, f);            f(a, b, w)
//     void describe(item, a, visit);  visit.arc(head, modifier) and so on: the parts that item got
//                                     by a rule whose first antecedent is a
//
// Every tree must have exactly one derivation. Scores are finite or -infinity (forbidden); nothing
// recurses.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace laconic::tree {

namespace deduction {

constexpr double forbidden = -std::numeric_limits<double>::infinity();

// The best derivation.
template <class Model>
class Best {
  public:
    // The score of the best tree, -infinity if there is none.
    double solve(const Model& model) {
        value_.assign(model.n_items(), forbidden);
        back_.resize(model.n_items());
        model.each_leaf([&](int64_t item) {
            value_[item] = 0;
            back_[item] = {-1, -1};
        });
        model.each_item([&](int64_t item) {
            double best = forbidden;
            std::pair<int32_t, int32_t> from{-1, -1};
            model.rules(item, [&](int64_t a, int64_t b, double w) {
                const double score = value_[a] + value_[b] + w;
                if (score > best) {
                    best = score;
                    from = {static_cast<int32_t>(a), static_cast<int32_t>(b)};
                }
            });
            value_[item] = best;
            back_[item] = from;
        });
        return value_[model.goal()];
    }
    // Calls visit for the parts of the best tree; there must be one.
    template <class Visit>
    void follow(const Model& model, Visit& visit) {
        stack_.assign(1, model.goal());
        while (!stack_.empty()) {
            const int64_t item = stack_.back();
            stack_.pop_back();
            const auto [a, b] = back_[item];
            if (a < 0) continue;
            model.describe(item, a, visit);
            stack_.push_back(a);
            stack_.push_back(b);
        }
    }

  private:
    std::vector<double> value_;
    std::vector<std::pair<int32_t, int32_t>> back_;
    std::vector<int64_t> stack_;
};

// The k best derivations: every item keeps its k best, each made of the i-th of a and the j-th of b
// (Huang and Chiang 2005, algorithm 1).
template <class Model>
class KBest {
  public:
    // How many trees were found.
    int64_t solve(const Model& model, int64_t k) {
        lists_.assign(model.n_items(), {});
        model.each_leaf([&](int64_t item) { lists_[item] = {{0.0, -1, -1, 0, 0}}; });
        model.each_item([&](int64_t item) {
            std::vector<Derivation> heap;  // its front is the worst
            model.rules(item, [&](int64_t a, int64_t b, double w) {
                if (w == forbidden) return;
                const auto &of_a = lists_[a], &of_b = lists_[b];
                const int64_t n_a = static_cast<int64_t>(of_a.size()),
                              n_b = static_cast<int64_t>(of_b.size());
                for (int64_t i = 0; i < n_a; ++i)
                    for (int64_t j = 0; j < n_b && (i + 1) * (j + 1) <= k; ++j) {
                        const Derivation found{w + of_a[i].score + of_b[j].score,
                                               static_cast<int32_t>(a), static_cast<int32_t>(b),
                                               static_cast<int32_t>(i), static_cast<int32_t>(j)};
                        if (static_cast<int64_t>(heap.size()) == k) {
                            if (!(found.score > heap.front().score))
                                break;  // those after it are worse still
                            std::pop_heap(heap.begin(), heap.end(), better);
                            heap.pop_back();
                        }
                        heap.push_back(found);
                        std::push_heap(heap.begin(), heap.end(), better);
                    }
            });
            std::sort_heap(heap.begin(), heap.end(), better);
            lists_[item] = std::move(heap);
        });
        return static_cast<int64_t>(lists_[model.goal()].size());
    }
    double score(const Model& model, int64_t which) const {
        return lists_[model.goal()][which].score;
    }
    template <class Visit>
    void follow(const Model& model, int64_t which, Visit& visit) {
        std::vector<std::pair<int64_t, int64_t>> stack{{model.goal(), which}};
        while (!stack.empty()) {
            const auto [item, place] = stack.back();
            stack.pop_back();
            const Derivation found = lists_[item][place];
            if (found.a < 0) continue;
            model.describe(item, found.a, visit);
            stack.push_back({found.a, found.i});
            stack.push_back({found.b, found.j});
        }
    }

  private:
    struct Derivation {
        double score;
        int32_t a, b, i, j;
    };
    static bool better(const Derivation& x, const Derivation& y) { return x.score > y.score; }
    std::vector<std::vector<Derivation>> lists_;
};

// log Z, and the probabilities of parts.
template <class Model>
class InsideOutside {
  public:
    double inside(const Model& model) {
        in_.assign(model.n_items(), forbidden);
        order_.clear();
        model.each_leaf([&](int64_t item) { in_[item] = 0; });
        model.each_item([&](int64_t item) {
            order_.push_back(static_cast<int32_t>(item));
            double top = forbidden, sum = 0;
            model.rules(item, [&](int64_t a, int64_t b, double w) {
                top = std::max(top, in_[a] + in_[b] + w);
            });
            if (top == forbidden) return;
            model.rules(item, [&](int64_t a, int64_t b, double w) {
                sum += std::exp(in_[a] + in_[b] + w - top);
            });
            in_[item] = top + std::log(sum);
        });
        return in_[model.goal()];
    }
    // After inside gave a finite log Z: visit.probability is set to that of a rule before the model
    // describes the rule's parts.
    template <class Visit>
    void outside(const Model& model, Visit& visit) {
        const double log_z = in_[model.goal()];
        out_.assign(model.n_items(), forbidden);
        out_[model.goal()] = 0;
        for (auto item = order_.rbegin(); item != order_.rend(); ++item) {
            if (out_[*item] == forbidden || in_[*item] == forbidden) continue;
            model.rules(*item, [&](int64_t a, int64_t b, double w) {
                if (in_[a] == forbidden || in_[b] == forbidden || w == forbidden) return;
                // out(a) = log sum exp out(item) + w + in(b), and the same with a and b swapped
                const double above = out_[*item] + w;
                out_[a] = log_add(out_[a], above + in_[b]);
                out_[b] = log_add(out_[b], above + in_[a]);
                visit.probability = std::exp(above + in_[a] + in_[b] - log_z);
                model.describe(*item, a, visit);
            });
        }
    }

  private:
    static double log_add(double x, double y) {
        if (x < y) std::swap(x, y);
        return y == forbidden ? x : x + std::log1p(std::exp(y - x));
    }
    std::vector<double> in_, out_;
    std::vector<int32_t> order_;
};

}  // namespace deduction

}  // namespace laconic::tree
