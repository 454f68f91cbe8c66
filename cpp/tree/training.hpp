// Sentences that a parser learns from: integer columns, the arcs that may be, and about how many
// features each template has.
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "tree/parser.hpp"
#include "tree/parsing.hpp"

namespace laconic::tree {

// Estimates how many distinct keys were added, within about 3 % (HyperLogLog: Flajolet et al.
// 2007): register j keeps the largest place M_j of a first one bit among the keys that fall to
// it, and of m registers
//     n = alpha_m m^2 / sum_j 2^-M_j,    alpha_m = 0.7213 / (1 + 1.079 / m);
// while registers are empty and n is at most 2.5 m, n = m log(m / empty).
class DistinctCount {
  public:
    DistinctCount() : most_(kRegisters, 0) {}
    void add(uint64_t key) {
        key = mixed(key);
        const int zeros = __builtin_clzll((key << kBits) | (1ull << (kBits - 1))) + 1;
        uint8_t& most = most_[key >> (64 - kBits)];
        most = std::max(most, static_cast<uint8_t>(zeros));
    }
    int64_t estimate() const {
        double sum = 0;
        int empty = 0;
        for (uint8_t most : most_) {
            sum += std::ldexp(1.0, -most);
            empty += most == 0;
        }
        const double m = kRegisters, raw = 0.7213 / (1 + 1.079 / m) * m * m / sum;
        return static_cast<int64_t>(
            std::llround(raw <= 2.5 * m && empty > 0 ? m * std::log(m / empty) : raw));
    }

  private:
    static constexpr int kBits = 10, kRegisters = 1 << kBits;
    std::vector<uint8_t> most_;
};

class TrainingTrees {
  public:
    TrainingTrees(const Parser& parser, Matrix32 columns_in, Vec<int64_t> ptr_in,
                  Vec<int64_t> candidate_ptr, Vec<int32_t> candidate_head)
        : columns_array_(columns_in),
          ptr_array_(ptr_in),
          candidate_ptr_array_(candidate_ptr),
          candidate_head_array_(candidate_head),
          columns(columns_in, ptr_in),
          candidates(check_candidates(columns, candidate_ptr, candidate_head)) {
        parser.templates.check(columns);
    }
    // How many features each template has at all parts of all sentences.
    std::vector<int64_t> sizes(const Parser& parser) const {
        std::vector<DistinctCount> counts(parser.templates.size());
        Parse at(parser);
        for (int64_t s = 0; s < columns.n_sentences; ++s) {
            parser.lay_out(columns, s, candidates, at);
            for (int64_t k = 0; k < parser.templates.size(); ++k)
                parser.each_key(k, at, [&](int64_t, uint64_t key) { counts[k].add(key); });
        }
        std::vector<int64_t> out;
        for (const DistinctCount& count : counts) out.push_back(count.estimate());
        return out;
    }

  private:
    Matrix32 columns_array_;  // the arrays are kept alive
    Vec<int64_t> ptr_array_, candidate_ptr_array_;
    Vec<int32_t> candidate_head_array_;

  public:
    const Columns columns;
    const Candidates candidates;
};

}  // namespace laconic::tree
