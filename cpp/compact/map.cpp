// Building static maps.
#include "compact/map.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace laconic::compact {

namespace {

void put(std::vector<uint64_t>& words, int64_t first_word, uint64_t at, uint64_t value, int width) {
    if (width == 0) return;
    uint64_t* word = words.data() + first_word + (at >> 6);
    const int shift = static_cast<int>(at & 63);
    word[0] |= value << shift;
    if (shift + width > 64) word[1] |= value >> (64 - shift);
}

// Whether a bit for each number of the universe takes less than buckets of entries do.
bool is_cheaper_direct(int64_t n, int64_t universe, int size_bits) {
    if (universe == 0 || universe > 64 * std::max<int64_t>(n, 1))
        return universe > 0 && universe <= 64;
    const int key_bits = std::bit_width(static_cast<uint64_t>(universe - 1)),
              bucket_bits = std::max(0, size_bits - 2);
    const double width = std::bit_width(static_cast<uint64_t>(n)),
                 n_buckets = std::pow(2.0, bucket_bits);
    return universe * (1 + width / 64) <=
           n_buckets * (4 + width / 16) + double(n) * std::max(0, key_bits - bucket_bits);
}

}  // namespace

Radix::Radix(const std::vector<int64_t>& radix_in) : radix(radix_in), universe(1) {
    for (int64_t r : radix) {
        require(r >= 1 && r <= int64_t{1} << 32, "a view has an impossible number of values");
        multiplier.push_back(static_cast<uint64_t>(universe));
        universe = universe < (int64_t{1} << 62) / r ? universe * r : 0;
        if (universe == 0) break;
    }
    if (universe > 0) return;
    multiplier.assign(radix.size(), 1);
    for (size_t a = 1; a < radix.size(); ++a) multiplier[a] = multiplier[a - 1] * Mixer::kSecond;
}

Built build(const std::vector<uint64_t>& keys, const uint32_t* codes, int short_bits, int long_bits,
            int64_t universe, int error_bits, bool spill) {
    require(static_cast<int64_t>(keys.size()) < kMostEntries,
            "there are too many entries for one map");
    const int64_t n_keys = static_cast<int64_t>(keys.size());
    Built built;
    Shape& shape = built.shape;
    shape.universe = universe;
    const int key_bits = shape.key_bits();
    shape.short_bits = codes ? short_bits : 0;
    shape.long_bits = codes ? long_bits : 0;
    // 2^size_bits >= n_keys.
    const int size_bits = std::bit_width(static_cast<uint64_t>(std::max<int64_t>(1, n_keys) - 1));
    shape.bucket_bits = std::min({std::max(0, size_bits - 2), key_bits, kMostBucketBits});
    std::vector<std::pair<uint64_t, int64_t>> order;
    if (is_cheaper_direct(n_keys, universe, size_bits)) {
        shape.bucket_bits = kDirect;
        for (int64_t i = 0; i < n_keys; ++i) order.emplace_back(keys[i], i);
        std::sort(order.begin(), order.end());
        for (int64_t i = 0; i + 1 < n_keys; ++i)
            require(order[i].first != order[i + 1].first, "a key occurs twice");
    }
    for (int attempt = 0; !shape.direct(); ++attempt) {
        require(attempt < 100, "a map of this width cannot distinguish these keys");
        shape.seed = attempt;
        // Buckets that overflow are rare; where they stay, there are too few of them.
        if (attempt % 8 == 7 && shape.bucket_bits < std::min(key_bits, size_bits + 2))
            shape.bucket_bits += 1;
        const int stored = std::min(
            {key_bits, kMostStoredBits, std::max(shape.bucket_bits, size_bits + error_bits)});
        shape.rest_bits = stored - shape.bucket_bits;
        const Mixer mixer(key_bits, shape.seed);
        order.resize(n_keys);
        for (int64_t i = 0; i < n_keys; ++i) order[i] = {mixer(keys[i]) >> (key_bits - stored), i};
        std::sort(order.begin(), order.end());
        const auto end = std::unique(order.begin(), order.end(),
                                     [](auto& a, auto& b) { return a.first == b.first; });
        if (end != order.end() && !spill) continue;
        order.erase(end, order.end());
        bool fits = true;
        for (size_t i = 0; i + kMostInBucket < order.size() && fits; ++i)
            fits = order[i].first >> shape.rest_bits !=
                   order[i + kMostInBucket].first >> shape.rest_bits;
        if (fits) break;
    }
    const int64_t n = shape.n = static_cast<int64_t>(order.size());
    for (int64_t i = 0; codes && i < n; ++i)
        shape.n_long += codes[order[i].second] >> short_bits != 0;
    shape.check();
    built.words.assign(shape.n_words() + kSpareWords, 0);
    built.number.assign(n_keys, -1);
    auto& words = built.words;
    int64_t longs = 0;
    std::vector<int64_t> before(shape.n_count_words() + 1, 0);
    for (int64_t i = 0; i < n; ++i) {
        const uint64_t bucket = order[i].first >> shape.rest_bits,
                       word = shape.direct() ? bucket >> 6 : bucket >> 4;
        words[word] += uint64_t{1} << (shape.direct() ? bucket & 63 : (bucket & 15) * 4);
        before[word + 1] += 1;
        put(words, shape.rests_at(), i * shape.rest_bits,
            order[i].first & low_bits(shape.rest_bits), shape.rest_bits);
        built.number[order[i].second] = i;
        if (shape.n_long > 0 && i % 64 == 0)
            put(words, shape.longs_before_at(), i / 64 * shape.width(), longs, shape.width());
        if (!codes) continue;
        const uint32_t code = codes[order[i].second];
        if (code >> short_bits == 0) {
            put(words, shape.shorts_at(), (i - longs) * short_bits, code, short_bits);
        } else {
            words[shape.is_long_at() + (i >> 6)] |= uint64_t{1} << (i & 63);
            put(words, shape.longs_at(), longs * long_bits, code, long_bits);
            ++longs;
        }
    }
    for (int64_t w = 0; w < shape.n_count_words(); ++w) {
        put(words, shape.before_at(), w * shape.width(), before[w], shape.width());
        before[w + 1] += before[w];
    }
    words.resize(shape.n_words());
    return built;
}

uint64_t hash_bytes(const char* data, size_t size) {
    uint64_t state = 0x243F6A8885A308D3ull ^ size * Mixer::kStep;
    for (; size > 0; data += 8, size -= std::min<size_t>(8, size)) {
        uint64_t part = 0;
        for (size_t b = 0; b < std::min<size_t>(8, size); ++b)
            part |= uint64_t{static_cast<unsigned char>(data[b])} << 8 * b;
        state = (state ^ part) * Mixer::kFirst;
        state ^= state >> 32;
    }
    return state;
}

}  // namespace laconic::compact
