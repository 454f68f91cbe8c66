// Proximal step of tree-structured groups (Jenatton, Mairal, Obozinski and Bach 2011), any forest.
//
// Node g owns some variables; its group is what it owns and all that its descendants own. Composing the proxes of single groups
// from the leaves to the roots is exact. For the 2-norm each step only scales, for the infinity norm it only clips, so one sweep
// up computes a factor (or a level) a node and one sweep down applies their products (or minima): O(nodes + variables) for the
// 2-norm, and O(log) amortised a node for the infinity norm, where a sweep up merges heaps of the largest entries.
#include <memory>

#include "blocks.hpp"
#include "kernels.hpp"

namespace {

// Skew heaps of (value, count), largest value on top, in flat arrays; -1 is the empty heap. A skew heap shows the two candidates
// for the second largest value, so lowering the top in place, the common case, costs O(1).
class Heaps {
  public:
    void reset(int64_t capacity) {
        if (capacity > capacity_) {
            node_.reset(new Node[capacity]);  // left uninitialised: `single` writes before anything reads
            capacity_ = capacity;
        }
        used_ = 0;
    }
    int32_t single(double value) {
        node_[used_] = {value, -1, -1, 1};
        return static_cast<int32_t>(used_++);
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
    // Lowers the largest values to one level, taking away `mass` in all, and returns the level. The heap must hold more than
    // mass.
    double lower(int32_t& heap, double mass) {
        for (;;) {
            Node& top = node_[heap];
            const int32_t l = top.left, r = top.right;
            const double second = std::max(l >= 0 ? node_[l].value : 0.0, r >= 0 ? node_[r].value : 0.0);
            const double room = top.count * (top.value - second);
            if (room >= mass || (l < 0 && r < 0)) {
                top.value = std::max(second, top.count == 1 ? top.value - mass : top.value - mass / top.count);
                return top.value;
            }
            mass -= room;
            // The next largest joins the top: its count grows by the top's, the top's node goes.
            const int32_t rest = merge(l, r);
            node_[rest].count += top.count;
            heap = rest;
        }
    }

  private:
    struct Node {
        double value;
        int32_t left, right;
        int64_t count;
    };
    std::unique_ptr<Node[]> node_;
    int64_t capacity_ = 0, used_ = 0;
};

// Node g owns own.index[own.ptr[g]:own.ptr[g + 1]]. Scratch is kept between calls, so one forest must not serve two threads at
// once: the kernels hold the interpreter lock.
struct Forest {
    Forest(Vec<int64_t> parent_in, Vec<int64_t> own_ptr, Vec<int64_t> own_index, Vec<double> weight_in, int64_t n_in)
        : own(own_ptr, own_index, n_in), weight(weight_in.data(), weight_in.data() + weight_in.size()) {
        require(static_cast<int64_t>(parent_in.size()) == own.size(), "parent must have an entry a node");
        require(static_cast<int64_t>(weight.size()) == own.size(), "weight must have an entry a node");
        require(own.size() < INT32_MAX && n_in < INT32_MAX, "a forest must have fewer than 2^31 nodes and variables");
        for (double v : weight) require(v >= 0 && std::isfinite(v), "weight must hold finite numbers that are not negative");
        node_.resize(own.size());
        one_each_ = own.contiguous;
        covers_all = static_cast<int64_t>(own.index.size()) == n_in;
        for (int64_t g = 0; g < own.size(); ++g) {
            require(parent_in.data()[g] >= -1 && parent_in.data()[g] < g, "every parent must come before its children");
            node_[g].parent = static_cast<int32_t>(parent_in.data()[g]);
            one_each_ = one_each_ && own.ptr[g + 1] == g + 1;
        }
    }

    // Calls body(variable) for what node g owns.
    template <class Body>
    void owned(int64_t g, Body body) const {
        if (one_each_)
            body(g);
        else
            for (int64_t e = own.ptr[g]; e < own.ptr[g + 1]; ++e) body(own.contiguous ? e : own.index[e]);
    }

    // A sweep up: what is left of node g's squared norm after its own shrinkage is (norm - mass)^2. Then a sweep down multiplies.
    bool prox_two(const double* w, double* out, double scale) {
        bool sound = true;
        const int64_t G = own.size();
        for (int64_t g = G - 1; g >= 0; --g) {
            Node& node = node_[g];
            double squares = node.below;
            node.below = 0;
            owned(g, [&](int64_t i) { squares += w[i] * w[i]; });
            sound = sound && squares >= 0;
            const double length = std::sqrt(squares), left = length - scale * weight[g];
            node.factor = left > 0 ? left / length : 0;
            if (left > 0 && node.parent >= 0) node_[node.parent].below += left * left;
        }
        for (int64_t g = 0; g < G; ++g) {
            Node& node = node_[g];
            if (node.parent >= 0) node.factor *= node_[node.parent].factor;
            owned(g, [&](int64_t i) { out[i] = w[i] * node.factor; });
        }
        return sound;
    }

