// Binds counts of neighbouring words and the codes learned from them.
#include "coding/codes.hpp"
#include "coding/cooccurrence.hpp"
#include "coding/rows.hpp"
#include "coding/stochastic.hpp"
#include "coding/weighted.hpp"

namespace laconic::coding {

namespace {

void bind_coding(nb::module_& m) {
    nb::class_<CodeTerms>(m, "CodeTerms", "Dictionary and penalty of codes.")
        .def(
            "__init__",
            [](CodeTerms* self, Vec<double> gram, Vec<double> curvature, double strength,
               bool positive) { new (self) CodeTerms{gram, curvature, strength, positive}; },
            nb::kw_only(), nb::arg("gram"), nb::arg("curvature"), nb::arg("strength"),
            nb::arg("positive") = false)
        .def_ro("strength", &CodeTerms::strength)
        .def_ro("positive", &CodeTerms::positive);
    nb::class_<CodeLimits>(m, "CodeLimits", "When the search for one code ends.")
        .def(
            "__init__",
            [](CodeLimits* self, double tolerance, int most_steps) {
                new (self) CodeLimits{tolerance, most_steps};
            },
            nb::kw_only(), nb::arg("tolerance"), nb::arg("most_steps"))
        .def_ro("tolerance", &CodeLimits::tolerance)
        .def_ro("most_steps", &CodeLimits::most_steps);
    nb::class_<SparseRows>(m, "SparseRows", "Rows of a sparse matrix by words.")
        .def(
            "__init__",
            [](SparseRows* self, Vec<int64_t> ptr, Vec<int32_t> index, Vec<float> value) {
                new (self) SparseRows{ptr, index, value};
            },
            nb::kw_only(), nb::arg("ptr"), nb::arg("index"), nb::arg("value"));
    nb::class_<EntryWeights>(m, "EntryWeights", "Weights of stored entries, rows and contexts.")
        .def(
            "__init__",
            [](EntryWeights* self, Vec<float> entry, Vec<float> row, Vec<float> context) {
                new (self) EntryWeights{entry, row, context};
            },
            nb::kw_only(), nb::arg("entry"), nb::arg("row"), nb::arg("context"));
    nb::class_<CodeTrees>(m, "CodeTrees")
        .def(nb::init<Vec<int32_t>, Vec<int32_t>, Vec<int32_t>, Vec<double>>(), nb::arg("ptr"),
             nb::arg("dimension"), nb::arg("parent"), nb::arg("weight"))
        .def("prox", &prox_codes, nb::arg("w"), nb::arg("scale"), nb::arg("positive"),
             nb::arg("out"))
        .def("norms", &norm_codes, nb::arg("codes"), nb::arg("stride"), nb::arg("out"));
    m.def("solve_codes", &solve_codes, nb::arg("trees"), nb::arg("terms"), nb::arg("products"),
          nb::arg("squares"), nb::arg("limits"), nb::arg("codes").noconvert(), nb::arg("threads"));
}

void bind_coding_rows(nb::module_& m) {
    m.def("word_products", &word_products, nb::arg("rows"), nb::arg("words"), nb::arg("table"),
          nb::arg("stride"), nb::arg("out").noconvert(), nb::arg("threads"));
    m.def("add_products", &add_products, nb::arg("rows"), nb::arg("words"), nb::arg("codes"),
          nb::arg("stride"), nb::arg("table").noconvert(), nb::arg("threads"));
}

void bind_coding_weighted(nb::module_& m) {
    m.def("solve_weighted", &solve_weighted, nb::arg("rows"), nb::arg("weights"), nb::arg("table"),
          nb::arg("stride"), nb::arg("limits"), nb::arg("codes").noconvert(), nb::arg("threads"));
}

void bind_stochastic(nb::module_& m) {
    nb::enum_<Weighting>(m, "Weighting", "How entries of the matrix are weighted.")
        .value("uniform", Weighting::uniform)
        .value("scaled", Weighting::scaled)
        .value("sampled", Weighting::sampled);
    nb::class_<StochasticRule>(m, "StochasticRule", "One pass of stochastic coding.")
        .def(
            "__init__",
            [](StochasticRule* self, Weighting weighting, float mean, float rate, bool adaptive,
               float strength, float ridge, bool positive, float negatives, float at_least,
               float negative_weight, int run, uint64_t seed) {
                new (self)
                    StochasticRule{weighting, mean,      rate,     adaptive,        strength, ridge,
                                   positive,  negatives, at_least, negative_weight, run,      seed};
            },
            nb::kw_only(), nb::arg("weighting") = Weighting::uniform, nb::arg("mean") = 1.0f,
            nb::arg("rate") = 0.05f, nb::arg("adaptive") = true, nb::arg("strength") = 0.0f,
            nb::arg("ridge") = 0.0f, nb::arg("positive") = false, nb::arg("negatives") = 0.0f,
            nb::arg("at_least") = 0.0f, nb::arg("negative_weight") = 1.0f, nb::arg("run") = 16,
            nb::arg("seed") = 0)
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
    nb::class_<StochasticState>(m, "StochasticState", "Codes and dictionary under way.")
        .def(
            "__init__",
            [](StochasticState* self, MutVec<float> codes, MutVec<float> table,
               MutVec<float> code_squares, MutVec<float> context_squares, int stride) {
                new (self) StochasticState{codes, table, code_squares, context_squares, stride};
            },
            nb::kw_only(), nb::arg("codes").noconvert(), nb::arg("table").noconvert(),
            nb::arg("code_squares").noconvert(), nb::arg("context_squares").noconvert(),
            nb::arg("stride"))
        .def_ro("stride", &StochasticState::stride);
    nb::class_<Stochastic>(m, "Stochastic")
        .def(nb::init<const CodeTrees&, Vec<int64_t>, Vec<int32_t>, Vec<float>, Vec<int64_t>>(),
             nb::arg("trees"), nb::arg("cut"), nb::arg("index"), nb::arg("value"),
             nb::arg("context_ptr"))
        .def("round", &Stochastic::round, nb::arg("round"), nb::arg("rule"), nb::arg("words"),
             nb::arg("word_ptr"), nb::arg("state"), nb::arg("threads"));
    m.def("entry_errors", &entry_errors, nb::arg("rows"), nb::arg("codes"), nb::arg("table"),
          nb::arg("stride"), nb::arg("mean"), nb::arg("threads"));
}

void bind_cooccurrence(nb::module_& m) {
    nb::class_<PlacesOfWords>(m, "PlacesOfWords")
        .def(nb::init<Vec<int32_t>, int64_t, int64_t, int64_t>(), nb::arg("tokens"),
             nb::arg("begin"), nb::arg("end"), nb::arg("n_words"))
        .def("counts", &PlacesOfWords::counts)
        .def("sums", &PlacesOfWords::sums, nb::arg("first"), nb::arg("last"), nb::arg("weights"),
             nb::arg("n_contexts"), nb::arg("threads"))
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
