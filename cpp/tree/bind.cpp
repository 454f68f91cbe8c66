// Binds tree inference and dependency parsers.
#include <nanobind/stl/vector.h>

#include "tree/bind_parsing.hpp"
#include "tree/dense.hpp"
#include "tree/online.hpp"
#include "tree/weights.hpp"

namespace laconic::tree {

namespace {

void bind_dense(nb::module_& m) {
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
    bound.def(nb::init<const PartTemplates&, int, bool, bool>(), nb::arg("templates"),
              nb::arg("model"), nb::arg("crossing"), nb::arg("single_root"));
    bound.def_prop_ro("sizes", &Parser::sizes, nb::rv_policy::automatic)
        .def_prop_ro("norms", &Parser::norms, nb::rv_policy::automatic)
        .def_prop_ro("nonzeros", &Parser::nonzeros, nb::rv_policy::automatic)
        .def_prop_ro("bytes", &Parser::bytes)
        .def("shrink", &shrink, nb::arg("factor"))
        .def("owe", &Parser::defer, nb::arg("amount"))
        .def("compact", &compact, nb::arg("by_row") = false)
        .def("settle_sums", &settle_sums)
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
        .def(
            "learn",
            [](Parser& parser, const TrainingTrees& seen, Vec<int32_t> gold, Vec<int64_t> order,
               int loss, double step, bool aggressive, bool grow, bool averaged, int settle,
               double ridge, double lasso, int64_t every, int64_t k) {
                require(loss >= 0 && loss <= 2,
                        "the kind of loss must be 0 (log), 1 (hinge) or 2 (perceptron)");
                require(settle >= 0 && settle <= 3, "settle must be from 0 to 3");
                const numeric::OnlineRule rule{
                    static_cast<numeric::StructuredLoss>(loss), step,  aggressive, grow, averaged,
                    static_cast<numeric::Reading>(settle),      ridge, lasso,      every};
                return learn(parser, seen, gold, order, rule, k);
            },
            nb::arg("seen"), nb::arg("gold"), nb::arg("order"), nb::arg("loss"), nb::arg("step"),
            nb::arg("aggressive"), nb::arg("grow"), nb::arg("averaged"), nb::arg("settle") = 0,
            nb::arg("ridge") = 0.0, nb::arg("lasso") = 0.0, nb::arg("every") = 1, nb::arg("k") = 1);
    bind_parsing(bound);
}

}  // namespace

void bind(nb::module_& m) {
    bind_dense(m);
    bind_parser(m);
}

}  // namespace laconic::tree
