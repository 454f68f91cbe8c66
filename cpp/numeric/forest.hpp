// Proximal step of tree-structured groups, any forest:
//
//     argmin_v |v - w|^2 / 2 + sum_g mass_g |v_g|        |.|: 2-norm or infinity norm
//
// Node g owns some variables; its group is what it owns and all that its descendants own. Composing
// the proxes of single groups from the leaves to the roots is exact (Jenatton, Mairal, Obozinski
// and Bach 2011). For the 2-norm each step only scales, for the infinity norm it only clips, so one
// sweep up computes a factor eta_g (or a level) per node and one sweep down applies their products
// (or minima). For the 2-norm (Algorithm 2 of Nelakanti et al. 2013):
//
//     up      gamma_g = sum_own w_i^2 + sum_children eta_c^2 gamma_c
//             eta_g = (1 - mass_g / sqrt(gamma_g))_+
//     down    eta_g <- eta_parent eta_g,    v_i = eta_g w_i for all i that g owns
//
// This is O(nodes + variables) for the 2-norm, and O(log) amortised per node for the infinity norm,
// where a sweep up merges heaps of the largest entries. A large forest is cut into lanes of whole
// subtrees, which threads sweep side by side; the few nodes above the cuts come after them on the
// way up and before them on the way down. The cut depends on the forest alone, so that threads
// change no digit.
#pragma once
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "door/threads.hpp"
#include "numeric/blocks.hpp"
#include "numeric/heaps.hpp"

namespace laconic::numeric {

// Node g owns own.index[own.ptr[g]:own.ptr[g + 1]]. Scratch is kept between calls, so one forest
// must not serve two threads at once: the kernels hold the interpreter lock.
struct Forest {
    Forest(Vec<int64_t> parent_in, Vec<int64_t> own_ptr, Vec<int64_t> own_index,
           Vec<double> weight_in, int64_t n_in)
        : own(own_ptr, own_index, n_in),
          weight(weight_in.data(), weight_in.data() + weight_in.size()) {
        require(static_cast<int64_t>(parent_in.size()) == own.size(),
                "parent must have one entry per node");
        require(static_cast<int64_t>(weight.size()) == own.size(),
                "weight must have one entry per node");
        require(own.size() < INT32_MAX && n_in < INT32_MAX,
                "a forest must have fewer than 2^31 nodes and variables");
        for (double v : weight)
            require(v >= 0 && std::isfinite(v),
                    "weight must hold finite numbers that are not negative");
        node_.resize(own.size());
        one_each_ = own.contiguous;
        covers_all = static_cast<int64_t>(own.index.size()) == n_in;
        for (int64_t g = 0; g < own.size(); ++g) {
            require(parent_in.data()[g] >= -1 && parent_in.data()[g] < g,
                    "every parent must come before its children");
            node_[g].parent = static_cast<int32_t>(parent_in.data()[g]);
            one_each_ = one_each_ && own.ptr[g + 1] == g + 1;
        }
        cut();
    }

    // Calls body(variable) for what node g owns.
    template <class Body>
    void owned(int64_t g, Body body) const {
        if (one_each_)
            body(g);
        else
            for (int64_t e = own.ptr[g]; e < own.ptr[g + 1]; ++e)
                body(own.contiguous ? e : own.index[e]);
    }

    // below is the sum of eta_c^2 gamma_c over the children: eta^2 gamma = (sqrt(gamma) - mass)^2.
    template <class Mass>
    bool prox_two(const double* w, double* out, Mass mass, int threads) {
        const bool sound = sweep_up(threads, [&](int64_t g, int64_t&) {
            Node& node = node_[g];
            double squares = node.below;
            node.below = 0;
            owned(g, [&](int64_t i) { squares += w[i] * w[i]; });
            const double length = std::sqrt(squares), left = length - mass(g);
            node.factor = left > 0 ? left / length : 0;
            if (left > 0 && node.parent >= 0) node_[node.parent].below += left * left;
            return squares >= 0;
        });
        sweep_down(threads, [&](int64_t g) {
            Node& node = node_[g];
            if (node.parent >= 0) node.factor *= node_[node.parent].factor;
            owned(g, [&](int64_t i) { out[i] = w[i] * node.factor; });
        });
        return sound;
    }

