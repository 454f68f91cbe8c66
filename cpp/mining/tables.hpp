// What a search of a kernel space counts with (Qian and Liu 2015, section 4): a filter of small
// counters, tables of keys, a trie.
//
// A feature of order r + 1 is one of order r and an extension, two 32-bit numbers that make its
// key; features of order 1 extend the root, which is number 0. What extensions mean is known to the
// space alone.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

#include "numeric/aligned.hpp"

namespace laconic::mining {

using numeric::AlignedVector;

using Key = uint64_t;
inline Key key_of(uint32_t feature, uint32_t extension) { return (Key{feature} << 32) | extension; }
inline uint64_t scattered(uint64_t key) {
    key = (key ^ (key >> 32)) * 0xd6e8feb86659fd93ull;
    key = (key ^ (key >> 32)) * 0xd6e8feb86659fd93ull;
    return key ^ (key >> 32);
}

// Upper bounds of how often keys were added (spectral Bloom filter with minimal increase: Cohen and
// Matias 2003). The counters of a key share a cache line: adding one costs one miss, at the price
// of slightly worse bounds.
class SpectralFilter {
  public:
    SpectralFilter(int log2_bytes, int bits, int n_hashes)
        : bits_(bits),
          per_word_(64 / bits),
          n_hashes_(n_hashes),
          most_((1 << bits) - 1),
          most_lines_(std::max<uint64_t>(1, (uint64_t{1} << log2_bytes) / sizeof(Line))) {}
    // Sets all counters to zero; their number suits n_keys keys, as far as the memory allows.
    void clear(int64_t n_keys) {
        for (lines_ = 1; lines_ < most_lines_ &&
                         lines_ * sizeof(Line) < kBytesOfKey * static_cast<uint64_t>(n_keys);)
            lines_ *= 2;
        if (counters_.size() < lines_)
            AlignedVector<Line>().swap(counters_);  // nothing is to be copied
        counters_.resize(lines_);
        std::fill(counters_.begin(), counters_.end(), Line{});
    }
    int most() const { return most_; }
    size_t bytes() const { return counters_.size() * sizeof(Line); }
    void prefetch(uint64_t scattered_key) const {
        __builtin_prefetch(&counters_[scattered_key & (lines_ - 1)], 1);
    }

    // Adds one and returns the bound before it, at most most().
    int add(uint64_t scattered_key) {
        Line& line = counters_[scattered_key & (lines_ - 1)];
        uint64_t places = scattered(scattered_key);
        const int in_line = 8 * per_word_;
        int place[kMostHashes], least = most_;
        for (int h = 0; h < n_hashes_;
             ++h, places = places * 0x9e3779b97f4a7c15ull + 0x632be59bd9b4e019ull) {
            place[h] = static_cast<int>((places >> 40) & static_cast<uint64_t>(in_line - 1));
            least = std::min(least, at(line, place[h]));
        }
        if (least < most_)
            for (int h = 0; h < n_hashes_; ++h)
                if (at(line, place[h]) == least)
                    line.word[place[h] / per_word_] += uint64_t{1} << shift(place[h]);
        return least;
    }

    static constexpr int kMostHashes = 8;

  private:
    static constexpr uint64_t kBytesOfKey = 2;
    struct Line {
        uint64_t word[8];
    };
    int shift(int place) const { return (place % per_word_) * bits_; }
    int at(const Line& line, int place) const {
        return static_cast<int>((line.word[place / per_word_] >> shift(place)) & most_);
    }

