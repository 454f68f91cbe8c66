// What depends on the processor and the compiler, in one place.
//
// Vector code is written with the vector types of GCC and clang, which are SSE2 on x86-64, NEON on
// ARM and plain loops elsewhere. A file that wants AVX2 too, which not every x86-64 processor has,
// includes its body twice and chooses at run time:
//
//     namespace baseline {
//     #include "numeric/softmax_body.hpp"
//     }
//     #ifdef LACONIC_AVX2
//     LACONIC_AVX2_BEGIN
//     namespace avx2 {
//     #include "numeric/softmax_body.hpp"
//     }
//     LACONIC_AVX2_END
//     #endif
//     ... LACONIC_CHOOSE(add) is avx2::add or baseline::add
#pragma once
#include <bit>

#if defined(_MSC_VER) && !defined(__clang__)
#error "MSVC lacks vector types: build with clang-cl (CMAKE_GENERATOR_TOOLSET=ClangCL)"
#endif
// Model files hold little-endian arrays, and kernels read them as they are.
static_assert(std::endian::native == std::endian::little,
              "laconic reads model files as they are, which needs a little-endian processor");

// clang-cl has no run-time check of the processor without its own library: it takes the baseline.
#if defined(__x86_64__) && defined(__GNUC__)
#define LACONIC_AVX2
#if defined(__clang__)
#define LACONIC_AVX2_BEGIN \
    _Pragma("clang attribute push(__attribute__((target(\"avx2,fma\"))), apply_to = function)")
#define LACONIC_AVX2_END _Pragma("clang attribute pop")
#else
#define LACONIC_AVX2_BEGIN _Pragma("GCC push_options") _Pragma("GCC target(\"avx2,fma\")")
#define LACONIC_AVX2_END _Pragma("GCC pop_options")
#endif
#define LACONIC_CHOOSE(name) (laconic::door::has_avx2() ? avx2::name : baseline::name)
#else
#define LACONIC_CHOOSE(name) (baseline::name)
#endif

namespace laconic::door {

#ifdef LACONIC_AVX2
inline bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
#endif

}  // namespace laconic::door
