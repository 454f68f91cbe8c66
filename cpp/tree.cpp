// Proximal step of tree-structured groups (Jenatton, Mairal, Obozinski and Bach 2011), any forest.
//
// Node g owns some variables; its group is what it owns and all that its descendants own. Composing the proxes of single groups
// from the leaves to the roots is exact. For the 2-norm each step only scales, for the infinity norm it only clips, so one sweep
// up computes a factor (or a level) a node and one sweep down applies their products (or minima): O(nodes + variables) for the
// 2-norm, and O(log) amortised a node for the infinity norm, where a sweep up merges heaps of the largest entries.
#include <numeric>

#include "blocks.hpp"
#include "kernels.hpp"

namespace {

// Skew heaps of (value, count), largest value on top, in flat arrays; -1 is the empty heap. A skew heap shows the two candidates
// for the second largest value, so lowering the top in place, the common case, costs O(1).
class Heaps {
  public:
    explicit Heaps(int64_t capacity) : node_(capacity) {}

    int32_t single(double value) {
        node_[used_] = {value, -1, -1, 1};
        return static_cast<int32_t>(used_++);
    }
    int32_t merge(int32_t a, int32_t b) {
        int32_t root = -1, *hole = &root;
        while (a >= 0 && b >= 0) {
            if (node_[a].value < node_[b].value) std::swap(a, b);
            *hole = a;
            Node& top = node_[a];
            const int32_t right = top.right;
            top.right = top.left;
            hole = &top.left;
            a = right;
        }
        *hole = a >= 0 ? a : b;
        return root;
    }
    // Lowers the largest values to one level, taking away `mass` in all, and returns the level. The heap must hold more than mass.
    double lower(int32_t& heap, double mass) {
        for (;;) {
            Node& top = node_[heap];
            const int32_t l = top.left, r = top.right;
            const double second = std::max(l >= 0 ? node_[l].value : 0.0, r >= 0 ? node_[r].value : 0.0);
            const double room = top.count * (top.value - second);
            if (room >= mass || (l < 0 && r < 0)) {
                top.value = std::max(second, top.value - mass / top.count);
                return top.value;
            }
            mass -= room;
            // The next largest joins the top: the top's count grows, the second's node goes.
            int32_t rest = merge(l, r);
            const Node next = node_[rest];
            node_[rest] = {next.value, next.left, next.right, next.count + top.count};
            heap = rest;
        }
    }

  private:
    struct Node {
        double value;
        int32_t left, right;
        int32_t count;
    };
    std::vector<Node> node_;
    int64_t used_ = 0;
};

struct Forest {
    Forest(Vec<int64_t> parent_in, Vec<int64_t> own_ptr, Vec<int64_t> own_index, int64_t n_in)
        : own(own_ptr, own_index, n_in), parent(parent_in.data(), parent_in.data() + parent_in.size()) {
        require(static_cast<int64_t>(parent.size()) == own.size(), "parent must have an entry a node");
        require(own.size() < INT32_MAX && n_in < INT32_MAX, "a forest must have fewer than 2^31 nodes and variables");
        for (size_t g = 0; g < parent.size(); ++g)
            require(parent[g] >= -1 && parent[g] < static_cast<int64_t>(g), "every parent must come before its children");
    }

    void prox_two(double* w, const double* mass) {
        const int64_t G = own.size();
        below_.assign(G, 0.0);
        scale_.resize(G);
        for (int64_t g = G - 1; g >= 0; --g) {
            double squares = below_[g];
            for (int64_t e = own.ptr[g]; e < own.ptr[g + 1]; ++e) squares += w[at(e)] * w[at(e)];
            const double length = std::sqrt(squares), scale = length > mass[g] ? 1 - mass[g] / length : 0;
            scale_[g] = scale;
            if (parent[g] >= 0) below_[parent[g]] += scale * scale * squares;
        }
        for (int64_t g = 0; g < G; ++g) {
            if (parent[g] >= 0) scale_[g] *= scale_[parent[g]];
            for (int64_t e = own.ptr[g]; e < own.ptr[g + 1]; ++e) w[at(e)] *= scale_[g];
        }
    }

