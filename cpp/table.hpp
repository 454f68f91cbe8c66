// The features of one template that have weights: an open-addressing table from keys to rows, and the rows.
//
// A row is a header (its 64-bit key, what it has paid of lazy penalties) and a weight a label, all in one place, so that a
// look-up that succeeds has fetched the weights as well. Only features that an update touched have a row. The weights of a whole
// template share a scale: shrinking or dropping a template costs nothing a feature (the triple (xi, c, rho) of Martins et al.
// 2011).
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

class Table {
  public:
    static constexpr int kHeader = 4;  // floats: key (2), paid, unused

    Table(int64_t width, int64_t n_atoms) : width_(width), stride_(kHeader + (width + 7) / 8 * 8), n_atoms_(n_atoms) { clear(); }

    int64_t size() const { return n_rows_; }
    int64_t width() const { return width_; }
    double scale() const { return scale_; }
    double norm_squared() const { return std::max(0.0, norm_squared_); }

    void prefetch(uint64_t key) const { __builtin_prefetch(&slots_[key & mask_]); }
    void prefetch_row(int32_t row) const {
        const float* start = &cells_[row * stride_];
        __builtin_prefetch(start);
        __builtin_prefetch(start + 16);
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
    // The row of a key, made with zero weights if there is none; `values` are the feature's atoms.
    int32_t insert(uint64_t key, const int32_t* values, bool averaged) {
        if (const int32_t row = find(key); row >= 0) return row;
        if (static_cast<size_t>(n_rows_ + 1) * 3 > slots_.size() * 2) rehash(slots_.size() * 2);
        const int32_t row = static_cast<int32_t>(n_rows_++);
        cells_.resize(n_rows_ * stride_, 0.0f);
        if (averaged) sums_.resize(n_rows_ * width_, 0.0f);
        atoms_.insert(atoms_.end(), values, values + n_atoms_);
        float* start = &cells_[row * stride_];
        std::memcpy(start, &key, sizeof key);
        start[2] = static_cast<float>(debt_);
        place(key, row);
        return row;
    }
    uint64_t key_of(int64_t row) const {
        uint64_t key;
        std::memcpy(&key, &cells_[row * stride_], sizeof key);
        return key;
    }
    float* weights(int64_t row) { return &cells_[row * stride_ + kHeader]; }
    const float* weights(int64_t row) const { return &cells_[row * stride_ + kHeader]; }
    const int32_t* atoms(int64_t row) const { return atoms_.data() + row * n_atoms_; }

    // weight (in true size) += change, at a time `clock` if averages are kept.
    void add(int64_t row, int64_t label, double change, double clock) {
        float& xi = weights(row)[label];
        const double before = scale_ * xi;
        xi = static_cast<float>(xi + change / scale_);
        norm_squared_ += (scale_ * xi - before) * (scale_ * xi + before);
        if (!sums_.empty()) sums_[row * width_ + label] += static_cast<float>(clock * change);
    }
    // The average of a weight over `clock` steps: what was added late counts little.
    float average(int64_t row, int64_t label, double clock) const {
        const double now = scale_ * weights(row)[label];
        return static_cast<float>(sums_.empty() || clock <= 0 ? now : now - sums_[row * width_ + label] / clock);
    }
    void forget_sums() { std::vector<float>().swap(sums_); }
    void reserve(int64_t rows) {
        cells_.reserve(rows * stride_);
        atoms_.reserve(rows * n_atoms_);
        size_t capacity = slots_.size();
        while (static_cast<size_t>(rows) * 3 > capacity * 2) capacity *= 2;
        if (capacity > slots_.size()) rehash(capacity);
    }
    void average_from_here() { sums_.assign(n_rows_ * width_, 0.0f); }

    // Every weight times factor; none is touched unless the scale gets too small for floats.
    void shrink(double factor) {
        if (factor <= 0) {
            clear();
            return;
        }
        scale_ *= factor;
        norm_squared_ *= factor * factor;
        if (scale_ > 1e-6) return;
        for (int64_t row = 0; row < n_rows_; ++row)
            for (int64_t k = 0; k < width_; ++k) weights(row)[k] = static_cast<float>(weights(row)[k] * scale_);
        debt_ *= scale_;
        for (int64_t row = 0; row < n_rows_; ++row) cells_[row * stride_ + 2] *= static_cast<float>(scale_);
        scale_ = 1;
    }

    // Lazy penalties: every row owes `amount` more (in true size); it pays when it is next looked at. The lasso takes it from
    // each weight, row groups take it from the row's length; dues add up exactly in both cases.
    void owe(double amount) { debt_ += amount / scale_; }
    void settle(int64_t row, bool by_row) {
        float* start = &cells_[row * stride_];
        const double due = debt_ - start[2];
        start[2] = static_cast<float>(debt_);
        if (due <= 0) return;
        float* w = start + kHeader;
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
    // Pays all dues, drops rows that are all zero and measures the norm afresh.
    void compact(bool by_row) {
        norm_squared_ = 0;
        int64_t kept = 0;
        for (int64_t row = 0; row < n_rows_; ++row) {
            settle(row, by_row);
            const float* w = weights(row);
            if (std::all_of(w, w + width_, [](float v) { return v == 0; })) continue;
            if (kept != row) {
                std::copy_n(&cells_[row * stride_], stride_, &cells_[kept * stride_]);
                std::copy_n(atoms_.data() + row * n_atoms_, n_atoms_, atoms_.data() + kept * n_atoms_);
                if (!sums_.empty()) std::copy_n(sums_.data() + row * width_, width_, sums_.data() + kept * width_);
            }
            ++kept;
        }
        n_rows_ = kept;
        cells_.resize(kept * stride_);
        atoms_.resize(kept * n_atoms_);
        if (!sums_.empty()) sums_.resize(kept * width_);
        norm_squared_ = 0;
        for (int64_t row = 0; row < kept; ++row)
            for (int64_t k = 0; k < width_; ++k) norm_squared_ += std::pow(scale_ * weights(row)[k], 2);
        size_t capacity = 16;
        while (static_cast<size_t>(kept) * 3 > capacity * 2) capacity *= 2;
        rehash(capacity);
    }
    int64_t n_nonzero() const {
        int64_t count = 0;
        for (int64_t row = 0; row < n_rows_; ++row)
            for (int64_t k = 0; k < width_; ++k) count += weights(row)[k] != 0;
        return count;
    }
    size_t bytes() const {
        return cells_.capacity() * sizeof(float) + sums_.capacity() * sizeof(float) + atoms_.capacity() * sizeof(int32_t) +
               slots_.capacity() * sizeof(Slot);
    }

  private:
    struct Slot {
        uint32_t tag;
        int32_t row;
    };
    void clear() {
        n_rows_ = 0;
        scale_ = 1;
        norm_squared_ = debt_ = 0;
        std::vector<float>().swap(cells_);
        std::vector<float>().swap(sums_);
        std::vector<int32_t>().swap(atoms_);
        std::vector<Slot>(16, {0, -1}).swap(slots_);
        mask_ = slots_.size() - 1;
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
    double scale_ = 1, norm_squared_ = 0, debt_ = 0;
    std::vector<Slot> slots_;
    std::vector<float> cells_, sums_;
    std::vector<int32_t> atoms_;
    size_t mask_ = 0;
};
