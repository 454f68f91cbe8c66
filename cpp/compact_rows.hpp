// Rows of weights with few values: a row is a list of cells (label, value), a value is a code of as few bits as there are values.
#pragma once
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "compact.hpp"

namespace compact {

template <class Real>
struct Cell {
    uint32_t label;
    Real value;
};

// Numbers of `width` bits each.
class Packed {
  public:
    Packed(const Vec<uint64_t>& words, int64_t n, int width, const char* name) : words_(words.data()), width_(width) {
        require(width >= 0 && width <= 56 && n >= 0 && n < kMostEntries, "impossible width or number of packed numbers");
        require(static_cast<int64_t>(words.size()) == words_of(n * width) + kSpareWords,
                std::string(name) + " has another length than its numbers need");
    }
    uint64_t operator[](int64_t i) const { return bits_at(words_, i * width_, width_); }

  private:
    const uint64_t* words_;
    int width_;
};

// Rows one after the other: a cell is a bit that says whether it is the last of its row, a label, and a code; codes name values.
// Where there are as many values as cells and no code has a bit, every cell has its own.
template <class Real>
class Rows {
  public:
    Rows(Vec<uint64_t> cells, int64_t n_cells, Vec<Real> values, int64_t n_labels_in, bool own_values) : n_labels(n_labels_in) {
        require(n_labels >= 1 && n_labels <= int64_t{1} << 24, "impossible number of labels");
        const int64_t n_values = static_cast<int64_t>(values.size());
        require(!own_values || n_values == n_cells, "there must be a value a weight");
        const int label_bits = std::bit_width(static_cast<uint64_t>(n_labels - 1));
        const int code_bits = own_values ? 0 : std::bit_width(static_cast<uint64_t>(std::max<int64_t>(1, n_values) - 1));
        require(label_bits + code_bits < 56, "there are too many labels and values");
        const Packed packed(cells, n_cells, 1 + label_bits + code_bits, "cells");
        for (int64_t v = 0; v < n_values; ++v) require(std::isfinite(values.data()[v]), "values of weights must be finite");
        ptr_.push_back(0);
        cells_.reserve(n_cells);
        for (int64_t i = 0; i < n_cells; ++i) {
            const uint64_t cell = packed[i], label = cell >> 1 & low_bits(label_bits);
            const int64_t value = own_values ? i : static_cast<int64_t>(cell >> (1 + label_bits));
            require(static_cast<int64_t>(label) < n_labels, "a weight belongs to a label that is not there");
            require(value < n_values, "a weight has a value that is not there");
            cells_.push_back({static_cast<uint32_t>(label), values.data()[value]});
            if (cell & 1) ptr_.push_back(static_cast<uint32_t>(i + 1));
        }
        require(ptr_.back() == n_cells, "the last row has no end");
    }
    const Cell<Real>* begin(int64_t row) const { return cells_.data() + ptr_[row]; }
    const Cell<Real>* end(int64_t row) const { return cells_.data() + ptr_[row + 1]; }
    int64_t size() const { return static_cast<int64_t>(ptr_.size()) - 1; }
    uint32_t largest(int64_t row) const {
        uint32_t label = 0;
        for (const Cell<Real>* cell = begin(row); cell != end(row); ++cell) label = std::max(label, cell->label);
        return label;
    }
    nb::tuple cells() const {
        std::vector<int64_t> ptr(ptr_.begin(), ptr_.end());
        std::vector<int32_t> label;
        std::vector<Real> value;
        for (const Cell<Real>& cell : cells_) label.push_back(static_cast<int32_t>(cell.label)), value.push_back(cell.value);
        return nb::make_tuple(to_numpy(std::move(ptr)), to_numpy(std::move(label)), to_numpy(std::move(value)));
    }

    int64_t n_labels;

  private:
    std::vector<uint32_t> ptr_;
    std::vector<Cell<Real>> cells_;
};

// The same rows in blocks of kBlock cells: nearly all rows are one block, so that the processor guesses right when it adds them.
// Cells that fill a block up are of value 0.
template <class Real>
class RowBlocks {
  public:
    static constexpr int kBlock = 4;

    RowBlocks(const Rows<Real>& rows, int n_labels) {
        first_.reserve(rows.size() + 1);
        for (int64_t row = 0; row < rows.size(); ++row) {
            first_.push_back(static_cast<uint32_t>(cells_.size()));
            cells_.insert(cells_.end(), rows.begin(row), rows.end(row));
            // Other labels than the row's own, where there are some: sums of one label wait for each other.
            uint32_t label = cells_.back().label % n_labels;
            while (cells_.size() % kBlock) cells_.push_back({label = (label + 1) % n_labels, Real(0)});
        }
        first_.push_back(static_cast<uint32_t>(cells_.size()));
        require(cells_.size() <= UINT32_MAX, "there are too many weights");
    }
    // Where rows lie; to be held by value in hot loops.
    struct Spans {
        const uint32_t* first;
        const Cell<Real>* cells;
        void prefetch_place(int64_t row) const { __builtin_prefetch(first + row); }
        void prefetch(int64_t row) const { __builtin_prefetch(cells + first[row]); }
        // Calls body(cell) for all cells of a row; no row is empty.
        template <class Body>
        void each(int64_t row, Body body) const {
            const Cell<Real>*cell = cells + first[row], *end = cells + first[row + 1];
            do
                for (int k = 0; k < kBlock; ++k) body(cell[k]);
            while ((cell += kBlock) != end);
        }
    };
    Spans spans() const { return {first_.data(), cells_.data()}; }

  private:
    std::vector<uint32_t> first_;
    std::vector<Cell<Real>> cells_;
};

}  // namespace compact
