// Checks that turn bad arrays into exceptions before a kernel touches them.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>

#include "door/arrays.hpp"

namespace laconic::door {

// Messages are literals where they stand in a loop: a std::string would be built even when all is
// well.
inline void require(bool ok, const char* message) {
    if (!ok) throw std::invalid_argument(message);
}
inline void require(bool ok, const std::string& message) {
    if (!ok) throw std::invalid_argument(message);
}

// ptr must start at 0, never fall, and end at `end`.
inline void check_ptr(const Vec<int64_t>& ptr, int64_t end, const char* name) {
    require(ptr.size() >= 1, std::string(name) + " must have at least one entry");
    const int64_t* p = ptr.data();
    require(p[0] == 0, std::string(name) + " must start at 0");
    for (size_t i = 1; i < ptr.size(); ++i)
        if (p[i] < p[i - 1]) throw std::invalid_argument(std::string(name) + " must not decrease");
    require(p[ptr.size() - 1] == end, std::string(name) + " must end at " + std::to_string(end));
}

template <class I>
void check_range(const Vec<I>& index, int64_t low, int64_t high, const char* name) {
    for (size_t i = 0; i < index.size(); ++i)
        if (index.data()[i] < low || index.data()[i] >= high)
            throw std::invalid_argument(std::string(name) + " holds " +
                                        std::to_string(index.data()[i]) + ", outside [" +
                                        std::to_string(low) + ", " + std::to_string(high) + ")");
}

}  // namespace laconic::door
