// Weights of a parser by templates, see weights.hpp; the tables do the arithmetic
// (numeric/flat_table.hpp).
#include "tree/weights.hpp"

namespace laconic::tree {

void shrink(Parser& parser, Vec<double> factor) {
    parser.check_factors(factor);
    for (size_t k = 0; k < factor.size(); ++k) parser.tables[k].shrink(factor.data()[k]);
}

void compact(Parser& parser, bool by_row) {
    require(!by_row, "a feature of a parser has one weight: there are no rows");
    nb::gil_scoped_release release;
    for (FlatTable& table : parser.tables) table.compact();
}

void finish_sums(Parser& parser) {
    nb::gil_scoped_release release;
    for (FlatTable& table : parser.tables) {
        if (parser.sums == Parser::Sums::averages) table.finish_averages(parser.clock);
        if (parser.sums == Parser::Sums::dual)
            table.each([&](uint64_t, int64_t slot) {
                table.set(slot, parser.from_dual(table.value(slot)));
            });
        table.compact();
    }
    parser.end_sums();
}

Array<int64_t> count(const Parser& parser, const TrainingTrees& data) {
    std::vector<int64_t> sizes;
    {
        nb::gil_scoped_release release;
        sizes = data.sizes(parser);
    }
    return to_numpy(std::move(sizes));
}

std::vector<std::tuple<Array<int32_t>, Array<float>>> features(const Parser& parser,
                                                               const TrainingTrees& data) {
    const int64_t M = parser.templates.size();
    std::vector<std::vector<int32_t>> values(M);
    std::vector<std::vector<float>> weights(M);
    {
        nb::gil_scoped_release release;
        std::vector<std::vector<bool>> named;  // by slot
        for (const FlatTable& table : parser.tables) named.emplace_back(table.n_slots(), false);
        Parse at(parser);
        std::vector<int32_t> names, between;
        for (int64_t s = 0; s < data.columns.n_sentences; ++s) {
            parser.lay_out(data.columns, s, data.candidates, at);
            for (int64_t k = 0; k < M; ++k) {
                const FlatTable& table = parser.tables[k];
                if (table.empty()) continue;
                const PartList& list = at.layout.lists[parser.templates.kind(k)];
                int64_t last = -1, nth = 0;
                parser.each_key(k, at, [&](int64_t i, uint64_t key) {
                    nth = i == last ? nth + 1 : 0;
                    last = i;
                    const int64_t slot = table.find(key);
                    if (slot < 0 || named[k][slot]) return;
                    named[k][slot] = true;
                    const double weight = table.value(slot);
                    if (weight == 0) return;
                    const Part part = list.part(i);
                    at.keys.values(k, part, names);
                    if (parser.templates.between(k) >= 0) {
                        const int h = part.word[kHead], m = part.word[kModifier];
                        at.keys.between_values(parser.templates.between(k), std::min(h, m),
                                               std::max(h, m), between);
                        names.push_back(between[nth]);
                    }
                    values[k].insert(values[k].end(), names.begin(), names.end());
                    weights[k].push_back(static_cast<float>(weight));
                });
            }
        }
    }
    std::vector<std::tuple<Array<int32_t>, Array<float>>> out;
    for (auto& of_template : values) of_template.shrink_to_fit();
    for (auto& of_template : weights) of_template.shrink_to_fit();
    for (int64_t k = 0; k < M; ++k)
        out.emplace_back(to_numpy(std::move(values[k])), to_numpy(std::move(weights[k])));
    return out;
}

Array<float> weights(const Parser& parser, int64_t k) {
    require(k >= 0 && k < parser.templates.size(), "there is no such template");
    const FlatTable& table = parser.tables[k];
    std::vector<float> out;
    out.reserve(table.size());
    table.each(
        [&](uint64_t, int64_t slot) { out.push_back(static_cast<float>(table.value(slot))); });
    return to_numpy(std::move(out));
}

void set_weights(Parser& parser, int64_t k, Vec<float> weights) {
    require(k >= 0 && k < parser.templates.size(), "there is no such template");
    FlatTable& table = parser.tables[k];
    require(static_cast<int64_t>(weights.size()) == table.size(),
            "weights must have one entry per feature");
    for (size_t i = 0; i < weights.size(); ++i)
        require(std::isfinite(weights.data()[i]), "weights must be finite");
    size_t i = 0;
    table.each([&](uint64_t, int64_t slot) { table.set(slot, weights.data()[i++]); });
}

void add_features(Parser& parser, int64_t k, Matrix32 values, Vec<float> weights) {
    require(k >= 0 && k < parser.templates.size(), "there is no such template");
    require(static_cast<int64_t>(values.shape(1)) == parser.templates.n_values(k),
            "values must have a column for each that names a feature");
    require(weights.size() == values.shape(0), "weights must have one entry per feature");
    for (size_t i = 0; i < weights.size(); ++i)
        require(std::isfinite(weights.data()[i]), "weights must be finite");
    nb::gil_scoped_release release;
    FlatTable& table = parser.tables[k];
    for (size_t f = 0; f < values.shape(0); ++f) {
        const uint64_t key =
            PartKeys::key(parser.templates, k, values.data() + f * values.shape(1));
        table.set(table.insert(key), weights.data()[f]);
    }
}

Array<double> information(const Parser& parser, const TrainingTrees& data, Vec<int32_t> gold) {
    require(parser.model == TreeModel::arcs, "information is that of templates of arcs");
    require(static_cast<int64_t>(gold.size()) == data.columns.n_tokens,
            "gold must have one entry per token");
    const int64_t M = parser.templates.size();
    std::vector<double> out(M, 0.0);
    nb::gil_scoped_release release;
    Parse at(parser);
    for (int64_t k = 0; k < M; ++k) {
        FlatTable all, active;
        double n_all = 0, n_active = 0;
        for (int64_t s = 0; s < data.columns.n_sentences; ++s) {
            parser.lay_out(data.columns, s, data.candidates, at);
            const PartList& list = at.layout.lists[kArcPart];
            parser.each_key(k, at, [&](int64_t i, uint64_t key) {
                const bool is_gold =
                    gold.data()[at.begin + list.word[kModifier][i] - 1] == list.word[kHead][i];
                all.add(all.insert(key), 1);
                n_all += 1;
                if (!is_gold) return;
                active.add(active.insert(key), 1);
                n_active += 1;
            });
        }
        // I(A, Y) = sum_{a, y} p(a, y) log2 p(a, y) / (p(a) p(y)): Martins et al. 2011, Eq. 16
        const double share = n_all > 0 ? n_active / n_all : 0;
        const auto term = [&](double joint, double of_feature, double of_arc) {
            return joint > 0 ? joint * std::log2(joint / (of_feature * of_arc)) : 0;
        };
        all.each([&](uint64_t key, int64_t slot) {
            const double count = all.value(slot);
            const int64_t found = active.find(key);
            const double with = found < 0 ? 0 : active.value(found);
            out[k] += term(with / n_all, count / n_all, share) +
                      term((count - with) / n_all, count / n_all, 1 - share);
        });
    }
    nb::gil_scoped_acquire acquire;
    return to_numpy(std::move(out));
}

}  // namespace laconic::tree
