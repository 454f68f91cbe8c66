// The methods of tagging, bound the same way for every tagger (see tagging.hpp).
#pragma once
#include "chain/tagging.hpp"

namespace laconic::chain {

template <class Tagger>
void bind_tagging(nb::class_<Tagger>& bound) {
    bound.def_prop_ro("has_pairs", [](const Tagger& tagger) { return tagger.has_pairs; })
        .def("tag", &tag<Tagger>, nb::arg("columns"), nb::arg("ptr"), nb::arg("threads") = 1)
        .def("scores", &scores<Tagger>, nb::arg("columns"), nb::arg("ptr"), nb::arg("threads") = 1)
        .def("edges", &edges<Tagger>, nb::arg("columns"), nb::arg("ptr"), nb::arg("threads") = 1);
}

}  // namespace laconic::chain
