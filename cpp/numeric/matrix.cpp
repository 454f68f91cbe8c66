// Products of the rows design, see matrix.hpp:
//
//     scores_ik = sum_j x_ij w_jk        by rows,
//     out_jk = sum_i x_ij r_ik           by columns,
//
// each in the orientation in which a thread writes entries of its own: both are stored.
#include "numeric/matrix.hpp"

#include <algorithm>
#include <cmath>

#include "door/threads.hpp"

namespace laconic::numeric {

namespace {

// Counting sort of compressed entries into the other orientation.
void transpose(const std::vector<int64_t>& ptr, const std::vector<int32_t>& index,
               const std::vector<double>& value, int64_t n_minor, std::vector<int64_t>& out_ptr,
               std::vector<int32_t>& out_index, std::vector<double>& out_value) {
    out_ptr.assign(n_minor + 1, 0);
    out_index.resize(index.size());
    out_value.resize(value.size());
    for (int32_t i : index) ++out_ptr[i + 1];
    for (int64_t i = 0; i < n_minor; ++i) out_ptr[i + 1] += out_ptr[i];
    std::vector<int64_t> next(out_ptr.begin(), out_ptr.end() - 1);
    for (size_t major = 0; major + 1 < ptr.size(); ++major)
        for (int64_t e = ptr[major]; e < ptr[major + 1]; ++e) {
            const int64_t slot = next[index[e]]++;
            out_index[slot] = static_cast<int32_t>(major);
            out_value[slot] = value[e];
        }
}

}  // namespace

Matrix Matrix::from_compressed(Vec<int64_t> ptr, Vec<int32_t> index, Vec<double> data,
                               int64_t n_minor, bool by_rows) {
    require(index.size() == data.size(), "index and data must have the same size");
    require(n_minor >= 0 && n_minor < INT32_MAX && ptr.size() < INT32_MAX,
            "a matrix side must be below 2^31");
    check_ptr(ptr, static_cast<int64_t>(index.size()), "ptr");
    check_range(index, 0, n_minor, "index");
    for (size_t e = 0; e < data.size(); ++e)
        require(std::isfinite(data.data()[e]), "data must be finite");
    Matrix m;
    const int64_t n_major = static_cast<int64_t>(ptr.size()) - 1;
    m.n_rows = by_rows ? n_major : n_minor;
    m.n_cols = by_rows ? n_minor : n_major;
    auto &p = by_rows ? m.row_ptr_ : m.ptr_, &q = by_rows ? m.ptr_ : m.row_ptr_;
    auto &i = by_rows ? m.col_ : m.row_, &j = by_rows ? m.row_ : m.col_;
    auto &v = by_rows ? m.row_value_ : m.value_, &u = by_rows ? m.value_ : m.row_value_;
    p.assign(ptr.data(), ptr.data() + ptr.size());
    i.assign(index.data(), index.data() + index.size());
    v.assign(data.data(), data.data() + data.size());
    transpose(p, i, v, n_minor, q, j, u);
    return m;
}

Matrix Matrix::from_dense(Vec<double> by_columns, int64_t n_rows) {
    require(n_rows >= 1 && by_columns.size() % n_rows == 0,
            "a dense matrix needs n_rows * n_cols entries");
    require(n_rows < INT32_MAX, "a matrix side must be below 2^31");
    for (size_t e = 0; e < by_columns.size(); ++e)
        require(std::isfinite(by_columns.data()[e]), "data must be finite");
    Matrix m;
    m.dense_ = true;
    m.n_rows = n_rows;
    m.n_cols = static_cast<int64_t>(by_columns.size()) / n_rows;
    m.value_.assign(by_columns.data(), by_columns.data() + by_columns.size());
    return m;
}

void Matrix::score(Vec<double> weights, MutVec<double> scores, int n_outputs, int threads) const {
    const int64_t K = n_outputs;
    require(K >= 1 && static_cast<int64_t>(weights.size()) == n_cols * K,
            "weights must have n_cols * n_outputs entries");
    require(static_cast<int64_t>(scores.size()) == n_rows * K,
            "scores must have n_rows * n_outputs entries");
    const double* w = weights.data();
    double* s = scores.data();
    nb::gil_scoped_release release;
    const int64_t part =
        std::max<int64_t>(1, 100000 * n_rows / std::max<int64_t>(1, n_entries() * K));
    parallel_ranges(n_rows, threads, part, [&](int64_t begin, int64_t end, int) {
        std::fill(s + begin * K, s + end * K, 0.0);
        if (dense_) {
            for (int64_t j = 0; j < n_cols; ++j)
                for (int64_t k = 0; k < K; ++k)
                    if (const double wjk = w[j * K + k]; wjk != 0)
                        for (int64_t i = begin; i < end; ++i)
                            s[i * K + k] += wjk * value_[j * n_rows + i];
        } else if (K == 1) {
            for (int64_t i = begin; i < end; ++i) {
                double total = 0;
                for (int64_t e = row_ptr_[i]; e < row_ptr_[i + 1]; ++e)
                    total += row_value_[e] * w[col_[e]];
                s[i] = total;
            }
        } else {
            for (int64_t i = begin; i < end; ++i)
                for (int64_t e = row_ptr_[i]; e < row_ptr_[i + 1]; ++e)
                    for (int64_t k = 0; k < K; ++k)
                        s[i * K + k] += row_value_[e] * w[col_[e] * K + k];
        }
    });
}

void Matrix::pull(Vec<double> residual, MutVec<double> gradient, int n_outputs, int threads) const {
    const int64_t K = n_outputs;
    require(K >= 1 && static_cast<int64_t>(residual.size()) == n_rows * K,
            "residual must have n_rows * n_outputs entries");
    require(static_cast<int64_t>(gradient.size()) == n_cols * K,
            "gradient must have n_cols * n_outputs entries");
    const double* r = residual.data();
    double* g = gradient.data();
    nb::gil_scoped_release release;
    const int64_t part =
        std::max<int64_t>(1, 100000 * n_cols / std::max<int64_t>(1, n_entries() * K));
    parallel_ranges(n_cols, threads, part, [&](int64_t begin, int64_t end, int) {
        for (int64_t j = begin; j < end; ++j) {
            double* out = g + j * K;
            std::fill(out, out + K, 0.0);
            if (K == 1) {
                double total = 0;
                column(j, [&](int64_t i, double x) { total += x * r[i]; });
                out[0] = total;
            } else {
                column(j, [&](int64_t i, double x) {
                    for (int64_t k = 0; k < K; ++k) out[k] += x * r[i * K + k];
                });
            }
        }
    });
}

}  // namespace laconic::numeric
