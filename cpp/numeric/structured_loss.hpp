// Losses of structured outputs, for batches and for learning one sentence at a time. What is
// predicted makes the loss: marginals (log), the best output with a cost for every wrong label
// (hinge), or the best output (perceptron).
#pragma once

namespace laconic::numeric {

enum class StructuredLoss { log, hinge, perceptron };

}  // namespace laconic::numeric
