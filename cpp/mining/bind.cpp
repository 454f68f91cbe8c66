// Binds the search of kernel spaces, kernels and rankings.
#include "mining/arcs.hpp"
#include "mining/kernel_matrix.hpp"
#include "mining/miner.hpp"
#include "mining/ranking.hpp"

namespace laconic::mining {

namespace {

template <class Structures>
void bind_search(nb::class_<Miner>& bound) {
    bound.def("mine", &Miner::mine<Structures>, nb::arg("structures"), nb::arg("outputs"),
              nb::arg("weights"), nb::arg("options"), nb::arg("on_order").none() = nb::none());
    bound.def("score", &Miner::score<Structures>, nb::arg("structures"), nb::arg("weights"),
              nb::arg("n_labels"), nb::arg("out"));
    bound.def("fired", &Miner::fired<Structures>, nb::arg("structures"));
    bound.def("told_apart", &Miner::told_apart<Structures>, nb::arg("structures"),
              nb::arg("list_ptr"));
}

void bind_mining(nb::module_& m) {
    nb::class_<SetStructures>(m, "SetStructures")
        .def(nb::init<Vec<int64_t>, Vec<int32_t>, int64_t>(), nb::arg("ptr"), nb::arg("member"),
             nb::arg("n_basic"))
        .def("__len__", &SetStructures::size);
    nb::class_<TreeStructures>(m, "TreeStructures")
        .def(nb::init<Vec<int64_t>, Vec<int32_t>, Vec<int64_t>, Vec<int64_t>, Vec<int32_t>,
                      int64_t>(),
             nb::arg("ptr"), nb::arg("head"), nb::arg("arc"), nb::arg("basic_ptr"),
             nb::arg("basic"), nb::arg("n_basic"))
        .def("__len__", &TreeStructures::size);
    nb::class_<SidedOutputs>(m, "SidedOutputs",
                             "Structures that were gold (side 0) or predicted (1), under labels.")
        .def(
            "__init__",
            [](SidedOutputs* self, Vec<int64_t> structure, Vec<int32_t> label, Vec<int32_t> side) {
                new (self) SidedOutputs{structure, label, side};
            },
            nb::kw_only(), nb::arg("structure"), nb::arg("label"), nb::arg("side"));
    nb::class_<SearchOptions>(m, "SearchOptions",
                              "What a search looks for, and its budget in bytes.")
        .def(
            "__init__",
            [](SearchOptions* self, int n_labels, int64_t threshold, int most_order,
               int64_t memory) {
                new (self) SearchOptions{n_labels, threshold, most_order, memory};
            },
            nb::kw_only(), nb::arg("n_labels"), nb::arg("threshold"), nb::arg("most_order"),
            nb::arg("memory"))
        .def_ro("n_labels", &SearchOptions::n_labels)
        .def_ro("threshold", &SearchOptions::threshold)
        .def_ro("most_order", &SearchOptions::most_order)
        .def_ro("memory", &SearchOptions::memory);
    nb::class_<Miner> bound(m, "Miner");
    bound
        .def(nb::init<int, int, int>(), nb::arg("log2_bytes"), nb::arg("bits"), nb::arg("n_hashes"))
        .def("__len__", &Miner::size)
        .def("features", &Miner::features)
        .def("add", &Miner::add, nb::arg("part"), nb::arg("extension"));
    bind_search<SetStructures>(bound);
    bind_search<TreeStructures>(bound);
}

void bind_arcs(nb::module_& m) {
    nb::class_<ArcFeatures>(m, "ArcFeatures")
        .def(nb::init<const PartTemplates&>(), nb::arg("templates"))
        .def("__len__", &ArcFeatures::size)
        .def("number", &ArcFeatures::number, nb::arg("columns"), nb::arg("ptr"),
             nb::arg("candidate_ptr"), nb::arg("candidate_head"), nb::arg("grow"))
        .def("names", &ArcFeatures::names)
        .def("add", &ArcFeatures::add, nb::arg("template"), nb::arg("value"));
}

void bind_ranking(nb::module_& m) {
    nb::class_<RankedLists>(m, "RankedLists", "Lists of outputs with binary features and costs.")
        .def(
            "__init__",
            [](RankedLists* self, Vec<int64_t> list_ptr, Vec<int64_t> gold, Vec<int64_t> ptr,
               Vec<int32_t> feature,
               Vec<double> cost) { new (self) RankedLists{list_ptr, gold, ptr, feature, cost}; },
            nb::kw_only(), nb::arg("list_ptr"), nb::arg("gold"), nb::arg("ptr"), nb::arg("feature"),
            nb::arg("cost"));
    m.def("learn_ranking", &learn_ranking, nb::arg("lists"), nb::arg("step"), nb::arg("most_step"),
          nb::arg("order"), nb::arg("epochs"));
}

void bind_kernel(nb::module_& m) {
    m.def("tree_kernel", &tree_kernel, nb::arg("a"), nb::arg("rows_a"), nb::arg("b"),
          nb::arg("rows_b"), nb::arg("decay"), nb::arg("logarithms"));
    m.def("tree_kernel_diagonal", &tree_kernel_diagonal, nb::arg("structures"), nb::arg("decay"));
    m.def("set_kernel", &set_kernel, nb::arg("a"), nb::arg("rows_a"), nb::arg("b"),
          nb::arg("rows_b"));
    m.def("set_kernel_diagonal", &set_kernel_diagonal, nb::arg("structures"));
}

}  // namespace

void bind(nb::module_& m) {
    bind_mining(m);
    bind_arcs(m);
    bind_ranking(m);
    bind_kernel(m);
}

}  // namespace laconic::mining
