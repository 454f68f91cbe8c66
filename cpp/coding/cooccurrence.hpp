// How often words stand near each other. The places of a word are listed first; then a row of
// counts is one walk over the places of its word, with a sum for every context that stays in the
// cache: nothing is hashed or sorted but the contexts that a word has.
#pragma once
#include <nanobind/stl/variant.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <variant>

#include "door/checks.hpp"
#include "door/threads.hpp"

namespace laconic::coding {

// Lengths of rows, contexts and values; values are sums, or sums divided.
template <class Value>
using CountRows = std::tuple<Array<int64_t>, Array<int32_t>, Array<Value>>;
using AnyRows = std::variant<CountRows<uint64_t>, CountRows<float>>;

constexpr int32_t kEnd =
    -1;  // between sentences; all other numbers below 0 are places without a word
constexpr int64_t kDense =
    16;  // a row with a sixteenth of all contexts is read off the sums in their order
constexpr int64_t kAhead = 12;       // places that are fetched before their turn
constexpr int64_t kRowsAtOnce = 64;  // rows of a part, so that threads share what comes evenly

// The sums of one row, and the contexts that have one.
class RowSum {
  public:
    explicit RowSum(int64_t n_contexts) : sum_(n_contexts, 0) {}

    void add(int32_t context, uint64_t amount) {
        if (sum_[context] == 0) touched_.push_back(context);
        sum_[context] += amount;
    }
    // Appends contexts in order and their sums, and is empty then.
    template <class Value, class Convert>
    void take(std::vector<int32_t>& contexts, std::vector<Value>& values, Convert convert) {
        if (static_cast<int64_t>(touched_.size()) * kDense > static_cast<int64_t>(sum_.size())) {
            touched_.clear();
            for (size_t c = 0; c < sum_.size(); ++c)
                if (sum_[c] != 0) touched_.push_back(static_cast<int32_t>(c));
        } else {
            std::sort(touched_.begin(), touched_.end());
        }
        contexts.insert(contexts.end(), touched_.begin(), touched_.end());
        for (const int32_t c : touched_) {
            values.push_back(convert(sum_[c]));
            sum_[c] = 0;
        }
        touched_.clear();
    }

  private:
    std::vector<uint64_t> sum_;
    std::vector<int32_t> touched_;
};

// Rows as they are made by threads, joined in their order: bounds, contexts, values.
template <class Value>
class Rows {
  public:
    // Calls fill(row, sums) for all rows of [0, n).
    template <class Fill, class Convert>
    Rows(int64_t n, int64_t n_contexts, int threads, Fill fill, Convert convert) : lengths_(n) {
        const int64_t n_parts = (n + kRowsAtOnce - 1) / kRowsAtOnce;
        parts_.resize(n_parts);
        std::atomic<int64_t> next = 0;
        std::vector<std::exception_ptr> failures(std::max(1, threads));
        parallel_ranges(threads, threads, 1, [&](int64_t, int64_t, int thread) {
            try {
                RowSum sums(n_contexts);
                for (int64_t p; (p = next++) < n_parts;)
                    for (int64_t row = p * kRowsAtOnce; row < std::min(n, (p + 1) * kRowsAtOnce);
                         ++row) {
                        const size_t before = parts_[p].contexts.size();
                        fill(row, sums);
                        sums.take(parts_[p].contexts, parts_[p].values, convert);
                        lengths_[row] = static_cast<int64_t>(parts_[p].contexts.size() - before);
                    }
            } catch (...) {
                failures[thread] = std::current_exception();
            }
        });
        for (const auto& failure : failures)
            if (failure) std::rethrow_exception(failure);
    }
    CountRows<Value> joined() {
        std::vector<int32_t> contexts;
        std::vector<Value> values;
        {
            nb::gil_scoped_release release;
            int64_t total = 0;
            for (const int64_t length : lengths_) total += length;
            contexts.reserve(total);
            values.reserve(total);
            for (Part& part : parts_) {
                contexts.insert(contexts.end(), part.contexts.begin(), part.contexts.end());
                values.insert(values.end(), part.values.begin(), part.values.end());
                part = Part{};
            }
        }
        return std::make_tuple(to_numpy(std::move(lengths_)), to_numpy(std::move(contexts)),
                               to_numpy(std::move(values)));
    }

