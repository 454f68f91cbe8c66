// Chain inference over ragged batches of sentences: tokens of sentence s are ptr[s] .. ptr[s + 1]
// - 1. Scores are (n_tokens, L), edges one table (L, L) or one table into every token (n_tokens, L,
// L), starts (L,), all by rows.
#pragma once
#include "door/checks.hpp"

namespace laconic::chain {

// The best path of every sentence and its score.
void chain_best(Vec<double> scores, Vec<int64_t> ptr, Vec<double> edge, Vec<double> start,
                MutVec<int32_t> best, MutVec<double> value, int threads);

// paths: the k rows of sentence s, of its length each, begin at k * ptr[s]; value (n_sentences, k);
// count: how many there are.
void chain_k_best(Vec<double> scores, Vec<int64_t> ptr, Vec<double> edge, Vec<double> start,
                  int64_t k, MutVec<int32_t> paths, MutVec<double> value, MutVec<int64_t> count,
                  int threads);

// node (n_tokens, L), log_z (n_sentences,), pair (L, L): the edge marginals of all sentences,
// summed.
void chain_marginals(Vec<double> scores, Vec<int64_t> ptr, Vec<double> edge, Vec<double> start,
                     MutVec<double> node, MutVec<double> log_z, MutVec<double> pair, int threads);

}  // namespace laconic::chain
