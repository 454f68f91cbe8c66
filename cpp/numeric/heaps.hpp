// Skew heaps in flat arrays (Sleator and Tarjan 1986: merging costs O(log n) amortised), for the
// levels of tree-structured infinity norms (forest.hpp).
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>

namespace laconic::numeric {

// Skew heaps of (value, weight), largest value on top, in flat arrays; -1 is the empty heap. A skew
// heap shows the two candidates for the second largest value, so lowering the top in place, the
// common case, costs O(1).
class Heaps {
  public:
    void reset(int64_t capacity) {
        if (capacity > capacity_) {
            // Left uninitialised: `single` writes before anything reads.
            node_.reset(new Node[capacity]);
            capacity_ = capacity;
        }
    }
    // A heap of one value, which counts as `weight` of them, in the slot `free`, which moves on:
    // every lane fills slots of its own.
    int32_t single(double value, double weight, int64_t& free) {
        node_[free] = {value, weight, -1, -1};
        return static_cast<int32_t>(free++);
    }
    int32_t merge(int32_t a, int32_t b) {
        if (a < 0) return b;
        if (b < 0) return a;
        int32_t root = -1, *hole = &root;
        for (;;) {
            // Which of the two is larger is a coin toss: select, do not branch.
            const bool less = node_[a].value < node_[b].value;
            const int32_t high = less ? b : a, low = less ? a : b;
            *hole = high;
            Node& top = node_[high];
            const int32_t right = top.right;
            top.right = top.left;
            hole = &top.left;
            if (right < 0) {
                *hole = low;
                return root;
            }
            a = right;
            b = low;
        }
    }
    // Lowers the largest values to one level r, sum_i weight_i (value_i - r)_+ = mass, and returns
    // r. The heap must hold more than mass.
    double lower(int32_t& heap, double mass) {
        for (;;) {
            Node& top = node_[heap];
            const int32_t l = top.left, r = top.right;
            const double second =
                std::max(l >= 0 ? node_[l].value : 0.0, r >= 0 ? node_[r].value : 0.0);
            const double room = top.weight * (top.value - second);
            if (room >= mass || (l < 0 && r < 0)) {
                top.value = std::max(
                    second, top.weight == 1 ? top.value - mass : top.value - mass / top.weight);
                return top.value;
            }
            mass -= room;
            // The next largest joins the top: its weight grows by the top's, the top's node goes.
            const int32_t rest = merge(l, r);
            node_[rest].weight += top.weight;
            heap = rest;
        }
    }

  private:
    struct Node {
        double value, weight;
        int32_t left, right;
    };
    std::unique_ptr<Node[]> node_;
    int64_t capacity_ = 0;
};

}  // namespace laconic::numeric