    // A sweep up: the step of node g lowers the largest entries below it to the level r_g with
    //     sum_i (|w_i| - r_g)_+ = mass_g    over the group's entries as its children left them
    // (Algorithm 3 of Nelakanti et al. 2013 finds the same levels by pivots). Then a sweep down
    // clips at the lowest level on the path from the root: |v_i| = min(|w_i|, r_g, r_parent, ..).
    // An entry of weight d, in sum_i d_i (v_i - w_i)^2 / 2, is lowered as d equal ones of weight 1
    // would be: entries of a group that are equal stay so.
    template <class Mass, class Weight>
    bool prox_infinity(const double* w, double* out, Mass mass_of, Weight weight_of, int threads) {
        heaps_.reset(static_cast<int64_t>(own.index.size()));
        const bool sound = sweep_up(threads, [&](int64_t g, int64_t& free) {
            Node& node = node_[g];
            const double mass = mass_of(g);
            double sum = node.below;
            int32_t heap = node.heap;
            node.below = 0;
            node.heap = -1;
            owned(g, [&](int64_t i) { sum += weight_of(i) * std::abs(w[i]); });
            if (sum <= mass) {
                node.factor = 0;
                return true;
            }
            if (one_each_ && heap < 0) {  // a leaf
                node.factor = (sum - mass) / weight_of(g);
                heap = heaps_.single(node.factor, weight_of(g), free);
            } else {
                owned(g, [&](int64_t i) {
                    if (w[i] != 0)
                        heap =
                            heaps_.merge(heap, heaps_.single(std::abs(w[i]), weight_of(i), free));
                });
                node.factor = mass > 0 ? heaps_.lower(heap, mass) : INFINITY;
            }
            if (node.parent >= 0) {
                Node& above = node_[node.parent];
                above.below += sum - mass;
                above.heap = heaps_.merge(above.heap, heap);
            }
            return sum >= 0;
        });
        sweep_down(threads, [&](int64_t g) {
            Node& node = node_[g];
            if (node.parent >= 0) node.factor = std::min(node.factor, node_[node.parent].factor);
            owned(g, [&](int64_t i) { out[i] = std::clamp(w[i], -node.factor, node.factor); });
        });
        return sound;
    }

    bool one_each() const { return one_each_; }

    // Norm of each node's group, descendants included.
    void norms(const double* w, Norm norm, double* out) const {
        std::fill(out, out + own.size(), 0.0);
        for (int64_t g = own.size() - 1; g >= 0; --g) {
            owned(g, [&](int64_t i) {
                out[g] =
                    norm == Norm::two ? out[g] + w[i] * w[i] : std::max(out[g], std::abs(w[i]));
            });
            const int32_t up = parent(g);
            if (up >= 0) out[up] = norm == Norm::two ? out[up] + out[g] : std::max(out[up], out[g]);
        }
        if (norm == Norm::two)
            for (int64_t g = 0; g < own.size(); ++g) out[g] = std::sqrt(out[g]);
    }

    // Sum of the values of a node and all above it, given to every variable the node owns.
    void path_sums(const double* value, double* out) {
        for (int64_t g = 0; g < own.size(); ++g) {
            Node& node = node_[g];
            node.factor = value[g] + (parent(g) >= 0 ? node_[parent(g)].factor : 0.0);
            owned(g, [&](int64_t i) { out[i] = node.factor; });
        }
    }

    Blocks own;
    std::vector<double> weight;
    bool covers_all = false;  // every variable is owned by some node

  private:
    // Below, starting threads costs more than they save.
    static constexpr int64_t kSmallest = 1 << 15;
    static constexpr int kLanes = 8;

    // What a child touches of its parent lies together. Sweeps up leave below = 0 and heap = -1
    // behind, ready for the next.
    struct Node {
        double below = 0, factor = 0;
        int32_t parent = -1, heap = -1;
    };
    // Nodes as runs [begin, end), and where the lane's heap slots start.
    struct Lane {
        std::vector<std::pair<int32_t, int32_t>> runs;
        int64_t slots = 0;
    };

    int32_t parent(int64_t g) const {
        const int32_t up = node_[g].parent;
        return up < own.size() ? up : above_[up - own.size()];
    }

