// How far the features of gold are from those of the best path, for steps of passive-aggressive
// learners.
#pragma once
#include <cstdint>
#include <vector>

#include "chain/tagger.hpp"

namespace laconic::chain {

class Difference {
  public:
    // Without `grow` only features that have weights count.
    Difference(const Tagger& tagger, bool grow)
        : tagger_(tagger),
          grow_(grow),
          tally_(static_cast<size_t>(tagger.n_labels) * tagger.n_labels, 0.0) {}

    // |features of gold - features of predicted|^2 = sum over wrong positions a, b of <label
    // changes at a and b> * (features that both have), where a change takes 1 from the predicted
    // label and gives it to gold's; likewise for pairs of labels. `moved` are the positions where
    // the labels differ.
    double squared(const Occurrences& seen, const Sentence& at, const int32_t* gold,
                   const std::vector<int64_t>& moved) {
        const int32_t* best = at.best.data();
        double total = gold[0] != best[0] ? 2 : 0;
        total += spread(seen, at, moved, 0, [=](int64_t t) { return Change{gold[t], best[t]}; });
        edges_.clear();
        for (int64_t t : moved) {
            if (t > 0 && (edges_.empty() || edges_.back() != t)) edges_.push_back(t);
            if (t + 1 < at.n) edges_.push_back(t + 1);
        }
        const int64_t L = tagger_.n_labels;
        const auto pair = [=](int64_t t) {
            return Change{gold[t - 1] * L + gold[t], best[t - 1] * L + best[t]};
        };
        if (tagger_.has_pairs) total += spread(seen, at, edges_, 1, pair);
        for (int64_t t : edges_) {
            ++tally_[pair(t).to];
            --tally_[pair(t).from];
        }
        for (int64_t t : edges_)
            for (int64_t k : {pair(t).to, pair(t).from}) {
                total += tally_[k] * tally_[k];
                tally_[k] = 0;
            }
        return total;
    }

  private:
    struct Change {
        int64_t to, from;
    };

    template <class ChangeAt>
    double spread(const Occurrences& seen, const Sentence& at,
                  const std::vector<int64_t>& positions, uint8_t pairs, ChangeAt change) const {
        double total = 0;
        for (size_t a = 0; a < positions.size(); ++a) {
            const Change first = change(positions[a]);
            total += 2.0 * shared(seen, at, positions[a], positions[a], pairs);
            for (size_t b = 0; b < a; ++b) {
                const Change second = change(positions[b]);
                const int product = (first.to == second.to) - (first.to == second.from) -
                                    (first.from == second.to) + (first.from == second.from);
                if (product != 0)
                    total += 2.0 * product * shared(seen, at, positions[a], positions[b], pairs);
            }
        }
        return total;
    }

    // How many features two positions share, of templates whose `pairs` flag is as given.
    int shared(const Occurrences& seen, const Sentence& at, int64_t a, int64_t b,
               uint8_t pairs) const {
        const int64_t M = tagger_.templates.size();
        const int32_t* of_a = grow_ ? seen.ids(at.begin + a) : &at.rows[a * M];
        const int32_t* of_b = grow_ ? seen.ids(at.begin + b) : &at.rows[b * M];
        int count = 0;
        for (int64_t m = 0; m < M; ++m)
            count += (of_a[m] == of_b[m]) & (of_a[m] >= 0) & (tagger_.pairs[m] == pairs);
        return count;
    }

    const Tagger& tagger_;
    bool grow_;
    std::vector<int64_t> edges_;
    std::vector<double> tally_;  // changes of label pairs; all zero between uses
};

}  // namespace laconic::chain
