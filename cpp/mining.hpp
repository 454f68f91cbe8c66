// What a search of a kernel space counts with (Qian and Liu 2015, section 4): a filter of small counters, tables of keys, a trie.
//
// A feature of order r + 1 is one of order r and an extension, two 32-bit numbers that make its key; features of order 1 extend
// the root, which is number 0. What extensions mean is known to the space alone.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

#include "aligned.hpp"

namespace mining {

using Key = uint64_t;
inline Key key_of(uint32_t feature, uint32_t extension) { return (Key{feature} << 32) | extension; }
inline uint64_t scattered(uint64_t key) {
    key = (key ^ (key >> 32)) * 0xd6e8feb86659fd93ull;
    key = (key ^ (key >> 32)) * 0xd6e8feb86659fd93ull;
    return key ^ (key >> 32);
}

// Upper bounds of how often keys were added (spectral Bloom filter with minimal increase: Cohen and Matias 2003). The counters of
// a key share a cache line: adding one costs one miss, at the price of slightly worse bounds.
class SpectralFilter {
  public:
    SpectralFilter(int log2_bytes, int bits, int n_hashes)
        : bits_(bits),
          per_word_(64 / bits),
          n_hashes_(n_hashes),
          most_((1 << bits) - 1),
          most_lines_(std::max<uint64_t>(1, (uint64_t{1} << log2_bytes) / sizeof(Line))) {}
    // All counters zero, and as many as suit so many keys and the memory allows.
    void clear(int64_t n_keys) {
        for (lines_ = 1; lines_ < most_lines_ && lines_ * sizeof(Line) < kBytesOfKey * static_cast<uint64_t>(n_keys);)
            lines_ *= 2;
        counters_.assign(lines_, Line{});
    }
    int most() const { return most_; }
    size_t bytes() const { return counters_.size() * sizeof(Line); }
    void prefetch(uint64_t scattered_key) const { __builtin_prefetch(&counters_[scattered_key & (lines_ - 1)], 1); }

    // Adds one and returns the bound before it, at most most().
    int add(uint64_t scattered_key) {
        Line& line = counters_[scattered_key & (lines_ - 1)];
        uint64_t places = scattered(scattered_key);
        const int in_line = 8 * per_word_;
        int place[kMostHashes], least = most_;
        for (int h = 0; h < n_hashes_; ++h, places = places * 0x9e3779b97f4a7c15ull + 0x632be59bd9b4e019ull) {
            place[h] = static_cast<int>((places >> 40) & static_cast<uint64_t>(in_line - 1));
            least = std::min(least, at(line, place[h]));
        }
        if (least < most_)
            for (int h = 0; h < n_hashes_; ++h)
                if (at(line, place[h]) == least) line.word[place[h] / per_word_] += uint64_t{1} << shift(place[h]);
        return least;
    }

    static constexpr int kMostHashes = 8;

  private:
    static constexpr uint64_t kBytesOfKey = 8;
    struct Line {
        uint64_t word[8];
    };
    int shift(int place) const { return (place % per_word_) * bits_; }
    int at(const Line& line, int place) const { return static_cast<int>((line.word[place / per_word_] >> shift(place)) & most_); }

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
        std::vector<uint32_t>(16, kNone).swap(slot_);
    }
    size_t size() const { return keys_.size(); }
    Key key(size_t number) const { return keys_[number]; }
    size_t bytes() const { return keys_.capacity() * sizeof(Key) + slot_.capacity() * 4; }
    void prefetch(uint64_t scattered_key) const { __builtin_prefetch(&slot_[scattered_key & (slot_.size() - 1)]); }
    uint32_t find(Key key) const {
        for (size_t at = scattered(key) & (slot_.size() - 1);; at = (at + 1) & (slot_.size() - 1))
            if (slot_[at] == kNone || keys_[slot_[at]] == key) return slot_[at];
    }
    // Its number, a new one if it has none.
    uint32_t insert(Key key) {
        if (const uint32_t number = find(key); number != kNone) return number;
        if (keys_.size() >= kNone - 1) throw std::length_error("there are too many features for one search");
        if (2 * (keys_.size() + 1) > slot_.size()) grow();
        keys_.push_back(key);
        place(static_cast<uint32_t>(keys_.size() - 1));
        return static_cast<uint32_t>(keys_.size() - 1);
    }