    int bits_, per_word_, n_hashes_, most_;
    uint64_t most_lines_, lines_ = 1;
    AlignedVector<Line> counters_;
};

// Keys numbered in the order in which they came.
class KeyTable {
  public:
    KeyTable() { clear(); }
    void clear() {
        keys_.clear();
        std::vector<Slot>(16).swap(slot_);
    }
    size_t size() const { return keys_.size(); }
    Key key(size_t number) const { return keys_[number]; }
    void prefetch(uint64_t scattered_key) const {
        __builtin_prefetch(&slot_[scattered_key & (slot_.size() - 1)]);
    }
    uint32_t find(Key key) const { return find(key, scattered(key)); }
    uint32_t find(Key key, uint64_t scattered_key) const {
        for (size_t at = scattered_key & (slot_.size() - 1);; at = (at + 1) & (slot_.size() - 1)) {
            const Slot& slot = slot_[at];
            if (slot.number == kNone || slot.key == key) return slot.number;
        }
    }
    // Its number, a new one if it has none.
    uint32_t insert(Key key) { return insert(key, scattered(key)); }
    uint32_t insert(Key key, uint64_t scattered_key) {
        if (const uint32_t number = find(key, scattered_key); number != kNone) return number;
        if (keys_.size() >= kNone - 1)
            throw std::length_error("there are too many features for one search");
        if (3 * (keys_.size() + 1) > 2 * slot_.size()) grow();
        keys_.push_back(key);
        place(key, static_cast<uint32_t>(keys_.size() - 1));
        return static_cast<uint32_t>(keys_.size() - 1);
    }

    static constexpr uint32_t kNone = UINT32_MAX;

  private:
    struct Slot {
        Key key = 0;
        uint32_t number = kNone;
    };
    void place(Key key, uint32_t number) {
        size_t at = scattered(key) & (slot_.size() - 1);
        while (slot_[at].number != kNone) at = (at + 1) & (slot_.size() - 1);
        slot_[at] = {key, number};
    }
    void grow() {
        std::vector<Slot>(2 * slot_.size()).swap(slot_);
        for (uint32_t number = 0; number < keys_.size(); ++number) place(keys_[number], number);
    }
    std::vector<Key> keys_;
    std::vector<Slot> slot_;

  public:
    // Slots are at least a third full.
    static constexpr size_t kBytesOfKey = sizeof(Key) + 3 * sizeof(Slot);
};

// Features by what they extend: number k + 1 has the k-th key, 0 is the root.
class Trie {
  public:
    uint32_t size() const { return static_cast<uint32_t>(order_.size()); }
    int order(uint32_t feature) const { return order_[feature]; }
    Key key(uint32_t feature) const { return table_.key(feature - 1); }
    uint32_t find(Key key) const {
        const uint32_t number = table_.find(key);
        return number == KeyTable::kNone ? kNone : number + 1;
    }
    uint32_t insert(Key key) {
        const uint32_t number = table_.insert(key) + 1;
        if (number == order_.size()) {
            order_.push_back(static_cast<uint8_t>(std::min(255, order_[key >> 32] + 1)));
        }
        return number;
    }
    static constexpr uint32_t kNone = UINT32_MAX;

