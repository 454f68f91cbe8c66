// Kernels of two structures: sub feature trees that two dependency trees share (Qian and Liu 2015,
// section 5.2.1), and members that two sets share. Pair by pair: nothing is shared between the
// pairs but the table of the first structure.
#pragma once
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "mining/spaces.hpp"

namespace laconic::mining {

// Where features are in one structure; small, so that it stays in the cache while others look up
// theirs.
class Places {
  public:
    void clear() { pairs_.clear(); }
    void add(int32_t feature, int32_t place) {
        pairs_.push_back((static_cast<uint64_t>(feature) << 32) | static_cast<uint32_t>(place));
    }
    // To be called after the last feature was added.
    void close() {
        if (pairs_.size() >= size_t{1} << 28)
            throw std::length_error("a structure has too many features for a kernel");
        std::sort(pairs_.begin(), pairs_.end());
        for (shift_ = 28; (size_t{1} << (32 - shift_)) < 2 * pairs_.size() && shift_ > 4;) --shift_;
        const size_t n_slots = size_t{1} << (32 - shift_);
        seen_.assign(n_slots / 8, 0);
        feature_.assign(n_slots, kNone);
        begin_.resize(n_slots);
        end_.resize(n_slots);
        place_.resize(pairs_.size());
        for (size_t p = 0; p < pairs_.size(); ++p) {
            const int32_t feature = static_cast<int32_t>(pairs_[p] >> 32);
            place_[p] = static_cast<int32_t>(pairs_[p] & UINT32_MAX);
            seen_[bit(feature) / 64] |= uint64_t{1} << (bit(feature) % 64);
            const size_t at = slot(feature);
            if (feature_[at] == kNone) begin_[at] = static_cast<int32_t>(p);
            feature_[at] = feature;
            end_[at] = static_cast<int32_t>(p + 1);
        }
    }
    bool has(int32_t feature) const {
        return perhaps(feature) && feature_[slot(feature)] == feature;
    }
    template <class Take>
    void each(int32_t feature, Take take) const {
        if (!perhaps(feature)) return;
        const size_t at = slot(feature);
        if (feature_[at] == kNone) return;
        for (int32_t p = begin_[at]; p < end_[at]; ++p) take(place_[p]);
    }

  private:
    static constexpr int32_t kNone = -1;
    static uint32_t hash(int32_t feature) { return static_cast<uint32_t>(feature) * 0x9e3779b1u; }
    // Eight bits per slot rule out most features that are not there: one branch that is nearly
    // always taken.
    uint32_t bit(int32_t feature) const { return hash(feature) >> (shift_ - 3); }
    bool perhaps(int32_t feature) const {
        return (seen_[bit(feature) / 64] >> (bit(feature) % 64)) & 1;
    }
    size_t slot(int32_t feature) const {
        size_t at = hash(feature) >> shift_;
        while (feature_[at] != kNone && feature_[at] != feature)
            at = (at + 1) & (feature_.size() - 1);
        return at;
    }
    int shift_ = 28;
    std::vector<uint64_t> pairs_, seen_;
    // Of slots, and the places of all features one after the other.
    std::vector<int32_t> feature_, begin_, end_, place_;
};

// The words of a tree, children before their parents and left siblings before right ones: places 1
// .. n, then the root.
class Postorder {
  public:
    void of(const Trees& trees, int64_t s) {
        const int64_t words = trees.ptr[s] + s;
        n = static_cast<int32_t>(trees.ptr[s + 1] - trees.ptr[s]);
        parent.assign(n + 2, 0);
        previous.assign(n + 2, 0);
        word.assign(n + 2, 0);
        place_.resize(n + 1);
        int32_t at = 0, next = 0;
        for (;;) {
            while (trees.first_child[words + at] > 0) at = trees.first_child[words + at];
            // `at` and all below it are done: it gets its place, and so does its parent if it was
            // the last child.
            for (;;) {
                place_[at] = ++next;
                word[next] = at;
                if (at == 0) return link(trees, s);
                if (const int32_t sibling = trees.next_sibling[words + at]; sibling > 0) {
                    at = sibling;
                    break;
                }
                at = trees.head[trees.ptr[s] + at - 1];
            }
        }
    }
    int32_t n = 0;
    std::vector<int32_t> parent, previous, word;  // previous: the sibling to the left; 0: none

