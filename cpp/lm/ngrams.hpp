// Tables of n-grams as contexts and pairs: every context that the n-grams need, and every pair that
// the contexts need.
#pragma once
#include "door/checks.hpp"

namespace laconic::lm {

using NgramContexts =
    std::tuple<Array<int32_t>, Array<int32_t>, Array<int64_t>, Array<int32_t>, Array<int64_t>,
               Array<uint8_t>, Array<uint32_t>, Array<int64_t>, int64_t>;

// n_rows[k]: the number of n-grams of k + 1 words, `words` of all of them one after the other; the
// 1-grams are the words 0, 1, .. needed: 1 for n-grams that must be contexts themselves. Gives, as
// a tuple,
//   parent, word, ptr, target   contexts and pairs, as a ContextModel has them
//   source          of a pair: its n-gram, or the longest shorter one if the pair is borrowed
//   borrowed        1 for pairs that are no n-gram
//   row_context     of an n-gram: the context before its last word
//   context_row     of a context: the n-gram that it is, or -1
//   twice           an n-gram that is there before, or -1
NgramContexts contexts_of_ngrams(Vec<int32_t> words, Vec<int64_t> n_rows, Vec<uint8_t> needed);

}  // namespace laconic::lm
