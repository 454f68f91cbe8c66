// Ctrl-C during long work.
#pragma once
#include <chrono>

#include "door/arrays.hpp"

namespace laconic::door {

// Polled now and then without the GIL, lets Ctrl-C through about ten times a second: throws what
// the handler raised.
class Interrupts {
  public:
    void poll() {
        const auto now = std::chrono::steady_clock::now();
        if (now - last_ < std::chrono::milliseconds(100)) return;
        last_ = now;
        nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }

  private:
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace laconic::door
