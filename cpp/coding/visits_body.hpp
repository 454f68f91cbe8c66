// Bodies of the steps in visits.hpp, included by visits.cpp once for every instruction set.
// LANE_BYTES is the width of its vectors. No include guard: a second copy, compiled for other
// instructions, is the point.

struct Visits {
    static constexpr int width = LANE_BYTES / sizeof(float);
    typedef float Vector __attribute__((vector_size(LANE_BYTES)));
    typedef float Loose __attribute__((vector_size(LANE_BYTES), aligned(sizeof(float)), may_alias));
    static Vector load(const float* p) { return *reinterpret_cast<const Loose*>(p); }
    static void store(float* p, Vector v) { *reinterpret_cast<Loose*>(p) = v; }
    static float total(Vector v) {
        float sum = 0;
        for (int i = 0; i < width; ++i) sum += v[i];
        return sum;
    }

    static VisitSums sums(const float* code, const float* context, int stride) {
        Vector product{}, of_code{}, of_context{};
        for (int j = 0; j < stride; j += width) {
            const Vector a = load(code + j), d = load(context + j);
            product += a * d;
            of_code += a * a;
            of_context += d * d;
        }
        return {total(product), total(of_code), total(of_context)};
    }
    static void move(float* code, float* context, int stride, float on_code, float keep,
                     float on_context) {
        for (int j = 0; j < stride; j += width) {
            const Vector a = load(code + j), d = load(context + j);
            store(code + j, a + on_code * d);
            store(context + j, keep * d + on_context * a);
        }
    }
    static void add_along(float* out, const float* row, const float* along, int stride, float by) {
        Vector product{};
        for (int j = 0; j < stride; j += width) product += load(row + j) * load(along + j);
        const float times = by * total(product);
        for (int j = 0; j < stride; j += width)
            store(out + j, load(out + j) + times * load(row + j));
    }
    static void add(float* out, const float* row, int stride, float keep, float by) {
        for (int j = 0; j < stride; j += width)
            store(out + j, keep * load(out + j) + by * load(row + j));
    }
    static constexpr VisitSteps steps() { return {&sums, &move, &add_along, &add}; }
};
