// The extension module: every folder registers its kernels, arrays in and arrays out.
#include "door/arrays.hpp"

namespace laconic {

namespace numeric {
void bind(nb::module_& m);
}
namespace text {
void bind(nb::module_& m);
}
namespace chain {
void bind(nb::module_& m);
}
namespace tree {
void bind(nb::module_& m);
}
namespace mining {
void bind(nb::module_& m);
}
namespace compact {
void bind(nb::module_& m);
}
namespace lm {
void bind(nb::module_& m);
}
namespace coding {
void bind(nb::module_& m);
}

}  // namespace laconic

NB_MODULE(_core, m) {
    // Objects that live until the interpreter goes are not leaks.
    nanobind::set_leak_warnings(false);
    m.doc() = "laconic kernels: arrays in, arrays out";
    // A folder comes after those whose types its signatures name.
    laconic::numeric::bind(m);
    laconic::text::bind(m);
    laconic::chain::bind(m);
    laconic::tree::bind(m);
    laconic::mining::bind(m);
    laconic::compact::bind(m);
    laconic::lm::bind(m);
    laconic::coding::bind(m);
}
