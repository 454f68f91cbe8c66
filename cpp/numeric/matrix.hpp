// The rows design: scores = X W and its adjoint X' R, with W and R stored row-major as (p, K) and
// (n, K).
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "door/checks.hpp"

namespace laconic::numeric {

// A read-only n_rows x n_cols matrix, by columns and (if sparse) by rows. It owns its entries,
// checked once when it is made.
class Matrix {
  public:
    static Matrix from_compressed(Vec<int64_t> ptr, Vec<int32_t> index, Vec<double> data,
                                  int64_t n_minor, bool by_rows);
    static Matrix from_dense(Vec<double> by_columns, int64_t n_rows);

    // Calls body(row, value) for the entries of a column.
    template <class Body>
    void column(int64_t j, Body body) const {
        if (dense_) {
            const double* x = value_.data() + j * n_rows;
            for (int64_t i = 0; i < n_rows; ++i) body(i, x[i]);
        } else {
            for (int64_t e = ptr_[j]; e < ptr_[j + 1]; ++e) body(int64_t{row_[e]}, value_[e]);
        }
    }
    void score(Vec<double> weights, MutVec<double> scores, int n_outputs, int threads) const;
    void pull(Vec<double> residual, MutVec<double> gradient, int n_outputs, int threads) const;
    int64_t n_entries() const { return static_cast<int64_t>(value_.size()); }

    int64_t n_rows = 0, n_cols = 0;

  private:
    bool dense_ = false;
    std::vector<int64_t> ptr_, row_ptr_;
    std::vector<int32_t> row_, col_;
    std::vector<double> value_, row_value_;
};

}  // namespace laconic::numeric
