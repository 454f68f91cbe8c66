// Binds maps of few bits and the models that read their weights from them.
#include "chain/bind_tagging.hpp"
#include "compact/parser.hpp"
#include "compact/strings.hpp"
#include "compact/tagger.hpp"
#include "tree/bind_parsing.hpp"

namespace laconic::compact {

namespace {

// The methods of a kernel with features.
template <class Kernel>
void bind_features(nb::class_<Kernel>& bound) {
    bound
        .def_prop_ro(
            "sizes", [](const Kernel& kernel) { return kernel.features.sizes(); },
            nb::rv_policy::automatic)
        .def(
            "exact", [](const Kernel& kernel, int64_t m) { return kernel.features.exact(m); },
            nb::arg("template"))
        .def(
            "feature_rows", [](const Kernel& kernel, int64_t m) { return kernel.features.rows(m); },
            nb::arg("template"))
        .def(
            "feature_values",
            [](const Kernel& kernel, int64_t m) { return kernel.features.values(m); },
            nb::arg("template"));
}

template <class Real>
nb::class_<Rows<Real>> bind_real_rows(nb::module_& m, const char* name) {
    return nb::class_<Rows<Real>>(m, name)
        .def(nb::init<Vec<uint64_t>, int64_t, Vec<Real>, int64_t, bool>(), nb::arg("cells"),
             nb::arg("n_cells"), nb::arg("values"), nb::arg("n_labels"), nb::arg("own_values"))
        .def_prop_ro("size", &Rows<Real>::size)
        .def("cells", &Rows<Real>::cells);
}

void bind_strings(nb::module_& m) {
    m.def("pack_strings", &pack_strings, nb::arg("strings"), nb::arg("codes"),
          nb::arg("short_bits"), nb::arg("long_bits"), nb::arg("error_bits"),
          nb::arg("spill") = false);
    m.def("pack_features", &pack_features, nb::arg("values"), nb::arg("radix"), nb::arg("codes"),
          nb::arg("short_bits"), nb::arg("long_bits"), nb::arg("error_bits"));
    nb::class_<Strings>(m, "CompactStrings")
        .def(nb::init<Vec<uint64_t>, Sizes, Widths>(), nb::arg("words"), nb::arg("sizes"),
             nb::arg("widths"))
        .def("size", &Strings::size, nb::arg("map"))
        .def("numbers", &Strings::numbers, nb::arg("map"), nb::arg("strings"),
             nb::sig("def numbers(self, map: int, strings: list[str] | list[str | None]) -> "
                     "Annotated[NDArray[numpy.int32], dict(shape=(None,))]"))
        .def("codes", &Strings::codes, nb::arg("map"), nb::arg("strings"),
             nb::sig("def codes(self, map: int, strings: list[str] | list[str | None]) -> "
                     "Annotated[NDArray[numpy.int32], dict(shape=(None,))]"))
        .def("check_codes", &Strings::check_codes, nb::arg("map"), nb::arg("n_codes"))
        .def("codes_of", &Strings::codes_of, nb::arg("map"), nb::arg("numbers"));
}

void bind_rows(nb::module_& m) {
    bind_real_rows<float>(m, "FloatRows");
    bind_real_rows<double>(m, "DoubleRows")
        .def("score", &score_rows, nb::arg("ptr"), nb::arg("row"), nb::arg("data"),
             nb::arg("n_outputs"));
}

void bind_tagger(nb::module_& m) {
    nb::class_<CompactTagger> bound(m, "CompactTagger");
    bound.def(nb::init<const TemplateArrays&, Vec<int64_t>, const MapArrays&, const Rows<float>&,
                       int64_t, Vec<float>, Vec<float>>(),
              nb::arg("templates"), nb::arg("n_values"), nb::arg("maps"), nb::arg("rows"),
              nb::arg("n_shared"), nb::arg("edge"), nb::arg("start"));
    bind_features(bound);
    chain::bind_tagging(bound);
}

void bind_parser(nb::module_& m) {
    nb::class_<CompactParser> bound(m, "CompactParser");
    bound.def(nb::init<const PartTemplates&, const TreeShape&, Vec<int64_t>, const MapArrays&,
                       const Rows<float>&, int64_t>(),
              nb::arg("templates"), nb::arg("shape"), nb::arg("n_values"), nb::arg("maps"),
              nb::arg("rows"), nb::arg("n_shared"));
    bind_features(bound);
    tree::bind_parsing(bound);
}

}  // namespace

void bind(nb::module_& m) {
    bind_strings(m);
    bind_rows(m);
    bind_tagger(m);
    bind_parser(m);
}

}  // namespace laconic::compact
