// Weights of the features of one template, one weight per feature: open addressing from 64-bit keys
// to weights.
//
// A slot is half a key and a weight; four make a bucket of half a cache line, which is compared at
// once: most look-ups touch one line and take no branch that could be mispredicted. With the place
// in the table a slot distinguishes keys by 32 + log2(buckets) bits. Features that no update
// touched have no slot. What a feature is made of is not kept: whoever wants its name asks for the
// key of a named one. For scale, deferred penalties and averages see scaled_weights.hpp.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "numeric/aligned.hpp"
#include "numeric/scaled_weights.hpp"

namespace laconic::numeric {

class FlatTable : public ScaledWeights<FlatTable> {
  public:
    FlatTable() { clear(); }

    int64_t size() const { return n_used_; }
    bool empty() const { return n_used_ == 0; }
    size_t n_slots() const { return buckets_.size() * kLanes; }

    void prefetch(uint64_t key) const { __builtin_prefetch(&buckets_[key & mask_]); }
    // The weight of a key as it is stored (times scale() it is in true size), 0 if it has none.
    float weight(uint64_t key) const {
        const uint32_t tag = tag_of(key);
        for (size_t at = key & mask_;; at = (at + 1) & mask_) {
            const Bucket& bucket = buckets_[at];
            const Lanes same = bucket.tag == tag;
            const Lanes found = same & (Lanes)bucket.weight;  // casts of vectors keep the bits
            const Floats w = (Floats)found;
            if (bucket.tag[kLanes - 1] == kFree) return (w[0] + w[1]) + (w[2] + w[3]);
            if (same[0] | same[1] | same[2] | same[3]) return (w[0] + w[1]) + (w[2] + w[3]);
        }
    }
    // The slot of a key, or -1.
    int64_t find(uint64_t key) const {
        const uint32_t tag = tag_of(key);
        for (size_t at = key & mask_;; at = (at + 1) & mask_)
            for (size_t lane = 0; lane < kLanes; ++lane) {
                if (buckets_[at].tag[lane] == tag) return static_cast<int64_t>(at * kLanes + lane);
                if (buckets_[at].tag[lane] == kFree) return -1;
            }
    }
    // The slot of a key, made with weight zero if there is none. Slots move when others are made.
    int64_t insert(uint64_t key) {
        if (const int64_t at = find(key); at >= 0) return at;
        if (static_cast<size_t>(n_used_ + 1) * 8 > n_slots() * 5) rehash(2 * buckets_.size());
        const size_t at = free_slot(buckets_, mask_, key);
        tag(at) = tag_of(key);
        low_[at] = static_cast<uint32_t>(key);
        if (averaged_) sums_[at] = 0;
        if (deferring_) applied_[at] = deferred_;
        ++n_used_;
        return static_cast<int64_t>(at);
    }

    // weight (in true size) += change.
    void add(int64_t at, double change) {
        if (deferring_) apply_deferred(at);
        const double rise = move(stored(at), change);
        if (averaged_) sums_[at] += static_cast<float>(lived_ * rise);
    }
    double value(int64_t at) const { return scale_ * due(stored(at), at); }
    void set(int64_t at, double value) {
        const double old = stored(at);
        stored(at) = static_cast<float>(value / scale_);
        norm_squared_ += value * value - scale_ * scale_ * old * old;
    }

    // Weights become their averages over n steps, and no more averages are kept.
    void finish_averages(double n) {
        if (averaged_ && n > 0)
            for (size_t at = 0; at < n_slots(); ++at)
                if (tag(at) != kFree)
                    stored(at) =
                        static_cast<float>((lived_ * stored(at) - sums_[at]) / (n * scale_));
        averaged_ = false;
        std::vector<float>().swap(sums_);
        compact();
    }

    // The weight of a key after its deferred penalty, as it is stored.
    double due_weight(uint64_t key) const {
        const int64_t at = find(key);
        return at < 0 ? 0 : due(stored(at), at);
    }

    // Applies all deferred penalties, frees weights that are zero and measures the norm afresh.
    void compact() {
        int64_t kept = 0;
        norm_squared_ = 0;
        for (size_t at = 0; at < n_slots(); ++at) {
            if (tag(at) == kFree) continue;
            if (deferring_) apply_deferred(static_cast<int64_t>(at));
            kept += stored(at) != 0;
        }
        size_t capacity = kLeast;
        while (static_cast<size_t>(kept) * 8 > capacity * kLanes * 5) capacity *= 2;
        rehash(capacity, true);
        norm_squared_ = 0;
        each([&](uint64_t, int64_t at) { norm_squared_ += std::pow(scale_ * stored(at), 2); });
    }
    int64_t n_above(double threshold) const {
        int64_t count = 0;
        each([&](uint64_t, int64_t at) { count += std::abs(stored(at)) > threshold; });
        return count;
    }
    // Calls body(key, slot) for every feature.
    template <class Body>
    void each(Body body) const {
        for (size_t at = 0; at < n_slots(); ++at)
            if (tag(at) != kFree)
                body((uint64_t{tag(at)} << 32) | low_[at], static_cast<int64_t>(at));
    }
    size_t bytes() const {
        return buckets_.capacity() * sizeof(Bucket) + 4 * (low_.capacity() + sums_.capacity()) +
               8 * applied_.capacity();
    }

