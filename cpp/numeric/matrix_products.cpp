// Products of the rows design, see matrix.hpp:
//
//     scores_ik = sum_j x_ij w_jk,    out_jk = sum_i x_ij r_ik,    X' H X v,    X' diag(h) X
//
// A thread writes entries of its own: scores are computed by rows, their adjoint by columns. One
// thread alone needs no columns of a sparse matrix, whose rows it scatters: every entry is a sum in
// the same order, so that neither the orientation at hand nor the number of threads changes a
// digit. Dense matrices are read as they are; four lines at a time, since one sum is a chain of
// additions that wait for each other.
#include <algorithm>

#include "door/threads.hpp"
#include "numeric/matrix.hpp"

namespace laconic::numeric {

namespace {

constexpr int64_t block = 4;

// x_l'w of a sparse line, in four sums.
template <class V, class I>
double dot(const SparseLines<V, I>& lines, int64_t l, const double* w) {
    const I* index = lines.index;
    const V* x = lines.value;
    int64_t e = lines.ptr[l];
    const int64_t end = lines.ptr[l + 1];
    double a = 0, b = 0, c = 0, d = 0;
    for (; e + 4 <= end; e += 4) {
        a += x[e] * w[index[e]];
        b += x[e + 1] * w[index[e + 1]];
        c += x[e + 2] * w[index[e + 2]];
        d += x[e + 3] * w[index[e + 3]];
    }
    for (; e < end; ++e) a += x[e] * w[index[e]];
    return (a + b) + (c + d);
}

// out[l K + k] = sum_i x_li w_ik for lines begin .. end - 1.
template <class V, class I>
void gather(const SparseLines<V, I>& lines, const double* w, double* out, int64_t K, int64_t begin,
            int64_t end) {
    for (int64_t l = begin; l < end; ++l) {
        double* o = out + l * K;
        if (K == 1) {
            double sum = 0;
            lines.line(l, [&](int64_t i, double x) { sum += x * w[i]; });
            *o = sum;
            continue;
        }
        std::fill(o, o + K, 0.0);
        lines.line(l, [&](int64_t i, double x) {
            for (int64_t k = 0; k < K; ++k) o[k] += x * w[i * K + k];
        });
    }
}

template <class V>
void gather(const DenseLines<V>& lines, const double* w, double* out, int64_t K, int64_t begin,
            int64_t end) {
    for (int64_t l = begin; l < end; l += block) {
        const int64_t lines_here = std::min(block, end - l);
        for (int64_t k = 0; k < K; ++k) {
            double sum[block] = {};
            const V* x = lines.value + l * lines.size;
            if (lines_here == block)
                for (int64_t i = 0; i < lines.size; ++i)
                    for (int64_t b = 0; b < block; ++b)
                        sum[b] += double{x[b * lines.size + i]} * w[i * K + k];
            else
                for (int64_t b = 0; b < lines_here; ++b)
                    for (int64_t i = 0; i < lines.size; ++i)
                        sum[b] += double{x[b * lines.size + i]} * w[i * K + k];
            for (int64_t b = 0; b < lines_here; ++b) out[(l + b) * K + k] = sum[b];
        }
    }
}

// out[i K + k] += sum_l x_li r_lk over lines first .. last - 1, for the places begin .. end - 1 of
// the lines.
template <class V>
void add_lines(const DenseLines<V>& lines, const double* r, double* out, int64_t K, int64_t first,
               int64_t last, int64_t begin, int64_t end) {
    int64_t l = first;
    for (; K == 1 && l + block <= last; l += block) {
        const V* x = lines.value + l * lines.size;
        const double *y = r + l, a = y[0], b = y[1], c = y[2], d = y[3];
        if (a == 0 && b == 0 && c == 0 && d == 0) continue;
        const V *xb = x + lines.size, *xc = xb + lines.size, *xd = xc + lines.size;
        for (int64_t i = begin; i < end; ++i)
            out[i] = (((out[i] + x[i] * a) + xb[i] * b) + xc[i] * c) + xd[i] * d;
    }
    for (; l < last; ++l) {
        const V* x = lines.value + l * lines.size;
        const double* y = r + l * K;
        if (std::all_of(y, y + K, [](double v) { return v == 0; })) continue;
        for (int64_t i = begin; i < end; ++i)
            for (int64_t k = 0; k < K; ++k) out[i * K + k] += x[i] * y[k];
    }
}

// The same of a sparse line, for all its places.
template <class V, class I>
void add_line(const SparseLines<V, I>& lines, int64_t l, const double* y, double* out, int64_t K) {
    if (K == 1)
        lines.line(l, [&](int64_t i, double x) { out[i] += x * y[0]; });
    else
        lines.line(l, [&](int64_t i, double x) {
            for (int64_t k = 0; k < K; ++k) out[i * K + k] += x * y[k];
        });
}

// u <- H t with H = diag(h) - coupling h h'.
void multiply_row(const double* h, double coupling, double* t, int64_t K) {
    double shared = 0;
    for (int64_t k = 0; k < K; ++k) {
        t[k] *= h[k];
        shared += t[k];
    }
    shared *= coupling;
    if (coupling != 0)
        for (int64_t k = 0; k < K; ++k) t[k] -= shared * h[k];
}

}  // namespace

// Number of lines that are worth a thread of their own.
int64_t Matrix::part(int64_t n_lines, int64_t K) const {
    return std::max<int64_t>(1, 100000 * n_lines / std::max<int64_t>(1, n_entries() * K));
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
    score_to(w, s, K, threads);
}

void Matrix::score_to(const double* w, double* s, int64_t K, int threads) const {
    const Orientation by_columns = dense_ ? columns() : Orientation();
    if (!by_columns) need_rows();
    const Orientation lines = by_columns ? by_columns : rows();
    parallel_ranges(n_rows, threads, part(n_rows, K), [&](int64_t begin, int64_t end, int) {
        lines.visit([&](auto x) {
            if constexpr (x.dense) {
                if (by_columns) {
                    std::fill(s + begin * K, s + end * K, 0.0);
                    add_lines(x, w, s, K, 0, n_cols, begin, end);
                } else {
                    gather(x, w, s, K, begin, end);
                }
            } else if (K == 1) {
                for (int64_t i = begin; i < end; ++i) s[i] = dot(x, i, w);
            } else {
                gather(x, w, s, K, begin, end);
            }
        });
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
    pull_to(r, g, K, threads);
}

void Matrix::pull_to(const double* r, double* g, int64_t K, int threads) const {
    if (!dense_ && threads > 1) need_columns();
    const Orientation by_rows = dense_ || !columns() ? rows() : Orientation();
    const Orientation lines = by_rows ? by_rows : columns();
    const bool scatter = by_rows && !dense_;
    parallel_ranges(n_cols, scatter ? 1 : threads, part(n_cols, K),
                    [&](int64_t begin, int64_t end, int) {
                        lines.visit([&](auto x) {
                            if (!by_rows) return gather(x, r, g, K, begin, end);
                            std::fill(g + begin * K, g + end * K, 0.0);
                            if constexpr (x.dense)
                                add_lines(x, r, g, K, 0, n_rows, begin, end);
                            else
                                for (int64_t i = 0; i < n_rows; ++i)
                                    add_line(x, i, r + i * K, g, K);
                        });
                    });
}

void Matrix::squares(Vec<double> curvature, MutVec<double> out, int n_outputs) const {
    const int64_t K = n_outputs;
    require(K >= 1 && static_cast<int64_t>(curvature.size()) == n_rows * K,
            "curvature must have n_rows * n_outputs entries");
    require(static_cast<int64_t>(out.size()) == n_cols * K,
            "out must have n_cols * n_outputs entries");
    const double* h = curvature.data();
    double* o = out.data();
    nb::gil_scoped_release release;
    std::fill(o, o + n_cols * K, 0.0);
    const Orientation by_rows = rows(), lines = by_rows ? by_rows : columns();
    lines.visit([&](auto lines) {
        for (int64_t l = 0; l < (by_rows ? n_rows : n_cols); ++l)
            lines.line(l, [&](int64_t place, double x) {
                const double* from = h + (by_rows ? l : place) * K;
                double* to = o + (by_rows ? place : l) * K;
                for (int64_t k = 0; k < K; ++k) to[k] += x * x * from[k];
            });
    });
}

void Matrix::hessian_product(Vec<double> curvature, Vec<double> coupling, Vec<double> direction,
                             MutVec<double> out, int n_outputs, int threads) const {
    const int64_t K = n_outputs, p = n_cols * K;
    require(K >= 1 && static_cast<int64_t>(curvature.size()) == n_rows * K,
            "curvature must have n_rows * n_outputs entries");
    require(coupling.size() == 0 || static_cast<int64_t>(coupling.size()) == n_rows,
            "coupling must have 0 or n_rows entries");
    const bool ones = static_cast<int64_t>(direction.size()) == p + K;
    require(ones || static_cast<int64_t>(direction.size()) == p,
            "direction must have (n_cols or n_cols + 1) * n_outputs entries");
    require(out.size() == direction.size(), "out must have the size of direction");
    const double *h = curvature.data(), *v = direction.data();
    const double* c = coupling.size() ? coupling.data() : nullptr;
    double* o = out.data();
    nb::gil_scoped_release release;
    std::fill(o, o + out.size(), 0.0);
    std::vector<double> t(n_rows * K);
    const auto scale_row = [&](int64_t i) {
        double* ti = &t[i * K];
        if (ones)
            for (int64_t k = 0; k < K; ++k) ti[k] += v[p + k];
        multiply_row(h + i * K, c ? c[i] : 0, ti, K);
        if (ones)
            for (int64_t k = 0; k < K; ++k) o[p + k] += ti[k];
    };
    const Orientation by_rows = rows();
    if (threads > 1 || !by_rows) {
        score_to(v, t.data(), K, threads);
        for (int64_t i = 0; i < n_rows; ++i) scale_row(i);
        return pull_to(t.data(), o, K, threads);
    }
    // Each row is read once from memory, and once more while it is in the cache.
    by_rows.visit([&](auto x) {
        const int64_t step = x.dense ? block : 1;
        for (int64_t i = 0; i < n_rows; i += step) {
            const int64_t end = std::min(n_rows, i + step);
            if constexpr (x.dense)
                gather(x, v, t.data(), K, i, end);
            else if (K == 1)
                t[i] = dot(x, i, v);
            else
                gather(x, v, t.data(), K, i, end);
            for (int64_t row = i; row < end; ++row) scale_row(row);
            if constexpr (x.dense)
                add_lines(x, t.data(), o, K, i, end, 0, n_cols);
            else
                add_line(x, i, &t[i * K], o, K);
        }
    });
}

void Matrix::gram(Vec<double> curvature, MutVec<double> out) const {
    require(static_cast<int64_t>(curvature.size()) == n_rows, "curvature must have n_rows entries");
    require(static_cast<int64_t>(out.size()) == n_cols * n_cols,
            "out must have n_cols * n_cols entries");
    const double* h = curvature.data();
    double* o = out.data();
    nb::gil_scoped_release release;
    need_rows();
    std::vector<std::pair<int64_t, double>> row;  // in order, so that inner loops end early
    rows().visit([&](auto x) {
        for (int64_t i = 0; i < n_rows; ++i) {
            if (h[i] == 0) continue;
            row.clear();
            x.line(i, [&](int64_t j, double value) {
                if (value != 0) row.emplace_back(j, value);
            });
            if (!std::is_sorted(row.begin(), row.end())) std::sort(row.begin(), row.end());
            for (size_t a = 0; a < row.size(); ++a) {
                double* to = o + row[a].first * n_cols;
                const double scaled = h[i] * row[a].second;
                for (size_t b = 0; b <= a; ++b) to[row[b].first] += scaled * row[b].second;
            }
        }
    });
}

}  // namespace laconic::numeric
