// The features of one template that have weights: an open-addressing table from keys to rows, and
// the rows.
//
// A row has one weight per label, padded to a multiple of 32 bytes: rows of up to 8 labels lie in
// one cache line, of up to 24 in two. Only features that an update touched have a row. For scale,
// deferred penalties and averages see scaled_weights.hpp.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "numeric/aligned.hpp"
#include "numeric/scaled_weights.hpp"

namespace laconic::numeric {

class RowTable : public ScaledWeights<RowTable> {
  public:
    RowTable(int64_t width, int64_t n_atoms)
        : width_(width), stride_((width + 7) / 8 * 8), n_atoms_(n_atoms) {
        clear();
    }

    int64_t size() const { return n_rows_; }
    int64_t width() const { return width_; }

    void prefetch(uint64_t key) const { __builtin_prefetch(&slots_[key & mask_]); }
    void prefetch_row(int32_t row) const {
        __builtin_prefetch(weights(row));
        __builtin_prefetch(weights(row) + stride_ - 1);
    }
    void prefetch_key_and_row(int32_t row) const {
        __builtin_prefetch(&keys_[row]);
        prefetch_row(row);
    }
    // The row of a key, or -1.
    int32_t find(uint64_t key) const {
        const uint32_t tag = static_cast<uint32_t>(key >> 32);
        for (size_t at = key & mask_;; at = (at + 1) & mask_) {
            const Slot slot = slots_[at];
            if (slot.row < 0) return -1;
            if (slot.tag == tag && key_of(slot.row) == key) return slot.row;
        }
    }
    // The row that is most likely a key's, or -1: half of the key is compared, so that no row is
    // touched. Ask `holds` later.
    int32_t candidate(uint64_t key) const {
        const uint32_t tag = static_cast<uint32_t>(key >> 32);
        for (size_t at = key & mask_;; at = (at + 1) & mask_) {
            const Slot slot = slots_[at];
            if (slot.row < 0 || slot.tag == tag) return slot.row;
        }
    }
    bool holds(int32_t row, uint64_t key) const { return key_of(row) == key; }
    // The row of a key, made with zero weights if there is none; `values` are the feature's atoms.
    int32_t insert(uint64_t key, const int32_t* values) {
        if (const int32_t row = find(key); row >= 0) return row;
        if (static_cast<size_t>(n_rows_ + 1) * 3 > slots_.size() * 2) rehash(slots_.size() * 2);
        const int32_t row = static_cast<int32_t>(n_rows_++);
        cells_.resize(n_rows_ * stride_, 0.0f);
        if (averaged_) sums_.resize(n_rows_ * width_, 0.0f);
        atoms_.insert(atoms_.end(), values, values + n_atoms_);
        keys_.push_back(key);
        if (deferring_) applied_.push_back(deferred_);
        place(key, row);
        return row;
    }
    uint64_t key_of(int64_t row) const { return keys_[row]; }
    float* weights(int64_t row) { return &cells_[row * stride_]; }
    const float* weights(int64_t row) const { return &cells_[row * stride_]; }
    const int32_t* atoms(int64_t row) const { return atoms_.data() + row * n_atoms_; }

    // weight (in true size) += change.
    void add(int64_t row, int64_t label, double change) {
        const double rise = move(weights(row)[label], change);
        if (averaged_) sums_[row * width_ + label] += static_cast<float>(lived_ * rise);
    }

    // The sum of a weight over all steps that are averaged, in stored size.
    double total(int64_t row, int64_t label) const {
        return lived_ * weights(row)[label] - sums_[row * width_ + label];
    }
    // Weights become their averages over n steps, and no more averages are kept.
    void finish_averages(double n) {
        for (int64_t row = 0; n > 0 && row < n_rows_; ++row)
            for (int64_t k = 0; k < width_; ++k)
                weights(row)[k] = static_cast<float>(total(row, k) / (n * scale_));
        averaged_ = false;
        std::vector<float>().swap(sums_);
    }
    void reserve(int64_t rows) {
        cells_.reserve(rows * stride_);
        keys_.reserve(rows);
        if (averaged_) sums_.reserve(rows * width_);
        atoms_.reserve(rows * n_atoms_);
        size_t capacity = slots_.size();
        while (static_cast<size_t>(rows) * 3 > capacity * 2) capacity *= 2;
        if (capacity > slots_.size()) rehash(capacity);
    }

