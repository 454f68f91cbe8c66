// The door of parsers that learn: norms and shrinkage of templates, weights in and out.
#include "parser.hpp"

#include "kernels.hpp"
#include "parser_data.hpp"

namespace {

template <class Value>
nb::object per_template(const Parser& parser, Value value) {
    std::vector<decltype(value(parser.tables[0]))> out;
    for (const FlatTable& table : parser.tables) out.push_back(value(table));
    return to_numpy(std::move(out));
}

// Weights of template k times factor[k]; a factor of 0 frees the template's memory.
void shrink(Parser& parser, Vec<double> factor) {
    require(factor.size() == parser.tables.size(), "factor must have an entry a template");
    for (size_t k = 0; k < factor.size(); ++k) require(factor.data()[k] >= 0 && factor.data()[k] <= 1, "factors are from 0 to 1");
    for (size_t k = 0; k < factor.size(); ++k) parser.tables[k].shrink(factor.data()[k]);
}

// Every feature of template k owes amount[k].
void owe(Parser& parser, Vec<double> amount) {
    require(amount.size() == parser.tables.size(), "amount must have an entry a template");
    for (size_t k = 0; k < amount.size(); ++k)
        require(amount.data()[k] >= 0 && std::isfinite(amount.data()[k]), "amounts must be finite and not negative");
    for (size_t k = 0; k < amount.size(); ++k) parser.tables[k].owe(amount.data()[k]);
}

void compact(Parser& parser, bool by_row) {
    require(!by_row, "a feature of a parser has one weight: there are no rows");
    nb::gil_scoped_release release;
    for (FlatTable& table : parser.tables) table.compact();
}

// Weights become their averages over the steps since averaging began, or what dual averages stand for; sums go.
void settle_sums(Parser& parser) {
    nb::gil_scoped_release release;
    for (FlatTable& table : parser.tables) {
        if (parser.sums == Parser::kAverages) table.settle_averages(parser.clock);
        if (parser.sums == Parser::kDualSums)
            table.each([&](uint64_t, int64_t slot) { table.set(slot, parser.from_dual(table.value(slot))); });
        table.compact();
    }
    parser.sums = Parser::kNoSums;
    parser.clock = parser.dual_gain = parser.dual_threshold = 0;
}

}  // namespace

void bind_parser_learn(nb::class_<Parser>& door);
void bind_parser_weights(nb::class_<Parser>& door);

void bind_parser(nb::module_& m) {
    nb::class_<PartTemplates>(m, "PartTemplates")
        .def(nb::init<const Vec<int32_t>&, const Vec<int32_t>&, const Vec<int32_t>&, const Vec<int64_t>&, const Vec<int32_t>&,
                      const Vec<int32_t>&, const Vec<int32_t>&>(),
             nb::arg("kind"), nb::arg("special"), nb::arg("between"), nb::arg("atom_ptr"), nb::arg("atom_role"),
             nb::arg("atom_view"), nb::arg("atom_offset"))
        .def("__len__", &PartTemplates::size)
        .def("n_values", &PartTemplates::n_values, nb::arg("template"));
    nb::class_<TrainingTrees>(m, "TrainingTrees").def("__len__", [](const TrainingTrees& data) {
        return data.columns.n_sentences;
    });
    nb::class_<Parser> door(m, "Parser");
    door.def(nb::init<const PartTemplates&, int, bool, bool>(), nb::arg("templates"), nb::arg("model"), nb::arg("crossing"),
             nb::arg("single_root"))
        .def_prop_ro("sizes",
                     [](const Parser& p) { return per_template(p, [](const FlatTable& table) { return table.size(); }); })
        .def_prop_ro("norms",
                     [](const Parser& p) {
                         return per_template(p, [](const FlatTable& table) { return std::sqrt(table.norm_squared()); });
                     })
        .def_prop_ro("nonzeros",
                     [](const Parser& p) {
                         return per_template(p, [&](const FlatTable& table) { return table.n_above(p.dual_threshold); });
                     })
        .def_prop_ro("bytes",
                     [](const Parser& p) {
                         size_t total = 0;
                         for (const FlatTable& table : p.tables) total += table.bytes();
                         return total;
                     })
        .def("shrink", &shrink, nb::arg("factor"))
        .def("owe", &owe, nb::arg("amount"))
        .def("compact", &compact, nb::arg("by_row") = false)
        .def("settle_sums", &settle_sums)
        .def("copy", [](const Parser& p) { return Parser(p); })
        .def(
            "number",
            [](const Parser& p, Matrix32 columns, Vec<int64_t> ptr, Vec<int64_t> candidate_ptr, Vec<int32_t> candidate_head) {
                return TrainingTrees(p, columns, ptr, candidate_ptr, candidate_head);
            },
            nb::arg("columns"), nb::arg("ptr"), nb::arg("candidate_ptr"), nb::arg("candidate_head"))
        .def(
            "count",
            [](const Parser& p, const TrainingTrees& data) {
                std::vector<int64_t> sizes;
                {
                    nb::gil_scoped_release release;
                    sizes = data.sizes(p);
                }
                return to_numpy(std::move(sizes));
            },
            nb::arg("seen"));
    bind_parsing(door);
    bind_parser_learn(door);
    bind_parser_weights(door);
}
