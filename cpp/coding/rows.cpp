// Products of the sparse rows x_v of words with a table by contexts, and the adjoint: all that
// learning a dictionary asks of the contexts.
//
//     out_i = sum_c x_(v_i, c) table_c,        table_c += sum_i x_(v_i, c) code_i
//
// Table and codes have rows of `stride` floats, a multiple of 8, and rows are added as vectors.
#include "coding/rows.hpp"

#include <algorithm>

#include "numeric/lanes.hpp"

namespace laconic::coding {

using numeric::lane_steps;

namespace {

// Rows of the dictionary that are added while a block of sums stays in registers.
constexpr int64_t kRowsAtOnce = 64;

// Rows of a sparse matrix by words. Checked for the words that are asked for.
struct ChosenRows {
    ChosenRows(const SparseRows& given, Vec<int64_t> words_in, int64_t n_contexts)
        : ptr(given.ptr.data()),
          words(words_in.data()),
          n(static_cast<int64_t>(words_in.size())),
          index(given.index.data()),
          value(given.value.data()) {
        require(given.index.size() == given.value.size(),
                "index and value must have the same length");
        require(given.ptr.size() >= 1, "ptr must have at least one entry");
        const int64_t n_words = static_cast<int64_t>(given.ptr.size()) - 1,
                      n_entries = static_cast<int64_t>(given.index.size());
        check_range(words_in, 0, n_words, "words");
        for (int64_t i = 0; i < n; ++i) {
            require(begin(i) >= 0 && begin(i) <= end(i) && end(i) <= n_entries,
                    "ptr must rise from 0 to the number of entries");
            int32_t last = -1;
            for (int64_t e = begin(i); e < end(i); ++e) {
                require(index[e] > last && index[e] < n_contexts,
                        "contexts of a word must rise, below the number of contexts");
                last = index[e];
            }
        }
    }
    int64_t begin(int64_t i) const { return ptr[words[i]]; }
    int64_t end(int64_t i) const { return ptr[words[i] + 1]; }

    const int64_t *ptr, *words;
    int64_t n;
    const int32_t* index;
    const float* value;
};

}  // namespace

void word_products(const SparseRows& given, Vec<int64_t> words, Vec<float> table, int stride,
                   MutVec<float> out, int threads) {
    const ChosenRows rows(given, words,
                          rows_of(table.size(), stride, "table must have rows of stride entries"));
    require(static_cast<int64_t>(out.size()) == rows.n * stride, "out must have one row per word");
    nb::gil_scoped_release release;
    const auto& steps = lane_steps<float>();
    each_word(rows.n, threads, [&] {
        return [&](int64_t i) {
            const float* row[kRowsAtOnce];
            float* sums = out.data() + i * stride;
            std::fill(sums, sums + stride, 0.0f);
            for (int64_t e = rows.begin(i); e < rows.end(i); e += kRowsAtOnce) {
                const int64_t count = std::min(kRowsAtOnce, rows.end(i) - e);
                for (int64_t k = 0; k < count; ++k)
                    row[k] = table.data() + int64_t{rows.index[e + k]} * stride;
                steps.add_scaled(row, rows.value + e, count, stride, sums);
            }
        };
    });
}

void add_products(const SparseRows& given, Vec<int64_t> words, Vec<float> codes, int stride,
                  MutVec<float> table, int threads) {
    const int64_t n_contexts =
        rows_of(table.size(), stride, "table must have rows of stride entries");
    const ChosenRows rows(given, words, n_contexts);
    require(static_cast<int64_t>(codes.size()) == rows.n * stride,
            "codes must have one row per word");
    nb::gil_scoped_release release;
    const auto& steps = lane_steps<float>();
    int64_t entries = 0;
    for (int64_t i = 0; i < rows.n; ++i) entries += rows.end(i) - rows.begin(i);
    // Contexts are cut so that every part has about as many entries: those of frequent contexts
    // come first and are far more.
    std::vector<int64_t> count(n_contexts + 1, 0);
    for (int64_t i = 0; i < rows.n; ++i)
        for (int64_t e = rows.begin(i); e < rows.end(i); ++e) ++count[rows.index[e]];
    std::vector<int32_t> cut{0};
    int64_t before = 0;
    const int parts = std::max(1, threads);
    for (int64_t c = 0; c < n_contexts && static_cast<int>(cut.size()) < parts; ++c) {
        before += count[c];
        if (before * parts >= entries * static_cast<int64_t>(cut.size()))
            cut.push_back(static_cast<int32_t>(c + 1));
    }
    cut.push_back(static_cast<int32_t>(n_contexts));
    const int64_t n_parts = static_cast<int64_t>(cut.size()) - 1;
    parallel_ranges(n_parts, threads, 1, [&](int64_t part, int64_t part_end, int) {
        for (; part < part_end; ++part)
            for (int64_t i = 0; i < rows.n; ++i) {
                const float* code = codes.data() + i * stride;
                const int32_t *first = rows.index + rows.begin(i), *last = rows.index + rows.end(i);
                for (const int32_t* c = std::lower_bound(first, last, cut[part]);
                     c < last && *c < cut[part + 1]; ++c)
                    steps.add_outer(rows.value + (c - rows.index), code, 1, stride,
                                    table.data() + int64_t{*c} * stride);
            }
    });
}

}  // namespace laconic::coding
