// The extension module: one bind function a kernel file, arrays in, arrays out.
#include "kernels.hpp"

NB_MODULE(_core, m) {
    m.doc() = "laconic kernels: arrays in, arrays out";
    bind_rows(m);
    bind_losses(m);
    bind_prox(m);
    bind_tree(m);
    bind_coordinate(m);
    bind_copies(m);
    bind_brown(m);
}
