// Static split of a range over a few threads; small ranges stay on the calling thread.
#pragma once
#include <algorithm>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

namespace laconic::door {

// Calls body(begin, end, part) on disjoint parts that cover [0, n).
template <class Body>
void parallel_ranges(int64_t n, int threads, int64_t smallest_part, Body body) {
    const int64_t useful = std::max<int64_t>(1, n / std::max<int64_t>(1, smallest_part));
    const int parts = static_cast<int>(std::min<int64_t>(std::max(1, threads), useful));
    if (parts == 1) {
        body(int64_t{0}, n, 0);
        return;
    }
    std::vector<std::thread> workers;
    workers.reserve(parts - 1);
    for (int p = 1; p < parts; ++p)
        workers.emplace_back([&, p] { body(n * p / parts, n * (p + 1) / parts, p); });
    body(int64_t{0}, n / parts, 0);
    for (auto& worker : workers) worker.join();
}

}  // namespace laconic::door
