// A model of n-grams in few bits, read where it lies: a trie of n-grams by their words, the newest
// first, level by level, so that an n-gram lies below the one that lacks its oldest word (as in
// Heafield 2011, KenLM's trie). A level has, bit by bit,
//
//     label      the oldest word of every n-gram; siblings rise by it
//     gain       the number of its log probability in a table of values
//     weight     the same of its log back-off weight
//     children   for every n-gram a one for each child, and a zero: two bits for most, and both
//                children and parents are found by counting
//
// Level 1 has all words, and the start of sentences as the last one. A state is the number of an
// n-gram, counted over all levels but the last. Nothing in the arrays can lead outside of them:
// numbers of children are cut, so that files need not be read before they are used.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "lm/next_words.hpp"

namespace laconic::lm {

// Numbers of `width` bits each.
struct PackedNumbers {
    const uint64_t* words = nullptr;
    int width = 0;
    uint32_t operator[](int64_t i) const {
        const int64_t bit = i * width;
        const int shift = static_cast<int>(bit & 63);
        uint64_t value = words[bit >> 6] >> shift;
        if (shift + width > 64) value |= words[(bit >> 6) + 1] << (64 - shift);
        return static_cast<uint32_t>(value & ((uint64_t{1} << width) - 1));
    }
};

// How many children n nodes have: for each node a one per child, then a zero.
class ChildCounts {
  public:
    ChildCounts() = default;
    ChildCounts(const uint64_t* words, int64_t n_nodes, int64_t n_children)
        : words_(words), n_children_(n_children) {
        int64_t ones = 0, zeros = 0;
        for (int64_t bit = 0; bit < n_nodes + n_children; bit += 64) {
            const int64_t left = n_nodes + n_children - bit;
            const uint64_t mask = left >= 64 ? ~uint64_t{0} : (uint64_t{1} << left) - 1;
            const uint64_t word = words[bit >> 6] & mask;
            const int set = std::popcount(word), clear = std::popcount(~word & mask);
            sample(after_one_, word, bit, ones, set);
            sample(after_zero_, ~word & mask, bit, zeros, clear);
            ones += set;
            zeros += clear;
        }
        if (ones != n_children || zeros != n_nodes)
            throw std::invalid_argument(
                "the numbers of n-grams and of their children do not agree");
    }
    // Children of node i, [first, second).
    std::pair<int64_t, int64_t> children(int64_t i) const {
        int64_t bit = i == 0 ? 0 : select<false>(after_zero_, i - 1) + 1;
        const int64_t first = bit - i;
        int64_t n = 0;
        for (;;) {
            const int in_word = static_cast<int>(64 - (bit & 63)),
                      run = std::countr_one(words_[bit >> 6] >> (bit & 63));
            n += std::min(run, in_word);
            if (run < in_word || first + n >= n_children_) break;
            bit += in_word;
        }
        return {first, std::min(first + n, n_children_)};
    }
    int64_t parent(int64_t child) const { return select<true>(after_one_, child) - child; }

  private:
    static constexpr int64_t kStep = 64;
    // The places of the bits 0, kStep, 2 kStep .. that are set, of a word with `n` of them after
    // `seen` others.
    static void sample(std::vector<int64_t>& places, uint64_t word, int64_t bit, int64_t seen,
                       int n) {
        const int64_t wanted = kStep * static_cast<int64_t>(places.size());
        if (seen + n > wanted) places.push_back(bit + nth(word, wanted - seen));
    }
    // The place of the n-th bit that is set.
    static int nth(uint64_t word, int64_t n) {
        for (; n > 0; --n) word &= word - 1;
        return std::countr_zero(word);
    }
    // The place of the i-th bit that is one, or zero.
    template <bool one>
    int64_t select(const std::vector<int64_t>& places, int64_t i) const {
        int64_t bit = places[i / kStep], left = i % kStep;
        uint64_t word = (one ? words_[bit >> 6] : ~words_[bit >> 6]) & (~uint64_t{0} << (bit & 63));
        for (bit &= ~int64_t{63};;) {
            const int n = std::popcount(word);
            if (n > left) return bit + nth(word, left);
            left -= n;
            bit += 64;
            word = one ? words_[bit >> 6] : ~words_[bit >> 6];
        }
    }

