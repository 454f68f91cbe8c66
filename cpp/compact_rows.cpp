// The door of rows of weights with few values, and linear scores with them.
#include "compact_rows.hpp"

#include "kernels.hpp"

namespace {

using namespace compact;

// out[i, label] = sum over the entries e of example i of data[e] * value(row[e], label): (examples x n_outputs) by rows. A row of
// -1 has no weights.
nb::object score(const Rows<double>& rows, Vec<int64_t> ptr, Vec<int32_t> row, Vec<double> data, int n_outputs) {
    check_ptr(ptr, static_cast<int64_t>(row.size()), "ptr");
    check_range(row, -1, rows.size(), "row");
    require(data.size() == row.size(), "row and data must have the same length");
    require(n_outputs >= rows.n_labels, "there must be an output a label");
    std::vector<double> out((ptr.size() - 1) * n_outputs, 0.0);
    for (size_t i = 0; i + 1 < ptr.size(); ++i)
        for (int64_t e = ptr.data()[i]; e < ptr.data()[i + 1]; ++e) {
            if (row.data()[e] < 0) continue;
            for (const Cell<double>* cell = rows.begin(row.data()[e]); cell != rows.end(row.data()[e]); ++cell)
                out[i * n_outputs + cell->label] += data.data()[e] * cell->value;
        }
    return to_numpy(std::move(out));
}

template <class Real>
nb::class_<Rows<Real>> bind(nb::module_& m, const char* name) {
    return nb::class_<Rows<Real>>(m, name)
        .def(nb::init<Vec<uint64_t>, int64_t, Vec<Real>, int64_t, bool>(), nb::arg("cells"), nb::arg("n_cells"),
             nb::arg("values"), nb::arg("n_labels"), nb::arg("own_values"))
        .def_prop_ro("size", &Rows<Real>::size)
        .def("cells", &Rows<Real>::cells);
}

}  // namespace

void bind_compact_rows(nb::module_& m) {
    bind<float>(m, "FloatRows");
    bind<double>(m, "DoubleRows").def("score", &score, nb::arg("ptr"), nb::arg("row"), nb::arg("data"), nb::arg("n_outputs"));
}
