// The proximal step of tree-structured infinity norms by random pivots (Bruckner 1984; Algorithm 3
// of Nelakanti et al. 2013).
//
// Every node looks at all entries below it for the level at which to cut them: linear in their
// number on average, so that a step takes as long as the sizes of all subtrees together, O(n^2)
// where trees are deep. Heaps (forest.hpp) find the same levels without looking: this is what they
// are measured against, and an oracle that shares nothing with them.
#pragma once
#include <algorithm>
#include <cmath>
#include <random>

#include "door/checks.hpp"
#include "door/interrupts.hpp"

namespace laconic::numeric {

// Every node owns one variable. Nodes are kept depth first, so that all below node g are g:end[g].
class PivotForest {
  public:
    PivotForest(Vec<int64_t> parent, Vec<double> weight)
        : mass_(weight.size()), end_(weight.size()), place_(weight.size()) {
        const int64_t n = static_cast<int64_t>(parent.size());
        require(weight.size() == parent.size(), "weight must have one entry per node");
        require(n < INT32_MAX, "a forest must have fewer than 2^31 nodes");
        std::vector<int64_t> size(n, 1),
            next(n + 1, 0);  // next[g + 1]: where the next child of g goes; next[0]: of no node
        for (int64_t g = n - 1; g >= 0; --g) {
            const int64_t up = parent.data()[g];
            require(up >= -1 && up < g, "every parent must come before its children");
            require(weight.data()[g] >= 0 && std::isfinite(weight.data()[g]),
                    "weight must hold finite numbers that are not negative");
            if (up >= 0) size[up] += size[g];
        }
        for (int64_t g = 0; g < n; ++g) {
            int64_t& free = next[parent.data()[g] + 1];
            place_[g] = free;
            free += size[g];
            next[g + 1] = place_[g] + 1;
            end_[place_[g]] = place_[g] + size[g];
            mass_[place_[g]] = weight.data()[g];
        }
        entry_.resize(n);
    }

    // argmin_v sum_i curvature_i (v_i - w_i)^2 / 2 + sum_g weight_g max(v_g) over v >= 0.
    void prox(const double* w, const double* curvature, uint64_t seed, double* out) {
        const int64_t n = size();
        random_.seed(seed);
        for (int64_t i = 0; i < n; ++i) entry_[place_[i]] = {std::max(w[i], 0.0), curvature[i]};
        Interrupts interrupts;
        int64_t looked_at = 0;
        for (int64_t g = n - 1; g >= 0; --g) {
            const double level = mass_[g] > 0 ? level_of(g) : INFINITY;
            for (int64_t i = g; i < end_[g]; ++i)
                entry_[i].value = std::min(entry_[i].value, level);
            if ((looked_at += end_[g] - g) > kOften) {
                interrupts.poll();
                looked_at = 0;
            }
        }
        for (int64_t i = 0; i < n; ++i) out[i] = entry_[place_[i]].value;
    }

    int64_t size() const { return static_cast<int64_t>(mass_.size()); }

  private:
    static constexpr int64_t kOften = 1 << 20;

    struct Entry {
        double value, curvature;
    };

    // The level r with sum_i curvature_i (value_i - r)_+ = mass over the entries below g, 0 if they
    // hold no more than mass: r = (S - mass) / C with S = sum curvature value, C = sum curvature of
    // the entries above r (Algorithm 3, lines 1 to 9).
    double level_of(int64_t g) {
        const double mass = mass_[g];
        left_.assign(entry_.begin() + g, entry_.begin() + end_[g]);
        auto begin = left_.begin(), end = left_.end();
        double sum = 0, count = 0;  // of what is known to lie above the level
        while (begin != end) {
            std::swap(*begin,
                      begin[std::uniform_int_distribution<int64_t>(0, end - begin - 1)(random_)]);
            const Entry pivot = *begin;
            double more = pivot.value * pivot.curvature, more_count = pivot.curvature;
            const auto smaller = std::partition(begin + 1, end, [&](const Entry& e) {
                const bool above = e.value >= pivot.value;
                more += above ? e.value * e.curvature : 0;
                more_count += above ? e.curvature : 0;
                return above;
            });
            if (sum + more - (count + more_count) * pivot.value < mass) {
                sum += more;
                count += more_count;
                begin = smaller;
            } else {
                ++begin;
                end = smaller;
            }
        }
        return std::max(0.0, (sum - mass) / count);
    }

    std::vector<double> mass_;
    std::vector<int64_t> end_, place_;
    std::vector<Entry> entry_, left_;
    std::mt19937_64 random_;
};

inline void pivot_prox(PivotForest& forest, Vec<double> weights, Vec<double> curvature,
                       uint64_t seed, MutVec<double> result) {
    require(static_cast<int64_t>(weights.size()) == forest.size() &&
                curvature.size() == weights.size() && result.size() == weights.size(),
            "weights, curvature and result must have one entry per node");
    for (size_t i = 0; i < weights.size(); ++i) {
        require(std::isfinite(weights.data()[i]), "weights must be finite");
        require(curvature.data()[i] > 0 && std::isfinite(curvature.data()[i]),
                "curvature must hold positive numbers");
    }
    nb::gil_scoped_release release;
    forest.prox(weights.data(), curvature.data(), seed, result.data());
}

}  // namespace laconic::numeric
