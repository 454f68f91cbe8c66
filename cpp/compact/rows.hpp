// Rows of weights with few values: a row is a list of cells (label, value), a value is a code of as
// few bits as there are values.
#pragma once
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "compact/map.hpp"

namespace laconic::compact {

template <class Real>
struct Cell {
    uint32_t label;
    Real value;
};

// Numbers of `width` bits each.
class Packed {
  public:
    Packed(const Vec<uint64_t>& words, int64_t n, int width, const char* name)
        : words_(words.data()), width_(width) {
        require(width >= 0 && width <= 56 && n >= 0 && n < kMostEntries,
                "impossible width or number of packed numbers");
        require(static_cast<int64_t>(words.size()) == words_of(n * width) + kSpareWords,
                std::string(name) + " has another length than its numbers need");
    }
    uint64_t operator[](int64_t i) const { return bits_at(words_, i * width_, width_); }

  private:
    const uint64_t* words_;
    int width_;
};

// Rows one after the other: a cell is a bit that says whether it is the last of its row, a label,
// and a code; codes name values. Where there are as many values as cells and no code has a bit,
// every cell has its own.
template <class Real>
class Rows {
  public:
    Rows(Vec<uint64_t> cells, int64_t n_cells, Vec<Real> values, int64_t n_labels_in,
         bool own_values)
        : n_labels(n_labels_in) {
        require(n_labels >= 1 && n_labels <= int64_t{1} << 24, "impossible number of labels");
        const int64_t n_values = static_cast<int64_t>(values.size());
        require(!own_values || n_values == n_cells, "there must be one value per weight");
        const int label_bits = std::bit_width(static_cast<uint64_t>(n_labels - 1));
        const int code_bits =
            own_values ? 0
                       : std::bit_width(static_cast<uint64_t>(std::max<int64_t>(1, n_values) - 1));
        require(label_bits + code_bits < 56, "there are too many labels and values");
        const Packed packed(cells, n_cells, 1 + label_bits + code_bits, "cells");
        for (int64_t v = 0; v < n_values; ++v)
            require(std::isfinite(values.data()[v]), "values of weights must be finite");
        ptr_.push_back(0);
        cells_.reserve(n_cells);
        for (int64_t i = 0; i < n_cells; ++i) {
            const uint64_t cell = packed[i], label = cell >> 1 & low_bits(label_bits);
            const int64_t value = own_values ? i : static_cast<int64_t>(cell >> (1 + label_bits));
            require(static_cast<int64_t>(label) < n_labels,
                    "a weight belongs to a label that is not there");
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
        for (const Cell<Real>* cell = begin(row); cell != end(row); ++cell)
            label = std::max(label, cell->label);
        return label;
    }
    std::tuple<Array<int64_t>, Array<int32_t>, Array<Real>> cells() const {
        std::vector<int64_t> ptr(ptr_.begin(), ptr_.end());
        std::vector<int32_t> label;
        std::vector<Real> value;
        for (const Cell<Real>& cell : cells_)
            label.push_back(static_cast<int32_t>(cell.label)), value.push_back(cell.value);
        return std::make_tuple(to_numpy(std::move(ptr)), to_numpy(std::move(label)),
                               to_numpy(std::move(value)));
    }

    int64_t n_labels;

  private:
    std::vector<uint32_t> ptr_;
    std::vector<Cell<Real>> cells_;
};

// out[i, label] = sum over the entries e of example i of data[e] * value(row[e], label): (examples
// x n_outputs) by rows. A row of -1 has no weights.
inline Array<double> score_rows(const Rows<double>& rows, Vec<int64_t> ptr, Vec<int32_t> row,
                                Vec<double> data, int n_outputs) {
    check_ptr(ptr, static_cast<int64_t>(row.size()), "ptr");
    check_range(row, -1, rows.size(), "row");
    require(data.size() == row.size(), "row and data must have the same length");
    require(n_outputs >= rows.n_labels, "there must be one output per label");
    std::vector<double> out((ptr.size() - 1) * n_outputs, 0.0);
    for (size_t i = 0; i + 1 < ptr.size(); ++i)
        for (int64_t e = ptr.data()[i]; e < ptr.data()[i + 1]; ++e) {
            if (row.data()[e] < 0) continue;
            for (const Cell<double>* cell = rows.begin(row.data()[e]);
                 cell != rows.end(row.data()[e]); ++cell)
                out[i * n_outputs + cell->label] += data.data()[e] * cell->value;
        }
    return to_numpy(std::move(out));
}

// The same rows in the forms that are added fastest. Nearly all are one block of kCells cells,
// filled up with cells of value 0. Of longer ones those that have weights for a good part of all
// labels are dense, one value per label, and are added by lanes; the others are several blocks.
// Cells have as labels their places in scores whose lines have `stride` entries; pairs of labels
// have a line for each first one.
enum RowForm : uint32_t { kBlock, kDense, kBlocks, kNone, kForms };

// Where a row is: its number among those of its form, and the form; kNone is no row.
struct RowPlace {
    uint32_t packed = kNone;
    RowForm form() const { return static_cast<RowForm>(packed & 3); }
    uint32_t number() const { return packed >> 2; }
};

template <class Real>
class RowForms {
  public:
    static constexpr int kCells = 4, kSparsest = 6;  // labels per weight of dense rows

