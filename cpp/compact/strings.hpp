// Maps of strings, known by a hash of their bytes, and the packing of strings and features into
// maps (see map.hpp).
#pragma once
#include "compact/map.hpp"

namespace laconic::compact {

// The hash of a string into `out`; false for text that is no valid Unicode, which no model holds.
inline bool hash_of(nb::handle text, uint64_t& out) {
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (!data) {
        PyErr_Clear();
        return false;
    }
    out = hash_bytes(data, static_cast<size_t>(size));
    return true;
}

// Words, sizes (n, n_long) and widths of a map, and the number of every key in the order given.
using PackedMap = std::tuple<Array<uint64_t>, Array<int32_t>, Array<uint8_t>, Array<int64_t>>;

// A map of different strings; without codes (empty) it numbers them. Unknown strings are taken for
// known ones at 2^-error_bits.
PackedMap pack_strings(nb::typed<nb::list, nb::str> strings, Vec<uint32_t> codes, int short_bits,
                       int long_bits, int error_bits, bool spill);

// A map of features: rows of values of atoms below their radixes, and one code each.
PackedMap pack_features(Mat<int64_t> values, Vec<int64_t> radix, Vec<uint32_t> codes,
                        int short_bits, int long_bits, int error_bits);

// Maps of strings, one per view.
class Strings {
  public:
    Strings(Vec<uint64_t> words, Sizes sizes, Widths widths)
        : maps_(words, sizes, widths, std::vector<int64_t>(sizes.shape(0), 0)) {}
    int64_t size(int64_t m) const { return map(m).shape.n; }
    // The number of every string in map m, -1 where it is not there; None is nowhere.
    Array<int32_t> numbers(int64_t m, nb::list strings) const {
        const Map& map = this->map(m);
        std::vector<int32_t> out;
        out.reserve(nb::len(strings));
        for (nb::handle text : strings) out.push_back(static_cast<int32_t>(find(map, text)));
        return to_numpy(std::move(out));
    }
    // The code of every string in map m, -1 where it is not there.
    Array<int32_t> codes(int64_t m, nb::list strings) const {
        const Map& map = this->map(m);
        std::vector<int32_t> out;
        out.reserve(nb::len(strings));
        for (nb::handle text : strings) {
            const int64_t number = find(map, text);
            out.push_back(number < 0 ? -1 : static_cast<int32_t>(map.code(number).value));
        }
        return to_numpy(std::move(out));
    }
    void check_codes(int64_t m, int64_t n_codes) const { map(m).check_codes(n_codes, n_codes); }
    // The codes of entries by number.
    Array<int32_t> codes_of(int64_t m, Vec<int32_t> numbers) const {
        const Map& map = this->map(m);
        check_range(numbers, 0, map.shape.n, "numbers");
        std::vector<int32_t> out;
        out.reserve(numbers.size());
        for (size_t i = 0; i < numbers.size(); ++i)
            out.push_back(static_cast<int32_t>(map.code(numbers.data()[i]).value));
        return to_numpy(std::move(out));
    }
    const Map& map(int64_t m) const {
        require(m >= 0 && m < maps_.size(), "there is no such map");
        return maps_[m];
    }

  private:
    static int64_t find(const Map& map, nb::handle text) {
        if (text.is_none()) return -1;
        require(PyUnicode_Check(text.ptr()), "expected a list of strings");
        uint64_t key = 0;
        return hash_of(text, key) ? map.find(map.mix(key)) : -1;
    }
    Maps maps_;
};

}  // namespace laconic::compact
