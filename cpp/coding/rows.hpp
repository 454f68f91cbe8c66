// Products of sparse rows of words with tables by contexts, see rows.cpp.
#pragma once
#include "coding/trees.hpp"

namespace laconic::coding {

// out[i] = sum_c x_(words[i], c) table[c], rows of `stride` floats.
void word_products(const SparseRows& given, Vec<int64_t> words, Vec<float> table, int stride,
                   MutVec<float> out, int threads);

// table[c] += sum_i x_(words[i], c) codes[i]: the adjoint. A thread has contexts of its own, so
// that threads change no digit.
void add_products(const SparseRows& given, Vec<int64_t> words, Vec<float> codes, int stride,
                  MutVec<float> table, int threads);

}  // namespace laconic::coding
