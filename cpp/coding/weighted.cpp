// Codes of words where every entry of their rows has a weight: one side of a weighted
// factorisation, the other held fixed.
//
//     min_u  1/2 sum_(c stored) g_c (x_c - u d_c)^2 + 1/2 sum_(c not stored) a b_c (u d_c)^2
//
// g_c: weight of the entry, a: of the word, b_c: of the context. The table is such that
// sum_c b_c d_c d_c' = I, so that all entries of the row as if none were stored come to |u|^2, and
// only stored ones are visited (Hu, Koren and Volinsky 2008): divided by a,
//
//     (I + sum_(c stored) (g_c / a - b_c) d_c d_c') u = sum_(c stored) g_c / a x_c d_c,
//
// by a few conjugate gradient steps from the code as it is: their cost is linear in the dimensions
// (Takacs et al. 2011).
#include "coding/weighted.hpp"

#include <cmath>
#include <vector>

#include "coding/visits.hpp"

namespace laconic::coding {

namespace {

struct WeightedRows {
    const int64_t* ptr;
    const int32_t* index;
    const float *value, *weight, *of_row, *of_context;
};

double dot(const std::vector<float>& a, const float* b) {
    double sum = 0;
    for (size_t j = 0; j < a.size(); ++j) sum += double{a[j]} * b[j];
    return sum;
}

// The scratch of one thread, and the steps of one word after the other.
struct Conjugate {
    Conjugate(const WeightedRows& rows_in, const float* table_in, int stride_in)
        : rows(rows_in),
          table(table_in),
          stride(stride_in),
          steps(visit_steps()),
          left(stride),
          along(stride),
          image(stride),
          asked(stride) {}

    // image = (I + sum (g / a - b) d d') p
    void apply(int64_t v, const float* p) {
        std::copy(p, p + stride, image.begin());
        for (int64_t e = rows.ptr[v]; e < rows.ptr[v + 1]; ++e) {
            const int32_t c = rows.index[e];
            steps.add_along(image.data(), table + int64_t{c} * stride, p, stride,
                            rows.weight[e] / rows.of_row[v] - rows.of_context[c]);
        }
    }

    // Steps from `code`, which they replace; the objective there.
    double solve(int64_t v, int most, double tolerance, float* code) {
        double constant = 0;
        std::fill(asked.begin(), asked.end(), 0.0f);
        for (int64_t e = rows.ptr[v]; e < rows.ptr[v + 1]; ++e) {
            const float by = rows.weight[e] / rows.of_row[v] * rows.value[e];
            constant += double{by} * rows.value[e];
            steps.add(asked.data(), table + int64_t{rows.index[e]} * stride, stride, 1.0f, by);
        }
        apply(v, code);
        for (int j = 0; j < stride; ++j) left[j] = asked[j] - image[j];
        along = left;
        double rest = dot(left, left.data());
        const double enough = tolerance * tolerance * dot(asked, asked.data());
        for (int step = 0; step < most && rest > enough; ++step) {
            apply(v, along.data());
            const double curvature = dot(along, image.data());
            if (!(curvature > 0)) break;
            const float size = static_cast<float>(rest / curvature);
            for (int j = 0; j < stride; ++j) {
                code[j] += size * along[j];
                left[j] -= size * image[j];
            }
            const double now = dot(left, left.data());
            const float turn = static_cast<float>(now / rest);
            for (int j = 0; j < stride; ++j) along[j] = left[j] + turn * along[j];
            rest = now;
        }
        return 0.5 * rows.of_row[v] * (constant - dot(asked, code) - dot(left, code));
    }

    const WeightedRows& rows;
    const float* table;
    int stride;
    const VisitSteps& steps;
    std::vector<float> left, along, image, asked;
};

}  // namespace

Array<double> solve_weighted(const SparseRows& given, const EntryWeights& weights, Vec<float> table,
                             int stride, const CodeLimits& limits, MutVec<float> codes,
                             int threads) {
    const auto& [ptr, index, value] = given;
    const auto& [weight, of_row, of_context] = weights;
    const int64_t n_contexts =
        rows_of(table.size(), stride, "table must have rows of stride entries");
    const int64_t n_rows = static_cast<int64_t>(ptr.size()) - 1;
    check_ptr(ptr, static_cast<int64_t>(index.size()), "ptr");
    check_range(index, 0, n_contexts, "index");
    require(value.size() == index.size() && weight.size() == index.size(),
            "value and weight must have an entry for each of index");
    require(static_cast<int64_t>(of_row.size()) == n_rows, "row must have one entry per row");
    require(static_cast<int64_t>(of_context.size()) == n_contexts,
            "context must have one entry per context");
    require(static_cast<int64_t>(codes.size()) == n_rows * stride,
            "codes must have a row of stride entries for each row");
    require(limits.most_steps >= 0 && limits.tolerance >= 0,
            "steps and tolerance must not be negative");
    for (size_t v = 0; v < of_row.size(); ++v)
        require(of_row.data()[v] > 0 && std::isfinite(of_row.data()[v]),
                "row must hold positive finite numbers");
    const WeightedRows rows{ptr.data(),    index.data(),  value.data(),
                            weight.data(), of_row.data(), of_context.data()};
    std::vector<double> objective(n_rows);
    {
        nb::gil_scoped_release release;
        each_word(n_rows, threads, [&] {
            return [&, solver = Conjugate(rows, table.data(), stride)](int64_t v) mutable {
                objective[v] =
                    solver.solve(v, limits.most_steps, limits.tolerance, codes.data() + v * stride);
            };
        });
    }
    return to_numpy(std::move(objective));
}

}  // namespace laconic::coding
