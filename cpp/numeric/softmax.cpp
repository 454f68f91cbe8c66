// Compiles softmax_body.hpp for the portable baseline and for AVX2, and chooses by the processor.
#include "numeric/softmax.hpp"

#include <cmath>

namespace laconic::numeric {

namespace {
namespace baseline {
#include "numeric/softmax_body.hpp"
}  // namespace baseline

#if defined(__x86_64__) && defined(__GNUC__)
#define SOFTMAX_AVX2
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
namespace avx2 {
#include "numeric/softmax_body.hpp"
}  // namespace avx2
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

SoftmaxSteps choose() {
#ifdef SOFTMAX_AVX2
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return {avx2::add, avx2::exponentiate, avx2::spread};
#endif
    return {baseline::add, baseline::exponentiate, baseline::spread};
}
}  // namespace

const SoftmaxSteps& softmax_steps() {
    static const SoftmaxSteps steps = choose();
    return steps;
}

}  // namespace laconic::numeric
