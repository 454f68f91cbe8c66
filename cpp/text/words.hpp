// Sentences in one piece of UTF-8 as numbers of words, known ones or counted as they come.
#pragma once
#include <nanobind/stl/optional.h>

#include <optional>

#include "door/checks.hpp"
#include "text/word_table.hpp"

namespace laconic::text {

// Bytes of the blank that text[at] begins, as Unicode has blanks; 0 if there is none.
inline size_t blank_at(const unsigned char* text, size_t at, size_t end) {
    const unsigned char c = text[at];
    if (c < 0x80) return c == ' ' || (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x1f);
    if (c == 0xc2 && at + 1 < end) return text[at + 1] == 0x85 || text[at + 1] == 0xa0 ? 2 : 0;
    if (at + 2 >= end || c < 0xe1 || c > 0xe3) return 0;
    const unsigned char d = text[at + 1], e = text[at + 2];
    const bool found = (c == 0xe1 && d == 0x9a && e == 0x80) ||
                       (c == 0xe3 && d == 0x80 && e == 0x80) ||
                       (c == 0xe2 && d == 0x81 && e == 0x9f) ||
                       (c == 0xe2 && d == 0x80 &&
                        ((e >= 0x80 && e <= 0x8a) || e == 0xa8 || e == 0xa9 || e == 0xaf));
    return found ? 3 : 0;
}

// Calls body(word) for the words of a string, split at blanks.
template <class Body>
void each_word(const nb::str& text, Body body) {
    Py_ssize_t length = 0;
    const char* bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &length);
    if (!bytes) throw nb::python_error();
    const auto* at = reinterpret_cast<const unsigned char*>(bytes);
    const size_t n = static_cast<size_t>(length);
    for (size_t begin = 0; begin < n;) {
        if (const size_t skipped = blank_at(at, begin, n)) {
            begin += skipped;
            continue;
        }
        size_t end = begin + 1;
        while (end < n && ((at[end] > ' ' && at[end] < 0x80) || !blank_at(at, end, n))) ++end;
        body(std::string_view(bytes + begin, end - begin));
        begin = end;
    }
}

// Walks over a text from left to right: words, and marks. `gap(at)` is the number of bytes of the
// separator at a place, 0 if there is none.
template <class Gap, class OnWord, class OnMark>
void walk(const Vec<uint8_t>& text, uint8_t mark, Gap gap, OnWord on_word, OnMark on_mark) {
    const unsigned char* bytes = text.data();
    const size_t n = text.size();
    for (size_t at = 0; at < n;) {
        if (bytes[at] == mark) {
            on_mark();
            ++at;
        } else if (const size_t skipped = gap(at)) {
            at += skipped;
        } else {
            const size_t begin = at;
            while (at < n && bytes[at] != mark && !gap(at)) ++at;
            on_word({reinterpret_cast<const char*>(bytes) + begin, at - begin});
        }
    }
}

// The words of some numbers: word i is text[ptr[i], ptr[i + 1]).
inline std::tuple<Array<uint8_t>, Array<int64_t>> spelled(const WordTable& words,
                                                          const Vec<int64_t>& numbers) {
    check_range(numbers, 0, words.size(), "numbers");
    std::vector<uint8_t> text;
    std::vector<int64_t> ptr = {0};
    for (size_t i = 0; i < numbers.size(); ++i) {
        const std::string_view word = words.spelling(static_cast<int32_t>(numbers.data()[i]));
        text.insert(text.end(), word.begin(), word.end());
        ptr.push_back(static_cast<int64_t>(text.size()));
    }
    return std::make_tuple(to_numpy(std::move(text)), to_numpy(std::move(ptr)));
}

