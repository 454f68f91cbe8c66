// Steps of single columns, see matrix.hpp: dense ones in vectors, compiled for the portable
// baseline and for AVX2 and chosen by the processor, sparse ones entry by entry.
#include <cstdint>

#include "door/processor.hpp"
#include "numeric/matrix.hpp"

namespace laconic::numeric {

namespace {

template <class V>
struct DenseSteps {
    double (*dot)(const V* x, const double* r, int64_t n);
    ColumnDots (*dots)(const V* x, const double* r, const double* h, int64_t n);
    void (*add)(const V* x, double by, double* out, int64_t n);
    void (*add_weighted)(const V* x, double by, const double* h, double* out, int64_t n);
    void (*add_four)(const V* const* x, const double* by, const double* h, double* out, int64_t n);
};

namespace baseline {
#include "numeric/columns_body.hpp"
}  // namespace baseline

#ifdef LACONIC_AVX2
LACONIC_AVX2_BEGIN
namespace avx2 {
#include "numeric/columns_body.hpp"
}  // namespace avx2
LACONIC_AVX2_END
#endif

template <class V>
DenseSteps<V> choose() {
    return LACONIC_CHOOSE(steps<V>());
}

template <class V>
const DenseSteps<V>& dense_steps() {
    static const DenseSteps<V> steps = choose<V>();
    return steps;
}

template <class V>
const DenseSteps<V>& steps_of(const DenseLines<V>&) {
    return dense_steps<V>();
}

}  // namespace

void Matrix::columns_dot(const int64_t* j, int64_t size, const double* r, double* out) const {
    columns_.visit([&](auto lines) {
        for (int64_t c = 0; c < size; ++c) {
            if constexpr (lines.dense) {
                out[c] = steps_of(lines).dot(lines.value + j[c] * lines.size, r, lines.size);
            } else {
                const auto [begin, end] = lines.bounds(j[c]);
                const auto* index = lines.index;
                const auto* x = lines.value;
                double a = 0, b = 0;
                int64_t e = begin;
                for (; e + 2 <= end; e += 2) {
                    a += double(x[e]) * r[index[e]];
                    b += double(x[e + 1]) * r[index[e + 1]];
                }
                if (e < end) a += double(x[e]) * r[index[e]];
                out[c] = a + b;
            }
        }
    });
}

void Matrix::columns_add(const int64_t* j, int64_t size, const double* by, const double* h,
                         double* out) const {
    columns_.visit([&](auto lines) {
        int64_t c = 0;
        if constexpr (lines.dense) {
            for (; c + 4 <= size; c += 4) {
                decltype(lines.value) x[4];
                for (int b = 0; b < 4; ++b) x[b] = lines.value + j[c + b] * lines.size;
                steps_of(lines).add_four(x, by + c, h, out, lines.size);
            }
            for (; c < size; ++c)
                steps_of(lines).add_weighted(lines.value + j[c] * lines.size, by[c], h, out,
                                             lines.size);
        } else {
            for (; c < size; ++c) {
                const double d = by[c];
                if (d != 0) lines.line(j[c], [&](int64_t i, double x) { out[i] += d * x * h[i]; });
            }
        }
    });
}

ColumnDots Matrix::column_dots(int64_t j, const double* r, const double* h) const {
    ColumnDots found{};
    columns_.visit([&](auto lines) {
        if constexpr (lines.dense)
            found = steps_of(lines).dots(lines.value + j * lines.size, r, h, lines.size);
        else
            lines.line(j, [&](int64_t i, double x) {
                found.gradient += x * r[i];
                found.curvature += x * x * h[i];
            });
    });
    return found;
}

void Matrix::column_add(int64_t j, double by, double* out) const {
    columns_.visit([&](auto lines) {
        if constexpr (lines.dense)
            steps_of(lines).add(lines.value + j * lines.size, by, out, lines.size);
        else
            lines.line(j, [&](int64_t i, double x) { out[i] += by * x; });
    });
}

}  // namespace laconic::numeric