    RowForms(const Rows<Real>& rows, int n_labels, int stride) : stride_(stride) {
        for (int64_t row = 0; row < rows.size(); ++row) {
            const int64_t n = rows.end(row) - rows.begin(row);
            if (n > kCells && stride <= kSparsest * n &&
                rows.largest(row) < static_cast<uint32_t>(n_labels)) {
                place(dense_.size() / stride, kDense);
                dense_.resize(dense_.size() + stride, Real(0));
                for (auto cell = rows.begin(row); cell != rows.end(row); ++cell)
                    *(dense_.end() - stride + cell->label) += cell->value;
                continue;
            }
            const size_t first = cells_.size() / kCells;
            for (auto cell = rows.begin(row); cell != rows.end(row); ++cell)
                cells_.push_back(
                    {cell->label / n_labels * stride + cell->label % n_labels, cell->value});
            // Other labels than the row's own, where there are some: sums of one label wait for
            // each other.
            uint32_t label = (rows.end(row) - 1)->label % n_labels;
            while (cells_.size() % kCells)
                cells_.push_back({label = (label + 1) % n_labels, Real(0)});
            place(n > kCells ? several_.size() : first, n > kCells ? kBlocks : kBlock);
            if (n > kCells)
                several_.push_back(
                    {static_cast<uint32_t>(first), static_cast<uint32_t>(cells_.size() / kCells)});
        }
        require(cells_.size() / kCells <= UINT32_MAX >> 2, "there are too many weights");
    }
    // To be held by value in hot loops.
    struct View {
        const RowPlace* places;
        const Cell<Real>* cells;
        const Real* dense;
        const std::pair<uint32_t, uint32_t>* several;
        int stride;

        void prefetch_place(int64_t row) const { __builtin_prefetch(places + row); }
        void prefetch(RowPlace place) const {
            const void* at = cells + int64_t{place.number()} * kCells;
            if (place.form() == kDense) at = dense + int64_t{place.number()} * stride;
            if (place.form() == kBlocks) at = several + place.number();
            __builtin_prefetch(at);
        }
        void add_block(uint32_t number, Real* here) const {
            const Cell<Real>* cell = cells + int64_t{number} * kCells;
            for (int k = 0; k < kCells; ++k) here[cell[k].label] += cell[k].value;
        }
        void add_dense(uint32_t number, Real* __restrict here) const {
            const Real* row = dense + int64_t{number} * stride;
            for (int j = 0; j < stride; j += 8)
                for (int k = 0; k < 8; ++k) here[j + k] += row[j + k];
        }
        void add_blocks(uint32_t number, Real* here) const {
            for (uint32_t block = several[number].first; block != several[number].second; ++block)
                add_block(block, here);
        }
    };
    View view() const {
        return {places_.data(), cells_.data(), dense_.data(), several_.data(), stride_};
    }

  private:
    void place(size_t number, RowForm form) {
        places_.push_back({static_cast<uint32_t>(number) << 2 | form});
    }

    int stride_;
    std::vector<RowPlace> places_;  // by row
    std::vector<Cell<Real>> cells_;
    std::vector<Real> dense_;
    std::vector<std::pair<uint32_t, uint32_t>> several_;  // first and last block
};

}  // namespace laconic::compact