    const uint64_t* words_ = nullptr;
    int64_t n_children_ = 0;
    std::vector<int64_t> after_one_, after_zero_;
};

class NgramTrie final : public NextWords {
  public:
    struct Level {
        int64_t size = 0, first = 0;  // n-grams, and the number of the first one
        PackedNumbers label, gain, weight;
        std::vector<float> gains, weights;
        ChildCounts children;  // none in the last level
    };
    NgramTrie(std::vector<Level> levels, int64_t n_words)
        : levels_(std::move(levels)), n_words_(static_cast<uint32_t>(n_words)) {
        int64_t first = 0;
        for (Level& level : levels_) {
            level.first = first;
            first += level.size;
        }
        const int64_t n_states = levels_.size() > 1 ? levels_.back().first : first;
        if (n_states >= UINT32_MAX)
            throw std::invalid_argument("there are too many n-grams for one model");
        n_states_ = static_cast<uint32_t>(n_states);
    }

    uint32_t n_contexts() const override { return n_states_; }
    uint32_t start() const override { return n_words_; }
    uint32_t n_words() const override { return n_words_; }
    Step step(uint32_t state, uint32_t word) const override {
        History history(*this, state);
        return history.step(word);
    }
    void score(const int32_t* tokens, const int64_t* ptr, int64_t first, int64_t last,
               uint32_t start, double* log_prob, uint16_t* length) const override {
        for (int64_t s = first; s < last; ++s) {
            History history(*this, start);
            for (int64_t t = ptr[s]; t < ptr[s + 1]; ++t) {
                const Step step = history.step(static_cast<uint32_t>(tokens[t]));
                log_prob[t] = step.log_prob;
                length[t] = static_cast<uint16_t>(step.length);
            }
        }
    }
    void distribution(uint32_t state, double* out) const override {
        const History history(*this, state);
        for (uint32_t v = 0; v < n_words_; ++v) out[v] = History(history).step(v).log_prob;
    }

  private:
    // The n-gram of a state: its words, the newest first, and the weights of its suffixes.
    class History {
      public:
        History(const NgramTrie& trie, uint32_t state) : trie_(&trie) {
            size_t k = 0;
            while (k + 1 < trie.levels_.size() && state >= trie.levels_[k + 1].first) ++k;
            words_.resize(k + 1);
            weights_.resize(k + 1);
            int64_t node = state - trie.levels_[k].first;
            for (;; --k) {
                const Level& level = trie.levels_[k];
                weights_[k] = level.weights[level.weight[node]];
                words_[k] = k == 0 ? static_cast<uint32_t>(node) : level.label[node];
                if (k == 0) break;
                node = trie.levels_[k - 1].children.parent(node);
            }
        }
        // log p(v | words) = gain of the longest n-gram that ends with v + the weights of all
        // contexts that are longer than its own; the state moves on.
        Step step(uint32_t word) {
            const auto& levels = trie_->levels_;
            const size_t most = std::min(words_.size() + 1, levels.size());
            next_words_.assign(1, word);
            next_weights_.assign(1, levels[0].weights[levels[0].weight[word]]);
            int64_t node = word, state = word;
            size_t k = 1;
            for (; k < most; ++k) {
                const int64_t child = trie_->find(k, node, words_[k - 1]);
                if (child < 0) break;
                node = child;
                if (k + 1 == levels.size()) continue;
                state = levels[k].first + node;
                next_words_.push_back(words_[k - 1]);
                next_weights_.push_back(levels[k].weights[levels[k].weight[node]]);
            }
            const Level& found = levels[k - 1];
            double log_prob = found.gains[found.gain[node]];
            for (size_t j = k - 1; j < weights_.size(); ++j) log_prob += weights_[j];
            words_.swap(next_words_);
            weights_.swap(next_weights_);
            return {static_cast<uint32_t>(state), log_prob, static_cast<uint32_t>(k)};
        }

      private:
        const NgramTrie* trie_;
        std::vector<uint32_t> words_, next_words_;
        std::vector<float> weights_, next_weights_;
    };

    // The child of a node of the level above with this label, -1 if there is none.
    int64_t find(size_t level, int64_t node, uint32_t label) const {
        auto [low, high] = levels_[level - 1].children.children(node);
        const PackedNumbers& labels = levels_[level].label;
        while (low < high) {
            const int64_t middle = low + (high - low) / 2;
            const uint32_t its = labels[middle];
            if (its == label) return middle;
            (its < label ? low : high) = its < label ? middle + 1 : middle;
        }
        return -1;
    }

    std::vector<Level> levels_;
    uint32_t n_words_, n_states_ = 0;
};

}  // namespace laconic::lm
