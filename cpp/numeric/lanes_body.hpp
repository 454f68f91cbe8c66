// Bodies of the steps in lanes.hpp, included by lanes.cpp once for every instruction set.
// LANE_BYTES is the width of its vectors. No include guard: a second copy, compiled for other
// instructions, is the point.

template <class Real>
struct Lanes {
    static constexpr int width = LANE_BYTES / sizeof(Real);
    typedef Real Vector __attribute__((vector_size(LANE_BYTES)));
    typedef Real Loose __attribute__((vector_size(LANE_BYTES), aligned(sizeof(Real)), may_alias));
    static Vector load(const Real* p) { return *reinterpret_cast<const Loose*>(p); }
    static void store(Real* p, Vector v) { *reinterpret_cast<Loose*>(p) = v; }

    struct Add {
        static Vector apply(Real a, Vector edge) { return a + edge; }
        static Vector merge(Vector sum, Real a, Vector edge) { return lane_max(a + edge, sum); }
    };
    struct Multiply {
        static Vector apply(Real a, Vector edge) { return a * edge; }
        static Vector merge(Vector sum, Real a, Vector edge) { return sum + a * edge; }
    };

    // out[j] = merge over i of (a[i], table[i][j]) for a block of columns whose sums stay in
    // registers.
    template <class Op, int block>
    static void columns(const Real* a, const Real* table, int n_labels, int stride, Real* out) {
        constexpr int n = block / width;
        Vector sum[n];
        for (int v = 0; v < n; ++v) sum[v] = Op::apply(a[0], load(table + v * width));
        for (int i = 1; i < n_labels; ++i) {
            const Real* row = table + static_cast<int64_t>(i) * stride;
            for (int v = 0; v < n; ++v) sum[v] = Op::merge(sum[v], a[i], load(row + v * width));
        }
        for (int v = 0; v < n; ++v) store(out + v * width, sum[v]);
    }

    template <class Op>
    static void product(const Real* a, const Real* table, int n_labels, int stride, Real* out) {
        constexpr int wide = 6 * width;  // six sums leave registers for the rest
        int j = 0;
        for (; wide % 8 == 0 && j + wide <= stride; j += wide)
            columns<Op, wide>(a, table + j, n_labels, stride, out + j);
        for (; j < stride; j += 8) columns<Op, 8>(a, table + j, n_labels, stride, out + j);
    }

    static void max_plus(const Real* a, const Real* table, int n_labels, int stride, Real* out) {
        product<Add>(a, table, n_labels, stride, out);
    }
    static void sum_times(const Real* a, const Real* table, int n_labels, int stride, Real* out) {
        product<Multiply>(a, table, n_labels, stride, out);
    }
    static void add_outer(const Real* a, const Real* b, int n_labels, int stride, Real* table) {
        for (int i = 0; i < n_labels; ++i) {
            Real* row = table + static_cast<int64_t>(i) * stride;
            for (int j = 0; j < stride; j += width)
                store(row + j, load(row + j) + a[i] * load(b + j));
        }
    }

    // The block's sums, or what is added to each row, stay in registers.
    template <int block>
    static void add_block(const Real* table, const int32_t* index, int64_t n, int stride,
                          Real* out) {
        constexpr int n_vectors = block / width;
        Vector sum[n_vectors];
        for (int v = 0; v < n_vectors; ++v) sum[v] = load(out + v * width);
        for (int64_t k = 0; k < n; ++k) {
            const Real* row = table + static_cast<int64_t>(index[k]) * stride;
            for (int v = 0; v < n_vectors; ++v) sum[v] += load(row + v * width);
        }
        for (int v = 0; v < n_vectors; ++v) store(out + v * width, sum[v]);
    }
    template <int block>
    static void spread_block(const Real* b, const int32_t* index, int64_t n, int stride,
                             Real* table) {
        constexpr int n_vectors = block / width;
        Vector part[n_vectors];
        for (int v = 0; v < n_vectors; ++v) part[v] = load(b + v * width);
        for (int64_t k = 0; k < n; ++k) {
            Real* row = table + static_cast<int64_t>(index[k]) * stride;
            for (int v = 0; v < n_vectors; ++v)
                store(row + v * width, load(row + v * width) + part[v]);
        }
    }
    template <int block>
    static void add_scaled_block(const Real* const* row, const Real* scale, int64_t n, int from,
                                 Real* out) {
        constexpr int n_vectors = block / width;
        Vector sum[n_vectors];
        for (int v = 0; v < n_vectors; ++v) sum[v] = load(out + from + v * width);
        for (int64_t k = 0; k < n; ++k)
            for (int v = 0; v < n_vectors; ++v)
                sum[v] += scale[k] * load(row[k] + from + v * width);
        for (int v = 0; v < n_vectors; ++v) store(out + from + v * width, sum[v]);
    }
    static void add_scaled(const Real* const* row, const Real* scale, int64_t n, int stride,
                           Real* out) {
        int j = 0;
        for (; j + 24 <= stride; j += 24) add_scaled_block<24>(row, scale, n, j, out);
        for (; j < stride; j += 8) add_scaled_block<8>(row, scale, n, j, out);
    }
    static void add_rows(const Real* table, const int32_t* index, int64_t n, int stride,
                         Real* out) {
        int j = 0;
        for (; j + 24 <= stride; j += 24) add_block<24>(table + j, index, n, stride, out + j);
        for (; j < stride; j += 8) add_block<8>(table + j, index, n, stride, out + j);
    }
    static void spread_rows(const Real* b, const int32_t* index, int64_t n, int stride,
                            Real* table) {
        int j = 0;
        for (; j + 24 <= stride; j += 24) spread_block<24>(b + j, index, n, stride, table + j);
        for (; j < stride; j += 8) spread_block<8>(b + j, index, n, stride, table + j);
    }
    static constexpr LaneSteps<Real> steps() {
        return {&max_plus, &sum_times, &add_outer, &add_rows, &add_scaled, &spread_rows};
    }
};
