// Binds chain inference, the batch design of chains, and taggers.
#include <nanobind/stl/map.h>

#include <map>

#include "chain/batches.hpp"
#include "chain/bind_tagging.hpp"
#include "chain/crf.hpp"
#include "chain/online.hpp"
#include "chain/tagger_weights.hpp"

namespace laconic::chain {

namespace {

void bind_batches(nb::module_& m) {
    m.def("chain_losses",
          [] { return std::map<std::string, int>{{"log", 0}, {"hinge", 1}, {"perceptron", 2}}; });
    m.def("chain_best", &chain_best, nb::arg("scores"), nb::arg("ptr"), nb::arg("edge"),
          nb::arg("start"), nb::arg("best").noconvert(), nb::arg("value").noconvert(),
          nb::arg("threads") = 1);
    m.def("chain_k_best", &chain_k_best, nb::arg("scores"), nb::arg("ptr"), nb::arg("edge"),
          nb::arg("start"), nb::arg("k"), nb::arg("paths").noconvert(),
          nb::arg("value").noconvert(), nb::arg("count").noconvert(), nb::arg("threads") = 1);
    m.def("chain_marginals", &chain_marginals, nb::arg("scores"), nb::arg("ptr"), nb::arg("edge"),
          nb::arg("start"), nb::arg("node").noconvert(), nb::arg("log_z").noconvert(),
          nb::arg("pair").noconvert(), nb::arg("threads") = 1);
}

void bind_crf(nb::module_& m) {
    nb::class_<ChainDesign>(m, "ChainDesign")
        .def(nb::init<Vec<int32_t>, Vec<int64_t>, Vec<int64_t>, Vec<int32_t>, int, int64_t, bool,
                      bool, bool>(),
             nb::arg("ids"), nb::arg("sizes"), nb::arg("ptr"), nb::arg("gold"), nb::arg("n_labels"),
             nb::arg("n_pairs") = 0, nb::arg("all_labels") = false, nb::arg("start") = true,
             nb::arg("merge_twins") = false)
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
        .def(
            "evaluate",
            [](ChainDesign& design, int kind, double cost, Vec<double> weights,
               MutVec<double> gradient, int threads) {
                require(kind >= 0 && kind <= 2,
                        "the kind of loss must be 0 (log), 1 (hinge) or 2 (perceptron)");
                return design.evaluate(static_cast<numeric::StructuredLoss>(kind), cost, weights,
                                       gradient, threads);
            },
            nb::arg("kind"), nb::arg("cost"), nb::arg("weights"), nb::arg("gradient").noconvert(),
            nb::arg("threads") = 1);
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
        .def("owe", &Tagger::defer, nb::arg("amount"))
        .def("compact", &compact, nb::arg("by_row") = false)
        .def("settle_sums", &settle_sums)
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
        .def(
            "learn",
            [](Tagger& tagger, const Occurrences& seen, Vec<int32_t> gold, Vec<int64_t> order,
               int loss, double step, bool aggressive, bool grow, bool averaged, int settle,
               double ridge, double lasso, int64_t every) {
                require(loss >= 0 && loss <= 2,
                        "the kind of loss must be 0 (log), 1 (hinge) or 2 (perceptron)");
                require(settle >= 0 && settle <= 3, "settle must be from 0 to 3");
                const numeric::OnlineRule rule{
                    static_cast<numeric::StructuredLoss>(loss), step,  aggressive, grow, averaged,
                    static_cast<numeric::Reading>(settle),      ridge, lasso,      every};
                return learn(tagger, seen, gold, order, rule);
            },
            nb::arg("seen"), nb::arg("gold"), nb::arg("order"), nb::arg("loss"), nb::arg("step"),
            nb::arg("aggressive"), nb::arg("grow"), nb::arg("averaged"), nb::arg("settle") = 0,
            nb::arg("ridge") = 0.0, nb::arg("lasso") = 0.0, nb::arg("every") = 1);
    bind_tagging(bound);
}

}  // namespace

void bind(nb::module_& m) {
    bind_batches(m);
    bind_crf(m);
    bind_tagger(m);
}

}  // namespace laconic::chain