    // Applies the deferred penalty to a row: w_k = soft(w_k, due) weight by weight, or
    // w = (1 - due / |w|)_+ w by row.
    void apply_deferred(int64_t row, bool by_row) {
        if (!deferring_) return;
        const double due = deferred_ - applied_[row];
        if (due <= 0) return;
        applied_[row] = deferred_;
        float* w = weights(row);
        double squares = 0;
        if (by_row)
            for (int64_t k = 0; k < width_; ++k) squares += double{w[k]} * w[k];
        const double length = std::sqrt(squares), factor = length > due ? 1 - due / length : 0;
        for (int64_t k = 0; k < width_; ++k) {
            const double before = w[k];
            const double size = std::max(0.0, std::abs(before) - due);
            w[k] = static_cast<float>(by_row ? before * factor : std::copysign(size, before));
            norm_squared_ += scale_ * scale_ * (double{w[k]} * w[k] - before * before);
        }
    }
    // Applies all deferred penalties, drops rows that are all zero and measures the norm afresh.
    void compact(bool by_row) {
        norm_squared_ = 0;
        int64_t kept = 0;
        for (int64_t row = 0; row < n_rows_; ++row) {
            apply_deferred(row, by_row);
            const float* w = weights(row);
            if (std::all_of(w, w + width_, [](float v) { return v == 0; })) continue;
            if (kept != row) {
                std::copy_n(weights(row), stride_, weights(kept));
                keys_[kept] = keys_[row];
                if (deferring_) applied_[kept] = applied_[row];
                std::copy_n(atoms_.data() + row * n_atoms_, n_atoms_,
                            atoms_.data() + kept * n_atoms_);
                if (averaged_)
                    std::copy_n(sums_.data() + row * width_, width_, sums_.data() + kept * width_);
            }
            ++kept;
        }
        n_rows_ = kept;
        trim(cells_, kept * stride_);
        trim(keys_, kept);
        if (deferring_) trim(applied_, kept);
        trim(atoms_, kept * n_atoms_);
        if (averaged_) trim(sums_, kept * width_);
        norm_squared_ = 0;
        for (int64_t row = 0; row < kept; ++row)
            for (int64_t k = 0; k < width_; ++k)
                norm_squared_ += std::pow(scale_ * weights(row)[k], 2);
        size_t capacity = 16;
        while (static_cast<size_t>(kept) * 3 > capacity * 2) capacity *= 2;
        rehash(capacity);
    }
    // Weights whose size is above a threshold.
    int64_t n_above(double threshold) const {
        int64_t count = 0;
        for (int64_t row = 0; row < n_rows_; ++row)
            for (int64_t k = 0; k < width_; ++k) count += std::abs(weights(row)[k]) > threshold;
        return count;
    }
    size_t bytes() const {
        return (cells_.capacity() + sums_.capacity()) * sizeof(float) +
               atoms_.capacity() * sizeof(int32_t) + slots_.capacity() * sizeof(Slot) +
               keys_.capacity() * sizeof(uint64_t) + applied_.capacity() * sizeof(double);
    }

  private:
    friend class ScaledWeights<RowTable>;
    struct Slot {
        uint32_t tag;
        int32_t row;
    };
    void clear() {
        n_rows_ = 0;
        reset();
        AlignedVector<float>().swap(cells_);
        std::vector<uint64_t>().swap(keys_);
        std::vector<double>().swap(applied_);
        std::vector<float>().swap(sums_);
        std::vector<int32_t>().swap(atoms_);
        std::vector<Slot>(16, {0, -1}).swap(slots_);
        mask_ = slots_.size() - 1;
    }
    void fold() {
        for (int64_t row = 0; row < n_rows_; ++row) {
            for (int64_t k = 0; k < width_; ++k) {
                if (averaged_) sums_[row * width_ + k] = static_cast<float>(-total(row, k));
                weights(row)[k] = static_cast<float>(weights(row)[k] * scale_);
            }
            if (deferring_) applied_[row] *= scale_;
        }
    }
    void track_applied() { applied_.assign(n_rows_, 0.0); }
    void track_sums() { sums_.assign(n_rows_ * width_, 0.0f); }
    // Shorter, and given back to the system if most of it is not in use.
    template <class Vector>
    static void trim(Vector& memory, int64_t size) {
        memory.resize(size);
        if (memory.capacity() > 2 * memory.size()) memory.shrink_to_fit();
    }
    void place(uint64_t key, int32_t row) {
        size_t at = key & mask_;
        while (slots_[at].row >= 0) at = (at + 1) & mask_;
        slots_[at] = {static_cast<uint32_t>(key >> 32), row};
    }
    void rehash(size_t capacity) {
        std::vector<Slot>(capacity, {0, -1}).swap(slots_);
        mask_ = capacity - 1;
        for (int64_t row = 0; row < n_rows_; ++row) place(key_of(row), static_cast<int32_t>(row));
    }

    int64_t width_, stride_, n_atoms_, n_rows_ = 0;
    std::vector<Slot> slots_;
    AlignedVector<float> cells_;
    std::vector<uint64_t> keys_;
    std::vector<double> applied_;  // of what is deferred, per row; only if there is any
    std::vector<float> sums_;
    std::vector<int32_t> atoms_;
    size_t mask_ = 0;
};

}  // namespace laconic::numeric
