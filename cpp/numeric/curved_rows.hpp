// Rows that matter to a quadratic model. Where a loss is nearly flat, as where a row's label is
// certain, a row adds hardly anything to X' H X: in a good model of text a third of the entries
// hold nearly all of the curvature. The others count by the diagonal alone, which is cheap.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "numeric/matrix.hpp"

namespace laconic::numeric {

constexpr double FLAT_COLUMN = 0.1;  // of a column's curvature in flat rows: above it they stay

// The largest power of two such that rows of less curvature hold at most `share` of the whole; h is
// not negative.
double least_curvature(const double* h, size_t n, double share);

// Products by A = X' H X over some weights of a sparse matrix, H_i = diag(h_i) - coupling_i h_i
// h_i'. Entries lie row by row: each is read once per product, and once more from the cache.
class CurvedRows {
  public:
    struct Weights {  // their columns and numbers, by output
        const std::vector<std::vector<int64_t>>& columns;
        const std::vector<std::vector<int32_t>>& slots;
        size_t size;         // with those of the intercept, which are last
        bool has_intercept;  // one more per output
    };
    struct Bends {  // (K, n), the diagonals of all H_i in the second; a coupling per row, or none
        const std::vector<double>&h, &diagonal, &coupling;
    };

    // Takes the rows that are not flat. Returns whether these hold less than half of the entries:
    // otherwise products by columns are as fast.
    bool load(const Matrix& X, const Weights& weights, const Bends& bends);

    // out = A v.
    void product(const std::vector<double>& v, std::vector<double>& out);

  private:
    static constexpr double FLAT = 3e-4;  // of an output's curvature in rows that are left out

    void mark(const Matrix& X, const std::vector<int64_t>& columns, const double* bend, size_t k);

    size_t K_ = 1;
    std::vector<int32_t> cell_;  // of row i and output k, at k n + i; -1: flat
    // Of every cell, row by row: its row, curvature, change and entries.
    std::vector<int32_t> row_;
    std::vector<double> h_, change_;
    std::vector<int64_t> ptr_;
    std::vector<int32_t> slot_;
    std::vector<double> value_, coupling_, flat_;
};

}  // namespace laconic::numeric