  private:
    void link(const Trees& trees, int64_t s) {
        for (int32_t i = 1; i <= n; ++i) {
            parent[i] = place_[trees.head[trees.ptr[s] + word[i] - 1]];
            if (const int32_t sibling = trees.next_sibling[trees.ptr[s] + s + word[i]]; sibling > 0)
                previous[place_[sibling]] = i;
        }
    }
    std::vector<int32_t> place_;
};

// K = sum over pairs of arcs of R(i, j), where R is the number of pairs of equal sub feature trees
// whose root's last children are the ends i and j of these arcs; c features are common to the arcs,
// i' and j' are the siblings to the left:
//     R(i, j) = decay c(i, j) (1 + sum of R over the children of i and of j) (1 + R(i', j'))
// The paper sums products over all runs of siblings; summed run by run from the left, every pair of
// arcs is visited once.
template <class Real>
class TreeKernel {
  public:
    TreeKernel(const Trees& a, const Trees& b, double decay) : a_(a), b_(b), decay_(decay) {}
    void first(int64_t s) {
        one_.of(a_, s);
        places_.clear();
        for (int32_t i = 1; i <= one_.n; ++i) {
            const int64_t arc = a_.arc[a_.ptr[s] + one_.word[i] - 1];
            for (int64_t f = a_.basic_ptr[arc]; f < a_.basic_ptr[arc + 1]; ++f)
                places_.add(a_.basic[f], i);
        }
        places_.close();
    }
    Real with(int64_t s) {
        other_.of(b_, s);
        width_ = one_.n + 2;
        runs_.assign(width_ * (other_.n + 2), 0);
        below_.assign(width_ * (other_.n + 2), 1);
        count_common(s);
        Real sum = 0;
        for (int32_t j = 1; j <= other_.n; ++j) {
            Real* const row = runs_.data() + width_ * j;
            const Real* const left = runs_.data() + width_ * other_.previous[j];
            const Real* const below = below_.data() + width_ * j;
            Real* const above = below_.data() + width_ * other_.parent[j];
            for (int32_t i = 1; i <= one_.n; ++i) {
                if (row[i] == 0) continue;
                // R(i, j) = decay c(i, j) (1 + sum of R over the children) (1 + R(i', j'))
                row[i] *= decay_ * below[i] * (1 + left[one_.previous[i]]);
                above[one_.parent[i]] += row[i];
                sum += row[i];
            }
        }
        return sum;
    }

  private:
    void count_common(int64_t s) {
        for (int32_t j = 1; j <= other_.n; ++j) {
            Real* const row = runs_.data() + width_ * j;
            const int64_t arc = b_.arc[b_.ptr[s] + other_.word[j] - 1];
            for (int64_t f = b_.basic_ptr[arc]; f < b_.basic_ptr[arc + 1]; ++f)
                places_.each(b_.basic[f], [&](int32_t i) { row[i] += 1; });
        }
    }
    Trees a_, b_;
    Real decay_;
    Postorder one_, other_;
    Places places_;
    size_t width_ = 0;
    // Common features, then R; one plus the sum of R over the children.
    std::vector<Real> runs_, below_;
};

// The number of common members.
class SetKernel {
  public:
    SetKernel(const Sets& a, const Sets& b) : a_(a), b_(b) {}
    void first(int64_t s) {
        places_.clear();
        for (int64_t i = a_.ptr[s]; i < a_.ptr[s + 1]; ++i) places_.add(a_.member[i], 0);
        places_.close();
    }
    double with(int64_t s) const {
        int64_t common = 0;
        for (int64_t i = b_.ptr[s]; i < b_.ptr[s + 1]; ++i) common += places_.has(b_.member[i]);
        return static_cast<double>(common);
    }

  private:
    Sets a_, b_;
    Places places_;
};

}  // namespace laconic::mining
