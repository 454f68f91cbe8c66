// Tagging of batches, the same for every Tagger: a Decoder with a type Work (a Scored and more),
// check(columns), and read(columns, s, work), which finds the scores of sentence s.
#pragma once
#include "chain/decoder.hpp"
#include "door/threads.hpp"
#include "text/templates.hpp"

namespace laconic::chain {

using text::Columns;
using text::Matrix32;

// Calls body(sentence) for all sentences, threads side by side.
template <class Tagger, class Body>
void each_sentence(const Tagger& tagger, const Columns& columns, int threads, Body body) {
    tagger.check(columns);
    nb::gil_scoped_release release;
    parallel_ranges(columns.n_sentences, threads, 64, [&](int64_t first, int64_t last, int) {
        typename Tagger::Work at;
        for (int64_t s = first; s < last; ++s) {
            tagger.read(columns, s, at);
            body(at);
        }
    });
}

// The best labels of all tokens.
template <class Tagger>
Array<int32_t> tag(const Tagger& tagger, Matrix32 columns_in, Vec<int64_t> ptr, int threads) {
    const Columns columns(columns_in, ptr);
    std::vector<int32_t> labels(columns.n_tokens);
    each_sentence(tagger, columns, threads, [&](Scored& at) {
        tagger.decode(at);
        std::copy_n(at.best.data(), at.n, labels.data() + at.begin);
    });
    return to_numpy(std::move(labels));
}

// Scores (n_tokens x L); what templates with label pairs add is in `edges`.
template <class Tagger>
Array<float> scores(const Tagger& tagger, Matrix32 columns_in, Vec<int64_t> ptr, int threads) {
    const Columns columns(columns_in, ptr);
    std::vector<float> out(columns.n_tokens * tagger.n_labels);
    each_sentence(tagger, columns, threads, [&](Scored& at) {
        for (int64_t t = 0; t < at.n; ++t)
            std::copy_n(at.unary.data() + t * tagger.stride, tagger.n_labels,
                        out.data() + (at.begin + t) * tagger.n_labels);
    });
    return to_numpy(std::move(out));
}

// The transitions into every token (n_tokens x L x L), with what templates with label pairs add.
template <class Tagger>
Array<float> edges(const Tagger& tagger, Matrix32 columns_in, Vec<int64_t> ptr, int threads) {
    const Columns columns(columns_in, ptr);
    require(tagger.has_pairs,
            "transitions are the same at all tokens: there are no templates with label pairs");
    const int L = tagger.n_labels;
    std::vector<float> out(columns.n_tokens * L * L);
    each_sentence(tagger, columns, threads, [&](Scored& at) {
        for (int64_t row = 0; row < at.n * L; ++row)
            std::copy_n(at.edges.data() + row * tagger.stride, L,
                        out.data() + (at.begin * L + row) * L);
    });
    return to_numpy(std::move(out));
}

}  // namespace laconic::chain
