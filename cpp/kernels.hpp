// What kernel files share with each other: the matrix and the bind functions.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bind.hpp"

// A read-only n_rows x n_cols matrix, by columns and (if sparse) by rows. It owns its entries, checked once when it is made.
class Matrix {
  public:
    static Matrix from_compressed(Vec<int64_t> ptr, Vec<int32_t> index, Vec<double> data, int64_t n_minor, bool by_rows);
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

void check_rows(int kind, size_t n_scores, const Vec<double>& target, const Vec<double>& weight, int n_outputs);

void bind_rows(nb::module_& m);
void bind_losses(nb::module_& m);
void bind_prox(nb::module_& m);
void bind_tree(nb::module_& m);
void bind_coordinate(nb::module_& m);
void bind_copies(nb::module_& m);
void bind_brown(nb::module_& m);
void bind_templates(nb::module_& m);
void bind_tagger(nb::module_& m);
void bind_chain(nb::module_& m);
void bind_crf(nb::module_& m);
void bind_compact(nb::module_& m);
void bind_compact_rows(nb::module_& m);
void bind_compact_tagger(nb::module_& m);
void bind_compact_parser(nb::module_& m);
void bind_quasi_newton(nb::module_& m);
void bind_parse(nb::module_& m);
void bind_parser(nb::module_& m);
void bind_mining(nb::module_& m);
void bind_mining_arcs(nb::module_& m);
void bind_tree_kernel(nb::module_& m);
