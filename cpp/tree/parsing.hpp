// Parsing of batches, the same for every Parser: a TreeDecoder with a type Work (a TreeState and
// more, made of the parser), check(columns), and read(columns, s, candidates, work), which finds
// the parts of sentence s and their scores.
#pragma once
#include <exception>

#include "door/threads.hpp"
#include "tree/decoder.hpp"

namespace laconic::tree {

namespace parsing {

// Checked arrays: no candidates, or the heads of each token.
inline Candidates check_candidates(const Columns& columns, const Vec<int64_t>& ptr,
                                   const Vec<int32_t>& head) {
    if (ptr.size() == 0) return {};
    require(static_cast<int64_t>(ptr.size()) == columns.n_tokens + 1,
            "candidate_ptr must have one entry per token and one more");
    check_ptr(ptr, static_cast<int64_t>(head.size()), "candidate_ptr");
    for (int64_t s = 0; s < columns.n_sentences; ++s)
        for (int64_t t = columns.ptr[s]; t < columns.ptr[s + 1]; ++t)
            for (int64_t i = ptr.data()[t]; i < ptr.data()[t + 1]; ++i) {
                const int32_t h = head.data()[i];
                require(h >= 0 && h <= columns.ptr[s + 1] - columns.ptr[s],
                        "a candidate lies outside its sentence");
                require(h != t - columns.ptr[s] + 1,
                        "a token cannot be a candidate for its own head");
            }
    return {ptr.data(), head.data()};
}

// Calls body(state, sentence) for all sentences, threads side by side.
template <class Parser, class Body>
void each_sentence(const Parser& parser, const Columns& columns, const Candidates& candidates,
                   int threads, Body body) {
    parser.check(columns);
    std::exception_ptr failure;
    {
        nb::gil_scoped_release release;
        parallel_ranges(columns.n_sentences, threads, 16, [&](int64_t first, int64_t last, int) {
            try {
                typename Parser::Work at(parser);
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
template <class Parser>
std::tuple<Array<int32_t>, Array<double>> parse(const Parser& parser, Matrix32 columns_in,
                                                Vec<int64_t> ptr, Vec<int64_t> candidate_ptr,
                                                Vec<int32_t> candidate_head, int threads) {
    const Columns columns(columns_in, ptr);
    const Candidates candidates = check_candidates(columns, candidate_ptr, candidate_head);
    std::vector<int32_t> heads(columns.n_tokens, 0);
    std::vector<double> scores(columns.n_sentences, 0.0);
    each_sentence(parser, columns, candidates, threads, [&](TreeState& at, int64_t s) {
        scores[s] = parser.decode(at);
        std::copy(at.heads.begin() + 1, at.heads.end(), heads.begin() + at.begin);
    });
    return std::make_tuple(to_numpy(std::move(heads)), to_numpy(std::move(scores)));
}

// Up to k trees of every sentence: how many, the heads tree after tree, and their scores.
template <class Parser>
std::tuple<Array<int64_t>, Array<int32_t>, Array<double>> k_best(
    const Parser& parser, Matrix32 columns_in, Vec<int64_t> ptr, Vec<int64_t> candidate_ptr,
    Vec<int32_t> candidate_head, int64_t k) {
    require(k >= 1 && k <= 100000, "k must be from 1 to 100000");
    const Columns columns(columns_in, ptr);
    const Candidates candidates = check_candidates(columns, candidate_ptr, candidate_head);
    std::vector<int64_t> counts;
    std::vector<int32_t> heads, trees;
    std::vector<double> scores, values;
    each_sentence(parser, columns, candidates, 1, [&](TreeState& at, int64_t) {
        const int64_t found = parser.decode_k(at, k, trees, values);
        counts.push_back(found);
        for (int64_t i = 0; i < found; ++i) {
            heads.insert(heads.end(), trees.begin() + i * at.n + 1, trees.begin() + (i + 1) * at.n);
            scores.push_back(values[i]);
        }
    });
    return std::make_tuple(to_numpy(std::move(counts)), to_numpy(std::move(heads)),
                           to_numpy(std::move(scores)));
}

// Likely arcs: of every token the heads whose probability is at least `threshold` times that of the
// most probable one, at most `most` of them, the best first; then those of the best projective
// tree, so that there is one, and gold's if gold is given. (ptr, heads)
template <class Parser>
std::tuple<Array<int64_t>, Array<int32_t>> candidates(const Parser& parser, Matrix32 columns_in,
                                                      Vec<int64_t> ptr, double threshold,
                                                      int64_t most, Vec<int32_t> gold,
                                                      int threads) {
    const Columns columns(columns_in, ptr);
    require(threshold >= 0 && threshold <= 1, "threshold must be from 0 to 1");
    require(most >= 1, "most must be at least 1");
    require(gold.size() == 0 || static_cast<int64_t>(gold.size()) == columns.n_tokens,
            "gold must have one entry per token");
    require(parser.model == TreeModel::arcs, "candidates are found by models of arcs");
    std::vector<std::vector<int32_t>> of_token(columns.n_tokens);
    each_sentence(parser, columns, {}, threads, [&](TreeState& at, int64_t) {
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
            for (size_t i = 0; i < count && ranked[i].first <= threshold * ranked[0].first; ++i)
                out.push_back(ranked[i].second);
            const auto add = [&](int32_t head) {
                if (head >= 0 && head < at.n && head != m &&
                    std::find(out.begin(), out.end(), head) == out.end())
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
    return std::make_tuple(to_numpy(std::move(out_ptr)), to_numpy(std::move(out)));
}

// The probability of every token's arc to a given head.
template <class Parser>
Array<double> arc_probabilities(const Parser& parser, Matrix32 columns_in, Vec<int64_t> ptr,
                                Vec<int64_t> candidate_ptr, Vec<int32_t> candidate_head,
                                Vec<int32_t> heads, int threads) {
    const Columns columns(columns_in, ptr);
    const Candidates candidates = check_candidates(columns, candidate_ptr, candidate_head);
    require(static_cast<int64_t>(heads.size()) == columns.n_tokens,
            "heads must have one entry per token");
    std::vector<double> out(columns.n_tokens, 0.0);
    each_sentence(parser, columns, candidates, threads, [&](TreeState& at, int64_t) {
        std::vector<double> probability[kKinds];
        parser.marginals(at, probability);
        for (int m = 1; m < at.n; ++m) {
            const int32_t h = heads.data()[at.begin + m - 1];
            if (h >= 0 && h < at.n && at.layout.allowed(h, m))
                out[at.begin + m - 1] = probability[kArcPart][at.layout.arc(h, m)];
        }
    });
    return to_numpy(std::move(out));
}

}  // namespace parsing

using parsing::check_candidates;

}  // namespace laconic::tree
