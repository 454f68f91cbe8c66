// Kneser-Ney smoothing with checked arrays.
#pragma once
#include <nanobind/stl/vector.h>

#include "door/checks.hpp"
#include "lm/kneser_ney.hpp"

namespace laconic::lm {

class KneserNeyCounts {
  public:
    KneserNeyCounts(Vec<int32_t> tokens, Vec<int64_t> sentences, int32_t n_words, int order,
                    int64_t memory, const std::string& folder)
        : order_(order), n_words_(n_words), end_(end_of(tokens, sentences, n_words)) {
        require(order >= 1 && order <= 1000, "order must be from 1 to 1000");
        require(memory >= 0, "memory must be a number of bytes");
        nb::gil_scoped_release release;
        const TokenText text{tokens.data(), sentences.data(),
                             static_cast<int64_t>(sentences.size()) - 1, n_words};
        found_ = std::make_unique<KneserNey>(text, order, memory, folder);
        for (int k = 0; k < order; ++k) {
            all_contexts_ += found_->n_contexts()[k];
            all_pairs_ += found_->n_pairs()[k];
        }
    }
    Array<int64_t> counts() const { return to_numpy(std::vector<int64_t>(found_->counts())); }
    Array<int64_t> n_contexts() const {
        return to_numpy(std::vector<int64_t>(found_->n_contexts()));
    }
    Array<int64_t> n_pairs() const { return to_numpy(std::vector<int64_t>(found_->n_pairs())); }

    // parent, word, ptr, target, gain and base, as a ContextModel has them.
    std::tuple<Array<int32_t>, Array<int32_t>, Array<int64_t>, Array<int32_t>, Array<double>,
               Array<double>>
    model(Vec<double> discounts) {
        check_discounts(discounts);
        require(all_pairs_ < INT32_MAX, "the text has too many n-grams: take a smaller order");
        std::vector<int32_t> parent(all_contexts_), word(all_contexts_), target(all_pairs_);
        std::vector<int64_t> ptr(all_contexts_ + 1);
        std::vector<double> gain(all_pairs_), base(all_contexts_);
        {
            nb::gil_scoped_release release;
            found_->model(discounts.data(), {parent.data(), word.data(), ptr.data(), target.data(),
                                             gain.data(), base.data()});
        }
        return std::make_tuple(to_numpy(std::move(parent)), to_numpy(std::move(word)),
                               to_numpy(std::move(ptr)), to_numpy(std::move(target)),
                               to_numpy(std::move(gain)), to_numpy(std::move(base)));
    }
    // Writes the lines of an ARPA file, those of order k + 1 to names[k]; weights: room for one
    // number per context.
    void write_lines(Vec<double> discounts, MutVec<float> weights, Vec<uint8_t> words,
                     Vec<int64_t> word_ptr, const std::vector<std::string>& names) {
        check_discounts(discounts);
        check_ptr(word_ptr, static_cast<int64_t>(words.size()), "word_ptr");
        require(static_cast<int64_t>(word_ptr.size()) == n_words_ + 1,
                "word_ptr must have an entry more than there are words");
        require(static_cast<int64_t>(weights.size()) == all_contexts_,
                "weights must have one entry per context");
        require(static_cast<int>(names.size()) == order_, "names must have one entry per order");
        require(end_ >= 0, "every sentence must end with one and the same word, found only there");
        nb::gil_scoped_release release;
        found_->weights(discounts.data(), weights.data());
        found_->write_lines(discounts.data(), weights.data(), end_,
                            {reinterpret_cast<const char*>(words.data()), word_ptr.data()}, names);
    }

  private:
    // Checks the text; the word that ends all sentences and is found nowhere else, or -1.
    static int32_t end_of(const Vec<int32_t>& tokens, const Vec<int64_t>& sentences,
                          int32_t n_words) {
        require(n_words >= 1 && n_words < INT32_MAX, "n_words must be at least 1");
        check_ptr(sentences, static_cast<int64_t>(tokens.size()), "sentences");
        check_range(tokens, 0, n_words, "tokens");
        require(tokens.size() >= 1, "the text must have a word");
        const int32_t end = tokens.data()[tokens.size() - 1];
        int64_t n_sentences = 0, n_ends = 0;
        for (size_t s = 0; s + 1 < sentences.size(); ++s) {
            if (sentences.data()[s] == sentences.data()[s + 1]) continue;
            ++n_sentences;
            if (tokens.data()[sentences.data()[s + 1] - 1] != end) return -1;
        }
        for (size_t t = 0; t < tokens.size(); ++t) n_ends += tokens.data()[t] == end;
        return n_ends == n_sentences ? end : -1;
    }
    void check_discounts(const Vec<double>& discounts) const {
        require(static_cast<int64_t>(discounts.size()) == 3 * order_,
                "discounts must have three entries per order");
        for (size_t i = 0; i < discounts.size(); ++i)
            require(
                discounts.data()[i] >= 0 && discounts.data()[i] <= static_cast<double>(i % 3 + 1),
                "discounts must be from 0 to 1, 2 and 3");
    }

    const int64_t order_;
    const int32_t n_words_, end_;
    std::unique_ptr<KneserNey> found_;
    int64_t all_contexts_ = 0, all_pairs_ = 0;
};

}  // namespace laconic::lm
