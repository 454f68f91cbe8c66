// The automaton of a model of contexts with checked arrays, states and words.
#pragma once
#include "door/checks.hpp"
#include "door/threads.hpp"
#include "lm/automaton.hpp"
#include "text/words.hpp"

namespace laconic::lm {

// Contexts and pairs whose lengths agree.
inline ModelArrays shapes(const Vec<int32_t>& parent, const Vec<int32_t>& word,
                          const Vec<int64_t>& ptr, const Vec<int32_t>& target) {
    require(parent.size() >= 1, "there must be a context, the empty one");
    require(word.size() == parent.size(), "word must have one entry per context");
    require(ptr.size() == parent.size() + 1, "ptr must have an entry more than there are contexts");
    check_ptr(ptr, static_cast<int64_t>(target.size()), "ptr");
    return {static_cast<int64_t>(parent.size()),
            static_cast<int64_t>(target.size()),
            parent.data(),
            word.data(),
            ptr.data(),
            target.data(),
            nullptr,
            nullptr};
}

inline Array<int64_t> pairs_of_contexts(Vec<int32_t> parent, Vec<int32_t> word, Vec<int64_t> ptr,
                                        Vec<int32_t> target) {
    const ModelArrays given = shapes(parent, word, ptr, target);
    check_contexts(given);
    return to_numpy(lm::pairs_of_contexts(given));
}

// The pair with the same target in the longest proper suffix that has one; -1 in the empty context.
inline Array<int64_t> shorter_pairs(Vec<int32_t> parent, Vec<int32_t> word, Vec<int64_t> ptr,
                                    Vec<int32_t> target) {
    const ModelArrays given = shapes(parent, word, ptr, target);
    check_contexts(given);
    std::vector<int64_t> shorter(target.size(), -1);
    for (int64_t c = 1; c < given.n_contexts; ++c)
        for (int64_t p = given.ptr[c]; p < given.ptr[c + 1]; ++p) {
            for (int32_t above = given.parent[c]; shorter[p] < 0; above = given.parent[above]) {
                const int32_t *begin = given.target + given.ptr[above],
                              *end = given.target + given.ptr[above + 1];
                const int32_t* at = above == 0 ? given.target + given.target[p]
                                               : std::lower_bound(begin, end, given.target[p]);
                if (at != end && *at == given.target[p]) shorter[p] = at - given.target;
            }
        }
    return to_numpy(std::move(shorter));
}

// Calls body(word) for the words of a sentence, split at blanks, and its end; `unknown` stands for
// words that are not among n_words.
template <class Body>
void each_of_sentence(const nb::str& sentence, const text::WordIndex& words, int32_t unknown,
                      int32_t end, int64_t n_words, Body body) {
    text::each_word(sentence, [&](std::string_view word) {
        const int32_t found = words.find(word);
        require(found < 0 || (found != end && found < n_words),
                "starts and ends of sentences are added, leave them out");
        body(found < 0 ? unknown : found);
    });
    body(end);
}

// The automaton for Python: every state and word that comes in is checked.
class ContextAutomaton {
  public:
    ContextAutomaton(Vec<int32_t> parent, Vec<int32_t> word, Vec<int64_t> ptr, Vec<int32_t> target,
                     Vec<double> gain, Vec<double> base)
        : automaton_(checked(parent, word, ptr, target, gain, base)) {}

