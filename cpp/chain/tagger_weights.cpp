// Weights of a tagger by templates, see tagger_weights.hpp; the tables do the arithmetic
// (numeric/row_table.hpp).
#include "chain/tagger_weights.hpp"

namespace laconic::chain {

void shrink(Tagger& tagger, Vec<double> factor) {
    tagger.check_factors(factor);
    for (size_t m = 0; m < factor.size(); ++m) {
        if (factor.data()[m] == 0) tagger.forget_template(static_cast<int64_t>(m));
        tagger.tables[m].shrink(factor.data()[m]);
    }
}

void compact(Tagger& tagger, bool by_row) {
    nb::gil_scoped_release release;
    tagger.forget_rows();
    for (RowTable& table : tagger.tables) table.compact(by_row);
}

void finish_sums(Tagger& tagger) {
    nb::gil_scoped_release release;
    if (tagger.sums == Tagger::Sums::averages) {
        const double n = std::max(1.0, tagger.clock);
        for (RowTable& table : tagger.tables) table.finish_averages(tagger.clock);
        for (size_t k = 0; k < tagger.edge.size(); ++k)
            tagger.edge[k] -= static_cast<float>(tagger.edge_sum[k] / n);
        for (size_t k = 0; k < tagger.start.size(); ++k)
            tagger.start[k] -= static_cast<float>(tagger.start_sum[k] / n);
    }
    if (tagger.sums == Tagger::Sums::dual)
        for (RowTable& table : tagger.tables)
            for (int64_t row = 0; row < table.size(); ++row)
                tagger.row_from_dual(table.weights(row), table.width(), table.weights(row));
    tagger.forget_rows();
    for (RowTable& table : tagger.tables) table.compact(false);
    tagger.end_sums();
    tagger.edge_sum.clear();
    tagger.start_sum.clear();
}

// The features of template m: their atoms one after the other, and their weights, one row of
// `width` per feature.
std::tuple<Array<int32_t>, Array<float>> features(const Tagger& tagger, int64_t m) {
    require(m >= 0 && m < static_cast<int64_t>(tagger.tables.size()), "there is no such template");
    const RowTable& table = tagger.tables[m];
    std::vector<int32_t> atoms;
    std::vector<float> weights;
    const float scale = static_cast<float>(table.scale());
    atoms.reserve(table.size() * tagger.templates.n_atoms(m));
    weights.reserve(table.size() * table.width());
    for (int64_t row = 0; row < table.size(); ++row) {
        atoms.insert(atoms.end(), table.atoms(row), table.atoms(row) + tagger.templates.n_atoms(m));
        for (int64_t k = 0; k < table.width(); ++k)
            weights.push_back(scale * table.weights(row)[k]);
    }
    return std::make_tuple(to_numpy(std::move(atoms)), to_numpy(std::move(weights)));
}

// Adds features of template m with given weights; one that is there already is overwritten.
void add_features(Tagger& tagger, int64_t m, Matrix32 atoms, Mat<float> weights) {
    require(m >= 0 && m < static_cast<int64_t>(tagger.tables.size()), "there is no such template");
    RowTable& table = tagger.tables[m];
    require(static_cast<int64_t>(atoms.shape(1)) == tagger.templates.n_atoms(m),
            "atoms must have one column per atom");
    require(static_cast<int64_t>(weights.shape(1)) == table.width() &&
                weights.shape(0) == atoms.shape(0),
            "weights must have one row per feature and one column per label");
    for (size_t i = 0; i < weights.size(); ++i)
        require(std::isfinite(weights.data()[i]), "weights must be finite");
    nb::gil_scoped_release release;
    tagger.forget_rows();
    table.reserve(table.size() + static_cast<int64_t>(atoms.shape(0)));
    for (size_t f = 0; f < atoms.shape(0); ++f) {
        const int32_t* values = atoms.data() + f * atoms.shape(1);
        const uint64_t key = tagger.templates.key(m, values);
        if (key == 0) continue;
        const int32_t row = table.insert(key, values);
        for (int64_t k = 0; k < table.width(); ++k)
            table.add(
                row, k,
                weights.data()[f * weights.shape(1) + k] - table.scale() * table.weights(row)[k]);
    }
}

std::tuple<Array<float>, Array<float>> transitions(const Tagger& tagger) {
    std::vector<float> edge, start(tagger.start.begin(), tagger.start.begin() + tagger.n_labels);
    for (int i = 0; i < tagger.n_labels; ++i)
        for (int j = 0; j < tagger.n_labels; ++j)
            edge.push_back(tagger.edge[i * tagger.stride + j]);
    return std::make_tuple(to_numpy(std::move(edge)), to_numpy(std::move(start)));
}

}  // namespace laconic::chain
