// Mixtures of automata, each over words or over classes of words, as one automaton:
//
//     p(v | state) = sum over parts m of weight_m share_m(v) p_m(class_m(v) | state_m)
//
// share_m(v) is the probability of v in its class; a part over the words themselves has classes of
// one word. The state is the states of all parts, which move independently, so that the mixture
// sums to 1 exactly where its parts do.
#pragma once
#include <cmath>
#include <limits>
#include <numeric>

#include "lm/context_automaton.hpp"

namespace laconic::lm {

class MixtureAutomaton {
  public:
    // The parts stay alive with the mixture (see bind.cpp).
    explicit MixtureAutomaton(int64_t n_words) : n_words_(n_words) {
        require(n_words >= 1, "there must be a word");
    }

    // Adds a part: the class of every word there, and the logarithm of its share of the class.
    void add(const NextWords& part, Vec<int32_t> classes, Vec<double> log_share, double weight) {
        require(
            static_cast<int64_t>(classes.size()) == n_words_ && log_share.size() == classes.size(),
            "classes and shares must have one entry per word");
        check_range(classes, 0, part.n_words(), "classes");
        require(weight > 0 && weight <= 1, "weights must be above 0 and at most 1");
        for (size_t v = 0; v < log_share.size(); ++v)
            require(log_share.data()[v] <= 1e-6 && log_share.data()[v] > -1e4,
                    "shares must be positive and at most 1");
        Part& added = parts_.emplace_back();
        added.automaton = &part;
        added.classes.assign(classes.data(), classes.data() + classes.size());
        added.log_share.assign(log_share.data(), log_share.data() + log_share.size());
        added.log_weight = std::log(weight);
    }

    nb::int_ start() const {
        States states;
        for (const Part& part : parts_) states.push_back(part.automaton->start());
        return number(states);
    }
    std::tuple<nb::int_, double> score_word(nb::int_ state, nb::str word, nb::dict numbers,
                                            int64_t unknown) const {
        PyObject* found = PyDict_GetItemWithError(numbers.ptr(), word.ptr());
        if (found == nullptr && PyErr_Occurred() != nullptr) throw nb::python_error();
        const int64_t v = found == nullptr ? unknown : nb::cast<int64_t>(nb::handle(found));
        States states = parse(state);
        const double log_prob = step(states, checked(v));
        return std::make_tuple(number(states), log_prob);
    }
    // As ContextAutomaton::score_words.
    std::tuple<nb::list, Array<double>> score_words(nb::int_ state, Vec<int32_t> tokens) const {
        const States states = parse(state);
        check_range(tokens, 0, n_words_, "tokens");
        nb::list next;
        std::vector<double> log_prob;
        for (size_t t = 0; t < tokens.size(); ++t) {
            States its_own = states;
            log_prob.push_back(step(its_own, tokens.data()[t]));
            next.append(number(its_own));
        }
        return {next, to_numpy(std::move(log_prob))};
    }
    // As ContextAutomaton::score_sentence.
    double score_sentence(nb::str sentence, const text::WordIndex& words, int64_t unknown,
                          int64_t end) const {
        std::vector<int32_t> tokens, mapped;
        each_of_sentence(sentence, words, checked(unknown), checked(end), n_words_,
                         [&](int32_t word) { tokens.push_back(word); });
        const size_t n = tokens.size();
        const int64_t ptr[] = {0, static_cast<int64_t>(n)};
        std::vector<double> total, log_prob(n);
        std::vector<uint16_t> length(n);
        for (const Part& part : parts_) {
            mapped.clear();
            for (const int32_t v : tokens) mapped.push_back(part.classes[v]);
            part.automaton->score(mapped.data(), ptr, 0, 1, part.automaton->start(),
                                  log_prob.data(), length.data());
            for (size_t t = 0; t < n; ++t) log_prob[t] += part.log_of(tokens[t]);
            if (total.empty())
                total = log_prob;
            else
                for (size_t t = 0; t < n; ++t) total[t] = sum_of_logs(total[t], log_prob[t]);
        }
        return std::accumulate(total.begin(), total.end(), 0.0);
    }
    nb::int_ advance(nb::int_ state, Vec<int32_t> tokens) const {
        States states = parse(state);
        check_range(tokens, 0, n_words_, "tokens");
        for (size_t t = 0; t < tokens.size(); ++t) step(states, tokens.data()[t]);
        return number(states);
    }
    // As ContextAutomaton::score; lengths are those of the n-grams of the first part.
    std::tuple<Array<double>, Array<uint16_t>> score(Vec<int32_t> tokens, Vec<int64_t> ptr,
                                                     nb::int_ start, int threads) const {
        const States states = parse(start);
        check_ptr(ptr, static_cast<int64_t>(tokens.size()), "ptr");
        check_range(tokens, 0, n_words_, "tokens");
        const size_t n = tokens.size();
        std::vector<double> total(n), log_prob(n);
        std::vector<uint16_t> length(n), other(n);
        {
            nb::gil_scoped_release release;
            std::vector<int32_t> mapped(n);
            for (size_t m = 0; m < parts_.size(); ++m) {
                const Part& part = parts_[m];
                for (size_t t = 0; t < n; ++t) mapped[t] = part.classes[tokens.data()[t]];
                parallel_ranges(static_cast<int64_t>(ptr.size()) - 1, threads, 1000,
                                [&](int64_t first, int64_t last, int) {
                                    part.automaton->score(mapped.data(), ptr.data(), first, last,
                                                          states[m], log_prob.data(),
                                                          (m ? other : length).data());
                                });
                for (size_t t = 0; t < n; ++t) {
                    const double one = log_prob[t] + part.log_of(tokens.data()[t]);
                    total[t] = m ? sum_of_logs(total[t], one) : one;
                }
            }
        }
        return std::make_tuple(to_numpy(std::move(total)), to_numpy(std::move(length)));
    }
    Array<double> distribution(nb::int_ state) const {
        const States states = parse(state);
        return to_numpy(log_probs(states));
    }
    std::tuple<Array<int32_t>, Array<double>> best(nb::int_ state, int64_t k) const {
        const States states = parse(state);
        require(k >= 1, "k must be at least 1");
        const auto all = log_probs(states);
        std::vector<int32_t> words(all.size());
        std::iota(words.begin(), words.end(), 0);
        words.resize(std::min<size_t>(all.size(), k));
        std::vector<int32_t> order(all.size());
        std::iota(order.begin(), order.end(), 0);
        std::partial_sort_copy(
            order.begin(), order.end(), words.begin(), words.end(),
            [&](int32_t a, int32_t b) { return all[a] > all[b] || (all[a] == all[b] && a < b); });
        std::vector<double> found;
        for (int32_t v : words) found.push_back(all[v]);
        return std::make_tuple(to_numpy(std::move(words)), to_numpy(std::move(found)));
    }
    // As ContextAutomaton::sample.
    std::tuple<Array<int32_t>, Array<int64_t>> sample(int64_t n, uint64_t seed, nb::int_ start,
                                                      int64_t end, int64_t most) const {
        const States first = parse(start);
        require(n >= 0 && most >= 1, "n must not be negative, and most must be at least 1");
        checked(end);
        std::vector<int32_t> words;
        std::vector<int64_t> ptr = {0};
        {
            nb::gil_scoped_release release;
            for (int64_t i = 0; i < n; ++i) {
                uint64_t own = next_random(seed);
                States states = first;
                for (int64_t drawn = 0; drawn < most; ++drawn) {
                    const int32_t v = draw(states, (next_random(own) >> 11) * 0x1p-53);
                    if (v == end) break;
                    words.push_back(v);
                    step(states, v);
                }
                ptr.push_back(static_cast<int64_t>(words.size()));
            }
        }
        return std::make_tuple(to_numpy(std::move(words)), to_numpy(std::move(ptr)));
    }

