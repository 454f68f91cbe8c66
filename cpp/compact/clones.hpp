// Code for newer processors beside the portable one, chosen when the module is loaded.
#pragma once

// Shifts by a variable and counts of bits have better instructions where the processor is younger
// than the portable baseline: a hot function is compiled twice, all that it calls with it, and the
// loader chooses. (Sanitizers come too late for the loader.)
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define COMPACT_SANITIZED
#endif
#endif
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(COMPACT_SANITIZED)
#define COMPACT_CLONES __attribute__((target_clones("arch=x86-64-v3", "default"), flatten))
#else
#define COMPACT_CLONES
#endif
