// What predicts the next word from a state, whatever it is stored as.
#pragma once
#include <cstdint>

namespace laconic::lm {

struct Step {
    uint32_t next;
    double log_prob;
    uint32_t length;  // words of the n-gram that was used
};

class NextWords {
  public:
    virtual ~NextWords() = default;
    virtual uint32_t n_contexts() const = 0;
    virtual uint32_t start() const = 0;  // the state at the start of a sentence
    virtual uint32_t n_words() const = 0;
    virtual Step step(uint32_t state, uint32_t word) const = 0;
    // Sentences [first, last) of tokens, each from the state `start`.
    virtual void score(const int32_t* tokens, const int64_t* ptr, int64_t first, int64_t last,
                       uint32_t start, double* log_prob, uint16_t* length) const = 0;
    // The log probabilities of all words.
    virtual void distribution(uint32_t state, double* out) const = 0;
};

}  // namespace laconic::lm
