// Binds chain inference, the batch design of chains, and taggers.

#include "chain/batches.hpp"
#include "chain/bind_tagging.hpp"
#include "chain/crf.hpp"
#include "chain/online.hpp"
#include "chain/tagger_weights.hpp"

namespace laconic::chain {

namespace {

void bind_batches(nb::module_& m) {
    m.def("chain_best", &chain_best, nb::arg("scores"), nb::arg("ptr"), nb::arg("edge"),
          nb::arg("start"), nb::arg("threads") = 1);
    m.def("chain_k_best", &chain_k_best, nb::arg("scores"), nb::arg("ptr"), nb::arg("edge"),
          nb::arg("start"), nb::arg("k"), nb::arg("threads") = 1);
    m.def("chain_marginals", &chain_marginals, nb::arg("scores"), nb::arg("ptr"), nb::arg("edge"),
          nb::arg("start"), nb::arg("threads") = 1);
}

void bind_crf(nb::module_& m) {
    nb::class_<ChainShape>(m, "ChainShape", "Labels of a chain, and which weights there are.")
        .def(
            "__init__",
            [](ChainShape* self, int n_labels, int64_t n_pairs, bool all_labels, bool start,
               bool merge_twins) {
                new (self) ChainShape{n_labels, n_pairs, all_labels, start, merge_twins};
            },
            nb::kw_only(), nb::arg("n_labels"), nb::arg("n_pairs") = 0,
            nb::arg("all_labels") = false, nb::arg("start") = true, nb::arg("merge_twins") = false)
        .def_ro("n_labels", &ChainShape::n_labels)
        .def_ro("n_pairs", &ChainShape::n_pairs)
        .def_ro("all_labels", &ChainShape::all_labels)
        .def_ro("start", &ChainShape::start)
        .def_ro("merge_twins", &ChainShape::merge_twins);
    nb::class_<ChainDesign>(m, "ChainDesign")
        .def(nb::init<Vec<int32_t>, Vec<int64_t>, Vec<int64_t>, Vec<int32_t>, const ChainShape&>(),
             nb::arg("ids"), nb::arg("sizes"), nb::arg("ptr"), nb::arg("gold"), nb::arg("shape"))
        .def_prop_ro("n_single", &ChainDesign::n_single)
        .def_prop_ro("n_state", &ChainDesign::n_state)
        .def_prop_ro("n_weights", &ChainDesign::n_weights)
        .def("unit_ptr", &ChainDesign::unit_ptr)
        .def("twins", &ChainDesign::twins)
        .def("times", &ChainDesign::times)
        .def("feature_unit", &ChainDesign::feature_unit)
        .def("first_token", &ChainDesign::first_token)
        .def("weight_label", &ChainDesign::weight_label)
        .def("alive", &ChainDesign::alive, nb::arg("weights"), nb::arg("begin"), nb::arg("end"))
        .def("feature_rows", &ChainDesign::feature_rows, nb::arg("weights"), nb::arg("features"))
        .def("score", &ChainDesign::score, nb::arg("weights"), nb::arg("scores").noconvert(),
             nb::arg("pairs") = false, nb::arg("threads") = 1)
        .def("pull", &ChainDesign::pull, nb::arg("residual"), nb::arg("gradient").noconvert(),
             nb::arg("pairs") = false, nb::arg("threads") = 1)
        .def("weigh", &ChainDesign::weigh, nb::arg("weight"))
        .def("evaluate", &ChainDesign::evaluate, nb::arg("loss"), nb::arg("cost"),
             nb::arg("weights"), nb::arg("gradient").noconvert(), nb::arg("threads") = 1);
}

void bind_tagger(nb::module_& m) {
    nb::class_<Occurrences>(m, "Occurrences")
        .def_prop_ro(
            "sizes",
            [](const Occurrences& seen) { return to_numpy(std::vector<int64_t>(seen.sizes)); },
            nb::rv_policy::automatic)
        .def("__len__", &Occurrences::n_sentences);
    nb::class_<Tagger> bound(m, "Tagger");
    bound.def(nb::init<const Templates&, Vec<uint8_t>, int>(), nb::arg("templates"),
              nb::arg("pairs"), nb::arg("n_labels"));
    bound.def_prop_ro("sizes", &Tagger::sizes, nb::rv_policy::automatic)
        .def_prop_ro("norms", &Tagger::norms, nb::rv_policy::automatic)
        .def_prop_ro("nonzeros", &Tagger::nonzeros, nb::rv_policy::automatic)
        .def_prop_ro("bytes", &Tagger::bytes)
        .def("shrink", &shrink, nb::arg("factor"))
        .def("defer_penalty", &Tagger::defer, nb::arg("amount"))
        .def("compact", &compact, nb::arg("by_row") = false)
        .def("finish_sums", &finish_sums)
        .def("copy", [](const Tagger& model) { return Tagger(model); })
        .def(
            "number",
            [](const Tagger& t, Matrix32 columns, Vec<int64_t> ptr, int threads) {
                return Occurrences(t.templates, columns, ptr, threads);
            },
            nb::arg("columns"), nb::arg("ptr"), nb::arg("threads") = 1)
        .def("features", &features, nb::arg("template"))
        .def("add_features", &add_features, nb::arg("template"), nb::arg("atoms"),
             nb::arg("weights"))
        .def("transitions", &transitions)
        .def("set_transitions", &Tagger::set_transitions, nb::arg("edge"), nb::arg("start"))
        .def("learn", &learn, nb::arg("seen"), nb::arg("gold"), nb::arg("order"), nb::arg("rule"),
             nb::arg("weight") = nb::none(), nb::arg("cost") = nb::none());
    bind_tagging(bound);
}

}  // namespace

void bind(nb::module_& m) {
    bind_batches(m);
    bind_crf(m);
    bind_tagger(m);
}

}  // namespace laconic::chain
