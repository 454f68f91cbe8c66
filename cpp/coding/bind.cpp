// Binds counts of neighbouring words and the codes learned from them.
#include "coding/codes.hpp"
#include "coding/cooccurrence.hpp"
#include "coding/rows.hpp"
#include "coding/stochastic.hpp"
#include "coding/weighted.hpp"

namespace laconic::coding {

namespace {

void bind_coding(nb::module_& m) {
    nb::class_<CodeTrees>(m, "CodeTrees")
        .def(nb::init<Vec<int32_t>, Vec<int32_t>, Vec<int32_t>, Vec<double>>(), nb::arg("ptr"),
             nb::arg("dimension"), nb::arg("parent"), nb::arg("weight"))
        .def("prox", &prox_codes, nb::arg("w"), nb::arg("scale"), nb::arg("positive"),
             nb::arg("out"))
        .def("norms", &norm_codes, nb::arg("codes"), nb::arg("stride"), nb::arg("out"));
    m.def("solve_codes", &solve_codes, nb::arg("trees"), nb::arg("gram"), nb::arg("curvature"),
          nb::arg("products"), nb::arg("squares"), nb::arg("strength"), nb::arg("positive"),
          nb::arg("tolerance"), nb::arg("most_sweeps"), nb::arg("codes"), nb::arg("objective"),
          nb::arg("gap"), nb::arg("threads"));
}

void bind_coding_rows(nb::module_& m) {
    m.def("word_products", &word_products, nb::arg("ptr"), nb::arg("index"), nb::arg("value"),
          nb::arg("words"), nb::arg("table"), nb::arg("stride"), nb::arg("out"),
          nb::arg("threads"));
    m.def("add_products", &add_products, nb::arg("ptr"), nb::arg("index"), nb::arg("value"),
          nb::arg("words"), nb::arg("codes"), nb::arg("stride"), nb::arg("table"),
          nb::arg("threads"));
}

void bind_coding_weighted(nb::module_& m) {
    m.def("solve_weighted", &solve_weighted, nb::arg("ptr"), nb::arg("index"), nb::arg("value"),
          nb::arg("weight"), nb::arg("of_row"), nb::arg("of_context"), nb::arg("table"),
          nb::arg("stride"), nb::arg("most"), nb::arg("tolerance"), nb::arg("codes"),
          nb::arg("objective"), nb::arg("threads"));
}

void bind_stochastic(nb::module_& m) {
    nb::class_<StochasticRule>(m, "StochasticRule")
        .def(nb::init<>())
        .def_rw("weighting", &StochasticRule::weighting)
        .def_rw("mean", &StochasticRule::mean)
        .def_rw("rate", &StochasticRule::rate)
        .def_rw("adaptive", &StochasticRule::adaptive)
        .def_rw("strength", &StochasticRule::strength)
        .def_rw("ridge", &StochasticRule::ridge)
        .def_rw("positive", &StochasticRule::positive)
        .def_rw("negatives", &StochasticRule::negatives)
        .def_rw("at_least", &StochasticRule::at_least)
        .def_rw("negative_weight", &StochasticRule::negative_weight)
        .def_rw("run", &StochasticRule::run)
        .def_rw("seed", &StochasticRule::seed);
    nb::class_<Stochastic>(m, "Stochastic")
        .def(nb::init<const CodeTrees&, Vec<int64_t>, Vec<int32_t>, Vec<float>, Vec<int64_t>>(),
             nb::arg("trees"), nb::arg("cut"), nb::arg("index"), nb::arg("value"),
             nb::arg("context_ptr"))
        .def("round", &Stochastic::round, nb::arg("round"), nb::arg("rule"), nb::arg("words"),
             nb::arg("word_ptr"), nb::arg("codes"), nb::arg("table"), nb::arg("code_squares"),
             nb::arg("context_squares"), nb::arg("stride"), nb::arg("threads"));
    m.def("entry_errors", &entry_errors, nb::arg("ptr"), nb::arg("index"), nb::arg("value"),
          nb::arg("codes"), nb::arg("table"), nb::arg("stride"), nb::arg("mean"), nb::arg("errors"),
          nb::arg("squares"), nb::arg("threads"));
}

void bind_cooccurrence(nb::module_& m) {
    nb::class_<PlacesOfWords>(m, "PlacesOfWords")
        .def(nb::init<Vec<int32_t>, int64_t, int64_t, int64_t>(), nb::arg("tokens"),
             nb::arg("begin"), nb::arg("end"), nb::arg("n_words"))
        .def("counts", &PlacesOfWords::counts)
        .def("rows", &PlacesOfWords::rows, nb::arg("first"), nb::arg("last"), nb::arg("weights"),
             nb::arg("n_contexts"), nb::arg("divisor"), nb::arg("threads"));
    m.def("added_rows", &added_rows, nb::arg("bounds"), nb::arg("n"), nb::arg("contexts"),
          nb::arg("sums"), nb::arg("n_contexts"), nb::arg("divisor"), nb::arg("threads"));
}

}  // namespace

void bind(nb::module_& m) {
    bind_coding(m);
    bind_coding_rows(m);
    bind_coding_weighted(m);
    bind_stochastic(m);
    bind_cooccurrence(m);
}

}  // namespace laconic::coding
