// Binds tree inference and dependency parsers.
#include <nanobind/stl/vector.h>

#include "tree/bind_parsing.hpp"
#include "tree/dense.hpp"
#include "tree/online.hpp"
#include "tree/weights.hpp"

namespace laconic::tree {

namespace parsing {  // compiled in parsing.cpp
extern template std::tuple<Array<int32_t>, Array<double>> parse<Parser>(const Parser&, Matrix32,
                                                                        Vec<int64_t>, Vec<int64_t>,
                                                                        Vec<int32_t>, int);
extern template std::tuple<Array<int64_t>, Array<int32_t>, Array<double>> k_best<Parser>(
    const Parser&, Matrix32, Vec<int64_t>, Vec<int64_t>, Vec<int32_t>, int64_t);
extern template std::tuple<Array<int64_t>, Array<int32_t>> candidates<Parser>(
    const Parser&, Matrix32, Vec<int64_t>, double, int64_t, Vec<int32_t>, int);
extern template Array<double> arc_probabilities<Parser>(const Parser&, Matrix32, Vec<int64_t>,
                                                        Vec<int64_t>, Vec<int32_t>, Vec<int32_t>,
                                                        int);
}  // namespace parsing

namespace {

void bind_dense(nb::module_& m) {
    nb::enum_<TreeModel>(m, "TreeModel", "Which parts of trees have scores.")
        .value("arcs", TreeModel::arcs)
        .value("siblings", TreeModel::siblings)
        .value("carreras", TreeModel::carreras)
        .value("grand_siblings", TreeModel::grand_siblings)
        .value("tri_siblings", TreeModel::tri_siblings);
    nb::class_<TreeShape>(m, "TreeShape", "Which trees a parser makes.")
        .def(
            "__init__",
            [](TreeShape* self, TreeModel model, bool crossing, bool single_root) {
                new (self) TreeShape{model, crossing, single_root};
            },
            nb::kw_only(), nb::arg("model"), nb::arg("crossing"), nb::arg("single_root"))
        .def_ro("model", &TreeShape::model)
        .def_ro("crossing", &TreeShape::crossing)
        .def_ro("single_root", &TreeShape::single_root);
    m.def("projective_best", &projective_best, nb::arg("model"), nb::arg("n"), nb::arg("scores"),
          nb::arg("single_root"));
    m.def("projective_k_best", &projective_k_best, nb::arg("model"), nb::arg("n"),
          nb::arg("scores"), nb::arg("single_root"), nb::arg("k"));
    m.def("projective_marginals", &projective_marginals, nb::arg("model"), nb::arg("n"),
          nb::arg("scores"), nb::arg("single_root"));
    m.def("crossing_best", &crossing_best, nb::arg("n"), nb::arg("arc"), nb::arg("single_root"));
    m.def("crossing_k_best", &crossing_k_best, nb::arg("n"), nb::arg("arc"), nb::arg("single_root"),
          nb::arg("k"));
    m.def("crossing_marginals", &crossing_marginals, nb::arg("n"), nb::arg("arc"),
          nb::arg("single_root"));
}

void bind_parser(nb::module_& m) {
    nb::class_<PartTemplates>(m, "PartTemplates")
        .def(nb::init<const Vec<int32_t>&, const Vec<int32_t>&, const Vec<int32_t>&,
                      const Vec<int64_t>&, const Vec<int32_t>&, const Vec<int32_t>&,
                      const Vec<int32_t>&>(),
             nb::arg("kind"), nb::arg("special"), nb::arg("between"), nb::arg("atom_ptr"),
             nb::arg("atom_role"), nb::arg("atom_view"), nb::arg("atom_offset"))
        .def("__len__", &PartTemplates::size)
        .def("n_values", &PartTemplates::n_values, nb::arg("template"));
    nb::class_<TrainingTrees>(m, "TrainingTrees").def("__len__", [](const TrainingTrees& data) {
        return data.columns.n_sentences;
    });
    nb::class_<Parser> bound(m, "Parser");
    bound.def(nb::init<const PartTemplates&, const TreeShape&>(), nb::arg("templates"),
              nb::arg("shape"));
    bound.def_prop_ro("sizes", &Parser::sizes, nb::rv_policy::automatic)
        .def_prop_ro("norms", &Parser::norms, nb::rv_policy::automatic)
        .def_prop_ro("nonzeros", &Parser::nonzeros, nb::rv_policy::automatic)
        .def_prop_ro("bytes", &Parser::bytes)
        .def("shrink", &shrink, nb::arg("factor"))
        .def("defer_penalty", &Parser::defer, nb::arg("amount"))
        .def("compact", &compact, nb::arg("by_row") = false)
        .def("finish_sums", &finish_sums)
        .def("copy", [](const Parser& model) { return Parser(model); })
        .def(
            "number",
            [](const Parser& p, Matrix32 columns, Vec<int64_t> ptr, Vec<int64_t> candidate_ptr,
               Vec<int32_t> candidate_head) {
                return TrainingTrees(p, columns, ptr, candidate_ptr, candidate_head);
            },
            nb::arg("columns"), nb::arg("ptr"), nb::arg("candidate_ptr"), nb::arg("candidate_head"))
        .def("count", &count, nb::arg("seen"))
        .def("features", &features, nb::arg("seen"))
        .def("weights", &weights, nb::arg("template"))
        .def("set_weights", &set_weights, nb::arg("template"), nb::arg("weights"))
        .def("add_features", &add_features, nb::arg("template"), nb::arg("values"),
             nb::arg("weights"))
        .def("information", &information, nb::arg("seen"), nb::arg("gold"))
        .def("learn", &learn, nb::arg("seen"), nb::arg("gold"), nb::arg("order"), nb::arg("rule"),
             nb::arg("k") = 1);
    bind_parsing(bound);
}

}  // namespace

void bind(nb::module_& m) {
    bind_dense(m);
    bind_parser(m);
}

}  // namespace laconic::tree
