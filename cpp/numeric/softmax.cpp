// Compiles softmax_body.hpp for the portable baseline and for AVX2, and chooses by the processor.
#include "numeric/softmax.hpp"

#include <cmath>

#include "door/processor.hpp"
namespace laconic::numeric {

namespace {
namespace baseline {
#include "numeric/softmax_body.hpp"
}  // namespace baseline

#ifdef LACONIC_AVX2
LACONIC_AVX2_BEGIN
namespace avx2 {
#include "numeric/softmax_body.hpp"
}  // namespace avx2
LACONIC_AVX2_END
#endif

SoftmaxSteps choose() {
    return {LACONIC_CHOOSE(add), LACONIC_CHOOSE(exponentiate), LACONIC_CHOOSE(spread)};
}
}  // namespace

const SoftmaxSteps& softmax_steps() {
    static const SoftmaxSteps steps = choose();
    return steps;
}

}  // namespace laconic::numeric
