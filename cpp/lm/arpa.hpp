// Lines of n-grams with their numbers, as ARPA files have them: bytes of whole lines in, arrays
// out.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "door/checks.hpp"
#include "text/word_table.hpp"

namespace laconic::lm {

using text::WordTable;

inline bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// The next field of [at, end), empty if there is none; `at` goes behind it.
inline std::string_view next_field(const char*& at, const char* end) {
    while (at < end && is_blank(*at)) ++at;
    const char* begin = at;
    while (at < end && !is_blank(*at)) ++at;
    return {begin, static_cast<size_t>(at - begin)};
}

// Reads a decimal number that is finite; false if the field is none. Numbers of few digits, which
// are nearly all, are the quotient of two doubles that are exact, hence rounded rightly; strtod has
// the others.
inline bool read_number(std::string_view field, double& value) {
    static constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                         1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                         1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    size_t at = !field.empty() && (field[0] == '-' || field[0] == '+'), after_point = 0,
           n_digits = 0;
    const bool negative = !field.empty() && field[0] == '-';
    uint64_t digits = 0;
    bool point = false;
    for (; at < field.size(); ++at) {
        const char c = field[at];
        if (c == '.' && !point) {
            point = true;
        } else if (c >= '0' && c <= '9') {
            if (++n_digits <= 19) digits = 10 * digits + static_cast<uint64_t>(c - '0');
            after_point += point;
        } else {
            break;
        }
    }
    if (n_digits == 0) return false;
    if (at == field.size() && n_digits <= 15) {
        value = static_cast<double>(digits) / kPowers[after_point];
        if (negative) value = -value;
        return true;
    }
    if (field.find_first_not_of("0123456789.eE+-") != field.npos) return false;
    const std::string text(field);
    char* end = nullptr;
    value = std::strtod(text.c_str(), &end);
    return *end == 0 && std::isfinite(value);
}

// Words are numbered as the 1-grams come; longer n-grams may have no others.
class NgramLines {
  public:
    // n-grams of `order` words, a line each: words, log10 probabilities, log10 back-off weights (0
    // where there is none), and the number of the first line that is wrong, or -1. n-grams of the
    // highest order may have no weight but 0.
    std::tuple<Array<int32_t>, Array<double>, Array<double>, int64_t> parse(Vec<uint8_t> text,
                                                                            int order,
                                                                            bool highest) {
        require(order >= 1, "order must be at least 1");
        std::vector<int32_t> words;
        std::vector<double> prob, backoff;
        int64_t wrong = -1;
        {
            nb::gil_scoped_release release;
            const char *at = reinterpret_cast<const char*>(text.data()), *end = at + text.size();
            for (int64_t line = 0; at < end && wrong < 0; ++line) {
                const char* stop = std::find(at, end, '\n');
                double numbers[2] = {0, 0};
                if (!parse_line(at, stop, order, words, numbers) || (highest && numbers[1] != 0))
                    wrong = line;
                prob.push_back(numbers[0]);
                backoff.push_back(numbers[1]);
                at = stop == end ? end : stop + 1;
            }
        }
        return std::make_tuple(to_numpy(std::move(words)), to_numpy(std::move(prob)),
                               to_numpy(std::move(backoff)), wrong);
    }
    bool knows(nb::bytes word) const {
        return words_.find({word.c_str(), word.size()}) != WordTable::kNone;
    }

  private:
    bool parse_line(const char* at, const char* stop, int order, std::vector<int32_t>& words,
                    double* numbers) {
        if (!read_number(next_field(at, stop), numbers[0])) return false;
        std::string_view word;
        for (int k = 0; k < order; ++k) {
            word = next_field(at, stop);
            if (word.empty()) return false;
            if (order == 1) break;
            const int32_t found = words_.find(word);
            if (found == WordTable::kNone) return false;
            words.push_back(found);
        }
        const auto weight = next_field(at, stop);
        if (!weight.empty() && (!read_number(weight, numbers[1]) || !next_field(at, stop).empty()))
            return false;
        if (order > 1) return true;
        words.push_back(words_.size());
        return words_.insert(word);  // false: it is there before
    }

    WordTable words_;
};

}  // namespace laconic::lm
