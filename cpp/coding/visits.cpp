// Compiles visits_body.hpp for the portable baseline and for AVX2, and chooses by the processor.
#include "coding/visits.hpp"

namespace laconic::coding {

namespace {
namespace baseline {
#define LANE_BYTES 16
#include "coding/visits_body.hpp"
#undef LANE_BYTES
}  // namespace baseline

#if defined(__x86_64__) && defined(__GNUC__)
#define VISITS_AVX2
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
namespace avx2 {
#define LANE_BYTES 32
#include "coding/visits_body.hpp"
#undef LANE_BYTES
}  // namespace avx2
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

VisitSteps choose() {
#ifdef VISITS_AVX2
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return avx2::Visits::steps();
#endif
    return baseline::Visits::steps();
}
}  // namespace

const VisitSteps& visit_steps() {
    static const VisitSteps steps = choose();
    return steps;
}

}  // namespace laconic::coding
