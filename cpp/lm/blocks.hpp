// The contexts of a text, as contexts.hpp has them, one block after the other: a block holds the
// contexts that end with one and the same word, with the pairs of each.
//
// Adjusted counts, totals and probabilities of a context need its own block alone, and the pairs of
// the empty context, which every block has in common. So the memory is that of the text and of one
// block, or, within a limit, of a part of the text: then every token goes with its context into one
// of several files, by the word before it, and the files are sorted one at a time.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "door/interrupts.hpp"

namespace laconic::lm {

// Contexts are numbered depth first within the block; 0 is that of the one word. shorter[p] is the
// pair of the same target in the parent, -1 for pairs of context 0. adjusted[p] is the number of
// contexts one word longer that have the pair; or, for the longest contexts and those that begin a
// sentence, which have none, the number of its occurrences.
struct Block {
    std::vector<int32_t> parent, word, depth, target, adjusted;
    std::vector<int64_t> ptr, shorter;
    int64_t size() const { return static_cast<int64_t>(parent.size()); }
    void clear() {
        for (auto* column : {&parent, &word, &depth, &target, &adjusted}) column->clear();
        ptr.assign(1, 0);
        shorter.clear();
    }
};

class BlockBuilder {
  public:
    BlockBuilder(int32_t n_words, int order)
        : n_words_(n_words), most_(order - 1), seen_(n_words, 0) {}

    // rows: places in `flat` of n words after the one word, each after its context, oldest word
    // first; they are sorted by contexts unless they are so already.
    void build(const int32_t* flat, uint32_t* rows, size_t n, bool sorted, Block& out) {
        flat_ = flat;
        rows_ = rows;
        sorted_ = sorted;
        out_ = &out;
        out.clear();
        grow(0, n, 1, -1);
    }

  private:
    int32_t before(size_t row, int depth) const { return flat_[rows_[row] - depth - 1]; }

    void grow(size_t begin, size_t end, int depth, int32_t parent) {
        const int32_t node = static_cast<int32_t>(out_->parent.size()),
                      word = before(begin, depth - 1);
        out_->parent.push_back(parent);
        out_->word.push_back(word);
        out_->depth.push_back(depth);
        const bool whole = depth == most_ || word == n_words_;
        write_pairs(begin, end, parent, whole);
        if (whole) return;
        if (!sorted_ && end - begin > 1) sort(begin, end, depth);
        for (size_t first = begin; first < end;) {
            const int32_t next = before(first, depth);
            size_t last = first + 1;
            while (last < end && before(last, depth) == next) ++last;
            grow(first, last, depth + 1, node);
            first = last;
        }
    }

    // Keys of rows and rows themselves in one number: a plain sort of numbers puts equal words
    // together.
    void sort(size_t begin, size_t end, int depth) {
        keys_.clear();
        for (size_t i = begin; i < end; ++i)
            keys_.push_back(uint64_t{static_cast<uint32_t>(before(i, depth))} << 32 | rows_[i]);
        std::sort(keys_.begin(), keys_.end());
        for (size_t i = begin; i < end; ++i) rows_[i] = static_cast<uint32_t>(keys_[i - begin]);
    }

    void write_pairs(size_t begin, size_t end, int32_t parent, bool whole) {
        Block& out = *out_;
        const size_t first = out.target.size();
        for (size_t i = begin; i < end; ++i) {
            const int32_t v = flat_[rows_[i]];
            if (seen_[v]++ == 0) out.target.push_back(v);
        }
        std::sort(out.target.begin() + first, out.target.end());
        int64_t known = parent < 0 ? 0 : out.ptr[parent];
        const int64_t known_end = parent < 0 ? 0 : out.ptr[parent + 1];
        for (size_t p = first; p < out.target.size(); ++p) {
            const int32_t v = out.target[p];
            out.adjusted.push_back(whole ? seen_[v] : 0);
            seen_[v] = 0;
            if (parent >= 0) {
                const auto at = out.target.begin();
                known = std::lower_bound(at + known, at + known_end, v) - at;
                ++out.adjusted[known];
            }
            out.shorter.push_back(parent < 0 ? -1 : known);
        }
        out.ptr.push_back(static_cast<int64_t>(out.target.size()));
    }

    const int32_t n_words_;
    const int most_;
    std::vector<int32_t> seen_;
    std::vector<uint64_t> keys_;
    const int32_t* flat_ = nullptr;
    uint32_t* rows_ = nullptr;
    bool sorted_ = false;
    Block* out_ = nullptr;
};

// A text whose sentences are tokens[sentences[s], sentences[s + 1]); n_words is their start.
struct TokenText {
    const int32_t* tokens;
    const int64_t* sentences;
    int64_t n_sentences;
    int32_t n_words;
};

class NgramBlocks {
  public:
    // `memory`: bytes that may be used, 0 for any number; then `folder` is where files may be made.
    NgramBlocks(const TokenText& text, int order, int64_t memory, const std::string& folder)
        : order_(order), builder_(text.n_words, order) {
        ptr_.assign(text.n_words + 2, 0);
        int64_t n = 0;
        each_token(text, [&](int64_t, int32_t newest, int64_t) {
            ++ptr_[newest + 1];
            ++n;
        });
        for (size_t c = 1; c < ptr_.size(); ++c) ptr_[c] += ptr_[c - 1];
        const int64_t flat = n + text.n_sentences;
        if (memory == 0 ? flat < UINT32_MAX : kBytesOfText * flat <= memory / 2)
            hold(text);
        else
            write_parts(text, memory == 0 ? int64_t{1} << 32 : memory, folder);
    }
    NgramBlocks(const NgramBlocks&) = delete;
    NgramBlocks& operator=(const NgramBlocks&) = delete;
    ~NgramBlocks() {
        for (Part& part : parts_)
            if (part.file) std::fclose(part.file);
    }