  private:
    KeyTable table_;
    std::vector<uint8_t> order_ = {0};
};

// The features of a trie that extend each of them, by their extensions in rising order.
class Children {
  public:
    // Those that are `wanted` alone.
    Children(const Trie& trie, const std::vector<bool>& wanted) : ptr_(size_t{trie.size()} + 1, 0) {
        for (uint32_t f = 1; f < trie.size(); ++f)
            if (wanted[f]) ++ptr_[(trie.key(f) >> 32) + 1];
        for (size_t f = 1; f < ptr_.size(); ++f) ptr_[f] += ptr_[f - 1];
        child_.resize(ptr_.back());
        std::vector<size_t> at(ptr_.begin(), ptr_.end() - 1);
        for (uint32_t f = 1; f < trie.size(); ++f)
            if (wanted[f])
                child_[at[trie.key(f) >> 32]++] = {static_cast<uint32_t>(trie.key(f)), f};
        for (size_t f = 0; f + 1 < ptr_.size(); ++f)
            std::sort(child_.begin() + ptr_[f], child_.begin() + ptr_[f + 1],
                      [](const Child& a, const Child& b) { return a.extension < b.extension; });
        for (size_t c = 0; c < ptr_[1]; ++c) {
            if (child_[c].extension >= of_root_.size())
                of_root_.resize(child_[c].extension + 1, Trie::kNone);
            of_root_[child_[c].extension] = child_[c].feature;
        }
    }
    bool any(uint32_t feature) const { return ptr_[feature] < ptr_[feature + 1]; }
    // Calls take(child, member) for what extends a feature by base + one of these rising members.
    template <class Take>
    void each(uint32_t feature, uint32_t base, const int32_t* begin, const int32_t* end,
              Take take) const {
        if (feature == 0 && base == 0) {
            for (const int32_t* m = begin; m != end; ++m)
                if (const size_t e = static_cast<size_t>(*m);
                    e < of_root_.size() && of_root_[e] != Trie::kNone)
                    take(of_root_[e], *m);
            return;
        }
        const Child *child = child_.data() + ptr_[feature], *const last =
                                                                child_.data() + ptr_[feature + 1];
        if (last - child > kFew) child = at_least(child, last, base);
        for (const int32_t* m = begin; m != end && child != last; ++m) {
            const uint32_t wanted = base + static_cast<uint32_t>(*m);
            if (last - child > kFew)
                child = at_least(child, last, wanted);
            else
                while (child != last && child->extension < wanted) ++child;
            if (child != last && child->extension == wanted) take(child->feature, *m);
        }
    }

  private:
    struct Child {
        uint32_t extension, feature;
    };
    static const Child* at_least(const Child* begin, const Child* end, uint32_t extension) {
        return std::lower_bound(begin, end, extension,
                                [](const Child& c, uint32_t value) { return c.extension < value; });
    }
    static constexpr std::ptrdiff_t kFew = 64;
    std::vector<size_t> ptr_;
    std::vector<Child> child_;
    std::vector<uint32_t> of_root_;
};

// Records of one structure after the other, written once and read in the same order; what exceeds a
// limit goes to a temporary file.
template <class Record>
class Spool {
  public:
    explicit Spool(size_t limit) : limit_(limit) {}
    void append(const std::vector<Record>& records) {
        length_.push_back(static_cast<uint32_t>(records.size()));
        if (!file_ && (memory_.size() + records.size()) * sizeof(Record) <= limit_) {
            memory_.insert(memory_.end(), records.begin(), records.end());
            return;
        }
        if (!file_) {
            file_.reset(std::tmpfile());
            if (!file_)
                throw std::runtime_error(
                    "no temporary file can be made for what exceeds the memory");
            in_memory_ = length_.size() - 1;
        }
        if (std::fwrite(records.data(), sizeof(Record), records.size(), file_.get()) !=
            records.size())
            throw std::runtime_error("the disk is full: a temporary file could not be written");
        spilled_ += records.size() * sizeof(Record);
    }
    size_t size() const { return length_.size(); }
    size_t bytes() const { return memory_.capacity() * sizeof(Record) + length_.capacity() * 4; }
    size_t spilled() const { return spilled_; }
    // Calls body(k, begin, end) for the records of each structure.
    template <class Body>
    void each(Body body) {
        if (file_) std::rewind(file_.get());
        size_t at = 0;
        for (size_t k = 0; k < length_.size(); ++k) {
            if (!file_ || k < in_memory_) {
                body(k, memory_.data() + at, memory_.data() + at + length_[k]);
                at += length_[k];
                continue;
            }
            buffer_.resize(length_[k]);
            if (std::fread(buffer_.data(), sizeof(Record), length_[k], file_.get()) != length_[k])
                throw std::runtime_error("a temporary file could not be read back");
            body(k, buffer_.data(), buffer_.data() + length_[k]);
        }
    }

  private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    size_t limit_, in_memory_ = 0, spilled_ = 0;
    std::vector<Record> memory_, buffer_;
    std::vector<uint32_t> length_;
    std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace laconic::mining
