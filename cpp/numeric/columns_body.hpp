// Bodies of the steps in columns.hpp, included by columns.cpp once for every instruction set. No
// include guard: a second copy, compiled for other instructions, is the point.

constexpr int64_t wide = 16;  // sums side by side: one alone is a chain of additions that wait

template <class V>
double dot(const V* x, const double* r, int64_t n) {
    double sum[wide] = {};
    int64_t i = 0;
    for (; i + wide <= n; i += wide)
        for (int64_t b = 0; b < wide; ++b) sum[b] += double(x[i + b]) * r[i + b];
    for (int64_t b = 0; b < 8; ++b) sum[b] += sum[b + 8];
    for (int64_t b = 0; b < 4; ++b) sum[b] += sum[b + 4];
    for (; i + 4 <= n; i += 4)
        for (int64_t b = 0; b < 4; ++b) sum[b] += double(x[i + b]) * r[i + b];
    for (; i < n; ++i) sum[i & 3] += double(x[i]) * r[i];
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

template <class V>
ColumnDots dots(const V* x, const double* r, const double* h, int64_t n) {
    constexpr int64_t each = wide / 2;
    double g[each] = {}, a[each] = {};
    int64_t i = 0;
    for (; i + each <= n; i += each)
        for (int64_t b = 0; b < each; ++b) {
            const double v = x[i + b];
            g[b] += v * r[i + b];
            a[b] += v * v * h[i + b];
        }
    for (int64_t half = each / 2; half > 0; half /= 2)
        for (int64_t b = 0; b < half; ++b) {
            g[b] += g[b + half];
            a[b] += a[b + half];
        }
    for (; i < n; ++i) {
        const double v = x[i];
        g[0] += v * r[i];
        a[0] += v * v * h[i];
    }
    return {g[0], a[0]};
}

template <class V>
void add(const V* __restrict x, double by, double* __restrict out, int64_t n) {
    for (int64_t i = 0; i < n; ++i) out[i] += by * double(x[i]);
}

template <class V>
void add_weighted(const V* __restrict x, double by, const double* __restrict h,
                  double* __restrict out, int64_t n) {
    for (int64_t i = 0; i < n; ++i) out[i] += by * double(x[i]) * h[i];
}

// The same of four columns at once.
template <class V>
void add_four(const V* const* x, const double* by, const double* __restrict h,
              double* __restrict out, int64_t n) {
    const V *p = x[0], *q = x[1], *s = x[2], *t = x[3];
    const double a = by[0], b = by[1], c = by[2], d = by[3];
    for (int64_t i = 0; i < n; ++i)
        out[i] +=
            h[i] * ((a * double(p[i]) + b * double(q[i])) + (c * double(s[i]) + d * double(t[i])));
}

template <class V>
constexpr DenseSteps<V> steps() {
    return {&dot<V>, &dots<V>, &add<V>, &add_weighted<V>, &add_four<V>};
}