  private:
    struct Part {
        std::vector<int32_t> contexts;
        std::vector<Value> values;
    };
    std::vector<int64_t> lengths_;
    std::vector<Part> parts_;
};

// Rows of sums as they are, or divided and in single precision: rounded once.
template <class Fill>
AnyRows made_rows(int64_t n, int64_t n_contexts, int threads, double divisor, Fill fill) {
    if (divisor == 0) {
        std::unique_ptr<Rows<uint64_t>> rows;
        {
            nb::gil_scoped_release release;
            rows = std::make_unique<Rows<uint64_t>>(n, n_contexts, threads, fill,
                                                    [](uint64_t sum) { return sum; });
        }
        return rows->joined();
    }
    std::unique_ptr<Rows<float>> rows;
    {
        nb::gil_scoped_release release;
        rows = std::make_unique<Rows<float>>(n, n_contexts, threads, fill, [divisor](uint64_t sum) {
            return static_cast<float>(static_cast<double>(sum) / divisor);
        });
    }
    return rows->joined();
}

inline void check_rows(int64_t n_contexts, int threads, double divisor) {
    require(n_contexts >= 0 && n_contexts <= INT32_MAX, "n_contexts must be a number of words");
    require(threads >= 1, "threads must be at least 1");
    require(divisor >= 0, "divisor must not be negative");
}

// Running text with a list of the places of every word.
class PlacesOfWords {
  public:
    // Places are those of [begin, end) in tokens; what lies outside is seen from them only.
    PlacesOfWords(Vec<int32_t> tokens, int64_t begin, int64_t end, int64_t n_words) {
        const int64_t n = static_cast<int64_t>(tokens.size());
        require(n <= INT32_MAX, "there are too many tokens at once");
        require(0 <= begin && begin <= end && end <= n,
                "begin and end must be places of tokens, in order");
        require(n_words >= 0 && n_words <= INT32_MAX, "n_words must be a number of words");
        for (int64_t i = 0; i < n; ++i)
            require(tokens.data()[i] < n_words, "tokens holds a word that there is not");
        nb::gil_scoped_release release;
        tokens_.assign(tokens.data(), tokens.data() + n);
        ptr_.assign(n_words + 1, 0);
        for (int64_t i = begin; i < end; ++i)
            if (tokens_[i] >= 0) ++ptr_[tokens_[i] + 1];
        for (int64_t w = 0; w < n_words; ++w) ptr_[w + 1] += ptr_[w];
        places_.resize(ptr_[n_words]);
        std::vector<int64_t> at(ptr_.begin(), ptr_.end() - 1);
        for (int64_t i = begin; i < end; ++i)
            if (tokens_[i] >= 0) places_[at[tokens_[i]]++] = static_cast<int32_t>(i);
    }
    Array<int64_t> counts() const {
        std::vector<int64_t> counts(ptr_.size() - 1);
        for (size_t w = 0; w < counts.size(); ++w) counts[w] = ptr_[w + 1] - ptr_[w];
        return to_numpy(std::move(counts));
    }
    // Rows [first, last) of counts of contexts: weights[d - 1] for each that stands d places before
    // or after a place of the word, in its sentence. divisor 0: sums as they are.
    AnyRows rows(int64_t first, int64_t last, Vec<uint32_t> weights, int64_t n_contexts,
                 double divisor, int threads) const {
        require(0 <= first && first <= last && last < static_cast<int64_t>(ptr_.size()),
                "first and last must be words, in order");
        check_rows(n_contexts, threads, divisor);
        const int64_t window = static_cast<int64_t>(weights.size()),
                      n = static_cast<int64_t>(tokens_.size());
        const uint32_t* weight = weights.data();
        for (int64_t d = 0; d < window; ++d) require(weight[d] > 0, "weights must be above 0");
        return made_rows(
            last - first, n_contexts, threads, divisor, [&](int64_t row, RowSum& sums) {
                const auto walk = [&](int64_t place, int64_t step, int64_t longest) {
                    for (int64_t d = 1; d <= std::min(window, longest); ++d) {
                        const int32_t context = tokens_[place + d * step];
                        if (context == kEnd) break;
                        if (context >= 0 && context < n_contexts) sums.add(context, weight[d - 1]);
                    }
                };
                for (int64_t k = ptr_[first + row]; k < ptr_[first + row + 1]; ++k) {
                    const int64_t place = places_[k];
                    if (k + kAhead < ptr_[first + row + 1])
                        __builtin_prefetch(tokens_.data() +
                                           std::max<int64_t>(0, places_[k + kAhead] - window));
                    walk(place, -1, place);
                    walk(place, 1, n - 1 - place);
                }
            });
    }

  private:
    std::vector<int32_t> tokens_;
    std::vector<int64_t> ptr_;  // the places of word w are places_[ptr_[w], ptr_[w + 1])
    std::vector<int32_t> places_;
};

// Rows that are sums of rows: row r of part p is [bounds[p * (n + 1) + r], bounds[p * (n + 1) + r +
// 1]) of contexts and sums.
inline AnyRows added_rows(Vec<int64_t> bounds, int64_t n, Vec<int32_t> contexts, Vec<uint64_t> sums,
                          int64_t n_contexts, double divisor, int threads) {
    check_rows(n_contexts, threads, divisor);
    require(n >= 0 && bounds.size() % static_cast<size_t>(n + 1) == 0,
            "bounds must have n + 1 entries per part");
    require(contexts.size() == sums.size(), "contexts and sums must be as many");
    check_range(contexts, 0, n_contexts, "contexts");
    for (size_t i = 0; i < bounds.size(); ++i) {
        require(bounds.data()[i] >= 0 && bounds.data()[i] <= static_cast<int64_t>(contexts.size()),
                "bounds lie outside contexts");
        require(i % (n + 1) == 0 || bounds.data()[i] >= bounds.data()[i - 1],
                "bounds must not decrease in a part");
    }
    const int64_t n_parts = static_cast<int64_t>(bounds.size()) / (n + 1);
    return made_rows(n, n_contexts, threads, divisor, [&](int64_t row, RowSum& total) {
        for (int64_t p = 0; p < n_parts; ++p) {
            const int64_t* bound = bounds.data() + p * (n + 1) + row;
            for (int64_t k = bound[0]; k < bound[1]; ++k)
                if (sums.data()[k] != 0) total.add(contexts.data()[k], sums.data()[k]);
        }
    });
}

}  // namespace laconic::coding
