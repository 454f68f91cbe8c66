// Bodies of the steps in softmax.hpp, included by softmax.cpp once for every instruction set. No
// include guard: a second copy, compiled for other instructions, is the point. Loops are written so
// that compilers make vectors of them without leave to reorder sums: eight sums run side by side.

constexpr int width = 8;

void add(const double* base, const double* const* row, const double* scale, int64_t n,
         int64_t length, double* out) {
    for (int64_t j = 0; j < length; ++j) out[j] = base[j];
    int64_t k = 0;
    for (; k + 4 <= n; k += 4) {
        const double *a = row[k], *b = row[k + 1], *c = row[k + 2], *d = row[k + 3];
        const double x = scale[k], y = scale[k + 1], z = scale[k + 2], u = scale[k + 3];
        for (int64_t j = 0; j < length; ++j)
            out[j] += (x * a[j] + y * b[j]) + (z * c[j] + u * d[j]);
    }
    for (; k < n; ++k) {
        const double* a = row[k];
        const double x = scale[k];
        for (int64_t j = 0; j < length; ++j) out[j] += x * a[j];
    }
}

// exp(x) for x <= 0: x = i log 2 + r, a polynomial of degree 12 in r, and i added to the exponent's
// bits. The sum with 1.5 * 2^52 rounds to a whole number, whose two's complement is then in the
// lowest bits.
inline double exp_below(double x) {
    constexpr double shift = 6755399441055744.0;
    const double bounded = x < -708 ? -708 : x;
    const double shifted = bounded * 1.4426950408889634 + shift, whole = shifted - shift;
    const double r =
        (bounded - whole * 0.693147180369123816490) - whole * 1.90821492927058770002e-10;
    double p = 1.0 / 479001600;
    p = p * r + 1.0 / 39916800;
    p = p * r + 1.0 / 3628800;
    p = p * r + 1.0 / 362880;
    p = p * r + 1.0 / 40320;
    p = p * r + 1.0 / 5040;
    p = p * r + 1.0 / 720;
    p = p * r + 1.0 / 120;
    p = p * r + 1.0 / 24;
    p = p * r + 1.0 / 6;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    uint64_t bits, power;
    __builtin_memcpy(&bits, &p, 8);
    __builtin_memcpy(&power, &shifted, 8);
    bits += power << 52;
    double out;
    __builtin_memcpy(&out, &bits, 8);
    return x < -708 ? 0.0 : out;
}

void exponentiate(double* scores, int64_t length, double* total, double* top) {
    double best[width], sums[width] = {};
    for (double& one : best) one = -INFINITY;
    int64_t j = 0;
    for (; j + width <= length; j += width)
        for (int u = 0; u < width; ++u) best[u] = scores[j + u] > best[u] ? scores[j + u] : best[u];
    for (; j < length; ++j) best[0] = scores[j] > best[0] ? scores[j] : best[0];
    double most = best[0];
    for (int u = 1; u < width; ++u) most = best[u] > most ? best[u] : most;
    for (j = 0; j < length; ++j) scores[j] = exp_below(scores[j] - most);
    for (j = 0; j + width <= length; j += width)
        for (int u = 0; u < width; ++u) sums[u] += scores[j + u];
    for (; j < length; ++j) sums[0] += scores[j];
    double sum = 0;
    for (const double one : sums) sum += one;
    *total = sum;
    *top = most;
}

void spread(const double* from, double* const* row, const double* scale, int64_t n,
            int64_t length) {
    for (int64_t k = 0; k < n; ++k) {
        double* out = row[k];
        const double x = scale[k];
        for (int64_t j = 0; j < length; ++j) out[j] += x * from[j];
    }
}
