// The averaged perceptron (Collins 2002) and passive-aggressive steps (Crammer et al. 2006) over
// lists of outputs with binary features.
#pragma once
#include "door/checks.hpp"

namespace laconic::mining {

// Output o has the features feature[ptr[o]:ptr[o + 1]] in rising order and costs cost[o] if it is
// taken for right; list i has the outputs list_ptr[i]:list_ptr[i + 1], of which gold[i] is right.
struct RankedLists {
    Vec<int64_t> list_ptr, gold, ptr;
    Vec<int32_t> feature;
    Vec<double> cost;
};

// Examples in the given order, one after the other: where score + cost of an output of list i
// exceeds the score of gold[i], the weights of gold's features rise and those of the worst
// offender's fall. Features of value v have the step v^2, and v times their weights are what is
// learned. A step is 1 (perceptron, most_step = 0), or as long as it takes to put things right, at
// most most_step (passive-aggressive). Gives the averages of the weights over all steps, and the
// number of wrong outputs in each of `epochs` equal parts of the order.
std::tuple<Array<double>, Array<int64_t>> learn_ranking(const RankedLists& lists, Vec<double> step,
                                                        double most_step, Vec<int64_t> order,
                                                        int64_t epochs);

}  // namespace laconic::mining
