// Values of kernels for all pairs of some structures with some others, by rows.
#pragma once
#include "mining/structures.hpp"

namespace laconic::mining {

// K, or log K, of trees `rows_a` of `a` with trees `rows_b` of `b`.
Array<double> tree_kernel(const TreeStructures& a, Vec<int64_t> rows_a, const TreeStructures& b,
                          Vec<int64_t> rows_b, double decay, bool logarithms);
// log K of every tree with itself.
Array<double> tree_kernel_diagonal(const TreeStructures& structures, double decay);

// Number of members that sets share.
Array<double> set_kernel(const SetStructures& a, Vec<int64_t> rows_a, const SetStructures& b,
                         Vec<int64_t> rows_b);
Array<double> set_kernel_diagonal(const SetStructures& structures);

}  // namespace laconic::mining
