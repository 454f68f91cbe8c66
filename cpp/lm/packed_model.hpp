// A trie of n-grams with checked arrays.
#pragma once
#include <nanobind/stl/vector.h>

#include <cmath>

#include "door/checks.hpp"
#include "lm/trie.hpp"

namespace laconic::lm {

// Keeps the arrays, which may lie in a file.
class PackedModel {
  public:
    using Words = std::vector<Vec<uint64_t>>;

    // sizes: n-grams per level. labels, gains, weights: of every level, as trie.hpp has them;
    // children: of every level but the last; values: the tables of gains of all levels, then those
    // of weights, which say how many bits a number has.
    PackedModel(int64_t n_words, Vec<int64_t> sizes, Words labels, Words gains, Words weights,
                Words children, std::vector<Vec<float>> values)
        : arrays_{std::move(labels), std::move(gains), std::move(weights), std::move(children)},
          trie_(levels_of(n_words, sizes, arrays_, values), n_words) {}

    const NgramTrie& trie() const { return trie_; }

  private:
    static constexpr int64_t kMost = int64_t{1} << 40;  // n-grams of a level

    static std::vector<NgramTrie::Level> levels_of(int64_t n_words, const Vec<int64_t>& sizes,
                                                   const std::vector<Words>& arrays,
                                                   const std::vector<Vec<float>>& values) {
        const size_t n = sizes.size();
        require(n >= 1 && n <= 1000, "there must be from 1 to 1000 levels");
        require(n_words >= 1 && n_words < INT32_MAX, "n_words must be at least 1");
        require(sizes.data()[0] == n_words + 1, "level 1 must have all words and the start");
        require(arrays[0].size() == n && arrays[1].size() == n && arrays[2].size() == n &&
                    arrays[3].size() == n - 1 && values.size() == 2 * n,
                "there must be arrays for every level");
        std::vector<NgramTrie::Level> levels(n);
        for (size_t k = 0; k < n; ++k) {
            const int64_t size = levels[k].size = sizes.data()[k];
            require(size >= 0 && size < kMost, "a level has an impossible number of n-grams");
            const int label_bits = static_cast<int>(std::bit_width(static_cast<uint64_t>(n_words)));
            levels[k].label = packed(arrays[0][k], k == 0 ? 0 : label_bits, size);
            levels[k].gains = table(values[k]);
            levels[k].weights = table(values[n + k]);
            levels[k].gain = packed(arrays[1][k], bits(levels[k].gains), size);
            levels[k].weight = packed(arrays[2][k], bits(levels[k].weights), size);
            if (k + 1 == n) break;
            const int64_t below = sizes.data()[k + 1];
            require(below >= 0 && below < kMost, "a level has an impossible number of n-grams");
            levels[k].children =
                ChildCounts(packed(arrays[3][k], 1, size + below).words, size, below);
        }
        return levels;
    }
    // The values of a table, with as many entries as its bits can name.
    static std::vector<float> table(const Vec<float>& values) {
        require(values.size() >= 1 && values.size() <= (1 << 24), "a table has no values");
        for (size_t i = 0; i < values.size(); ++i)
            require(std::isfinite(values.data()[i]), "values must be finite");
        std::vector<float> found(values.data(), values.data() + values.size());
        found.resize(std::bit_ceil(values.size()), found.back());
        return found;
    }
    static int bits(const std::vector<float>& table) {
        return static_cast<int>(std::bit_width(table.size() - 1));
    }
    static PackedNumbers packed(const Vec<uint64_t>& words, int width, int64_t n) {
        require(static_cast<int64_t>(words.size()) >= n * width / 64 + 1,
                "an array is too short for its level");
        return {words.data(), width};
    }

    const std::vector<Words> arrays_;
    NgramTrie trie_;
};

}  // namespace laconic::lm