    // Cuts off the largest subtrees of at most 1/16 of the nodes and deals them to lanes. The root
    // of a subtree gets a stand-in for its parent, behind all nodes, so that lanes share nothing.
    void cut() {
        const int64_t G = own.size();
        lanes_.assign(1, {});
        std::vector<int32_t> lane(G, 0);
        if (G >= kSmallest) {
            std::vector<int32_t> size(G, 1), roots;
            for (int64_t g = G - 1; g > 0; --g)
                if (node_[g].parent >= 0) size[node_[g].parent] += size[g];
            const int64_t limit = G / (2 * kLanes);
            for (int64_t g = 0; g < G; ++g) {
                const int32_t up = node_[g].parent;
                if (size[g] <= limit && (up < 0 || size[up] > limit))
                    roots.push_back(static_cast<int32_t>(g));
            }
            std::vector<int32_t> largest(roots);
            std::stable_sort(largest.begin(), largest.end(),
                             [&](int32_t a, int32_t b) { return size[a] > size[b]; });
            std::vector<int64_t> load(kLanes, 0);
            for (int32_t root : largest) {
                const auto lightest = std::min_element(load.begin(), load.end()) - load.begin();
                load[lightest] += size[root];
                lane[root] = static_cast<int32_t>(lightest + 1);
            }
            lanes_.resize(kLanes + 1);
            for (int64_t g = 0; g < G; ++g)
                if (lane[g] == 0 && node_[g].parent >= 0) lane[g] = lane[node_[g].parent];
            for (int32_t root : roots)
                if (node_[root].parent >= 0) {
                    above_.push_back(node_[root].parent);
                    node_[root].parent = static_cast<int32_t>(node_.size());
                    node_.emplace_back();
                }
        }
        std::vector<int64_t> slots(lanes_.size() + 1, 0);
        for (int64_t g = 0; g < G; ++g) {
            auto& runs = lanes_[lane[g]].runs;
            if (runs.empty() || runs.back().second != g) runs.emplace_back(g, g);
            runs.back().second = static_cast<int32_t>(g + 1);
            slots[lane[g] + 1] += own.ptr[g + 1] - own.ptr[g];
        }
        std::partial_sum(slots.begin(), slots.end(), slots.begin());
        for (size_t i = 0; i < lanes_.size(); ++i) lanes_[i].slots = slots[i];
    }

    // step(g, free slot) for all nodes, children first; whether all steps were sound.
    template <class Step>
    bool sweep_up(int threads, Step step) {
        const auto climb = [&](const Lane& lane) {
            bool sound = true;
            int64_t free = lane.slots;
            for (auto run = lane.runs.rbegin(); run != lane.runs.rend(); ++run)
                for (int64_t g = run->second - 1; g >= run->first; --g) sound &= step(g, free);
            return sound;
        };
        std::vector<char> sound(lanes_.size(), 1);
        if (lanes_.size() > 1) {
            parallel_ranges(kLanes, threads, 1, [&](int64_t begin, int64_t end, int) {
                for (int64_t i = begin + 1; i <= end; ++i) sound[i] = climb(lanes_[i]);
            });
            for (int64_t k = static_cast<int64_t>(above_.size()) - 1; k >= 0; --k) {
                Node &stand_in = node_[own.size() + k], &up = node_[above_[k]];
                up.below += stand_in.below;
                up.heap = heaps_.merge(up.heap, stand_in.heap);
                stand_in.below = 0;
                stand_in.heap = -1;
            }
        }
        sound[0] = climb(lanes_[0]);
        return std::all_of(sound.begin(), sound.end(), [](char good) { return good; });
    }

    // step(g) for all nodes, parents first.
    template <class Step>
    void sweep_down(int threads, Step step) {
        const auto descend = [&](const Lane& lane) {
            for (auto [begin, end] : lane.runs)
                for (int64_t g = begin; g < end; ++g) step(g);
        };
        descend(lanes_[0]);
        if (lanes_.size() == 1) return;
        for (size_t k = 0; k < above_.size(); ++k)
            node_[own.size() + k].factor = node_[above_[k]].factor;
        parallel_ranges(kLanes, threads, 1, [&](int64_t begin, int64_t end, int) {
            for (int64_t i = begin + 1; i <= end; ++i) descend(lanes_[i]);
        });
    }

    std::vector<Node> node_;
    std::vector<int32_t> above_;  // whom the stand-ins stand for
    std::vector<Lane> lanes_;     // first the nodes above the cuts, or all
    Heaps heaps_;
    bool one_each_ = false;
};

// result = argmin_v |v - w|^2 / 2 + sum_i soft_i |v_i| + sum_g mass_g |v_g|: single entries are the
// leaves below the leaves. mass_g is scale times the weight of node g.
void forest_prox(Forest& forest, Vec<double> weights, Vec<double> soft, double scale, Norm norm,
                 bool positive, MutVec<double> result, int threads);

// result = argmin_v sum_i curvature_i (v_i - w_i)^2 / 2 + sum_g weight_g |v_g| over v >= 0, every
// node owning one variable, its own. For the 2-norm curvatures must be the same all over a tree;
// the infinity norm takes any.
void forest_prox_curved(Forest& forest, Vec<double> weights, Vec<double> curvature, Norm norm,
                        MutVec<double> result, int threads);

// The norm of every node's group, descendants included.
void forest_norms(const Forest& forest, Vec<double> weights, Norm norm, MutVec<double> result);

// result_i = the sum of `value` over the node that owns i and all nodes above it.
void forest_path_sums(Forest& forest, Vec<double> value, MutVec<double> result);

}  // namespace laconic::numeric