    void prox_infinity(double* w, const double* mass) {
        const int64_t G = own.size();
        Heaps heaps(static_cast<int64_t>(own.index.size()));
        heap_.assign(G, -1);
        below_.assign(G, 0.0);
        scale_.resize(G);
        for (int64_t g = G - 1; g >= 0; --g) {
            double sum = below_[g];
            for (int64_t e = own.ptr[g]; e < own.ptr[g + 1]; ++e) sum += std::abs(w[at(e)]);
            if (sum <= mass[g]) {
                scale_[g] = 0;
                continue;
            }
            int32_t heap = heap_[g];
            for (int64_t e = own.ptr[g]; e < own.ptr[g + 1]; ++e)
                if (w[at(e)] != 0) heap = heaps.merge(heap, heaps.single(std::abs(w[at(e)])));
            scale_[g] = mass[g] > 0 ? heaps.lower(heap, mass[g]) : INFINITY;
            if (parent[g] >= 0) {
                below_[parent[g]] += sum - mass[g];
                heap_[parent[g]] = heaps.merge(heap_[parent[g]], heap);
            }
        }
        for (int64_t g = 0; g < G; ++g) {
            if (parent[g] >= 0) scale_[g] = std::min(scale_[g], scale_[parent[g]]);
            for (int64_t e = own.ptr[g]; e < own.ptr[g + 1]; ++e) w[at(e)] = std::clamp(w[at(e)], -scale_[g], scale_[g]);
        }
    }

    // Norm of each node's group, descendants included.
    void norms(const double* w, int norm, double* out) const {
        std::fill(out, out + own.size(), 0.0);
        for (int64_t g = own.size() - 1; g >= 0; --g) {
            for (int64_t e = own.ptr[g]; e < own.ptr[g + 1]; ++e)
                out[g] = norm == 2 ? out[g] + w[at(e)] * w[at(e)] : std::max(out[g], std::abs(w[at(e)]));
            if (parent[g] >= 0) out[parent[g]] = norm == 2 ? out[parent[g]] + out[g] : std::max(out[parent[g]], out[g]);
        }
        if (norm == 2)
            for (int64_t g = 0; g < own.size(); ++g) out[g] = std::sqrt(out[g]);
    }

    // Sum of the values of a node and all above it, given to every variable the node owns.
    void path_sums(const double* value, double* out) {
        scale_.resize(own.size());
        for (int64_t g = 0; g < own.size(); ++g) {
            scale_[g] = value[g] + (parent[g] >= 0 ? scale_[parent[g]] : 0.0);
            for (int64_t e = own.ptr[g]; e < own.ptr[g + 1]; ++e) out[at(e)] = scale_[g];
        }
    }

    int64_t at(int64_t e) const { return own.contiguous ? e : own.index[e]; }

    Blocks own;
    std::vector<int64_t> parent;

  private:
    std::vector<double> below_, scale_;
    std::vector<int32_t> heap_;
};

// result = argmin_v |v - w|^2 / 2 + sum_i soft_i |v_i| + sum_g mass_g |v_g|: single entries are the leaves below the leaves.
void forest_prox(Forest& forest, Vec<double> weights, Vec<double> soft_in, Vec<double> mass, int norm, bool positive,
                 MutVec<double> result) {
    require(norm == 2 || norm == 0, "norm must be 2, or 0 for infinity");
    require(static_cast<int64_t>(weights.size()) == forest.own.n && result.size() == weights.size(), "weights must have n entries");
    require(soft_in.size() == 1 || soft_in.size() == weights.size(), "soft must have 1 or n entries");
    require(static_cast<int64_t>(mass.size()) == forest.own.size(), "mass must have an entry a node");
    for (size_t g = 0; g < mass.size(); ++g) require(mass.data()[g] >= 0, "mass must not be negative");
    const bool same = soft_in.size() == 1;
    for (size_t i = 0; i < weights.size(); ++i) {
        require(!std::isnan(weights.data()[i]), "weights must not be NaN");
        result.data()[i] = soft(weights.data()[i], soft_in.data()[same ? 0 : i], positive);
    }
    if (norm == 2)
        forest.prox_two(result.data(), mass.data());
    else
        forest.prox_infinity(result.data(), mass.data());
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
        .def(nb::init<Vec<int64_t>, Vec<int64_t>, Vec<int64_t>, int64_t>(), nb::arg("parent"), nb::arg("ptr"), nb::arg("index"), nb::arg("n"))
        .def("prox", &forest_prox, nb::arg("weights"), nb::arg("soft"), nb::arg("mass"), nb::arg("norm"), nb::arg("positive"),
             nb::arg("result"))
        .def("path_sums", &forest_path_sums, nb::arg("value"), nb::arg("result"))
        .def("norms", &forest_norms, nb::arg("weights"), nb::arg("norm"), nb::arg("result"));
}
