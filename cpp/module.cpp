// The extension module: one bind function a kernel file, arrays in, arrays out.
#include "bind.hpp"

NB_MODULE(_core, m) {
    m.doc() = "laconic kernels: arrays in, arrays out";
}
