// Weighted counts of words within a window of each other.
//
// The places of every word are listed first (a counting sort of the text). A row of counts is then
// one walk over the places of its word, with one sum per context, which stays in the cache; only
// the contexts that a word has are sorted, and nothing is hashed. Sums are whole numbers, so that
// neither threads nor the cutting of a text into blocks change them; division comes last.
#pragma once
#include <algorithm>
#include <atomic>
#include <memory>

#include "door/checks.hpp"
#include "door/threads.hpp"

namespace laconic::coding {

// Lengths of rows, contexts and values; values are sums (uint64_t), or sums divided (float).
template <class Value>
using CountRows = std::tuple<Array<int64_t>, Array<int32_t>, Array<Value>>;

// Stands between sentences; all other numbers below 0 are places without a word.
constexpr int32_t kEnd = -1;
// A row with more than 1 / kDense of all contexts is read off the sums in order, not sorted.
constexpr int64_t kDense = 16;
constexpr int64_t kAhead = 12;       // places that are prefetched
constexpr int64_t kRowsAtOnce = 64;  // rows that a thread takes at a time

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
        parallel_ranges(threads, threads, 1, [&](int64_t, int64_t, int) {
            RowSum sums(n_contexts);
            for (int64_t p; (p = next++) < n_parts;)
                for (int64_t row = p * kRowsAtOnce; row < std::min(n, (p + 1) * kRowsAtOnce);
                     ++row) {
                    const size_t before = parts_[p].contexts.size();
                    fill(row, sums);
                    sums.take(parts_[p].contexts, parts_[p].values, convert);
                    lengths_[row] = static_cast<int64_t>(parts_[p].contexts.size() - before);
                }
        });
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

template <class Value, class Fill, class Convert>
CountRows<Value> made_rows(int64_t n, int64_t n_contexts, int threads, Fill fill, Convert convert) {
    std::unique_ptr<Rows<Value>> rows;
    {
        nb::gil_scoped_release release;
        rows = std::make_unique<Rows<Value>>(n, n_contexts, threads, fill, convert);
    }
    return rows->joined();
}
// value = sum / divisor in single precision, rounded once.
struct Divided {
    double divisor;
    float operator()(uint64_t sum) const {
        return static_cast<float>(static_cast<double>(sum) / divisor);
    }
};

inline void check_rows(int64_t n_contexts, int threads) {
    require(n_contexts >= 0 && n_contexts <= INT32_MAX, "n_contexts must be a number of words");
    require(threads >= 1, "threads must be at least 1");
}
inline void check_divisor(double divisor) {
    require(divisor > 0, "divisor must be a number above 0");
}

// Running text with a list of the places of every word.
class PlacesOfWords {
  public:
    // Places are those of [begin, end) in tokens; what lies outside is seen from them only.
    PlacesOfWords(Vec<int32_t> tokens, int64_t begin, int64_t end, int64_t n_words) {
        const int64_t n = static_cast<int64_t>(tokens.size());
        require(n <= INT32_MAX, "there must be fewer than 2^31 tokens at once");
        require(0 <= begin && begin <= end && end <= n,
                "begin and end must be places of tokens, in order");
        require(n_words >= 0 && n_words <= INT32_MAX, "n_words must be a number of words");
        for (int64_t i = 0; i < n; ++i)
            require(tokens.data()[i] < n_words, "tokens holds a word that is not below n_words");
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
    // Rows [first, last) of the counts, whole numbers:
    //     sum_(w, c) = sum over the places of w of weights[d - 1] for every context c that stands
    //     d = 1 .. window places before or after, in the same sentence
    CountRows<uint64_t> sums(int64_t first, int64_t last, Vec<uint32_t> weights, int64_t n_contexts,
                             int threads) const {
        return counted<uint64_t>(first, last, weights, n_contexts, threads,
                                 [](uint64_t sum) { return sum; });
    }
    // The same counts divided by `divisor`.
    CountRows<float> rows(int64_t first, int64_t last, Vec<uint32_t> weights, int64_t n_contexts,
                          double divisor, int threads) const {
        check_divisor(divisor);
        return counted<float>(first, last, weights, n_contexts, threads, Divided{divisor});
    }

  private:
    template <class Value, class Convert>
    CountRows<Value> counted(int64_t first, int64_t last, Vec<uint32_t> weights, int64_t n_contexts,
                             int threads, Convert convert) const {
        require(0 <= first && first <= last && last < static_cast<int64_t>(ptr_.size()),
                "first and last must be words, in order");
        check_rows(n_contexts, threads);
        const int64_t window = static_cast<int64_t>(weights.size()),
                      n = static_cast<int64_t>(tokens_.size());
        const uint32_t* weight = weights.data();
        for (int64_t d = 0; d < window; ++d) require(weight[d] > 0, "weights must be above 0");
        const auto fill = [&](int64_t row, RowSum& sums) {
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
        };
        return made_rows<Value>(last - first, n_contexts, threads, fill, convert);
    }

    std::vector<int32_t> tokens_;
    std::vector<int64_t> ptr_;  // the places of word w are places_[ptr_[w], ptr_[w + 1])
    std::vector<int32_t> places_;
};

// Sums of the rows of several parts, divided: with b = bounds + p * (n + 1), row r of part p is
// [b[r], b[r + 1]) of contexts and sums.
inline CountRows<float> added_rows(Vec<int64_t> bounds, int64_t n, Vec<int32_t> contexts,
                                   Vec<uint64_t> sums, int64_t n_contexts, double divisor,
                                   int threads) {
    check_rows(n_contexts, threads);
    check_divisor(divisor);
    require(n >= 0 && bounds.size() % static_cast<size_t>(n + 1) == 0,
            "bounds must have n + 1 entries per part");
    require(contexts.size() == sums.size(), "contexts and sums must have the same length");
    check_range(contexts, 0, n_contexts, "contexts");
    for (size_t i = 0; i < bounds.size(); ++i) {
        require(bounds.data()[i] >= 0 && bounds.data()[i] <= static_cast<int64_t>(contexts.size()),
                "bounds lie outside contexts");
        require(i % (n + 1) == 0 || bounds.data()[i] >= bounds.data()[i - 1],
                "bounds must not decrease in a part");
    }
    const int64_t n_parts = static_cast<int64_t>(bounds.size()) / (n + 1);
    const auto fill = [&](int64_t row, RowSum& total) {
        for (int64_t p = 0; p < n_parts; ++p) {
            const int64_t* bound = bounds.data() + p * (n + 1) + row;
            for (int64_t k = bound[0]; k < bound[1]; ++k)
                if (sums.data()[k] != 0) total.add(contexts.data()[k], sums.data()[k]);
        }
    };
    return made_rows<float>(n, n_contexts, threads, fill, Divided{divisor});
}

}  // namespace laconic::coding
