// Binds losses, designs of rows, proximal steps and solvers.
#include "numeric/coordinate.hpp"
#include "numeric/copies.hpp"
#include "numeric/forest.hpp"
#include "numeric/fused.hpp"
#include "numeric/norm_newton.hpp"
#include "numeric/online.hpp"
#include "numeric/output_tree.hpp"
#include "numeric/pivot_forest.hpp"
#include "numeric/quasi_newton.hpp"
#include "numeric/trajectories.hpp"
#include "numeric/word_rows.hpp"

namespace laconic::numeric {

namespace {

void bind_terms(nb::module_& m) {
    nb::enum_<LossKind>(m, "LossKind", "Losses of rows.")
        .value("logistic", LossKind::logistic)
        .value("multinomial", LossKind::multinomial)
        .value("squared", LossKind::squared)
        .value("squared_hinge", LossKind::squared_hinge)
        .value("poisson", LossKind::poisson)
        .value("huber", LossKind::huber)
        .value("tweedie", LossKind::tweedie);
    nb::enum_<Norm>(m, "Norm", "Norms of groups.")
        .value("two", Norm::two)
        .value("infinity", Norm::infinity);
    nb::enum_<StructuredLoss>(m, "StructuredLoss", "Losses of structured outputs.")
        .value("log", StructuredLoss::log)
        .value("hinge", StructuredLoss::hinge)
        .value("perceptron", StructuredLoss::perceptron);
    nb::enum_<Reading>(m, "Reading", "How weights are read while learning online.")
        .value("plain", Reading::plain)
        .value("by_weight", Reading::by_weight)
        .value("by_row", Reading::by_row)
        .value("dual", Reading::dual);
    nb::class_<SeparableTerms>(
        m, "SeparableTerms",
        "Separable terms of a penalty: one entry per coordinate, or one for all.")
        .def(
            "__init__",
            [](SeparableTerms* self, Vec<double> lasso, Vec<double> ridge, Vec<double> centre,
               bool positive) { new (self) SeparableTerms{lasso, ridge, centre, positive}; },
            nb::kw_only(), nb::arg("lasso"), nb::arg("ridge"), nb::arg("centre"),
            nb::arg("positive") = false)
        .def_ro("lasso", &SeparableTerms::lasso)
        .def_ro("ridge", &SeparableTerms::ridge)
        .def_ro("centre", &SeparableTerms::centre)
        .def_ro("positive", &SeparableTerms::positive);
    nb::class_<DescentLimits>(m, "DescentLimits", "When a descent ends.")
        .def(
            "__init__",
            [](DescentLimits* self, double tolerance, int max_rounds, int max_passes, bool damped) {
                new (self) DescentLimits{tolerance, max_rounds, max_passes, damped};
            },
            nb::kw_only(), nb::arg("tolerance"), nb::arg("max_rounds"), nb::arg("max_passes") = 200,
            nb::arg("damped") = true)
        .def_ro("tolerance", &DescentLimits::tolerance)
        .def_ro("max_rounds", &DescentLimits::max_rounds)
        .def_ro("max_passes", &DescentLimits::max_passes)
        .def_ro("damped", &DescentLimits::damped);
    nb::class_<CopyState>(m, "CopyState", "Arrays that Copies.split moves.")
        .def(
            "__init__",
            [](CopyState* self, MutVec<double> v, MutVec<double> u, MutVec<double> towards,
               MutVec<double> change,
               MutVec<double> force) { new (self) CopyState{v, u, towards, change, force}; },
            nb::kw_only(), nb::arg("v").noconvert(), nb::arg("u").noconvert(),
            nb::arg("towards").noconvert(), nb::arg("change").noconvert(),
            nb::arg("force").noconvert());
    nb::class_<FusedTerms>(m, "FusedTerms", "Strengths of lasso, fusion and groups.")
        .def(
            "__init__",
            [](FusedTerms* self, double lasso, double fusion, double mass) {
                new (self) FusedTerms{lasso, fusion, mass};
            },
            nb::kw_only(), nb::arg("lasso"), nb::arg("fusion"), nb::arg("mass"))
        .def_ro("lasso", &FusedTerms::lasso)
        .def_ro("fusion", &FusedTerms::fusion)
        .def_ro("mass", &FusedTerms::mass);
    nb::class_<OnlineRule>(m, "OnlineRule", "One step of online learning.")
        .def(
            "__init__",
            [](OnlineRule* self, StructuredLoss loss, double step, bool aggressive, bool grow,
               bool averaged, Reading reading, double ridge, double lasso, int64_t every) {
                new (self) OnlineRule{loss,    step,  aggressive, grow, averaged,
                                      reading, ridge, lasso,      every};
            },
            nb::kw_only(), nb::arg("loss"), nb::arg("step"), nb::arg("aggressive") = false,
            nb::arg("grow") = true, nb::arg("averaged") = false,
            nb::arg("reading") = Reading::plain, nb::arg("ridge") = 0.0, nb::arg("lasso") = 0.0,
            nb::arg("every") = 1)
        .def_ro("loss", &OnlineRule::loss)
        .def_ro("step", &OnlineRule::step)
        .def_ro("aggressive", &OnlineRule::aggressive)
        .def_ro("grow", &OnlineRule::grow)
        .def_ro("averaged", &OnlineRule::averaged)
        .def_ro("reading", &OnlineRule::reading)
        .def_ro("ridge", &OnlineRule::ridge)
        .def_ro("lasso", &OnlineRule::lasso)
        .def_ro("every", &OnlineRule::every);
}

// Arrays are taken as they are or not at all: a matrix in other types would be a copy.
template <class V>
void bind_entries(nb::class_<Matrix>& matrix) {
    matrix
        .def_static("from_compressed", &Matrix::from_compressed<V, int32_t>, nb::arg("ptr"),
                    nb::arg("index").noconvert(), nb::arg("data").noconvert(), nb::arg("n_minor"),
                    nb::arg("by_rows"))
        .def_static("from_compressed", &Matrix::from_compressed<V, int64_t>, nb::arg("ptr"),
                    nb::arg("index").noconvert(), nb::arg("data").noconvert(), nb::arg("n_minor"),
                    nb::arg("by_rows"))
        .def_static("from_dense", &Matrix::from_dense<V>, nb::arg("table").noconvert(),
                    nb::arg("by_rows"));
}

void bind_rows(nb::module_& m) {
    nb::class_<Matrix> matrix(m, "Matrix");
    bind_entries<double>(matrix);
    bind_entries<float>(matrix);
    matrix
        .def_static("repeats", &Matrix::repeats<int32_t>, nb::arg("ptr"),
                    nb::arg("index").noconvert(), nb::arg("n_minor"))
        .def_static("repeats", &Matrix::repeats<int64_t>, nb::arg("ptr"),
                    nb::arg("index").noconvert(), nb::arg("n_minor"))
        .def("score", &Matrix::score, nb::arg("weights"), nb::arg("scores").noconvert(),
             nb::arg("n_outputs") = 1, nb::arg("threads") = 1)
        .def("pull", &Matrix::pull, nb::arg("residual"), nb::arg("gradient").noconvert(),
             nb::arg("n_outputs") = 1, nb::arg("threads") = 1)
        .def("squares", &Matrix::squares, nb::arg("curvature"), nb::arg("out").noconvert(),
             nb::arg("n_outputs") = 1)
        .def("hessian_product", &Matrix::hessian_product, nb::arg("curvature"), nb::arg("coupling"),
             nb::arg("direction"), nb::arg("out").noconvert(), nb::arg("n_outputs") = 1,
             nb::arg("threads") = 1)
        .def("gram", &Matrix::gram, nb::arg("curvature"), nb::arg("out").noconvert())
        .def_ro("n_rows", &Matrix::n_rows)
        .def_ro("n_cols", &Matrix::n_cols)
        .def_prop_ro("n_entries", &Matrix::n_entries);
}

void bind_losses(nb::module_& m) {
    nb::class_<LossData>(m, "LossData", "A kind of loss with the targets and weights of its rows.")
        .def(
            "__init__",
            [](LossData* self, LossKind kind, Vec<double> target, Vec<double> weight, int n_outputs,
               double parameter) {
                new (self) LossData{kind, parameter, target, weight, n_outputs};
            },
            nb::arg("kind"), nb::arg("target"), nb::arg("weight"), nb::arg("n_outputs") = 1,
            nb::arg("parameter") = 0.0);
    m.def("loss_value_residual", &loss_value_residual, nb::arg("data"), nb::arg("scores"),
          nb::arg("residual").noconvert(), nb::arg("threads") = 1);
    m.def("loss_curvature", &loss_curvature, nb::arg("data"), nb::arg("scores"),
          nb::arg("out").noconvert(), nb::arg("threads") = 1);
    m.def("loss_conjugate", &loss_conjugate, nb::arg("data"), nb::arg("residual"), nb::arg("scale"),
          nb::arg("threads") = 1);
}

void bind_prox(nb::module_& m) {
    nb::class_<Blocks>(m, "Blocks")
        .def(nb::init<Vec<int64_t>, Vec<int64_t>, int64_t>(), nb::arg("ptr"), nb::arg("index"),
             nb::arg("n"))
        .def("prox", &block_prox, nb::arg("weights"), nb::arg("soft"), nb::arg("mass"),
             nb::arg("norm"), nb::arg("positive"), nb::arg("result").noconvert(),
             nb::arg("threads") = 1)
        .def("norms", &block_norms, nb::arg("weights"), nb::arg("norm"),
             nb::arg("result").noconvert())
        .def_prop_ro("size", &Blocks::size);
}

void bind_tree(nb::module_& m) {
    nb::class_<Forest>(m, "Forest")
        .def(nb::init<Vec<int64_t>, Vec<int64_t>, Vec<int64_t>, Vec<double>, int64_t>(),
             nb::arg("parent"), nb::arg("ptr"), nb::arg("index"), nb::arg("weight"), nb::arg("n"))
        .def("prox", &forest_prox, nb::arg("weights"), nb::arg("soft"), nb::arg("scale"),
             nb::arg("norm"), nb::arg("positive"), nb::arg("result").noconvert(),
             nb::arg("threads") = 1)
        .def("prox_curved", &forest_prox_curved, nb::arg("weights"), nb::arg("curvature"),
             nb::arg("norm"), nb::arg("result").noconvert(), nb::arg("threads") = 1)
        .def("path_sums", &forest_path_sums, nb::arg("value"), nb::arg("result").noconvert())
        .def("norms", &forest_norms, nb::arg("weights"), nb::arg("norm"),
             nb::arg("result").noconvert());
}

void bind_tree_pivot(nb::module_& m) {
    nb::class_<PivotForest>(m, "PivotForest")
        .def(nb::init<Vec<int64_t>, Vec<double>>(), nb::arg("parent"), nb::arg("weight"))
        .def("prox", &pivot_prox, nb::arg("weights"), nb::arg("curvature"), nb::arg("seed"),
             nb::arg("result").noconvert());
}

void bind_output_tree(nb::module_& m) {
    nb::class_<OutputTree>(m, "OutputTree", "A tree over outputs, the same for every feature.")
        .def(nb::init<Vec<int64_t>, Vec<int64_t>, Vec<int64_t>, Vec<double>, int64_t>(),
             nb::arg("parent"), nb::arg("ptr"), nb::arg("index"), nb::arg("weight"),
             nb::arg("n_outputs"))
        .def("prox", &OutputTree::prox, nb::arg("table"), nb::arg("scale"),
             nb::arg("out").noconvert())
        .def("gauge", &OutputTree::gauge, nb::arg("table"))
        .def("value", &OutputTree::value, nb::arg("table"))
        .def("descend", &OutputTree::descend, nb::arg("matrix"), nb::arg("data"),
             nb::arg("strength"), nb::arg("working"), nb::arg("weights").noconvert(),
             nb::arg("intercept").noconvert(), nb::arg("scores").noconvert())
        .def_rw("sweeps", &OutputTree::sweeps);
}

void bind_coordinate(nb::module_& m) {
    nb::class_<LossRows>(m, "LossRows", "A loss over rows, with their targets and weights.")
        .def(
            "__init__",
            [](LossRows* self, LossKind kind, Vec<double> target, Vec<double> weight, int n_outputs,
               double parameter) {
                new (self) LossRows(kernel_rows(kind, target, weight, n_outputs, parameter));
            },
            nb::arg("kind"), nb::arg("target"), nb::arg("weight"), nb::arg("n_outputs") = 1,
            nb::arg("parameter") = 0.0)
        .def_static("of_python", &python_rows, nb::arg("loss"), nb::arg("weight"),
                    nb::arg("n_outputs") = 1);
    nb::class_<Descent>(m, "Descent")
        .def(nb::init<const Matrix&, const LossRows&, const Blocks&, Vec<double>>(),
             nb::arg("matrix"), nb::arg("loss"), nb::arg("blocks"), nb::arg("mass"),
             nb::keep_alive<1, 2>(), nb::keep_alive<1, 4>())
        .def("reweigh", &Descent::reweigh, nb::arg("mass"))
        .def("descend", &Descent::descend, nb::arg("working"), nb::arg("terms"),
             nb::arg("weights").noconvert(), nb::arg("intercept").noconvert(),
             nb::arg("scores").noconvert(), nb::arg("limits"))
        .def("polish", &Descent::polish, nb::arg("terms"), nb::arg("weights").noconvert(),
             nb::arg("intercept").noconvert(), nb::arg("scores").noconvert(), nb::arg("limits"));
}

void bind_copies(nb::module_& m) {
    nb::class_<Copies>(m, "Copies")
        .def(nb::init<Vec<int64_t>, Vec<int64_t>, int64_t>(), nb::arg("ptr"), nb::arg("index"),
             nb::arg("n"))
        .def("split", &Copies::split, nb::arg("weights"), nb::arg("mass"), nb::arg("relax"),
             nb::arg("state"), nb::arg("threads") = 1)
        .def("reweigh", &Copies::reweigh, nb::arg("weights"), nb::arg("mass"), nb::arg("exponent"),
             nb::arg("floor"), nb::arg("eta").noconvert(), nb::arg("ridge").noconvert())
        .def("share", &Copies::share, nb::arg("whole"), nb::arg("mass"),
             nb::arg("shares").noconvert(), nb::arg("goal"), nb::arg("rounds"))
        .def("norms", &Copies::norms, nb::arg("weights"), nb::arg("result").noconvert());
}

void bind_norm_newton(nb::module_& m) {
    nb::class_<NormPoint>(m, "NormPoint", "Where a step of NormNewton starts.")
        .def(
            "__init__",
            [](NormPoint* self, Vec<double> weights, Vec<double> slope, Vec<double> ridge,
               Vec<double> curvature) { new (self) NormPoint{weights, slope, ridge, curvature}; },
            nb::kw_only(), nb::arg("weights"), nb::arg("slope"), nb::arg("ridge"),
            nb::arg("curvature"));
    nb::class_<NormNewton>(m, "NormNewton")
        .def(nb::init<const Matrix&, int, bool>(), nb::arg("X"), nb::arg("n_outputs"),
             nb::arg("has_intercept"), nb::keep_alive<1, 2>())
        .def("add", &NormNewton::add, nb::arg("ptr"), nb::arg("index"), nb::arg("parent"),
             nb::arg("mass"))
        .def("step", &NormNewton::step, nb::arg("point"), nb::arg("share"), nb::arg("tolerance"),
             nb::arg("max_products"), nb::arg("direction").noconvert());
}

void bind_quasi_newton(nb::module_& m) {
    nb::class_<QuasiNewton>(m, "QuasiNewton")
        .def(nb::init<int64_t, int64_t, Vec<double>, Vec<double>, int, Vec<float>>(), nb::arg("n"),
             nb::arg("n_penalised"), nb::arg("lasso"), nb::arg("ridge"), nb::arg("memory"),
             nb::arg("spread"))
        .def_prop_ro("n_pairs", &QuasiNewton::n_pairs)
        .def("add_ridge", &QuasiNewton::add_ridge, nb::arg("x"), nb::arg("gradient"),
             nb::arg("out").noconvert())
        .def("lasso_value", &QuasiNewton::lasso_value, nb::arg("x"))
        .def("direct", &QuasiNewton::direct, nb::arg("x"), nb::arg("gradient"),
             nb::arg("direction").noconvert())
        .def("move", &QuasiNewton::move, nb::arg("x"), nb::arg("gradient"), nb::arg("direction"),
             nb::arg("t"), nb::arg("moved").noconvert())
        .def("remember", &QuasiNewton::remember, nb::arg("x"), nb::arg("moved"),
             nb::arg("gradient"), nb::arg("new_gradient"))
        .def("forget", &QuasiNewton::forget);
}

void bind_fused(nb::module_& m) {
    m.def("fused_prox", &fused_prox, nb::arg("weights"), nb::arg("n_steps"), nb::arg("n_outputs"),
          nb::arg("terms"), nb::arg("out").noconvert(), nb::arg("threads") = 1);
    m.def("smooth_group_minimum", &smooth_group_minimum, nb::arg("weights"), nb::arg("mu"),
          nb::arg("n_outputs"), nb::arg("mass"), nb::arg("out").noconvert(),
          nb::arg("threads") = 1);
}

void bind_trajectories(nb::module_& m) {
    m.def("mean_position", &phi, nb::arg("x"));
    m.def("log_rate", &log_rate, nb::arg("x"));
    nb::class_<Trajectories>(m, "Trajectories")
        .def(nb::init<int64_t, int64_t, bool, bool>(), nb::arg("n_steps"), nb::arg("n_outputs"),
             nb::arg("shared"), nb::arg("free_ends"))
        .def("moments", &Trajectories::moments, nb::arg("weights"), nb::arg("squares").noconvert(),
             nb::arg("neighbours").noconvert(), nb::arg("threads") = 1)
        .def("best_rates", &Trajectories::best_rates, nb::arg("squares"), nb::arg("neighbours"),
             nb::arg("tau"), nb::arg("floor"), nb::arg("threads") = 1)
        .def("multiply", &Trajectories::multiply, nb::arg("weights"), nb::arg("scale"),
             nb::arg("alpha"), nb::arg("out").noconvert(), nb::arg("threads") = 1)
        .def("solve", &Trajectories::solve, nb::arg("right"), nb::arg("curvature"),
             nb::arg("scale"), nb::arg("alpha"), nb::arg("out").noconvert(), nb::arg("threads") = 1)
        .def_prop_ro_static("limit", [](nb::handle) { return Trajectories::C; });
}

void bind_word_rows(nb::module_& m) {
    nb::class_<WordRows>(m, "WordRows")
        .def(nb::init<Vec<int64_t>, Vec<int32_t>, Vec<double>, Vec<int64_t>, int64_t, int64_t,
                      Vec<double>>(),
             nb::arg("ptr"), nb::arg("effect"), nb::arg("value"), nb::arg("step"),
             nb::arg("n_effects"), nb::arg("n_steps"), nb::arg("background"))
        .def("log_partition", &WordRows::log_partition, nb::arg("weights"), nb::arg("mass"),
             nb::arg("gradient").noconvert(), nb::arg("curvature").noconvert(),
             nb::arg("threads") = 1)
        .def("conjugate", &WordRows::conjugate, nb::arg("weights"), nb::arg("mass"),
             nb::arg("scale"), nb::arg("ptr"), nb::arg("index"), nb::arg("count"),
             nb::arg("threads") = 1)
        .def("log_probabilities", &WordRows::log_probabilities, nb::arg("weights"),
             nb::arg("out").noconvert(), nb::arg("threads") = 1);
}

}  // namespace

void bind(nb::module_& m) {
    bind_terms(m);
    bind_rows(m);
    bind_losses(m);
    bind_prox(m);
    bind_tree(m);
    bind_tree_pivot(m);
    bind_output_tree(m);
    bind_coordinate(m);
    bind_copies(m);
    bind_norm_newton(m);
    bind_quasi_newton(m);
    bind_fused(m);
    bind_trajectories(m);
    bind_word_rows(m);
}

}  // namespace laconic::numeric
