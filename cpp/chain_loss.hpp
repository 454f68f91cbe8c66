// The losses of chains, for batches and for learning a sentence at a time. What is predicted makes the loss: marginals (log), the
// best path with a cost for every wrong label (hinge), or the best path (perceptron).
#pragma once
#include <utility>

#include "bind.hpp"

enum class ChainLoss { log, hinge, perceptron };

constexpr std::pair<const char*, ChainLoss> chain_loss_names[] = {
    {"log", ChainLoss::log}, {"hinge", ChainLoss::hinge}, {"perceptron", ChainLoss::perceptron}};

inline ChainLoss chain_loss(int kind) {
    require(kind >= 0 && kind <= 2, "the kind of loss must be 0 (log), 1 (hinge) or 2 (perceptron)");
    return static_cast<ChainLoss>(kind);
}
