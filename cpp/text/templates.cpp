// Features as numbers: every distinct key of a template gets the next id of the template's slice.
#include "text/templates.hpp"

#include "door/checks.hpp"
#include "door/threads.hpp"

namespace laconic::text {

namespace {

// Numbers the distinct keys of one template as they come. The table grows with them: few features
// stay near the processor.
class Numbering {
  public:
    void prefetch(uint64_t key) const { __builtin_prefetch(&slots_[key & mask_]); }
    int32_t number(uint64_t key) {
        for (size_t at = key & mask_;; at = (at + 1) & mask_) {
            Slot& slot = slots_[at];
            if (slot.key == key) return slot.id;
            if (slot.key == 0) {
                slot = {key, count_};
                if (static_cast<size_t>(count_) * 3 > mask_ * 2) grow();
                return count_++;
            }
        }
    }
    int32_t count() const { return count_; }

  private:
    struct Slot {
        uint64_t key;
        int32_t id;
    };
    void grow() {
        std::vector<Slot> old(slots_.size() * 2, {0, 0});
        old.swap(slots_);
        mask_ = slots_.size() - 1;
        for (const Slot& slot : old) {
            if (slot.key == 0) continue;
            size_t at = slot.key & mask_;
            while (slots_[at].key != 0) at = (at + 1) & mask_;
            slots_[at] = slot;
        }
    }
    std::vector<Slot> slots_ = std::vector<Slot>(1024, {0, 0});
    size_t mask_ = 1023;
    int32_t count_ = 0;
};

// Calls body(token, key) for a template at all tokens where it fires.
template <class Body>
void each_key(const Templates& templates, const Columns& columns, int64_t m, Numbering& numbering,
              Body body) {
    std::vector<int32_t> padded;
    std::vector<uint64_t> keys;
    for (int64_t s = 0; s < columns.n_sentences; ++s) {
        const int64_t begin = columns.ptr[s], n = columns.ptr[s + 1] - begin;
        templates.pad(columns, begin, n, padded);
        keys.resize(n);
        templates.keys(m, padded, n, keys.data());
        for (uint64_t key : keys) numbering.prefetch(key);
        for (int64_t t = 0; t < n; ++t)
            if (keys[t] != 0) body(begin + t, keys[t]);
    }
}

}  // namespace

void number_features(const Templates& templates, const Columns& columns, int threads,
                     std::vector<int32_t>& ids, std::vector<int64_t>& sizes) {
    constexpr int64_t kTogether = 16;  // columns that are written side by side: a cache line of ids
    const int64_t M = templates.size(), n = columns.n_tokens;
    ids.assign(static_cast<size_t>(n * M), -1);
    sizes.assign(M, 0);
    const int64_t n_blocks = (M + kTogether - 1) / kTogether;
    parallel_ranges(n_blocks, threads, 1, [&](int64_t first_block, int64_t last_block, int) {
        std::vector<int32_t> block;
        for (int64_t first = first_block * kTogether; first < std::min(M, last_block * kTogether);
             first += kTogether) {
            const int64_t width = std::min(kTogether, M - first);
            block.assign(width * n, -1);
            for (int64_t k = 0; k < width; ++k) {
                Numbering numbering;
                each_key(templates, columns, first + k, numbering,
                         [&](int64_t token, uint64_t key) {
                             block[k * n + token] = numbering.number(key);
                         });
                sizes[first + k] = numbering.count();
            }
            for (int64_t token = 0; token < n; ++token)
                for (int64_t k = 0; k < width; ++k)
                    ids[token * M + first + k] = block[k * n + token];
        }
    });
    std::vector<int32_t> start(M, 0);
    int64_t total = 0;
    for (int64_t m = 0; m < M; ++m) {
        start[m] = static_cast<int32_t>(total);
        total += sizes[m];
        require(total < INT32_MAX, "there must be fewer than 2^31 features");
    }
    parallel_ranges(n, threads, 4096, [&](int64_t first, int64_t last, int) {
        for (int64_t token = first; token < last; ++token)
            for (int64_t m = 0; m < M; ++m) {
                int32_t& id = ids[token * M + m];
                id += id >= 0 ? start[m] : 0;
            }
    });
}

std::tuple<Array<int32_t>, Array<int64_t>> number(const Templates& templates, Matrix32 columns_in,
                                                  Vec<int64_t> ptr, int threads) {
    const Columns columns(columns_in, ptr);
    templates.check(columns);
    std::vector<int32_t> ids;
    std::vector<int64_t> sizes;
    {
        nb::gil_scoped_release release;
        number_features(templates, columns, threads, ids, sizes);
    }
    return std::make_tuple(to_numpy(std::move(ids)), to_numpy(std::move(sizes)));
}

}  // namespace laconic::text
