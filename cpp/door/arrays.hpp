// Array types of the binding: NumPy arrays in, checked for type and layout by nanobind, and new
// NumPy arrays out. Kernels read and write the memory of the caller: nothing is copied on the way
// in.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

namespace laconic {

namespace nb = nanobind;

namespace door {

// Vectors that are read, vectors that are written, matrices by rows that are read.
template <class T>
using Vec = nb::ndarray<nb::numpy, const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using MutVec = nb::ndarray<nb::numpy, T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Mat = nb::ndarray<nb::numpy, const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// What kernels return.
template <class T>
using Array = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

// A new NumPy array that owns `values`. Needs the interpreter lock.
template <class T>
Array<T> to_numpy(std::vector<T>&& values) {
    auto* owned = new std::vector<T>(std::move(values));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Array<T>(owned->data(), {owned->size()}, owner);
}

}  // namespace door

using namespace door;  // array types and checks that every kernel uses

}  // namespace laconic
