// Kneser-Ney smoothing of the n-grams of a text, block by block (see blocks.hpp):
//
//     p(v | c) = (a(c v) - D(a(c v))) / a(c .)  +  gamma(c) p(v | c without its oldest word)
//
// with adjusted counts a, 1 / |V| where the recursion ends, and gamma(c) the mass that the
// discounts D leave; the rules are those of laconic/lm/kneser_ney.py, which estimates D from the
// counts of counts that the first pass gives. A second pass makes a model of contexts, or two
// passes write an ARPA file, whose lines are put together as they come.
#pragma once
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lm/blocks.hpp"

namespace laconic::lm {

// Lines of n-grams in a file, through a buffer.
class LineFile {
  public:
    explicit LineFile(const std::string& name);
    LineFile(LineFile&& other) noexcept : file_(other.file_), buffer_(std::move(other.buffer_)) {
        other.file_ = nullptr;
    }
    ~LineFile();
    // words: "w1 w2 "; a back-off weight of 1, whose logarithm is 0, is not written.
    void add(double log10_prob, std::string_view words, std::string_view last, double log10_weight);
    void close();

  private:
    void number(double value);
    void flush();

    std::FILE* file_;
    std::string buffer_;
};

// Spellings one after the other: word v is text[ptr[v], ptr[v + 1]).
struct Spellings {
    const char* text;
    const int64_t* ptr;
    std::string_view operator[](int32_t v) const {
        return {text + ptr[v], static_cast<size_t>(ptr[v + 1] - ptr[v])};
    }
};

class KneserNey {
  public:
    KneserNey(const TokenText& text, int order, int64_t memory, const std::string& folder);

    // Where n_words + 1 .. of a model of contexts go; the sizes are those below.
    struct Model {
        int32_t *parent, *word;
        int64_t* ptr;
        int32_t* target;
        double *gain, *base;
    };
    // discounts: D of adjusted counts 1, 2 and more, of every order.
    void model(const double* discounts, const Model& out);
    // log10 gamma of all contexts but the empty one: by depth, then by words, the newest first.
    // The next call must be of `write_lines`.
    void weights(const double* discounts, float* out);
    // Writes the lines of the n-grams of order k + 1 to names[k]. `end` is the word that ends all
    // sentences and is found nowhere else, so that all others that occur are contexts.
    void write_lines(const double* discounts, const float* weights, int32_t end,
                     const Spellings& words, const std::vector<std::string>& names);

    // Of every order: the n-grams with the adjusted counts 0, 1, .. 4, and more.
    const std::vector<int64_t>& counts() const { return counts_; }
    // Of every depth, and of every order.
    const std::vector<int64_t>& n_contexts() const { return n_contexts_; }
    const std::vector<int64_t>& n_pairs() const { return n_pairs_; }

    static constexpr int kCounts = 6;
    static constexpr double kLeast = 1e-100;  // lower bound of every probability

  private:
    void count(int depth, int32_t adjusted) {
        ++counts_[depth * kCounts + std::min(adjusted, kCounts - 1)];
    }
    // Probabilities of the words in the empty context.
    void evaluate_root(const double* discounts);
    // prob_ of the pairs of a block and gamma_ of its contexts.
    void evaluate(const Block& block, const double* discounts);

    const int order_;
    const int32_t n_words_;
    NgramBlocks blocks_;
    std::vector<int32_t> root_;  // adjusted counts of words
    std::vector<int64_t> counts_, n_contexts_, n_pairs_;
    std::vector<std::vector<int64_t>> first_;  // weight of depth d after a word: first_[d][word]
    std::vector<double> root_prob_, prob_, gamma_;
};

}  // namespace laconic::lm
