// Parsing by a parser in memory, instantiated once and apart from its binding.
#include "tree/parsing.hpp"

#include "tree/parser.hpp"

namespace laconic::tree::parsing {

template std::tuple<Array<int32_t>, Array<double>> parse<Parser>(const Parser&, Matrix32,
                                                                 Vec<int64_t>, Vec<int64_t>,
                                                                 Vec<int32_t>, int);
template std::tuple<Array<int64_t>, Array<int32_t>, Array<double>> k_best<Parser>(
    const Parser&, Matrix32, Vec<int64_t>, Vec<int64_t>, Vec<int32_t>, int64_t);
template std::tuple<Array<int64_t>, Array<int32_t>> candidates<Parser>(const Parser&, Matrix32,
                                                                       Vec<int64_t>, double,
                                                                       int64_t, Vec<int32_t>, int);
template Array<double> arc_probabilities<Parser>(const Parser&, Matrix32, Vec<int64_t>,
                                                 Vec<int64_t>, Vec<int32_t>, Vec<int32_t>, int);

}  // namespace laconic::tree::parsing
