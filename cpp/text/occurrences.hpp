// Training sentences as numbered features: ids[token * M + m] is the feature of template m at the
// token, or -1 where it does not fire; features of template m are the slice [first[m], first[m +
// 1]), numbered as they first occur, so that features of one sentence that occur nowhere else are
// neighbours. Passes over the data then find a feature's weights by its number, and need its key
// and the values of its atoms only once.
#pragma once
#include <atomic>
#include <cstdint>
#include <vector>

#include "text/templates.hpp"

namespace laconic::text {

class Occurrences {
  public:
    Occurrences(const Templates& templates, Matrix32 columns_in, Vec<int64_t> ptr_in, int threads)
        : templates(templates),
          columns_array_(columns_in),
          ptr_(ptr_in.data(), ptr_in.data() + ptr_in.size()),
          n_tokens(static_cast<int64_t>(columns_in.shape(1))),
          serial(next_serial()) {
        const Columns columns(columns_in, ptr_in);
        templates.check(columns);
        nb::gil_scoped_release release;
        number_features(templates, columns, threads, ids_, sizes);
        first.assign(1, 0);
        for (int64_t size : sizes) first.push_back(first.back() + size);
    }
    int64_t n_sentences() const { return static_cast<int64_t>(ptr_.size()) - 1; }
    int64_t begin(int64_t s) const { return ptr_[s]; }
    int64_t length(int64_t s) const { return ptr_[s + 1] - ptr_[s]; }
    const int32_t* ids(int64_t token) const { return ids_.data() + token * templates.size(); }
    const int32_t* column(int64_t view) const { return columns_array_.data() + view * n_tokens; }

    const Templates templates;

  private:
    static uint64_t next_serial() {
        static std::atomic<uint64_t> count{0};
        return ++count;
    }
    Matrix32 columns_array_;  // keeps the array alive
    std::vector<int64_t> ptr_;
    std::vector<int32_t> ids_;

  public:
    int64_t n_tokens;
    std::vector<int64_t> sizes, first;
    // Distinct for every object: rows that were found for one are not those of another.
    uint64_t serial;
};

}  // namespace laconic::text
