// Sentences in one piece of UTF-8 as numbers of words.
#include "words.hpp"

#include "bind.hpp"

namespace {

// Bytes of the blank that text[at] begins, as Unicode has blanks; 0 if there is none.
size_t blank_at(const unsigned char* text, size_t at, size_t end) {
    const unsigned char c = text[at];
    if (c < 0x80) return c == ' ' || (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x1f);
    if (c == 0xc2 && at + 1 < end) return text[at + 1] == 0x85 || text[at + 1] == 0xa0 ? 2 : 0;
    if (at + 2 >= end || c < 0xe1 || c > 0xe3) return 0;
    const unsigned char d = text[at + 1], e = text[at + 2];
    const bool found = (c == 0xe1 && d == 0x9a && e == 0x80) || (c == 0xe3 && d == 0x80 && e == 0x80) ||
                       (c == 0xe2 && d == 0x81 && e == 0x9f) ||
                       (c == 0xe2 && d == 0x80 && ((e >= 0x80 && e <= 0x8a) || e == 0xa8 || e == 0xa9 || e == 0xaf));
    return found ? 3 : 0;
}

class WordIndex {
  public:
    // Word i is text[ptr[i], ptr[i + 1]); no word twice.
    WordIndex(Vec<uint8_t> text, Vec<int64_t> ptr) {
        check_ptr(ptr, static_cast<int64_t>(text.size()), "ptr");
        for (size_t i = 0; i + 1 < ptr.size(); ++i) {
            const char* begin = reinterpret_cast<const char*>(text.data()) + ptr.data()[i];
            require(words_.insert({begin, static_cast<size_t>(ptr.data()[i + 1] - ptr.data()[i])}), "a word is there twice");
        }
    }
    // Sentences that `mark` parts from each other, split at blanks: numbers of words, `unknown` for those that are not known,
    // `end` after each sentence; and the bounds of sentences.
    nb::tuple encode(Vec<uint8_t> text, uint8_t mark, int32_t unknown, int32_t end) const {
        std::vector<int32_t> tokens;
        std::vector<int64_t> ptr = {0};
        {
            nb::gil_scoped_release release;
            const unsigned char* bytes = text.data();
            for (size_t at = 0; at <= text.size();) {
                if (at == text.size() || bytes[at] == mark) {
                    tokens.push_back(end);
                    ptr.push_back(static_cast<int64_t>(tokens.size()));
                    ++at;
                } else if (const size_t n = blank_at(bytes, at, text.size())) {
                    at += n;
                } else {
                    const size_t begin = at;
                    while (at < text.size() && bytes[at] != mark && !blank_at(bytes, at, text.size())) ++at;
                    const int32_t found = words_.find({reinterpret_cast<const char*>(bytes) + begin, at - begin});
                    tokens.push_back(found == WordTable::kNone ? unknown : found);
                }
            }
        }
        return nb::make_tuple(to_numpy(std::move(tokens)), to_numpy(std::move(ptr)));
    }

  private:
    WordTable words_;
};

}  // namespace

void bind_words(nb::module_& m) {
    nb::class_<WordIndex>(m, "WordIndex")
        .def(nb::init<Vec<uint8_t>, Vec<int64_t>>(), nb::arg("text"), nb::arg("ptr"))
        .def("encode", &WordIndex::encode, nb::arg("text"), nb::arg("mark"), nb::arg("unknown"), nb::arg("end"));
}