class WordIndex {
  public:
    // Word i is text[ptr[i], ptr[i + 1]); no word twice.
    WordIndex(Vec<uint8_t> text, Vec<int64_t> ptr) {
        check_ptr(ptr, static_cast<int64_t>(text.size()), "ptr");
        for (size_t i = 0; i + 1 < ptr.size(); ++i) {
            const char* begin = reinterpret_cast<const char*>(text.data()) + ptr.data()[i];
            require(words_.insert({begin, static_cast<size_t>(ptr.data()[i + 1] - ptr.data()[i])}),
                    "a word is there twice");
        }
    }
    int32_t size() const { return words_.size(); }
    // The number of a word, kNone if it has none.
    int32_t find(std::string_view word) const { return words_.find(word); }
    // Sentences, which `mark` separates, split at blanks: numbers of words, `unknown` for
    // those that are not known, `end` after each sentence; and the bounds of sentences.
    std::tuple<Array<int32_t>, Array<int64_t>> encode(Vec<uint8_t> text, uint8_t mark,
                                                      int32_t unknown, int32_t end) const {
        return numbered(text, mark, end, [&](std::string_view word) {
            const int32_t found = words_.find(word);
            return found == WordTable::kNone ? unknown : found;
        });
    }
    // The same, but words that are not known get the next numbers.
    std::tuple<Array<int32_t>, Array<int64_t>> learn(Vec<uint8_t> text, uint8_t mark, int32_t end) {
        return numbered(text, mark, end,
                        [&](std::string_view word) { return words_.number(word); });
    }
    std::tuple<Array<uint8_t>, Array<int64_t>> spelled(Vec<int64_t> numbers) const {
        return text::spelled(words_, numbers);
    }

  private:
    template <class Number>
    static std::tuple<Array<int32_t>, Array<int64_t>> numbered(const Vec<uint8_t>& text,
                                                               uint8_t mark, int32_t end,
                                                               Number number) {
        std::vector<int32_t> tokens;
        std::vector<int64_t> ptr = {0};
        {
            nb::gil_scoped_release release;
            const auto gap = [&](size_t at) { return blank_at(text.data(), at, text.size()); };
            const auto end_sentence = [&] {
                tokens.push_back(end);
                ptr.push_back(static_cast<int64_t>(tokens.size()));
            };
            walk(
                text, mark, gap, [&](std::string_view word) { tokens.push_back(number(word)); },
                end_sentence);
            end_sentence();
        }
        return std::make_tuple(to_numpy(std::move(tokens)), to_numpy(std::move(ptr)));
    }

    WordTable words_;
};

// Words of running text, numbered as they come and counted.
class WordCounter {
  public:
    static constexpr int32_t kEnd = -1;

    // Numbers of the words of a text that ends where a word ends, kEnd after every sentence that
    // has words and that `mark` ends. Words are separated by blanks, or by one byte.
    Array<int32_t> add(Vec<uint8_t> text, uint8_t mark, std::optional<uint8_t> separator) {
        std::vector<int32_t> tokens;
        {
            nb::gil_scoped_release release;
            tokens.reserve(text.size() / 5);
            const auto gap = [&](size_t at) {
                return separator ? size_t{text.data()[at] == *separator}
                                 : blank_at(text.data(), at, text.size());
            };
            const auto count = [&](std::string_view word) {
                const int32_t number = words_.number(word);
                if (static_cast<size_t>(number) == counts_.size()) counts_.push_back(0);
                ++counts_[number];
                tokens.push_back(number);
                inside_ = true;
            };
            const auto end_sentence = [&] {
                if (inside_) tokens.push_back(kEnd);
                inside_ = false;
            };
            walk(text, mark, gap, count, end_sentence);
        }
        return to_numpy(std::move(tokens));
    }
    Array<int64_t> counts() const { return to_numpy(std::vector<int64_t>(counts_)); }
    std::tuple<Array<uint8_t>, Array<int64_t>> spelled(Vec<int64_t> numbers) const {
        return text::spelled(words_, numbers);
    }

  private:
    WordTable words_;
    std::vector<int64_t> counts_;
    bool inside_ = false;  // a sentence that has words
};

}  // namespace laconic::text
