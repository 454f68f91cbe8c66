// The methods of parsing, bound the same way for every parser (see parsing.hpp).
#pragma once
#include "tree/parsing.hpp"

namespace laconic::tree {

template <class Parser>
void bind_parsing(nb::class_<Parser>& bound) {
    bound
        .def("candidates", &parsing::candidates<Parser>, nb::arg("columns"), nb::arg("ptr"),
             nb::arg("threshold"), nb::arg("most"), nb::arg("gold"), nb::arg("threads") = 1)
        .def("arc_probabilities", &parsing::arc_probabilities<Parser>, nb::arg("columns"),
             nb::arg("ptr"), nb::arg("candidate_ptr"), nb::arg("candidate_head"), nb::arg("heads"),
             nb::arg("threads") = 1)
        .def("parse", &parsing::parse<Parser>, nb::arg("columns"), nb::arg("ptr"),
             nb::arg("candidate_ptr"), nb::arg("candidate_head"), nb::arg("threads") = 1)
        .def("k_best", &parsing::k_best<Parser>, nb::arg("columns"), nb::arg("ptr"),
             nb::arg("candidate_ptr"), nb::arg("candidate_head"), nb::arg("k"));
}

}  // namespace laconic::tree
