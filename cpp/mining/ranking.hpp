// The averaged perceptron over lists of outputs with binary features.
#pragma once
#include "door/checks.hpp"

namespace laconic::mining {

// Examples in the given order, one after the other: where score + cost of an output of list i
// exceeds the score of gold[i], the weights of gold's features rise and those of the worst
// offender's fall. Features of value v have the step v^2, and v times their weights are what is
// learned. A step is 1 (perceptron, most_step = 0), or as long as it takes to put things right, at
// most most_step (passive-aggressive). Gives the averages of the weights over all steps, and the
// number of wrong outputs in each of `epochs` equal parts of the order.
std::tuple<Array<double>, Array<int64_t>> learn_ranking(Vec<int64_t> list_ptr, Vec<int64_t> gold,
                                                        Vec<int64_t> ptr, Vec<int32_t> feature,
                                                        Vec<double> step_of, Vec<double> cost,
                                                        double most_step, Vec<int64_t> order,
                                                        int64_t epochs);

}  // namespace laconic::mining
