// The suffix trie, or tree, of contexts of a text, with the words seen after each: the features of
// a log-linear language model (Nelakanti et al. 2013, section 2.2).
//
// A context is what comes before a word, nearest word first, up to the start of its sentence, which
// is a word of its own. Contexts are numbered parents first (the parent lacks the oldest word),
// depth first; context 0 is empty. Pair p = (context, target) is an n-gram; those of context c are
// ptr[c]:ptr[c + 1], by target. shorter[p] is the pair of the same target in the parent, so the
// pairs of one target make a tree. Collapsed, a context that is always followed (to the left) by
// one and the same word shares a node with its extension: both have the same occurrences, hence the
// same gradients and proximal steps for ever (section 3.2), and nodes need never be split.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

namespace laconic::lm {

struct ContextArrays {
    std::vector<int32_t> parent, word, depth, target, shorter, count;
    std::vector<int64_t> ptr, place;  // place: where in the text, with starts, the context ends
    int64_t size() const { return static_cast<int64_t>(parent.size()); }
    int64_t pairs() const { return static_cast<int64_t>(target.size()); }
};

// Sorts positions by their contexts one word at a time, and writes nodes down as they come:
// O(n log n) per word of depth.
class ContextBuilder {
  public:
    static constexpr int32_t kNothing = -1;  // before the start of a sentence

    // flat: kNothing, start, w1 .. wn of each sentence; every w is a target.
    ContextBuilder(const std::vector<int32_t>& flat, int32_t n_words, int order, bool collapse)
        : flat_(flat),
          n_words_(n_words),
          most_(order - 1),
          collapse_(collapse),
          seen_(n_words, 0) {}

    ContextArrays build() {
        for (size_t i = 0; i < flat_.size(); ++i)
            if (flat_[i] != kNothing && flat_[i] != n_words_) rows_.push_back(i);
        out_.ptr.push_back(0);
        grow(0, rows_.size(), 0, -1);
        return std::move(out_);
    }

  private:
    int32_t before(size_t row, int depth) const { return flat_[row - depth - 1]; }

    // The node of rows_[begin, end), which share `depth` words of context.
    void grow(size_t begin, size_t end, int depth, int32_t parent) {
        const int32_t node = static_cast<int32_t>(out_.size());
        const int32_t word = parent < 0 ? kNothing : before(rows_[begin], out_.depth[parent]);
        bool over = ends(begin, depth);
        if (collapse_ && parent >= 0)
            while (!over && same_before(begin, end, depth)) over = ends(begin, ++depth);
        out_.parent.push_back(parent);
        out_.word.push_back(word);
        out_.depth.push_back(depth);
        out_.place.push_back(static_cast<int64_t>(rows_[begin]) - 1);
        write_pairs(begin, end, parent);
        if (over) return;
        // Keys of rows and rows themselves in one number: a plain sort of numbers puts equal words
        // together.
        if (end - begin > 1) {
            const size_t kept = keys_.size();
            for (size_t i = begin; i < end; ++i)
                keys_.push_back(uint64_t{static_cast<uint32_t>(before(rows_[i], depth))} << 32 |
                                rows_[i]);
            std::sort(keys_.begin() + kept, keys_.end());
            for (size_t i = begin; i < end; ++i)
                rows_[i] = static_cast<uint32_t>(keys_[kept + i - begin]);
            keys_.resize(kept);
        }
        for (size_t first = begin; first < end;) {
            const int32_t next = before(rows_[first], depth);
            size_t last = first + 1;
            while (last < end && before(rows_[last], depth) == next) ++last;
            grow(first, last, depth + 1, node);
            first = last;
        }
    }

    // All rows of a node end together: after as many words as are allowed, or after the start of
    // the sentence.
    bool ends(size_t begin, int depth) const {
        return depth == most_ || before(rows_[begin], depth) == kNothing;
    }

    bool same_before(size_t begin, size_t end, int depth) const {
        const int32_t first = before(rows_[begin], depth);
        return std::all_of(rows_.begin() + begin + 1, rows_.begin() + end,
                           [&](size_t row) { return before(row, depth) == first; });
    }

    void write_pairs(size_t begin, size_t end, int32_t parent) {
        const size_t first = out_.target.size();
        if (parent < 0) {  // every word has a weight in the empty context, seen or not
            for (int32_t v = 0; v < n_words_; ++v) out_.target.push_back(v);
            for (size_t i = begin; i < end; ++i) ++seen_[flat_[rows_[i]]];
        } else {
            for (size_t i = begin; i < end; ++i) {
                const int32_t v = flat_[rows_[i]];
                if (seen_[v]++ == 0) out_.target.push_back(v);
            }
            std::sort(out_.target.begin() + first, out_.target.end());
        }
        const int32_t *known = nullptr, *known_end = nullptr;
        if (parent >= 0) {
            known = out_.target.data() + out_.ptr[parent];
            known_end = out_.target.data() + out_.ptr[parent + 1];
        }
        for (size_t p = first; p < out_.target.size(); ++p) {
            const int32_t v = out_.target[p];
            out_.count.push_back(seen_[v]);
            seen_[v] = 0;
            if (parent >= 0) known = std::lower_bound(known, known_end, v);
            out_.shorter.push_back(parent < 0 ? -1
                                              : static_cast<int32_t>(known - out_.target.data()));
        }
        out_.ptr.push_back(static_cast<int64_t>(out_.target.size()));
    }

    const std::vector<int32_t>& flat_;
    const int32_t n_words_;
    const int most_;
    const bool collapse_;
    std::vector<int32_t> seen_;
    std::vector<size_t> rows_;
    std::vector<uint64_t> keys_;
    ContextArrays out_;
};

}  // namespace laconic::lm