    // A sweep up: the step of node g takes mass_g from the largest entries below it, which lowers them to a level. Then a sweep
    // down clips at the lowest level on the path from the root.
    bool prox_infinity(const double* w, double* out, double scale) {
        bool sound = true;
        const int64_t G = own.size();
        heaps_.reset(static_cast<int64_t>(own.index.size()));
        for (int64_t g = G - 1; g >= 0; --g) {
            Node& node = node_[g];
            const double mass = scale * weight[g];
            double sum = node.below;
            int32_t heap = node.heap;
            node.below = 0;
            node.heap = -1;
            owned(g, [&](int64_t i) { sum += std::abs(w[i]); });
            sound = sound && sum >= 0;
            if (sum <= mass) {
                node.factor = 0;
                continue;
            }
            if (one_each_ && heap < 0) {  // a leaf
                node.factor = sum - mass;
                heap = heaps_.single(node.factor);
            } else {
                owned(g, [&](int64_t i) {
                    if (w[i] != 0) heap = heaps_.merge(heap, heaps_.single(std::abs(w[i])));
                });
                node.factor = mass > 0 ? heaps_.lower(heap, mass) : INFINITY;
            }
            if (node.parent >= 0) {
                Node& above = node_[node.parent];
                above.below += sum - mass;
                above.heap = heaps_.merge(above.heap, heap);
            }
        }
        for (int64_t g = 0; g < G; ++g) {
            Node& node = node_[g];
            if (node.parent >= 0) node.factor = std::min(node.factor, node_[node.parent].factor);
            owned(g, [&](int64_t i) { out[i] = std::clamp(w[i], -node.factor, node.factor); });
        }
        return sound;
    }

    // Norm of each node's group, descendants included.
    void norms(const double* w, int norm, double* out) const {
        std::fill(out, out + own.size(), 0.0);
        for (int64_t g = own.size() - 1; g >= 0; --g) {
            owned(g, [&](int64_t i) { out[g] = norm == 2 ? out[g] + w[i] * w[i] : std::max(out[g], std::abs(w[i])); });
            const int32_t up = node_[g].parent;
            if (up >= 0) out[up] = norm == 2 ? out[up] + out[g] : std::max(out[up], out[g]);
        }
        if (norm == 2)
            for (int64_t g = 0; g < own.size(); ++g) out[g] = std::sqrt(out[g]);
    }

    // Sum of the values of a node and all above it, given to every variable the node owns.
    void path_sums(const double* value, double* out) {
        for (int64_t g = 0; g < own.size(); ++g) {
            Node& node = node_[g];
            node.factor = value[g] + (node.parent >= 0 ? node_[node.parent].factor : 0.0);
            owned(g, [&](int64_t i) { out[i] = node.factor; });
        }
    }

    Blocks own;
    std::vector<double> weight;
    bool covers_all = false;  // every variable is owned by some node

  private:
    // What a child touches of its parent lies together. Sweeps up leave below = 0 and heap = -1 behind, ready for the next.
    struct Node {
        double below = 0, factor = 0;
        int32_t parent = -1, heap = -1;
    };
    std::vector<Node> node_;
    Heaps heaps_;
    bool one_each_ = false;
};

// result = argmin_v |v - w|^2 / 2 + sum_i soft_i |v_i| + sum_g mass_g |v_g|: single entries are the leaves below the leaves.
// mass_g is scale times the weight of node g.
void forest_prox(Forest& forest, Vec<double> weights, Vec<double> soft_in, double scale, int norm, bool positive,
                 MutVec<double> result) {
    require(norm == 2 || norm == 0, "norm must be 2, or 0 for infinity");
    require(static_cast<int64_t>(weights.size()) == forest.own.n && result.size() == weights.size(),
            "weights must have n entries");
    require(soft_in.size() == 1 || soft_in.size() == weights.size(), "soft must have 1 or n entries");
    require(scale >= 0 && std::isfinite(scale), "scale must be a number that is not negative");
    const double *w = weights.data(), *lasso = soft_in.data();
    double* out = result.data();
    const size_t n = weights.size();
    if (n == 0) return;
    if (soft_in.size() > 1 || lasso[0] != 0 || positive) {
        for (size_t i = 0; i < n; ++i) out[i] = soft(w[i], lasso[soft_in.size() == 1 ? 0 : i], positive);
        w = out;
    } else if (!forest.covers_all) {
        std::copy(w, w + n, out);
    }
    const bool sound = norm == 2 ? forest.prox_two(w, out, scale) : forest.prox_infinity(w, out, scale);
    require(sound, "weights must not be NaN");
}

void forest_norms(const Forest& forest, Vec<double> weights, int norm, MutVec<double> result) {
    require(static_cast<int64_t>(weights.size()) == forest.own.n, "weights must have n entries");
    require(static_cast<int64_t>(result.size()) == forest.own.size(), "result must have an entry a node");
    forest.norms(weights.data(), norm, result.data());
}

void forest_path_sums(Forest& forest, Vec<double> value, MutVec<double> result) {
    require(static_cast<int64_t>(value.size()) == forest.own.size(), "value must have an entry a node");
    require(static_cast<int64_t>(result.size()) == forest.own.n, "result must have n entries");
    std::fill(result.data(), result.data() + result.size(), 0.0);
    forest.path_sums(value.data(), result.data());
}

}  // namespace

void bind_tree(nb::module_& m) {
    nb::class_<Forest>(m, "Forest")
        .def(nb::init<Vec<int64_t>, Vec<int64_t>, Vec<int64_t>, Vec<double>, int64_t>(), nb::arg("parent"), nb::arg("ptr"),
             nb::arg("index"), nb::arg("weight"), nb::arg("n"))
        .def("prox", &forest_prox, nb::arg("weights"), nb::arg("soft"), nb::arg("scale"), nb::arg("norm"), nb::arg("positive"),
             nb::arg("result").noconvert())
        .def("path_sums", &forest_path_sums, nb::arg("value"), nb::arg("result").noconvert())
        .def("norms", &forest_norms, nb::arg("weights"), nb::arg("norm"), nb::arg("result").noconvert());
}
