// Which features of a trie distinguish the structures of a list. Trees of one sentence are mostly
// the same: what all of them have in the same place is matched once, and from then on only
// features that have, or can still get, an arc that some of the trees lack.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "mining/search.hpp"

namespace laconic::mining {

template <class Space>
class ListMatcher {
  public:
    ListMatcher(const Space& space, const Trie& trie) : matcher_(space, trie) {}
    // Calls take(s, feature) once for each feature of structure begin + s of n, perhaps without
    // some that all have.
    template <class Take>
    void each(int64_t begin, int64_t n, Take take) {
        for (int64_t s = 0; s < n; ++s)
            matcher_.each(begin + s, [&](uint32_t feature) { take(s, feature); });
    }

  private:
    Matcher<Space> matcher_;
};

template <>
class ListMatcher<Trees> {
  public:
    ListMatcher(const Trees& trees, const Trie& trie)
        : trees_(trees),
          children_(trie, std::vector<bool>(trie.size(), true)),
          seen_(trie.size(), 0),
          shared_(trie.size(), 0) {
        for (uint32_t f = 0; f < trie.size(); ++f)
            most_order_ = std::max(most_order_, trie.order(f));
    }
    template <class Take>
    void each(int64_t begin, int64_t n, Take take) {
        compare(begin, n);
        ++list_;
        walk(
            begin, [&](const Grown& at) { return at.common; },
            [&](const Grown& at) {
                if (at.common) shared_[at.feature] = list_;
            });
        for (int64_t s = 0; s < n; ++s) {
            measure(begin + s);
            ++now_;
            walk(
                begin + s,
                [&](const Grown& at) {
                    return !at.common || reach(begin + s, at) <= most_order_ - at.order;
                },
                [&](const Grown& at) {
                    if (at.common || shared_[at.feature] == list_ || seen_[at.feature] == now_)
                        return;
                    seen_[at.feature] = now_;
                    take(s, at.feature);
                });
        }
    }

  private:
    struct Grown {
        uint32_t feature;
        int32_t last, depth, order;
        bool common;  // all of it is in all trees of the list
    };
    static constexpr int kFar = 1 << 20;

    // Words whose arcs, and words whose next siblings, are the same in all trees.
    void compare(int64_t begin, int64_t n) {
        const int64_t words = trees_.ptr[begin + 1] - trees_.ptr[begin];
        same_arc_.assign(words + 1, true);
        same_next_.assign(words + 1, true);
        for (int64_t s = begin + 1; s < begin + n; ++s) {
            const bool alike = trees_.ptr[s + 1] - trees_.ptr[s] == words;
            const int64_t longest = std::max(words, trees_.ptr[s + 1] - trees_.ptr[s]);
            if (!alike) {
                same_arc_.assign(std::max<size_t>(same_arc_.size(), longest + 1), false);
                same_next_.assign(same_arc_.size(), false);
                continue;
            }
            for (int64_t m = 1; m <= words; ++m) {
                const int64_t a = trees_.ptr[begin] + m - 1, b = trees_.ptr[s] + m - 1;
                if (trees_.arc[a] != trees_.arc[b] || trees_.head[a] != trees_.head[b])
                    same_arc_[m] = false;
                if (next(begin, m) != next(s, m)) same_next_[m] = false;
            }
        }
    }
    int32_t next(int64_t s, int64_t m) const { return trees_.next_sibling[trees_.ptr[s] + s + m]; }

    // How many arcs it takes from a word, downwards or to the right, to one that is not in all
    // trees.
    void measure(int64_t s) {
        const int32_t words = static_cast<int32_t>(trees_.ptr[s + 1] - trees_.ptr[s]);
        const int64_t first = trees_.ptr[s] + s;
        below_.assign(words + 1, kFar);
        right_.assign(words + 1, kFar);
        const auto step = [&](int32_t c, bool same) {
            return same ? 1 + std::min(below_[c], right_[c]) : 1;
        };
        for (int round = 1; round < most_order_; ++round)
            for (int32_t m = words; m >= 1; --m) {
                for (int32_t c = trees_.first_child[first + m]; c > 0;
                     c = trees_.next_sibling[first + c])
                    below_[m] = std::min(below_[m], step(c, same_arc_[c]));
                if (const int32_t c = trees_.next_sibling[first + m]; c > 0)
                    right_[m] = std::min(right_[m], step(c, same_arc_[c] && same_next_[m]));
            }
    }
    int reach(int64_t s, const Grown& at) const {
        int found = below_[at.last];
        int32_t word = at.last;
        for (int32_t depth = at.depth; depth > 0;
             --depth, word = trees_.head[trees_.ptr[s] + word - 1])
            found = std::min(found, right_[word]);
        return found;
    }

    // Known sub-trees of a tree, the small ones first; one is grown further if follow(it).
    template <class Follow, class Visit>
    void walk(int64_t s, Follow follow, Visit visit) {
        next_.clear();
        const auto look = [&](const Grown& at) {
            visit(at);
            if (children_.any(at.feature) && follow(at)) next_.push_back(at);
        };
        for (int32_t m = 1; m <= trees_.ptr[s + 1] - trees_.ptr[s]; ++m)
            grow(s, {0, 0, 0, 0, true}, 0, m, 1, same_arc_[m], look);
        while (!next_.empty()) {
            here_.swap(next_);
            next_.clear();
            for (const Grown& at : here_)
                trees_.each_arc(s, {at.feature, at.last, at.depth},
                                [&](int32_t below, int32_t word, int32_t depth, int32_t left) {
                                    grow(s, at, below, word, depth,
                                         same_arc_[word] && (left == 0 || same_next_[left]), look);
                                });
        }
    }
    template <class Look>
    void grow(int64_t s, const Grown& from, int32_t below, int32_t word, int32_t depth, bool same,
              Look look) const {
        trees_.each_known(
            s, from.feature, below, word, depth, children_, [&](const Trees::Occurrence& at) {
                look(Grown{at.feature, word, depth, from.order + 1, from.common && same});
            });
    }

    const Trees& trees_;
    const Children children_;
    std::vector<uint32_t> seen_, shared_;
    uint32_t now_ = 0, list_ = 0;
    int most_order_ = 0;
    std::vector<bool> same_arc_, same_next_;
    std::vector<int> below_, right_;
    std::vector<Grown> here_, next_;
};

}  // namespace laconic::mining