  private:
    using States = std::vector<uint32_t>;
    struct Part {
        const NextWords* automaton = nullptr;
        std::vector<int32_t> classes;
        std::vector<float> log_share;
        double log_weight = 0;
        double log_of(int64_t v) const { return log_weight + log_share[v]; }
    };
    static constexpr int kBits = 32;  // of the number of a state, for each part

    static double sum_of_logs(double a, double b) {
        return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
    }
    int32_t checked(int64_t v) const {
        require(v >= 0 && v < n_words_, "there is no such word");
        return static_cast<int32_t>(v);
    }
    // The states of the parts from the number of a state, that of the first in the lowest bits.
    States parse(nb::int_ state) const {
        require(!parts_.empty(), "a mixture must have a part");
        nb::object left = state, mask = nb::int_(uint64_t{UINT32_MAX}), bits = nb::int_(kBits);
        States states;
        for (const Part& part : parts_) {
            states.push_back(nb::cast<uint32_t>(left & mask));
            require(states.back() < part.automaton->n_contexts(), "there is no such state");
            left = left >> bits;
        }
        require(left.equal(nb::int_(0)), "there is no such state");
        return states;
    }
    nb::int_ number(const States& states) const {
        require(!parts_.empty(), "a mixture must have a part");
        nb::object all = nb::int_(0), bits = nb::int_(kBits);
        for (size_t m = states.size(); m-- > 0;) all = (all << bits) | nb::int_(states[m]);
        return nb::borrow<nb::int_>(all);
    }
    double step(States& states, int32_t v) const {
        double total = 0;
        for (size_t m = 0; m < parts_.size(); ++m) {
            const auto next = parts_[m].automaton->step(states[m], parts_[m].classes[v]);
            const double one = next.log_prob + parts_[m].log_of(v);
            total = m ? sum_of_logs(total, one) : one;
            states[m] = next.next;
        }
        return total;
    }
    std::vector<double> log_probs(const States& states) const {
        std::vector<double> total(n_words_), part_wise;
        for (size_t m = 0; m < parts_.size(); ++m) {
            const Part& part = parts_[m];
            part_wise.resize(part.automaton->n_words());
            part.automaton->distribution(states[m], part_wise.data());
            for (int64_t v = 0; v < n_words_; ++v) {
                const double one = part_wise[part.classes[v]] + part.log_of(v);
                total[v] = m ? sum_of_logs(total[v], one) : one;
            }
        }
        return total;
    }
    // The word at which the sum of probabilities passes `uniform`.
    int32_t draw(const States& states, double uniform) const {
        const auto all = log_probs(states);
        double total = 0;
        for (double one : all) total += std::exp(one);
        require(std::isfinite(total) && total > 0,
                "words cannot be drawn: the probabilities of this model are out of range");
        double left = uniform * total;
        for (int64_t v = 0; v < n_words_; ++v) {
            left -= std::exp(all[v]);
            if (left < 0) return static_cast<int32_t>(v);
        }
        return static_cast<int32_t>(n_words_ - 1);
    }

    int64_t n_words_;
    std::vector<Part> parts_;
};

}  // namespace laconic::lm
