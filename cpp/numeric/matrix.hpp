// The rows design: scores = X W and its adjoint X' R, with W and R stored row-major as (p, K) and
// (n, K), and what second-order methods ask of X: the diagonal of X' H X and its products.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "door/checks.hpp"

namespace laconic::numeric {

// Lines are the rows or the columns of a matrix. Values are double or float, everything computed
// from them is double.
template <class V, class I>
struct SparseLines {
    static constexpr bool dense = false;
    const int64_t* ptr;
    const I* index;
    const V* value;

    std::pair<int64_t, int64_t> bounds(int64_t l) const { return {ptr[l], ptr[l + 1]}; }
    // Calls body(place, value) for the entries of a line.
    template <class Body>
    void line(int64_t l, Body body) const {
        for (int64_t e = ptr[l]; e < ptr[l + 1]; ++e) body(int64_t{index[e]}, double{value[e]});
    }
};

template <class V>
struct DenseLines {
    static constexpr bool dense = true;
    const V* value;
    int64_t size;

    std::pair<int64_t, int64_t> bounds(int64_t l) const { return {l * size, (l + 1) * size}; }
    template <class Body>
    void line(int64_t l, Body body) const {
        const V* x = value + l * size;
        for (int64_t i = 0; i < size; ++i) body(i, double{x[i]});
    }
};

// The entries of a matrix in one orientation, whatever their types.
class Orientation {
  public:
    Orientation() = default;
    template <class V, class I>
    Orientation(const int64_t* ptr, const I* index, const V* value)
        : form_(sizeof(V) == 8 ? (sizeof(I) == 4 ? Form::sparse : Form::sparse_wide)
                               : (sizeof(I) == 4 ? Form::sparse_float : Form::sparse_wide_float)),
          ptr_(ptr),
          index_(index),
          value_(value) {}
    template <class V>
    Orientation(const V* value, int64_t size)
        : form_(sizeof(V) == 8 ? Form::dense : Form::dense_float), value_(value), size_(size) {}

    explicit operator bool() const { return form_ != Form::absent; }

    // Calls body(place, value) for the entries of a line. Loops over the two usual types are where
    // the call stands, so that sums stay in registers; all others are unpacked a piece at a time.
    template <class Body>
    void line(int64_t l, Body body) const {
        if (form_ == Form::sparse) {
            sparse<double, int32_t>().line(l, body);
        } else if (form_ == Form::dense) {
            DenseLines<double>{static_cast<const double*>(value_), size_}.line(l, body);
        } else {
            Piece piece;
            for (int64_t from = 0; unpack(l, from, piece); from += Piece::most)
                for (int64_t e = 0; e < piece.size; ++e) body(piece.place[e], piece.value[e]);
        }
    }

    // Calls body with the lines of the right type.
    template <class Body>
    void visit(Body body) const {
        if (form_ == Form::sparse)
            body(sparse<double, int32_t>());
        else if (form_ == Form::dense)
            body(DenseLines<double>{static_cast<const double*>(value_), size_});
        else if (form_ == Form::sparse_float)
            body(sparse<float, int32_t>());
        else if (form_ == Form::dense_float)
            body(DenseLines<float>{static_cast<const float*>(value_), size_});
        else if (form_ == Form::sparse_wide)
            body(sparse<double, int64_t>());
        else if (form_ == Form::sparse_wide_float)
            body(sparse<float, int64_t>());
    }

  private:
    enum class Form {
        absent,
        sparse,
        dense,
        sparse_float,
        dense_float,
        sparse_wide,
        sparse_wide_float
    };
    struct Piece {
        static constexpr int64_t most = 64;
        int64_t size = 0;
        int64_t place[most];
        double value[most];
    };
    // The entries of a line from number `from` on; false if there are none.
    bool unpack(int64_t l, int64_t from, Piece& piece) const;

    template <class V, class I>
    SparseLines<V, I> sparse() const {
        return {ptr_, static_cast<const I*>(index_), static_cast<const V*>(value_)};
    }

    Form form_ = Form::absent;
    const int64_t* ptr_ = nullptr;
    const void *index_ = nullptr, *value_ = nullptr;
    int64_t size_ = 0;
};

// x'r and x'diag(h) x of a column x.
struct ColumnDots {
    double gradient, curvature;
};

// A read-only n_rows x n_cols matrix. It borrows the caller's arrays, checked once when it is made;
// the other orientation is made when something first needs it.
class Matrix {
  public:
    template <class V, class I>
    static Matrix from_compressed(Vec<int64_t> ptr, Vec<I> index, Vec<V> data, int64_t n_minor,
                                  bool by_rows);
    // Whether a line holds an index twice. A matrix may not, but needs no order within its lines.
    template <class I>
    static bool repeats(Vec<int64_t> ptr, Vec<I> index, int64_t n_minor);
    // The lines of `table` are the rows of the matrix, or its columns.
    template <class V>
    static Matrix from_dense(Mat<V> table, bool by_rows);

    // Before `column` is called.
    void need_columns() const;

    // Calls body(row, value) for the entries of a column.
    template <class Body>
    void column(int64_t j, Body body) const {
        columns_.line(j, body);
    }
    // Steps of a column x and vectors over the rows, see columns.cpp; unchecked as `column` is.
    double column_dot(int64_t j, const double* r) const {
        double found;
        columns_dot(&j, 1, r, &found);
        return found;
    }
    ColumnDots column_dots(int64_t j, const double* r, const double* h) const;
    void column_add(int64_t j, double by, double* out) const;                    // out += by x
    void column_add(int64_t j, double by, const double* h, double* out) const {  // out += by h x
        columns_add(&j, 1, &by, h, out);
    }
    // The same of several columns.
    void columns_dot(const int64_t* j, int64_t size, const double* r, double* out) const;
    void columns_add(const int64_t* j, int64_t size, const double* by, const double* h,
                     double* out) const;
    bool is_dense() const { return dense_; }

    void score(Vec<double> weights, MutVec<double> scores, int n_outputs, int threads) const;
    void pull(Vec<double> residual, MutVec<double> gradient, int n_outputs, int threads) const;

    // out_jk = sum_i x_ij^2 h_ik.
    void squares(Vec<double> curvature, MutVec<double> out, int n_outputs) const;

    // out = A' H A v for H_i = diag(h_i) - coupling_i h_i h_i' (no second part if `coupling` is
    // empty). A is (X, 1) if v has n_outputs entries more than X has weights.
    void hessian_product(Vec<double> curvature, Vec<double> coupling, Vec<double> direction,
                         MutVec<double> out, int n_outputs, int threads) const;

    // Adds X' diag(h) X to the lower triangle of `out`, (n_cols, n_cols).
    void gram(Vec<double> curvature, MutVec<double> out) const;

    int64_t n_entries() const { return n_entries_; }

    int64_t n_rows = 0, n_cols = 0;

  private:
    void need_rows() const;
    Orientation rows() const;  // absent if they were not made
    Orientation columns() const;
    void make(Orientation& wanted, const Orientation& from, int64_t n_lines, int64_t size) const;
    int64_t part(int64_t n_lines, int64_t K) const;
    void score_to(const double* w, double* s, int64_t K, int threads) const;
    void pull_to(const double* r, double* g, int64_t K, int threads) const;

    int64_t n_entries_ = 0;
    bool dense_ = false;
    mutable Orientation rows_, columns_;
    mutable std::vector<std::shared_ptr<void>> arrays_;  // what the orientations point to
    std::unique_ptr<std::mutex> making_ = std::make_unique<std::mutex>();
};

}  // namespace laconic::numeric
