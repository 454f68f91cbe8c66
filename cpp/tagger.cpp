// The door of taggers: norms and shrinkage of templates, weights in and out, tagging.
#include "tagger.hpp"

#include "kernels.hpp"
#include "tagging.hpp"

namespace {

using Floats = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class Value>
nb::object per_template(const Tagger& tagger, Value value) {
    std::vector<decltype(value(tagger.tables[0]))> out;
    for (const Table& table : tagger.tables) out.push_back(value(table));
    return to_numpy(std::move(out));
}

// Weights of template m times factor[m]; a factor of 0 frees the template's memory.
void shrink(Tagger& tagger, Vec<double> factor) {
    require(factor.size() == tagger.tables.size(), "factor must have an entry a template");
    for (size_t m = 0; m < factor.size(); ++m) require(factor.data()[m] >= 0 && factor.data()[m] <= 1, "factors are from 0 to 1");
    for (size_t m = 0; m < factor.size(); ++m) {
        if (factor.data()[m] == 0) tagger.forget_template(static_cast<int64_t>(m));
        tagger.tables[m].shrink(factor.data()[m]);
    }
}

// Every feature of template m owes amount[m].
void owe(Tagger& tagger, Vec<double> amount) {
    require(amount.size() == tagger.tables.size(), "amount must have an entry a template");
    for (size_t m = 0; m < amount.size(); ++m)
        require(amount.data()[m] >= 0 && std::isfinite(amount.data()[m]), "amounts must be finite and not negative");
    for (size_t m = 0; m < amount.size(); ++m) tagger.tables[m].owe(amount.data()[m]);
}

void compact(Tagger& tagger, bool by_row) {
    nb::gil_scoped_release release;
    tagger.forget_rows();
    for (Table& table : tagger.tables) table.compact(by_row);
}

// Weights become their averages over the steps since averaging began, or what dual averages stand for; sums go.
void settle_sums(Tagger& tagger) {
    nb::gil_scoped_release release;
    if (tagger.sums == Tagger::kAverages) {
        const double n = std::max(1.0, tagger.clock);
        for (Table& table : tagger.tables) table.settle_averages(tagger.clock);
        for (size_t k = 0; k < tagger.edge.size(); ++k) tagger.edge[k] -= static_cast<float>(tagger.edge_sum[k] / n);
        for (size_t k = 0; k < tagger.start.size(); ++k) tagger.start[k] -= static_cast<float>(tagger.start_sum[k] / n);
    }
    if (tagger.sums == Tagger::kDualSums)
        for (Table& table : tagger.tables)
            for (int64_t row = 0; row < table.size(); ++row)
                tagger.from_dual(table.weights(row), table.width(), table.weights(row));
    tagger.forget_rows();
    for (Table& table : tagger.tables) table.compact(false);
    tagger.sums = Tagger::kNoSums;
    tagger.edge_sum.clear();
    tagger.start_sum.clear();
    tagger.clock = tagger.dual_gain = tagger.dual_threshold = 0;
}

// The features of template m: their atoms one after the other, and their weights, a row of `width` a feature.
nb::tuple features(const Tagger& tagger, int64_t m) {
    require(m >= 0 && m < static_cast<int64_t>(tagger.tables.size()), "there is no such template");
    const Table& table = tagger.tables[m];
    std::vector<int32_t> atoms;
    std::vector<float> weights;
    const float scale = static_cast<float>(table.scale());
    atoms.reserve(table.size() * tagger.templates.n_atoms(m));
    weights.reserve(table.size() * table.width());
    for (int64_t row = 0; row < table.size(); ++row) {
        atoms.insert(atoms.end(), table.atoms(row), table.atoms(row) + tagger.templates.n_atoms(m));
        for (int64_t k = 0; k < table.width(); ++k) weights.push_back(scale * table.weights(row)[k]);
    }
    return nb::make_tuple(to_numpy(std::move(atoms)), to_numpy(std::move(weights)));
}

// Adds features of template m with given weights; one that is there already is overwritten.
void add_features(Tagger& tagger, int64_t m, Matrix32 atoms, Floats weights) {
    require(m >= 0 && m < static_cast<int64_t>(tagger.tables.size()), "there is no such template");
    Table& table = tagger.tables[m];
    require(static_cast<int64_t>(atoms.shape(1)) == tagger.templates.n_atoms(m), "atoms must have a column an atom");
    require(static_cast<int64_t>(weights.shape(1)) == table.width() && weights.shape(0) == atoms.shape(0),
            "weights must have a row a feature and a column a label");
    for (size_t i = 0; i < weights.size(); ++i) require(std::isfinite(weights.data()[i]), "weights must be finite");
    nb::gil_scoped_release release;
    tagger.forget_rows();
    table.reserve(table.size() + static_cast<int64_t>(atoms.shape(0)));
    for (size_t f = 0; f < atoms.shape(0); ++f) {
        const int32_t* values = atoms.data() + f * atoms.shape(1);
        const uint64_t key = tagger.templates.key(m, values);
        if (key == 0) continue;
        const int32_t row = table.insert(key, values);
        for (int64_t k = 0; k < table.width(); ++k)
            table.add(row, k, weights.data()[f * weights.shape(1) + k] - table.scale() * table.weights(row)[k]);
    }
}

// Transitions (L x L, by rows) and starts (L).
nb::tuple transitions(const Tagger& tagger) {
    std::vector<float> edge, start(tagger.start.begin(), tagger.start.begin() + tagger.n_labels);
    for (int i = 0; i < tagger.n_labels; ++i)
        for (int j = 0; j < tagger.n_labels; ++j) edge.push_back(tagger.edge[i * tagger.stride + j]);
    return nb::make_tuple(to_numpy(std::move(edge)), to_numpy(std::move(start)));
}

}  // namespace

