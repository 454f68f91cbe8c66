// The door of parsers: norms and shrinkage of templates, weights in and out, parsing.
#include "parser.hpp"

#include <exception>

#include "kernels.hpp"
#include "parser_data.hpp"
#include "threads.hpp"

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

// Calls body(state, sentence) for all sentences, threads side by side.
template <class Body>
void each_sentence(const Parser& parser, const Columns& columns, const Candidates& candidates, int threads, Body body) {
    parser.templates.check(columns);
    std::exception_ptr failure;
    {
        nb::gil_scoped_release release;
        parallel_ranges(columns.n_sentences, threads, 16, [&](int64_t first, int64_t last, int) {
            try {
                Parse at(parser);
                for (int64_t s = first; s < last; ++s) {
                    parser.read(columns, s, candidates, at);
                    body(at, s);
                }
            } catch (...) {
                failure = std::current_exception();
            }
        });
    }
    if (failure) std::rethrow_exception(failure);
}

// The head of every token (0 is the root) in the best trees, and the trees' scores.
nb::tuple parse(const Parser& parser, Matrix32 columns_in, Vec<int64_t> ptr, Vec<int64_t> candidate_ptr,
                Vec<int32_t> candidate_head, int threads) {
    const Columns columns(columns_in, ptr);
    const Candidates candidates = check_candidates(columns, candidate_ptr, candidate_head);
    std::vector<int32_t> heads(columns.n_tokens, 0);
    std::vector<double> scores(columns.n_sentences, 0.0);
    each_sentence(parser, columns, candidates, threads, [&](Parse& at, int64_t s) {
        scores[s] = parser.decode(at);
        std::copy(at.heads.begin() + 1, at.heads.end(), heads.begin() + at.begin);
    });
    return nb::make_tuple(to_numpy(std::move(heads)), to_numpy(std::move(scores)));
}

// Up to k trees of every sentence: how many, the heads tree after tree, and their scores.
nb::tuple k_best(const Parser& parser, Matrix32 columns_in, Vec<int64_t> ptr, Vec<int64_t> candidate_ptr,
                 Vec<int32_t> candidate_head, int64_t k) {
    require(k >= 1 && k <= 100000, "k must be from 1 to 100000");
    const Columns columns(columns_in, ptr);
    const Candidates candidates = check_candidates(columns, candidate_ptr, candidate_head);
    std::vector<int64_t> counts;
    std::vector<int32_t> heads, trees;
    std::vector<double> scores, values;
    each_sentence(parser, columns, candidates, 1, [&](Parse& at, int64_t) {
        const int64_t found = parser.decode_k(at, k, trees, values);
        counts.push_back(found);
        for (int64_t i = 0; i < found; ++i) {
            heads.insert(heads.end(), trees.begin() + i * at.n + 1, trees.begin() + (i + 1) * at.n);
            scores.push_back(values[i]);
        }
    });
    return nb::make_tuple(to_numpy(std::move(counts)), to_numpy(std::move(heads)), to_numpy(std::move(scores)));
}

// Likely arcs: of every token the heads whose probability is at least `threshold` times that of the most probable one, at most
// `most` of them, the best first; then those of the best projective tree, so that there is one, and gold's if gold is given.
// (ptr, heads)
nb::tuple candidates(const Parser& parser, Matrix32 columns_in, Vec<int64_t> ptr, double threshold, int64_t most,
                     Vec<int32_t> gold, int threads) {
    const Columns columns(columns_in, ptr);
    require(threshold >= 0 && threshold <= 1, "threshold must be from 0 to 1");
    require(most >= 1, "most must be at least 1");
    require(gold.size() == 0 || static_cast<int64_t>(gold.size()) == columns.n_tokens, "gold must have an entry a token");
    require(parser.model == TreeModel::arcs, "candidates are found by models of arcs");
    std::vector<std::vector<int32_t>> of_token(columns.n_tokens);
    each_sentence(parser, columns, {}, threads, [&](Parse& at, int64_t) {
        std::vector<double> probability[kKinds];
        parser.marginals(at, probability);
        parser.decode_projective(at);
        std::vector<std::pair<double, int32_t>> ranked;
        for (int m = 1; m < at.n; ++m) {
            ranked.clear();
            for (int h = 0; h < at.n; ++h)
                if (h != m) ranked.push_back({-probability[kArcPart][at.layout.arc(h, m)], h});
            const size_t count = std::min<size_t>(most, ranked.size());
            std::partial_sort(ranked.begin(), ranked.begin() + count, ranked.end());
            std::vector<int32_t>& out = of_token[at.begin + m - 1];
            for (size_t i = 0; i < count && ranked[i].first <= threshold * ranked[0].first; ++i) out.push_back(ranked[i].second);
            const auto add = [&](int32_t head) {
                if (head >= 0 && head < at.n && head != m && std::find(out.begin(), out.end(), head) == out.end())
                    out.push_back(head);
            };
            add(at.heads[m]);
            if (gold.size() > 0) add(gold.data()[at.begin + m - 1]);
        }
    });
    std::vector<int64_t> out_ptr(1, 0);
    std::vector<int32_t> out;
    for (const auto& heads : of_token) {
        out.insert(out.end(), heads.begin(), heads.end());
        out_ptr.push_back(static_cast<int64_t>(out.size()));
    }
    return nb::make_tuple(to_numpy(std::move(out_ptr)), to_numpy(std::move(out)));
}

// The probability of every token's arc to a given head.
nb::object arc_probabilities(const Parser& parser, Matrix32 columns_in, Vec<int64_t> ptr, Vec<int64_t> candidate_ptr,
                             Vec<int32_t> candidate_head, Vec<int32_t> heads, int threads) {
    const Columns columns(columns_in, ptr);
    const Candidates candidates = check_candidates(columns, candidate_ptr, candidate_head);
    require(static_cast<int64_t>(heads.size()) == columns.n_tokens, "heads must have an entry a token");
    std::vector<double> out(columns.n_tokens, 0.0);
    each_sentence(parser, columns, candidates, threads, [&](Parse& at, int64_t) {
        std::vector<double> probability[kKinds];
        parser.marginals(at, probability);
        for (int m = 1; m < at.n; ++m) {
            const int32_t h = heads.data()[at.begin + m - 1];
            if (h >= 0 && h < at.n && at.layout.allowed(h, m)) out[at.begin + m - 1] = probability[kArcPart][at.layout.arc(h, m)];
        }
    });
    return to_numpy(std::move(out));
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
            nb::arg("seen"))
        .def("candidates", &candidates, nb::arg("columns"), nb::arg("ptr"), nb::arg("threshold"), nb::arg("most"),
             nb::arg("gold"), nb::arg("threads") = 1)
        .def("arc_probabilities", &arc_probabilities, nb::arg("columns"), nb::arg("ptr"), nb::arg("candidate_ptr"),
             nb::arg("candidate_head"), nb::arg("heads"), nb::arg("threads") = 1)
        .def("parse", &parse, nb::arg("columns"), nb::arg("ptr"), nb::arg("candidate_ptr"), nb::arg("candidate_head"),
             nb::arg("threads") = 1)
        .def("k_best", &k_best, nb::arg("columns"), nb::arg("ptr"), nb::arg("candidate_ptr"), nb::arg("candidate_head"),
             nb::arg("k"));
    bind_parser_learn(door);
    bind_parser_weights(door);
}