    static constexpr uint32_t kNone = UINT32_MAX;

  private:
    void place(uint32_t number) {
        size_t at = scattered(keys_[number]) & (slot_.size() - 1);
        while (slot_[at] != kNone) at = (at + 1) & (slot_.size() - 1);
        slot_[at] = number;
    }
    void grow() {
        std::vector<uint32_t>(2 * slot_.size(), kNone).swap(slot_);
        for (uint32_t number = 0; number < keys_.size(); ++number) place(number);
    }
    std::vector<Key> keys_;
    std::vector<uint32_t> slot_;
};

// Features by what they extend: number k + 1 has the k-th key, 0 is the root.
class Trie {
  public:
    uint32_t size() const { return static_cast<uint32_t>(order_.size()); }
    int order(uint32_t feature) const { return order_[feature]; }
    bool extended(uint32_t feature) const { return extended_[feature]; }  // whether others extend it
    Key key(uint32_t feature) const { return table_.key(feature - 1); }
    uint32_t find(Key key) const {
        const uint32_t number = table_.find(key);
        return number == KeyTable::kNone ? kNone : number + 1;
    }
    uint32_t insert(Key key) {
        const uint32_t number = table_.insert(key) + 1;
        if (number == order_.size()) {
            order_.push_back(static_cast<uint8_t>(std::min(255, order_[key >> 32] + 1)));
            extended_.push_back(false);
            extended_[key >> 32] = true;
        }
        return number;
    }
    void prefetch(uint64_t scattered_key) const { table_.prefetch(scattered_key); }
    static constexpr uint32_t kNone = UINT32_MAX;

  private:
    KeyTable table_;
    std::vector<uint8_t> order_ = {0};
    std::vector<bool> extended_ = {false};
};

// Which keys a structure has shown already; forgetting costs nothing.
class Once {
  public:
    void forget() {
        if (++now_ == 0) {
            std::fill(stamp_.begin(), stamp_.end(), 0u);
            now_ = 1;
        }
        n_ = 0;
    }
    bool first(Key key) {
        if (2 * (n_ + 1) > stamp_.size()) grow();
        for (size_t at = scattered(key) & (stamp_.size() - 1);; at = (at + 1) & (stamp_.size() - 1)) {
            if (stamp_[at] == now_ && key_[at] == key) return false;
            if (stamp_[at] != now_) {
                stamp_[at] = now_;
                key_[at] = key;
                ++n_;
                return true;
            }
        }
    }

  private:
    void grow() {
        std::vector<Key> kept;
        for (size_t at = 0; at < stamp_.size(); ++at)
            if (stamp_[at] == now_) kept.push_back(key_[at]);
        const size_t size = std::max<size_t>(1024, 2 * stamp_.size());
        stamp_.assign(size, 0);
        key_.resize(size);
        now_ = 1;
        n_ = 0;
        for (Key key : kept) first(key);
    }
    std::vector<Key> key_;
    std::vector<uint32_t> stamp_;
    uint32_t now_ = 1;
    size_t n_ = 0;
};

// Records of one structure after the other, written once and read in the same order; what exceeds a limit goes to a temporary
// file.
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
            if (!file_) throw std::runtime_error("no temporary file can be made for what exceeds the memory");
            in_memory_ = length_.size() - 1;
        }
        if (std::fwrite(records.data(), sizeof(Record), records.size(), file_.get()) != records.size())
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

}  // namespace mining
