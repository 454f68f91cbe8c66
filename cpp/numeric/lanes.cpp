// Compiles lanes_body.hpp for the portable baseline and for AVX2, and chooses by the processor.
#include "numeric/lanes.hpp"

#include "door/processor.hpp"
// A maximum is written with the instruction itself: compilers may not make one of a comparison,
// which differs for nan.
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace laconic::numeric {

namespace {
namespace baseline {
#define LANE_BYTES 16
#if defined(__x86_64__)
inline __m128 lane_max(__m128 a, __m128 b) { return _mm_max_ps(a, b); }
inline __m128d lane_max(__m128d a, __m128d b) { return _mm_max_pd(a, b); }
#else
template <class Vector>
Vector lane_max(Vector a, Vector b) {
    return a > b ? a : b;
}
#endif
#include "numeric/lanes_body.hpp"
#undef LANE_BYTES
}  // namespace baseline

#ifdef LACONIC_AVX2
LACONIC_AVX2_BEGIN
namespace avx2 {
#define LANE_BYTES 32
inline __m256 lane_max(__m256 a, __m256 b) { return _mm256_max_ps(a, b); }
inline __m256d lane_max(__m256d a, __m256d b) { return _mm256_max_pd(a, b); }
#include "numeric/lanes_body.hpp"
#undef LANE_BYTES
}  // namespace avx2
LACONIC_AVX2_END
#endif

template <class Real>
LaneSteps<Real> choose() {
    return LACONIC_CHOOSE(Lanes<Real>::steps());
}
}  // namespace

template <>
const LaneSteps<float>& lane_steps<float>() {
    static const LaneSteps<float> steps = choose<float>();
    return steps;
}
template <>
const LaneSteps<double>& lane_steps<double>() {
    static const LaneSteps<double> steps = choose<double>();
    return steps;
}

}  // namespace laconic::numeric
