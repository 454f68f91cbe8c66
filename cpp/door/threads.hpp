// Static split of a range over a few threads; small ranges stay on the calling thread.
#pragma once
#include <algorithm>
#include <cstdint>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace laconic::door {

constexpr int kMostThreads = 256;

// Calls body(begin, end, part) on disjoint parts that cover [0, n). Parts for which the system has
// no thread left are done by the caller. An exception of any part reaches the caller once all parts
// are done, that of the first part first.
template <class Body>
void parallel_ranges(int64_t n, int threads, int64_t smallest_part, Body body) {
    const int64_t useful = std::max<int64_t>(1, n / std::max<int64_t>(1, smallest_part));
    const int wanted = std::clamp(threads, 1, kMostThreads);
    const int parts = static_cast<int>(std::min<int64_t>(wanted, useful));
    if (parts == 1) {
        body(int64_t{0}, n, 0);
        return;
    }
    std::vector<std::exception_ptr> failures(parts);
    const auto run = [&](int p) {
        try {
            body(n * p / parts, n * (p + 1) / parts, p);
        } catch (...) {
            failures[p] = std::current_exception();
        }
    };
    std::vector<std::thread> workers;
    workers.reserve(parts - 1);
    int started = 1;
    try {
        for (; started < parts; ++started) workers.emplace_back(run, started);
    } catch (const std::system_error&) {  // no thread is left
    } catch (const std::bad_alloc&) {     // or no memory for one
    }
    run(0);
    for (int p = started; p < parts; ++p) run(p);
    for (auto& worker : workers) worker.join();
    for (const auto& failure : failures)
        if (failure) std::rethrow_exception(failure);
}

}  // namespace laconic::door