    const Automaton& automaton() const { return automaton_; }
    int64_t start() const { return automaton_.start(); }
    // The state after one word, and the word's log probability; `numbers` has the numbers of words,
    // `unknown` is that of all others.
    std::tuple<uint32_t, double> score_word(int64_t state, nb::str word, nb::dict numbers,
                                            int64_t unknown) const {
        PyObject* found = PyDict_GetItemWithError(numbers.ptr(), word.ptr());
        if (found == nullptr && PyErr_Occurred() != nullptr) throw nb::python_error();
        const int64_t number = found == nullptr ? unknown : nb::cast<int64_t>(nb::handle(found));
        check(state, number);
        const auto step =
            automaton_.step(static_cast<uint32_t>(state), static_cast<uint32_t>(number));
        return std::make_tuple(step.next, step.log_prob);
    }
    // The states after each of some words that follow the same state, and their log probabilities.
    std::tuple<nb::list, Array<double>> score_words(int64_t state, Vec<int32_t> tokens) const {
        check(state, 0);
        check_range(tokens, 0, automaton_.n_words(), "tokens");
        nb::list next;
        std::vector<double> log_prob(tokens.size());
        for (size_t t = 0; t < tokens.size(); ++t) {
            const auto step = automaton_.step(static_cast<uint32_t>(state), tokens.data()[t]);
            next.append(step.next);
            log_prob[t] = step.log_prob;
        }
        return {next, to_numpy(std::move(log_prob))};
    }
    // The log probability of the words of a sentence, split at blanks, and of its end.
    double score_sentence(nb::str sentence, const text::WordIndex& words, int64_t unknown,
                          int64_t end) const {
        check(automaton_.start(), unknown);
        check(automaton_.start(), end);
        uint32_t state = automaton_.start();
        double total = 0;
        each_of_sentence(sentence, words, static_cast<int32_t>(unknown), static_cast<int32_t>(end),
                         automaton_.n_words(), [&](int32_t word) {
                             const auto step = automaton_.step(state, word);
                             state = step.next;
                             total += step.log_prob;
                         });
        return total;
    }
    // The state after words that follow another state.
    int64_t advance(int64_t state, Vec<int32_t> tokens) const {
        check(state, 0);
        check_range(tokens, 0, automaton_.n_words(), "tokens");
        for (size_t t = 0; t < tokens.size(); ++t)
            state = automaton_.step(static_cast<uint32_t>(state), tokens.data()[t]).next;
        return state;
    }
    // The log probability of every word of sentences, and the words of the n-gram that it came
    // from.
    std::tuple<Array<double>, Array<uint16_t>> score(Vec<int32_t> tokens, Vec<int64_t> ptr,
                                                     int64_t start, int threads) const {
        check(start, 0);
        check_ptr(ptr, static_cast<int64_t>(tokens.size()), "ptr");
        check_range(tokens, 0, automaton_.n_words(), "tokens");
        std::vector<double> log_prob(tokens.size());
        std::vector<uint16_t> length(tokens.size());
        {
            nb::gil_scoped_release release;
            parallel_ranges(static_cast<int64_t>(ptr.size()) - 1, threads, 1000,
                            [&](int64_t first, int64_t last, int) {
                                automaton_.score(tokens.data(), ptr.data(), first, last,
                                                 static_cast<uint32_t>(start), log_prob.data(),
                                                 length.data());
                            });
        }
        return std::make_tuple(to_numpy(std::move(log_prob)), to_numpy(std::move(length)));
    }
    // How often each state comes before a word of sentences.
    Array<int64_t> visits(Vec<int32_t> tokens, Vec<int64_t> ptr) const {
        check_ptr(ptr, static_cast<int64_t>(tokens.size()), "ptr");
        check_range(tokens, 0, automaton_.n_words(), "tokens");
        std::vector<int64_t> count(automaton_.n_contexts(), 0);
        {
            nb::gil_scoped_release release;
            for (size_t s = 0; s + 1 < ptr.size(); ++s) {
                uint32_t state = automaton_.start();
                for (int64_t t = ptr.data()[s]; t < ptr.data()[s + 1]; ++t) {
                    ++count[state];
                    state = automaton_.step(state, static_cast<uint32_t>(tokens.data()[t])).next;
                }
            }
        }
        return to_numpy(std::move(count));
    }
    Array<double> distribution(int64_t state) const {
        check(state, 0);
        std::vector<double> out(automaton_.n_words());
        automaton_.distribution(static_cast<uint32_t>(state), out.data());
        return to_numpy(std::move(out));
    }
    std::tuple<Array<int32_t>, Array<double>> best(int64_t state, int64_t k) const {
        check(state, 0);
        require(k >= 1, "k must be at least 1");
        std::vector<int32_t> words;
        std::vector<double> log_probs;
        automaton_.best(static_cast<uint32_t>(state), static_cast<size_t>(k), words, log_probs);
        return std::make_tuple(to_numpy(std::move(words)), to_numpy(std::move(log_probs)));
    }
    // n sentences of at most `most` words: tokens without their ends, and ptr.
    std::tuple<Array<int32_t>, Array<int64_t>> sample(int64_t n, uint64_t seed, int64_t start,
                                                      int64_t end, int64_t most) const {
        check(start, end);
        require(n >= 0 && most >= 1, "n must not be negative, and most must be at least 1");
        std::vector<int32_t> words;
        std::vector<int64_t> ptr = {0};
        {
            nb::gil_scoped_release release;
            for (int64_t i = 0; i < n; ++i) {
                automaton_.sample(next_random(seed), static_cast<uint32_t>(start),
                                  static_cast<uint32_t>(end), most, words);
                ptr.push_back(static_cast<int64_t>(words.size()));
            }
        }
        return std::make_tuple(to_numpy(std::move(words)), to_numpy(std::move(ptr)));
    }

  private:
    static Automaton checked(const Vec<int32_t>& parent, const Vec<int32_t>& word,
                             const Vec<int64_t>& ptr, const Vec<int32_t>& target,
                             const Vec<double>& gain, const Vec<double>& base) {
        ModelArrays given = shapes(parent, word, ptr, target);
        require(base.size() == parent.size(), "base must have one entry per context");
        require(gain.size() == target.size(), "gain must have one entry per pair");
        given.gain = gain.data();
        given.base = base.data();
        nb::gil_scoped_release release;
        return Automaton(given);
    }
    void check(int64_t state, int64_t word) const {
        require(state >= 0 && state < automaton_.n_contexts(), "there is no such state");
        require(word >= 0 && word < automaton_.n_words(), "there is no such word");
    }

    Automaton automaton_;
};

}  // namespace laconic::lm