void bind_online(nb::class_<Tagger>& door);

void bind_tagger(nb::module_& m) {
    nb::class_<Occurrences>(m, "Occurrences")
        .def_prop_ro("sizes", [](const Occurrences& seen) { return to_numpy(std::vector<int64_t>(seen.sizes)); })
        .def("__len__", &Occurrences::n_sentences);
    nb::class_<Tagger> door(m, "Tagger");
    door.def(nb::init<const Templates&, Vec<uint8_t>, int>(), nb::arg("templates"), nb::arg("pairs"), nb::arg("n_labels"))
        .def_prop_ro("sizes", [](const Tagger& t) { return per_template(t, [](const Table& table) { return table.size(); }); })
        .def_prop_ro(
            "norms",
            [](const Tagger& t) { return per_template(t, [](const Table& table) { return std::sqrt(table.norm_squared()); }); })
        .def_prop_ro(
            "nonzeros",
            [](const Tagger& t) { return per_template(t, [&](const Table& table) { return table.n_above(t.dual_threshold); }); })
        .def_prop_ro("bytes",
                     [](const Tagger& t) {
                         size_t total = 0;
                         for (const Table& table : t.tables) total += table.bytes();
                         return total;
                     })
        .def("shrink", &shrink, nb::arg("factor"))
        .def("owe", &owe, nb::arg("amount"))
        .def(
            "number",
            [](const Tagger& t, Matrix32 columns, Vec<int64_t> ptr, int threads) {
                return Occurrences(t.templates, columns, ptr, threads);
            },
            nb::arg("columns"), nb::arg("ptr"), nb::arg("threads") = 1)
        .def("copy", [](const Tagger& t) { return Tagger(t); })
        .def("compact", &compact, nb::arg("by_row") = false)
        .def("settle_sums", &settle_sums)
        .def("features", &features, nb::arg("template"))
        .def("add_features", &add_features, nb::arg("template"), nb::arg("atoms"), nb::arg("weights"))
        .def("transitions", &transitions)
        .def("set_transitions", &Tagger::set_transitions, nb::arg("edge"), nb::arg("start"));
    bind_tagging(door);
    bind_online(door);
}
