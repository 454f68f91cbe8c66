// Binds words and their numbers, feature templates and Brown clusters.
#include "text/brown_merges.hpp"
#include "text/occurrences.hpp"
#include "text/templates.hpp"
#include "text/words.hpp"

namespace laconic::text {

namespace {

void bind_brown(nb::module_& m) {
    m.def("brown_merges", &brown_merges, nb::arg("ids"), nb::arg("ptr"), nb::arg("n_words"),
          nb::arg("n_clusters"), nb::arg("min_count"),
          "Brown clustering of the sentences ids[ptr[s]:ptr[s+1]], merge by merge down to one "
          "cluster: (kept, gone, "
          "average mutual information in nats before any merge and after each). The last "
          "n_clusters - 1 are the tree.");
}

void bind_templates(nb::module_& m) {
    nb::class_<Templates>(m, "Expander")
        .def(nb::init<Vec<int64_t>, Vec<int32_t>, Vec<int32_t>>(), nb::arg("atom_ptr"),
             nb::arg("atom_view"), nb::arg("atom_offset"))
        .def("number", &number, nb::arg("columns"), nb::arg("ptr"), nb::arg("threads") = 1)
        .def_prop_ro("size", &Templates::size);
}

void bind_words(nb::module_& m) {
    nb::class_<WordCounter>(m, "WordCounter")
        .def(nb::init<>())
        .def("add", &WordCounter::add, nb::arg("text"), nb::arg("mark"),
             nb::arg("separator").none())
        .def("counts", &WordCounter::counts)
        .def("spelled", &WordCounter::spelled, nb::arg("numbers"));
    nb::class_<WordIndex>(m, "WordIndex")
        .def(nb::init<Vec<uint8_t>, Vec<int64_t>>(), nb::arg("text"), nb::arg("ptr"))
        .def("encode", &WordIndex::encode, nb::arg("text"), nb::arg("mark"), nb::arg("unknown"),
             nb::arg("end"))
        .def("learn", &WordIndex::learn, nb::arg("text"), nb::arg("mark"), nb::arg("end"))
        .def("size", &WordIndex::size)
        .def("spelled", &WordIndex::spelled, nb::arg("numbers"));
}

}  // namespace

void bind(nb::module_& m) {
    bind_brown(m);
    bind_templates(m);
    bind_words(m);
}

}  // namespace laconic::text
