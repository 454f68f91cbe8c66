// Vectors whose first entry starts a cache line, so that rows of a multiple of 32 bytes cross as
// few lines as they can. Large ones ask for large pages: rows are read all over the place, and with
// small pages the processor forgets where pages are.
#pragma once
#include <cstddef>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace laconic::numeric {

template <class T>
struct CacheLineAllocator {
    using value_type = T;
    static constexpr size_t kLine = 64, kLargePage = size_t{1} << 21;
    CacheLineAllocator() = default;
    template <class U>
    CacheLineAllocator(const CacheLineAllocator<U>&) {}
    static std::align_val_t alignment(size_t n) {
        return std::align_val_t{n * sizeof(T) >= 2 * kLargePage ? kLargePage : kLine};
    }
    T* allocate(size_t n) {
        void* memory = ::operator new(n * sizeof(T), alignment(n));
#if defined(__linux__)
        if (n * sizeof(T) >= 2 * kLargePage) madvise(memory, n * sizeof(T), MADV_HUGEPAGE);
#endif
        return static_cast<T*>(memory);
    }
    void deallocate(T* p, size_t n) { ::operator delete(p, alignment(n)); }
    template <class U>
    bool operator==(const CacheLineAllocator<U>&) const {
        return true;
    }
};

template <class T>
using AlignedVector = std::vector<T, CacheLineAllocator<T>>;

}  // namespace laconic::numeric
