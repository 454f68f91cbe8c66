// Static maps in a few bits per entry, read where they lie: a file mapped into memory is searched,
// never unpacked.
//
// A map holds n distinct keys. Where the keys are many of all numbers below `universe`, it is
// direct: a bit for each such number. Else a key is mixed by a bijection of numbers of key_bits
// bits; of the result the first bucket_bits name a bucket and the next rest_bits are stored
// (quotienting: Cleary 1984). If both make up all of key_bits, a look-up is exact; else a key that
// is not there is taken for one that is with probability n / 2^(bucket_bits + rest_bits). A map is,
// word-aligned,
//
//     counts    4 bits per bucket, 16 buckets per word; of a direct map one bit per number
//     before    entries before each such word, 16 bits each or, if n is 2^16 or more, 32
//     rests     rest_bits per entry, bucket after bucket
//     is_long   one bit per entry and, for every 64 of them, how many are long before (as above);
//               only if n_long > 0
//     shorts    short_bits each: codes of the entries that are not long
//     longs     long_bits each: codes of those that are; without bits their code is their place
//               among the long ones
//
// The place of an entry among all is its number. Every claim is checked when a map is made, so that
// no look-up leaves it.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "door/checks.hpp"

namespace laconic::compact {

constexpr int kMostBucketBits = 30, kMostStoredBits = 62, kMostCodeBits = 31, kDirect = 64,
              kBucketsPerWord = 16, kMostInBucket = 15;
constexpr int64_t kSpareWords = 2;
constexpr int64_t kMostEntries = int64_t{1} << 31;

inline uint64_t low_bits(int width) {
    return width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
}

inline uint64_t low_bits_below_64(uint64_t width) { return (uint64_t{1} << width) - 1; }

// `width` bits from bit `at` on; it reads two words even where it needs none, so that every row of
// words ends with two spare ones.
inline uint64_t bits_at(const uint64_t* words, uint64_t at, int width) {
    const uint64_t* word = words + (at >> 6);
    const int shift = static_cast<int>(at & 63);
    return ((word[0] >> shift) | ((word[1] << 1) << (63 - shift))) & low_bits(width);
}
// Without the processor's own instruction, which portable code must not use: std::popcount would
// call a function.
inline int count_bits(uint64_t x) {
    x -= x >> 1 & 0x5555555555555555ull;
    x = (x & 0x3333333333333333ull) + (x >> 2 & 0x3333333333333333ull);
    return static_cast<int>(((x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Full) * 0x0101010101010101ull >> 56);
}
inline int64_t words_of(int64_t bits) { return (bits + 63) / 64; }

// A bijection of numbers of `bits` bits: every bit of the result depends on all bits of x.
struct Mixer {
    static constexpr uint64_t kFirst = 0xFF51AFD7ED558CCDull, kSecond = 0xC4CEB9FE1A85EC53ull,
                              kStep = 0x9E3779B97F4A7C15ull;
    explicit Mixer(int bits = 0, int seed = 0)
        : mask(low_bits(bits)),
          shift(std::max(1, (bits + 1) / 2)),
          add(static_cast<uint64_t>(seed) * kStep) {}
    uint64_t operator()(uint64_t x) const {
        x = (x + add) & mask;
        x ^= x >> shift;
        x = x * kFirst & mask;
        x ^= x >> shift;
        x = x * kSecond & mask;
        return x ^ (x >> shift);
    }
    uint64_t undo(uint64_t x) const {
        x ^= x >> shift;  // twice the shift is at least all bits: it is its own inverse
        x = x * inverse(kSecond) & mask;
        x ^= x >> shift;
        x = x * inverse(kFirst) & mask;
        x ^= x >> shift;
        return (x - add) & mask;
    }
    uint64_t mask;
    int shift;
    uint64_t add;

  private:
    static uint64_t inverse(uint64_t odd) {  // Newton's steps double the bits that are right
        uint64_t x = odd;
        for (int step = 0; step < 6; ++step) x *= 2 - odd * x;
        return x;
    }
};

// What a file says of a map beside its words.
struct Shape {
    int64_t n = 0, n_long = 0;  // entries, those with long codes
    int64_t universe = 0;       // keys are below it; 0 if they are hashes of 64 bits
    int bucket_bits = 0, rest_bits = 0, short_bits = 0, long_bits = 0, seed = 0;

    bool direct() const { return bucket_bits == kDirect; }
    int key_bits() const {
        return universe == 0 ? 64 : std::bit_width(static_cast<uint64_t>(universe - 1));
    }
    int64_t n_count_words() const {
        return direct() ? words_of(universe)
                        : std::max<int64_t>(1, (int64_t{1} << bucket_bits) / kBucketsPerWord);
    }
    int64_t n_long_words() const { return n_long > 0 ? words_of(n) : 0; }
    int width() const { return n < 65536 ? 16 : 32; }  // of running counts
    int64_t before_at() const { return n_count_words(); }
    int64_t rests_at() const { return before_at() + words_of(n_count_words() * width()); }
    int64_t is_long_at() const { return rests_at() + words_of(n * rest_bits); }
    int64_t longs_before_at() const { return is_long_at() + n_long_words(); }
    int64_t shorts_at() const { return longs_before_at() + words_of(n_long_words() * width()); }
    int64_t longs_at() const { return shorts_at() + words_of((n - n_long) * short_bits); }
    int64_t n_words() const { return longs_at() + words_of(n_long * long_bits); }
    bool exact() const { return direct() || bucket_bits + rest_bits == key_bits(); }

    void check() const {
        require(n >= 0 && n < kMostEntries && n_long >= 0 && n_long <= n,
                "a map holds impossible numbers of entries");
        require(short_bits >= 0 && short_bits <= kMostCodeBits && long_bits >= 0 &&
                    long_bits <= kMostCodeBits,
                "a map has impossible widths");
        if (direct())
            require(universe > 0 && rest_bits == 0, "a direct map has impossible widths");
        else
            require(bucket_bits >= 0 && bucket_bits <= kMostBucketBits && rest_bits >= 0 &&
                        bucket_bits + rest_bits <= std::min(key_bits(), kMostStoredBits) &&
                        key_bits() - bucket_bits - rest_bits < 64,
                    "a map has impossible widths");
    }
};

struct Code {
    uint32_t value;
    bool is_long;
};

class Map {
  public:
    // `words` are at least shape.n_words() + kSpareWords words that outlive the map.
    Map(const Shape& shape_in, const uint64_t* words)
        : shape(shape_in),
          mixer_(shape.key_bits(), shape.seed),
          dropped_(shape.direct() ? 0 : shape.key_bits() - shape.bucket_bits - shape.rest_bits),
          counts_(words),
          before_(words + shape.before_at()),
          rests_(words + shape.rests_at()),
          is_long_(words + shape.is_long_at()),
          longs_before_(words + shape.longs_before_at()),
          shorts_(words + shape.shorts_at()),
          longs_(words + shape.longs_at()),
          rest_mask_(low_bits(shape.rest_bits)),
          wide_(shape.width() == 32) {
        if (shape.rest_bits > 0)
            for (at_once_ = 0; (at_once_ + 1) * shape.rest_bits <= 64 && at_once_ < kMostInBucket;
                 ++at_once_)
                ones_ |= uint64_t{1} << at_once_ * shape.rest_bits;
        tops_ = shape.rest_bits > 0 ? ones_ << (shape.rest_bits - 1) : 0;
        per_field_ = 65536 / std::max(1, shape.rest_bits) + 1;
        check();
    }

    // Where the search for a key begins; ask memory for it some time before `find`.
    uint64_t mix(uint64_t key) const { return shape.direct() ? key : mixer_(key) >> dropped_; }
    // Whether prefetching pays: caches keep smaller maps by themselves.
    bool is_large() const { return shape.n_words() > 4096; }
    void prefetch(uint64_t mixed) const {
        __builtin_prefetch(&counts_[shape.direct() ? mixed >> 6 : mixed >> shape.rest_bits >> 4]);
    }
    // A place that a key may have: the entries from `first` on, those of `fields` (each a bit in a
    // field of rest_bits) or of `left` more than were compared at once.
    struct Place {
        uint64_t fields;
        int64_t first;
        int left;
    };
    // Whether a direct map has this key, without a branch.
    bool has(uint64_t key) const { return counts_[key >> 6] >> (key & 63) & 1; }
    int64_t number_of(uint64_t key) const {
        return running(before_, key >> 6) +
               count_bits(counts_[key >> 6] & low_bits_below_64(key & 63));
    }
    // The entries of a mixed key's bucket.
    struct Bucket {
        int64_t first;
        int count;
    };
    Bucket bucket_of(uint64_t mixed) const {
        const uint64_t bucket = mixed >> shape.rest_bits, counts = counts_[bucket >> 4];
        const int place = static_cast<int>(bucket & 15) * 4;
        return {running(before_, bucket >> 4) + sum(counts & low_bits_below_64(place)),
                static_cast<int>(counts >> place & 15)};
    }
    void prefetch(const Bucket& bucket) const {
        __builtin_prefetch(&rests_[bucket.first * shape.rest_bits >> 6]);
    }
    // Where this mixed key may be in its bucket, without a branch: nowhere if `fields` and `left`
    // are zero. As many entries as a word holds are compared at once: a field of the difference x
    // is zero where rests are equal, and (x - ones) & ~x & tops has the top bit of such fields. The
    // lowest zero field is found without fail; fields beyond the bucket are masked.
    Place search(uint64_t mixed, const Bucket& bucket) const {
        const uint64_t rest = mixed & rest_mask_;
        const int compared = std::min(bucket.count, at_once_), width = compared * shape.rest_bits;
        const uint64_t difference =
            bits_at(rests_, bucket.first * shape.rest_bits, 64) ^ (rest * ones_);
        const uint64_t zero = (difference - ones_) & ~difference & tops_ & low_bits(width);
        return {zero, bucket.first, bucket.count - compared};
    }
    Place search(uint64_t mixed) const { return search(mixed, bucket_of(mixed)); }
    // The number of the entry at such a place, or -1 if its rest is another.
    int64_t entry_at(const Place& place, uint64_t mixed) const {
        if (place.fields != 0)
            return place.first + (std::countr_zero(place.fields) * per_field_ >> 16);
        for (int64_t i = place.first + at_once_; i < place.first + at_once_ + place.left; ++i)
            if (bits_at(rests_, i * shape.rest_bits, shape.rest_bits) == (mixed & rest_mask_))
                return i;
        return -1;
    }
    // The number of the entry with this mixed key, or -1.
    int64_t find(uint64_t mixed) const {
        if (shape.direct()) return has(mixed) ? number_of(mixed) : -1;
        return entry_at(search(mixed), mixed);
    }
    // Without a branch where codes are of both kinds: which one comes next cannot be guessed.
    void prefetch_code(int64_t i) const {
        __builtin_prefetch(shape.n_long > 0 ? &is_long_[i >> 6]
                                            : &shorts_[i * shape.short_bits >> 6]);
    }
    Code code(int64_t i) const {
        if (shape.n_long == 0)
            return {static_cast<uint32_t>(bits_at(shorts_, i * shape.short_bits, shape.short_bits)),
                    false};
        const uint64_t word = is_long_[i >> 6];
        const bool is_long = word >> (i & 63) & 1;
        const int64_t longs =
            running(longs_before_, i >> 6) + count_bits(word & low_bits_below_64(i & 63));
        const uint64_t among_shorts =
            bits_at(shorts_, (i - longs) * shape.short_bits, shape.short_bits);
        const uint64_t among_longs =
            shape.long_bits == 0 ? longs
                                 : bits_at(longs_, longs * shape.long_bits, shape.long_bits);
        return {static_cast<uint32_t>(is_long ? among_longs : among_shorts), is_long};
    }
    // ValueError unless all short codes are below one number and all long ones below another.
    void check_codes(int64_t n_short, int64_t n_long) const {
        const auto check = [](const uint64_t* words, int64_t n, int width, int64_t limit) {
            if (limit > 0 && low_bits(width) < static_cast<uint64_t>(limit)) return;
            for (int64_t i = 0; i < n; ++i)
                require(bits_at(words, i * width, width) < static_cast<uint64_t>(limit),
                        "a map holds a code that is not there");
        };
        check(shorts_, shape.n - shape.n_long, shape.short_bits, n_short);
        if (shape.long_bits > 0)
            check(longs_, shape.n_long, shape.long_bits, n_long);
        else
            require(shape.n_long <= n_long, "a map holds a code that is not there");
    }
    // Calls body(number, key) for all entries; only an exact map knows its keys.
    template <class Body>
    void each_key(Body body) const {
        int64_t number = 0;
        if (shape.direct()) {
            for (int64_t key = 0; key < shape.universe; ++key)
                if (counts_[key >> 6] >> (key & 63) & 1) body(number++, static_cast<uint64_t>(key));
            return;
        }
        for (int64_t bucket = 0; bucket < int64_t{1} << shape.bucket_bits; ++bucket)
            for (int count = counts_[bucket >> 4] >> (bucket & 15) * 4 & 15; count > 0;
                 --count, ++number)
                body(number,
                     mixer_.undo(static_cast<uint64_t>(bucket) << shape.rest_bits |
                                 bits_at(rests_, number * shape.rest_bits, shape.rest_bits)));
    }

    Shape shape;

  private:
    static int64_t sum(uint64_t nibbles) {
        const uint64_t low = 0x0F0F0F0F0F0F0F0Full;
        return static_cast<int64_t>(
            ((nibbles & low) + (nibbles >> 4 & low)) * 0x0101010101010101ull >> 56);
    }
    int64_t running(const uint64_t* words, uint64_t i) const {
        const char* at = reinterpret_cast<const char*>(words);
        uint32_t wide = 0;
        uint16_t narrow = 0;
        if (wide_)
            std::memcpy(&wide, at + 4 * i, 4);
        else
            std::memcpy(&narrow, at + 2 * i, 2);
        return wide_ ? wide : narrow;
    }
    void check() const {
        int64_t seen = 0;
        for (int64_t word = 0; word < shape.n_count_words(); ++word) {
            require(running(before_, word) == seen, "the counts of a map do not add up");
            seen += shape.direct() ? count_bits(counts_[word]) : sum(counts_[word]);
        }
        // The last word may be of fewer buckets or numbers than it has room for.
        const int used = shape.direct() ? static_cast<int>((shape.universe - 1) % 64 + 1)
                                        : 4 << std::min(4, shape.bucket_bits);
        require(counts_[shape.n_count_words() - 1] <= low_bits(used),
                "a map counts entries that cannot be there");
        require(seen == shape.n, "a map has another number of entries than it says");
        int64_t longs = 0;
        for (int64_t word = 0; word < shape.n_long_words(); ++word) {
            require(running(longs_before_, word) == longs, "the long codes of a map do not add up");
            longs += count_bits(is_long_[word]);
        }
        require(longs == shape.n_long, "a map has another number of long codes than it says");
        if (shape.n_long > 0 && shape.n % 64)
            require(is_long_[shape.n >> 6] <= low_bits(shape.n % 64),
                    "a map has long codes of entries that are not there");
    }

    Mixer mixer_;
    int dropped_;
    const uint64_t *counts_, *before_, *rests_, *is_long_, *longs_before_, *shorts_, *longs_;
    uint64_t rest_mask_;
    bool wide_;
    int at_once_ = 0;               // rests in a word
    uint64_t ones_ = 0, tops_ = 0;  // the lowest and the highest bit of each
    // The place of a bit times this over 2^16 is its field, as a division would find it.
    int per_field_ = 0;
};

// Several maps, one after the other in the same words. `sizes` are rows of n, n_long; `widths` are
// rows of bucket_bits, rest_bits, short_bits, long_bits, seed; universes come from what the keys
// are.
using Sizes = Mat<int32_t>;
using Widths = Mat<uint8_t>;

// Words, sizes and widths of several maps.
using MapArrays = std::tuple<Vec<uint64_t>, Sizes, Widths>;

class Maps {
  public:
    Maps(Vec<uint64_t> words, const Sizes& sizes, const Widths& widths,
         const std::vector<int64_t>& universes)
        : words_(words) {
        require(sizes.shape(1) == 2 && widths.shape(1) == 5 && sizes.shape(0) == universes.size() &&
                    widths.shape(0) == universes.size(),
                "sizes must have 2 and widths 5 columns, and one row per map");
        const int64_t n_words = static_cast<int64_t>(words.size());
        int64_t at = 0;
        for (size_t m = 0; m < universes.size(); ++m) {
            const int32_t* size = sizes.data() + m * 2;
            const uint8_t* width = widths.data() + m * 5;
            const Shape shape{size[0],  size[1],  universes[m], width[0],
                              width[1], width[2], width[3],     width[4]};
            shape.check();
            require(shape.n_words() + kSpareWords <= n_words - at,
                    "a map reaches beyond its words");
            maps_.emplace_back(shape, words.data() + at);
            at += shape.n_words();
        }
        require(at + kSpareWords == n_words, "the words of maps must end with two spare ones");
    }
    int64_t size() const { return static_cast<int64_t>(maps_.size()); }
    const Map& operator[](int64_t m) const { return maps_[m]; }

  private:
    Vec<uint64_t> words_;  // keeps a mapped file open
    std::vector<Map> maps_;
};

// A map under construction.
struct Built {
    Shape shape;
    std::vector<uint64_t> words;
    std::vector<int64_t> number;  // of each key in the order given, -1 for one that was left out
};
// Codes below 2^short_bits become short ones; without codes (null) entries are only numbered. Of
// keys that the stored bits cannot distinguish all but one are left out if `spill`; else other
// seeds are tried.
Built build(const std::vector<uint64_t>& keys, const uint32_t* codes, int short_bits, int long_bits,
            int64_t universe, int error_bits, bool spill = false);

// Numbers that stand for conjunctions: sum_a value_a * multiplier_a, exact if the product of the
// radixes has fewer than 63 bits.
struct Radix {
    Radix() = default;
    explicit Radix(const std::vector<int64_t>& radix);
    std::vector<uint64_t> multiplier;
    std::vector<int64_t> radix;
    int64_t universe = 0;  // keys are below it; 0 if they are hashes of 64 bits
};

uint64_t hash_bytes(const char* data, size_t size);

}  // namespace laconic::compact
