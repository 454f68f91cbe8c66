// Kernels of all pairs of structures, by rows: the table of the first structure is made once per
// row. kernel.hpp has the recursion.
#include "mining/kernel_matrix.hpp"

#include <cmath>

#include "door/checks.hpp"
#include "door/interrupts.hpp"
#include "mining/kernel.hpp"

namespace laconic::mining {

namespace {

template <class Structures>
void check_rows_of(const Structures& a, const Vec<int64_t>& rows_a, const Structures& b,
                   const Vec<int64_t>& rows_b) {
    check_range(rows_a, 0, a.size(), "rows_a");
    check_range(rows_b, 0, b.size(), "rows_b");
}

void check_decay(double decay) {
    require(decay > 0 && decay <= 1, "decay must be above 0 and at most 1");
}

// value(i, j) for all pairs, by rows; first(i) is called before row i.
template <class First, class Value>
Array<double> matrix(const Vec<int64_t>& rows_a, const Vec<int64_t>& rows_b, First first,
                     Value value) {
    std::vector<double> values(rows_a.size() * rows_b.size());
    {
        nb::gil_scoped_release release;
        Interrupts interrupts;
        double* out = values.data();
        for (size_t i = 0; i < rows_a.size(); ++i) {
            first(rows_a.data()[i]);
            for (size_t j = 0; j < rows_b.size(); ++j) {
                *out++ = value(rows_a.data()[i], rows_b.data()[j]);
                if (j % 64 == 0) interrupts.poll();
            }
        }
    }
    return to_numpy(std::move(values));
}

// value(i) for the first n structures.
template <class Value>
Array<double> diagonal(int64_t n, Value value) {
    std::vector<double> values;
    {
        nb::gil_scoped_release release;
        Interrupts interrupts;
        for (int64_t i = 0; i < n; ++i) {
            values.push_back(value(i));
            interrupts.poll();
        }
    }
    return to_numpy(std::move(values));
}

// log K, also where K is too large for a double.
class TreeLogarithm {
  public:
    TreeLogarithm(const TreeStructures& a, const TreeStructures& b, double decay)
        : narrow_(a.space(), b.space(), decay), wide_(a.space(), b.space(), decay) {}
    void first(int64_t i) { narrow_.first(i); }
    double with(int64_t i, int64_t j) {
        if (const double value = narrow_.with(j); std::isfinite(value)) return std::log(value);
        wide_.first(i);
        return static_cast<double>(std::log(wide_.with(j)));
    }

  private:
    TreeKernel<double> narrow_;
    TreeKernel<long double> wide_;
};

}  // namespace

Array<double> tree_kernel(const TreeStructures& a, Vec<int64_t> rows_a, const TreeStructures& b,
                          Vec<int64_t> rows_b, double decay, bool logarithms) {
    check_rows_of(a, rows_a, b, rows_b);
    check_decay(decay);
    if (logarithms) {
        TreeLogarithm kernel(a, b, decay);
        return matrix(
            rows_a, rows_b, [&](int64_t i) { kernel.first(i); },
            [&](int64_t i, int64_t j) { return kernel.with(i, j); });
    }
    TreeKernel<double> kernel(a.space(), b.space(), decay);
    return matrix(
        rows_a, rows_b, [&](int64_t i) { kernel.first(i); },
        [&](int64_t, int64_t j) { return kernel.with(j); });
}

Array<double> tree_kernel_diagonal(const TreeStructures& structures, double decay) {
    check_decay(decay);
    TreeLogarithm kernel(structures, structures, decay);
    return diagonal(structures.size(), [&](int64_t i) {
        kernel.first(i);
        return kernel.with(i, i);
    });
}

Array<double> set_kernel(const SetStructures& a, Vec<int64_t> rows_a, const SetStructures& b,
                         Vec<int64_t> rows_b) {
    check_rows_of(a, rows_a, b, rows_b);
    SetKernel kernel(a.space(), b.space());
    return matrix(
        rows_a, rows_b, [&](int64_t i) { kernel.first(i); },
        [&](int64_t, int64_t j) { return kernel.with(j); });
}

Array<double> set_kernel_diagonal(const SetStructures& structures) {
    const Sets sets = structures.space();
    return diagonal(structures.size(),
                    [&](int64_t i) { return static_cast<double>(sets.ptr[i + 1] - sets.ptr[i]); });
}

}  // namespace laconic::mining
