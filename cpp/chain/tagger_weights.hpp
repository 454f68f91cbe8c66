// Weights of a tagger by templates: shrinkage, the end of deferred penalties and of averages,
// features in and out.
#pragma once
#include "chain/tagger.hpp"

namespace laconic::chain {

// Weights of template m times factor[m]; a factor of 0 frees the template's memory.
void shrink(Tagger& tagger, Vec<double> factor);
// Applies all deferred penalties and drops features without weights.
void compact(Tagger& tagger, bool by_row);
// Weights become their averages over the steps since averaging began, or what dual averages stand
// for; sums go.
void finish_sums(Tagger& tagger);

// The features of template m: their atoms one after the other, and their weights, one row of
// `width` per feature.
std::tuple<Array<int32_t>, Array<float>> features(const Tagger& tagger, int64_t m);
// Adds features of template m with given weights; one that is there already is overwritten.
void add_features(Tagger& tagger, int64_t m, Matrix32 atoms, Mat<float> weights);

// Transitions (L x L, by rows) and starts (L).
std::tuple<Array<float>, Array<float>> transitions(const Tagger& tagger);

}  // namespace laconic::chain