    // Calls body(word, block) for every word with contexts that end with it, by rising numbers;
    // the start of sentences is last.
    template <class Body>
    void each(Body body) {
        if (order_ == 1) return;
        for (Part& part : parts_) {
            if (part.file) load(part);
            for (int32_t newest = part.first; newest < part.last; ++newest) {
                if (ptr_[newest] == ptr_[newest + 1]) continue;
                interrupts_.poll();
                builder_.build(flat_.data(), rows_.data() + ptr_[newest] - ptr_[part.first],
                               ptr_[newest + 1] - ptr_[newest], part.sorted, block_);
                body(newest, block_);
            }
            if (part.file && !part.sorted) store(part);
            part.sorted = true;
        }
    }

  private:
    static constexpr int64_t kBytesOfText = 10;  // for each token that is held
    struct Part {
        int32_t first, last;  // the words of its blocks
        std::FILE* file = nullptr;
        bool sorted = false;
    };

    template <class Body>
    static void each_token(const TokenText& text, Body body) {
        for (int64_t s = 0; s < text.n_sentences; ++s)
            for (int64_t t = text.sentences[s]; t < text.sentences[s + 1]; ++t)
                body(t, t == text.sentences[s] ? text.n_words : text.tokens[t - 1],
                     t - text.sentences[s]);
    }

    void hold(const TokenText& text) {
        flat_.reserve(ptr_.back() + text.n_sentences);
        rows_.resize(ptr_.back());
        std::vector<int64_t> free(ptr_.begin(), ptr_.end() - 1);
        each_token(text, [&](int64_t t, int32_t newest, int64_t at) {
            if (at == 0) flat_.push_back(text.n_words);
            rows_[free[newest]++] = static_cast<uint32_t>(flat_.size());
            flat_.push_back(text.tokens[t]);
        });
        parts_.push_back({0, text.n_words + 1});
    }

    // Every token with the order - 1 words before it, by the part of its newest one.
    void write_parts(const TokenText& text, int64_t memory, const std::string& folder) {
        const int64_t bytes = 4 * int64_t{order_} + 16,
                      most = std::min(memory / 4 / bytes, int64_t{UINT32_MAX} / order_ - 1);
        std::vector<size_t> part_of(text.n_words + 1);
        for (int32_t c = 0; c <= text.n_words; ++c) {
            if (parts_.empty() || ptr_[c + 1] - ptr_[parts_.back().first] > most) {
                const std::string name = folder + "/part" + std::to_string(parts_.size());
                parts_.push_back({c, c, std::fopen(name.c_str(), "wb+")});
                if (!parts_.back().file)
                    throw std::runtime_error("a temporary file cannot be made in " + folder);
            }
            parts_.back().last = c + 1;
            part_of[c] = parts_.size() - 1;
        }
        std::vector<int32_t> record(order_);
        each_token(text, [&](int64_t t, int32_t newest, int64_t at) {
            for (int64_t k = 0; k < order_; ++k) {
                const int64_t back = order_ - 1 - k;
                record[k] = back <= at ? text.tokens[t - back] : text.n_words;
            }
            write(parts_[part_of[newest]].file, record.data(), record.size());
            if ((t & 0xffff) == 0) interrupts_.poll();
        });
    }

    static void write(std::FILE* file, const int32_t* from, size_t n) {
        if (std::fwrite(from, sizeof *from, n, file) != n)
            throw std::runtime_error("a temporary file cannot be written: is the disk full?");
    }

    void load(Part& part) {
        const int64_t n = ptr_[part.last] - ptr_[part.first];
        flat_.resize(n * order_);
        rows_.resize(n);
        std::rewind(part.file);
        if (std::fread(flat_.data(), sizeof(int32_t), flat_.size(), part.file) != flat_.size())
            throw std::runtime_error("a temporary file cannot be read");
        std::vector<int64_t> free(ptr_.begin() + part.first, ptr_.begin() + part.last);
        for (int64_t r = 0; r < n; ++r) {
            const uint32_t row = static_cast<uint32_t>(r * order_ + order_ - 1);
            rows_[part.sorted ? r : free[flat_[row - 1] - part.first]++ - ptr_[part.first]] = row;
        }
    }

    void store(Part& part) {
        std::rewind(part.file);
        for (const uint32_t row : rows_)
            write(part.file, flat_.data() + row - (order_ - 1), order_);
    }

    const int order_;
    BlockBuilder builder_;
    Block block_;
    std::vector<int64_t> ptr_;  // tokens after word c are ptr_[c], ptr_[c + 1] of all
    std::vector<Part> parts_;
    std::vector<int32_t> flat_;
    std::vector<uint32_t> rows_;
    door::Interrupts interrupts_;
};

}  // namespace laconic::lm