  private:
    friend class ScaledWeights<FlatTable>;
    static constexpr size_t kLanes = 4, kLeast = 4;  // of a bucket; buckets of an empty table
    typedef int32_t Lanes __attribute__((vector_size(16)));
    typedef uint32_t Tags __attribute__((vector_size(16)));
    typedef float Floats __attribute__((vector_size(16)));
    struct Bucket {
        Tags tag;
        Floats weight;
    };
    static constexpr uint32_t kFree = 0;
    static uint32_t tag_of(uint64_t key) {
        const uint32_t tag = static_cast<uint32_t>(key >> 32);
        return tag == kFree ? 1 : tag;
    }
    uint32_t& tag(size_t at) {
        return reinterpret_cast<uint32_t*>(&buckets_[at / kLanes].tag)[at % kLanes];
    }
    uint32_t tag(size_t at) const { return buckets_[at / kLanes].tag[at % kLanes]; }
    float& stored(size_t at) {
        return reinterpret_cast<float*>(&buckets_[at / kLanes].weight)[at % kLanes];
    }
    float stored(size_t at) const { return buckets_[at / kLanes].weight[at % kLanes]; }
    // Buckets fill from their first lane on: a bucket with a free last lane ends a search.
    static size_t free_slot(const AlignedVector<Bucket>& buckets, size_t mask, uint64_t key) {
        for (size_t at = key & mask;; at = (at + 1) & mask)
            for (size_t lane = 0; lane < kLanes; ++lane)
                if (buckets[at].tag[lane] == kFree) return at * kLanes + lane;
    }
    double due(double weight, int64_t at) const {
        if (!deferring_) return weight;
        return std::copysign(std::max(0.0, std::abs(weight) - (deferred_ - applied_[at])), weight);
    }
    // xi = soft(xi, deferred penalty).
    void apply_deferred(int64_t at) {
        const double old = stored(at), now = due(old, at);
        stored(at) = static_cast<float>(now);
        applied_[at] = deferred_;
        norm_squared_ += scale_ * scale_ * (now * now - old * old);
    }
    void clear() {
        n_used_ = 0;
        reset();
        AlignedVector<Bucket>(kLeast, Bucket{}).swap(buckets_);
        std::vector<uint32_t>(n_slots(), 0).swap(low_);
        std::vector<float>(averaged_ ? n_slots() : 0, 0.0f).swap(sums_);
        std::vector<double>().swap(applied_);
        mask_ = buckets_.size() - 1;
    }
    void fold() {
        for (size_t at = 0; at < n_slots(); ++at) {
            if (tag(at) == kFree) continue;
            if (averaged_) sums_[at] = static_cast<float>(sums_[at] - lived_ * stored(at));
            if (deferring_) applied_[at] *= scale_;
            stored(at) = static_cast<float>(stored(at) * scale_);
        }
    }
    void track_applied() { applied_.assign(n_slots(), 0.0); }
    void track_sums() { sums_.assign(n_slots(), 0.0f); }
    void rehash(size_t capacity, bool drop_zeros = false) {
        FlatTable old;
        old.buckets_.swap(buckets_);
        old.low_.swap(low_);
        old.sums_.swap(sums_);
        old.applied_.swap(applied_);
        buckets_.assign(capacity, Bucket{});
        low_.assign(n_slots(), 0);
        sums_.assign(averaged_ ? n_slots() : 0, 0.0f);
        applied_.assign(deferring_ ? n_slots() : 0, 0.0);
        mask_ = capacity - 1;
        n_used_ = 0;
        old.each([&](uint64_t key, int64_t from) {
            if (drop_zeros && old.stored(from) == 0) return;
            const size_t at = free_slot(buckets_, mask_, key);
            tag(at) = old.tag(from);
            stored(at) = old.stored(from);
            low_[at] = old.low_[from];
            if (averaged_) sums_[at] = old.sums_[from];
            if (deferring_) applied_[at] = old.applied_[from];
            ++n_used_;
        });
    }

    int64_t n_used_ = 0;
    AlignedVector<Bucket> buckets_;
    std::vector<uint32_t> low_;  // the other half of the keys, for growing
    std::vector<float> sums_;
    std::vector<double> applied_;  // of what is deferred, per slot; only if there is any
    size_t mask_ = 0;
};

}  // namespace laconic::numeric
