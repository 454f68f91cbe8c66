// Contexts and the words that follow them as an automaton: a state is a context, a word costs one
// or two look-ups.
//
//     log p(v | state) = gain(c', v) + base[state]
//
// where c' is the longest suffix of the state that has a pair with v. Back-off models are of this
// form (gain: log probability less the base of c'; base: the sum of back-off weights), and so are
// log-linear ones (gain: score, base: -log Z). The next state is the longest context that ends
// c' v; it depends on the pair alone and is stored with it, so that no context is searched for.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "lm/next_words.hpp"
#include "numeric/aligned.hpp"

namespace laconic::lm {

using numeric::AlignedVector;

// (context, word) -> gain and next context: open addressing, four slots to a cache line. A bit for
// every value of a second hash, six to a slot, mostly tells without the slots, which are far larger
// than a cache, that a pair is not there.
class PairTable {
  public:
    static constexpr uint32_t kNone = UINT32_MAX;
    struct Slot {
        uint32_t context = kNone, word = 0;
        float gain = 0;
        uint32_t next = kNone;
    };
    explicit PairTable(size_t n_pairs = 0)
        : slots_(std::max<size_t>(8, n_pairs + n_pairs / 2 + 1)), bits_(slots_.size() / 10 + 1) {
        if (slots_.size() >= kNone)
            throw std::invalid_argument("there are too many pairs for one model");
    }
    static uint64_t hash(uint32_t context, uint32_t word) {
        const uint64_t key = ((uint64_t{context} << 32) | word) * 0x9e3779b97f4a7c15ULL;
        return (key ^ (key >> 32)) * 0xd6e8feb86659fd93ULL;
    }
    size_t home(uint64_t hash) const { return ((hash >> 32) * slots_.size()) >> 32; }
    size_t home(uint32_t context, uint32_t word) const { return home(hash(context, word)); }
    // False only for pairs that are not there.
    bool maybe(uint64_t hash) const {
        const uint64_t bit = bit_of(hash);
        return bits_[bit >> 6] >> (bit & 63) & 1;
    }
    void prefetch(size_t home) const { __builtin_prefetch(&slots_[home]); }
    // The slot of a pair if it is there.
    const Slot* find(uint32_t context, uint32_t word, size_t home) const {
        for (size_t at = home;; at = at + 1 == slots_.size() ? 0 : at + 1) {
            const Slot& slot = slots_[at];
            if (slot.context == context && slot.word == word) return &slot;
            if (slot.context == kNone) return nullptr;
        }
    }
    const Slot* find(uint32_t context, uint32_t word) const {
        return find(context, word, home(context, word));
    }
    // A pair that must be new.
    void insert(const Slot& pair) {
        if (++n_used_ * 3 > slots_.size() * 2) grow();
        const uint64_t its_hash = hash(pair.context, pair.word), bit = bit_of(its_hash);
        bits_[bit >> 6] |= uint64_t{1} << (bit & 63);
        size_t at = home(its_hash);
        while (slots_[at].context != kNone) at = at + 1 == slots_.size() ? 0 : at + 1;
        slots_[at] = pair;
    }

  private:
    void grow() {
        PairTable larger(2 * n_used_);
        for (const Slot& slot : slots_)
            if (slot.context != kNone) larger.insert(slot);
        slots_.swap(larger.slots_);
        bits_.swap(larger.bits_);
    }
    uint64_t bit_of(uint64_t hash) const {
        return ((hash & UINT32_MAX) * (64 * uint64_t{bits_.size()})) >> 32;
    }

    size_t n_used_ = 0;
    AlignedVector<Slot> slots_;
    std::vector<uint64_t> bits_;
};

// 64 random bits that depend on all of the seed (splitmix64).
inline uint64_t next_random(uint64_t& state) {
    uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

// The arrays of a model as they come in; see laconic/lm/context_model.py.
struct ModelArrays {
    int64_t n_contexts, n_pairs;
    const int32_t *parent, *word;
    const int64_t* ptr;
    const int32_t* target;
    const double *gain, *base;
};

// Throws std::invalid_argument unless contexts and pairs are numbers of words and contexts, in
// their order. `ptr` is one.
void check_contexts(const ModelArrays& given);
// The pair that each context is: of its words but the newest with the newest; -1 for the empty one
// and the start of sentences. Throws if there is none.
std::vector<int64_t> pairs_of_contexts(const ModelArrays& given);

class Automaton final : public NextWords {
  public:
    // Checks the arrays: throws std::invalid_argument.
    explicit Automaton(const ModelArrays& given);

    uint32_t n_contexts() const override { return static_cast<uint32_t>(contexts_.size()); }
    uint32_t start() const override { return start_; }
    uint32_t n_words() const override { return static_cast<uint32_t>(ptr_[1]); }

    Step step(uint32_t state, uint32_t word) const override {
        for (uint32_t context = state; context != 0; context = contexts_[context].parent) {
            const uint64_t hash = PairTable::hash(context, word);
            if (!pairs_.maybe(hash)) continue;
            if (const auto* pair = pairs_.find(context, word, pairs_.home(hash)))
                return stepped(state, context, *pair);
        }
        return {root_next_[word], gain_[word] + double{contexts_[state].base}, 1};
    }
    // Sentences [first, last) of tokens, each from the state `start`; many at a time, so that their
    // look-ups overlap.
    void score(const int32_t* tokens, const int64_t* ptr, int64_t first, int64_t last,
               uint32_t start, double* log_prob, uint16_t* length) const override;
    void distribution(uint32_t state, double* out) const override;
    // The k most likely words, most likely first, and their log probabilities.
    void best(uint32_t state, size_t k, std::vector<int32_t>& words,
              std::vector<double>& log_probs) const;
    // Adds words drawn one after the other from `start` on until `end` is drawn (which is not
    // added) or there are `most`.
    void sample(uint64_t seed, uint32_t start, uint32_t end, int64_t most,
                std::vector<int32_t>& words) const;

  private:
    struct Context {
        uint32_t parent;
        float base;
    };

    Step stepped(uint32_t state, uint32_t context, const PairTable::Slot& pair) const {
        return {pair.next, double{pair.gain} + double{contexts_[state].base}, depth_[context] + 1u};
    }
    static void check_numbers(const ModelArrays& given);
    // Calls body(word, gain) for the deepest pair of every word that follows a suffix of the state
    // but the empty one.
    template <class Body>
    void each_following(uint32_t state, std::vector<uint8_t>& seen, Body body) const {
        for (uint32_t context = state; context != 0; context = contexts_[context].parent)
            for (int64_t p = ptr_[context]; p < ptr_[context + 1]; ++p) {
                if (seen[target_[p]]) continue;
                seen[target_[p]] = 1;
                body(target_[p], gain_[p]);
            }
    }
    int32_t draw(uint32_t state, double uniform, std::vector<uint8_t>& seen) const;

    uint32_t start_ = 0;
    AlignedVector<Context> contexts_;
    std::vector<uint16_t> depth_;
    std::vector<int64_t> ptr_;
    std::vector<int32_t> target_;
    // Of pairs as they came; the first are those of the empty context, one per word.
    std::vector<float> gain_;
    std::vector<uint32_t> root_next_;  // of the pairs of the empty context
    std::vector<int32_t> by_gain_;     // words, the most likely first in the empty context
    std::vector<double> root_weight_;  // exp(gain) in the empty context
    double root_total_ = 0;
    PairTable pairs_;  // of all contexts but the empty one
};

}  // namespace laconic::lm
