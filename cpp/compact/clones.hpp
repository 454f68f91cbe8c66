#pragma once

// Shifts by a variable and counts of bits have better instructions where the processor is younger
// than the portable baseline: a hot function is compiled twice, all that it calls with it, and the
// loader chooses. (Sanitizers come too late for the loader.)
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define COMPACT_CLONES __attribute__((target_clones("arch=x86-64-v3", "default"), flatten))
#else
#define COMPACT_CLONES
#endif
