// Chain inference over ragged batches of sentences: sentence s has the tokens [ptr[s], ptr[s + 1]).
// All by rows, scores are (n_tokens, L), edges one table (L, L) or one table into every token
// (n_tokens, L, L), starts (L,).
#pragma once
#include "door/checks.hpp"

namespace laconic::chain {

// The best path of every sentence, and its score.
std::tuple<Array<int32_t>, Array<double>> chain_best(Vec<double> scores, Vec<int64_t> ptr,
                                                     Vec<double> edge, Vec<double> start,
                                                     int threads);

// Up to k paths of every sentence, best first: the k rows of sentence s, of its length each, begin
// at k * ptr[s]; their scores (n_sentences, k); and how many there are.
std::tuple<Array<int32_t>, Array<double>, Array<int64_t>> chain_k_best(Vec<double> scores,
                                                                       Vec<int64_t> ptr,
                                                                       Vec<double> edge,
                                                                       Vec<double> start, int64_t k,
                                                                       int threads);

// Marginals of labels (n_tokens, L), log Z (n_sentences,), and the edge marginals of all sentences,
// summed (L, L).
std::tuple<Array<double>, Array<double>, Array<double>> chain_marginals(
    Vec<double> scores, Vec<int64_t> ptr, Vec<double> edge, Vec<double> start, int threads);

}  // namespace laconic::chain
