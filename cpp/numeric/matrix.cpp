// How matrices are made and turned, see matrix.hpp; their products are in matrix_products.cpp.
#include "numeric/matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace laconic::numeric {

namespace {

template <class V>
bool all_finite(const V* x, size_t n) {
    bool finite = true;  // without an early end: the loop runs in vectors
    for (size_t e = 0; e < n; ++e) finite &= std::abs(x[e]) <= std::numeric_limits<V>::max();
    return finite;
}

template <class T>
std::shared_ptr<T[]> allocate(int64_t n) {
    return std::shared_ptr<T[]>(new T[std::max<int64_t>(n, 1)]);  // not set to zero
}

// Counting sort of compressed entries into the other orientation.
template <class V, class I>
Orientation transpose(SparseLines<V, I> from, int64_t n_lines, int64_t size,
                      std::vector<std::shared_ptr<void>>& arrays) {
    const int64_t n_entries = from.ptr[n_lines];
    auto ptr = allocate<int64_t>(size + 1);
    auto index = allocate<int32_t>(n_entries);
    auto value = allocate<V>(n_entries);
    std::fill(ptr.get(), ptr.get() + size + 1, 0);
    for (int64_t e = 0; e < n_entries; ++e) ++ptr[from.index[e] + 1];
    for (int64_t i = 0; i < size; ++i) ptr[i + 1] += ptr[i];
    std::vector<int64_t> next(ptr.get(), ptr.get() + size);
    for (int64_t line = 0; line < n_lines; ++line)
        for (int64_t e = from.ptr[line]; e < from.ptr[line + 1]; ++e) {
            const int64_t slot = next[from.index[e]]++;
            index[slot] = static_cast<int32_t>(line);
            value[slot] = from.value[e];
        }
    arrays.insert(arrays.end(), {ptr, index, value});
    return Orientation(ptr.get(), index.get(), value.get());
}

// In tiles, so that the lines that are read and those that are written both stay in the cache.
template <class V>
Orientation transpose(DenseLines<V> from, int64_t n_lines, int64_t size,
                      std::vector<std::shared_ptr<void>>& arrays) {
    constexpr int64_t tile = 16;
    auto value = allocate<V>(n_lines * size);
    for (int64_t a = 0; a < n_lines; a += tile)
        for (int64_t b = 0; b < size; b += tile)
            for (int64_t i = b; i < std::min(size, b + tile); ++i)
                for (int64_t l = a; l < std::min(n_lines, a + tile); ++l)
                    value[i * n_lines + l] = from.value[l * size + i];
    arrays.push_back(value);
    return Orientation(value.get(), n_lines);
}

}  // namespace

bool Orientation::unpack(int64_t l, int64_t from, Piece& piece) const {
    visit([&](auto lines) {
        const auto [begin, end] = lines.bounds(l);
        const int64_t first = begin + from;
        piece.size = std::max<int64_t>(0, std::min(Piece::most, end - first));
        for (int64_t e = 0; e < piece.size; ++e) {
            if constexpr (lines.dense)
                piece.place[e] = from + e;
            else
                piece.place[e] = lines.index[first + e];
            piece.value[e] = lines.value[first + e];
        }
    });
    return piece.size > 0;
}

template <class V, class I>
Matrix Matrix::from_compressed(Vec<int64_t> ptr, Vec<I> index, Vec<V> data, int64_t n_minor,
                               bool by_rows) {
    require(index.size() == data.size(), "index and data must have the same size");
    require(n_minor >= 0 && n_minor < INT32_MAX && ptr.size() < INT32_MAX,
            "a matrix side must be below 2^31");
    check_ptr(ptr, static_cast<int64_t>(index.size()), "ptr");
    check_range(index, 0, n_minor, "index");
    require(all_finite(data.data(), data.size()), "data must be finite");
    Matrix m;
    const int64_t n_major = static_cast<int64_t>(ptr.size()) - 1;
    m.n_rows = by_rows ? n_major : n_minor;
    m.n_cols = by_rows ? n_minor : n_major;
    m.n_entries_ = static_cast<int64_t>(data.size());
    m.arrays_ = {std::make_shared<Vec<int64_t>>(ptr), std::make_shared<Vec<I>>(index),
                 std::make_shared<Vec<V>>(data)};
    (by_rows ? m.rows_ : m.columns_) = Orientation(ptr.data(), index.data(), data.data());
    return m;
}

template <class I>
bool Matrix::repeats(Vec<int64_t> ptr, Vec<I> index, int64_t n_minor) {
    require(n_minor >= 0 && n_minor < INT32_MAX, "a matrix side must be below 2^31");
    check_ptr(ptr, static_cast<int64_t>(index.size()), "ptr");
    check_range(index, 0, n_minor, "index");
    std::vector<int64_t> last(n_minor, -1);  // line in which an index was met last
    for (size_t line = 0; line + 1 < ptr.size(); ++line)
        for (int64_t e = ptr.data()[line]; e < ptr.data()[line + 1]; ++e) {
            int64_t& seen = last[index.data()[e]];
            if (seen == static_cast<int64_t>(line)) return true;
            seen = static_cast<int64_t>(line);
        }
    return false;
}

template <class V>
Matrix Matrix::from_dense(Mat<V> table, bool by_rows) {
    const int64_t n_major = table.shape(0), n_minor = table.shape(1);
    require(std::max(n_major, n_minor) < INT32_MAX, "a matrix side must be below 2^31");
    require(all_finite(table.data(), table.size()), "data must be finite");
    Matrix m;
    m.dense_ = true;
    m.n_rows = by_rows ? n_major : n_minor;
    m.n_cols = by_rows ? n_minor : n_major;
    m.n_entries_ = n_major * n_minor;
    m.arrays_ = {std::make_shared<Mat<V>>(table)};
    (by_rows ? m.rows_ : m.columns_) = Orientation(table.data(), n_minor);
    return m;
}

template Matrix Matrix::from_compressed(Vec<int64_t>, Vec<int32_t>, Vec<double>, int64_t, bool);
template Matrix Matrix::from_compressed(Vec<int64_t>, Vec<int64_t>, Vec<double>, int64_t, bool);
template Matrix Matrix::from_compressed(Vec<int64_t>, Vec<int32_t>, Vec<float>, int64_t, bool);
template Matrix Matrix::from_compressed(Vec<int64_t>, Vec<int64_t>, Vec<float>, int64_t, bool);
template bool Matrix::repeats(Vec<int64_t>, Vec<int32_t>, int64_t);
template bool Matrix::repeats(Vec<int64_t>, Vec<int64_t>, int64_t);
template Matrix Matrix::from_dense(Mat<double>, bool);
template Matrix Matrix::from_dense(Mat<float>, bool);

// Kernels run without the interpreter lock: two threads may ask at once.
void Matrix::make(Orientation& wanted, const Orientation& from, int64_t n_lines,
                  int64_t size) const {
    const std::lock_guard<std::mutex> lock(*making_);
    if (!wanted) from.visit([&](auto lines) { wanted = transpose(lines, n_lines, size, arrays_); });
}

void Matrix::need_columns() const { make(columns_, rows_, n_rows, n_cols); }
void Matrix::need_rows() const { make(rows_, columns_, n_cols, n_rows); }

Orientation Matrix::rows() const {
    const std::lock_guard<std::mutex> lock(*making_);
    return rows_;
}

Orientation Matrix::columns() const {
    const std::lock_guard<std::mutex> lock(*making_);
    return columns_;
}

}  // namespace laconic::numeric
