// Packing of maps into the three arrays that files hold, and maps of strings.
#include "compact/strings.hpp"

namespace laconic::compact {

namespace {

PackedMap packed(Built&& built) {
    const Shape& s = built.shape;
    std::vector<int32_t> sizes{static_cast<int32_t>(s.n), static_cast<int32_t>(s.n_long)};
    std::vector<uint8_t> widths;
    for (int width : {s.bucket_bits, s.rest_bits, s.short_bits, s.long_bits, s.seed})
        widths.push_back(static_cast<uint8_t>(width));
    return std::make_tuple(to_numpy(std::move(built.words)), to_numpy(std::move(sizes)),
                           to_numpy(std::move(widths)), to_numpy(std::move(built.number)));
}

void check_widths(const Vec<uint32_t>& codes, int short_bits, int long_bits) {
    require(short_bits >= 0 && short_bits <= kMostCodeBits && long_bits >= 0 &&
                long_bits <= kMostCodeBits,
            "codes have at most 31 bits");
    for (size_t i = 0; i < codes.size(); ++i) {
        const int bits = std::bit_width(codes.data()[i]);
        require(bits <= short_bits || long_bits == 0 || bits <= long_bits,
                "a code has more bits than the long ones");
    }
}

}  // namespace

PackedMap pack_strings(nb::typed<nb::list, nb::str> strings, Vec<uint32_t> codes, int short_bits,
                       int long_bits, int error_bits, bool spill) {
    check_widths(codes, short_bits, long_bits);
    require(codes.size() == 0 || codes.size() == nb::len(strings),
            "codes must be empty or have one entry per string");
    require(error_bits >= 1 && error_bits <= 40, "error_bits must be from 1 to 40");
    std::vector<uint64_t> keys;
    for (nb::handle text : strings) {
        uint64_t key = 0;
        require(hash_of(text, key), "a string is no valid Unicode");
        keys.push_back(key);
    }
    return packed(build(keys, codes.size() ? codes.data() : nullptr, short_bits, long_bits, 0,
                        error_bits, spill));
}

PackedMap pack_features(Mat<int64_t> values, Vec<int64_t> radix_in, Vec<uint32_t> codes,
                        int short_bits, int long_bits, int error_bits) {
    check_widths(codes, short_bits, long_bits);
    const size_t n_atoms = values.shape(1);
    require(radix_in.size() == n_atoms && codes.size() == values.shape(0),
            "there must be one radix per atom and one code per feature");
    require(error_bits >= 1 && error_bits <= 64, "error_bits must be from 1 to 64");
    const Radix radix(std::vector<int64_t>(radix_in.data(), radix_in.data() + n_atoms));
    std::vector<uint64_t> keys(values.shape(0), 0);
    for (size_t i = 0; i < keys.size(); ++i)
        for (size_t a = 0; a < n_atoms; ++a) {
            const int64_t value = values.data()[i * n_atoms + a];
            require(value >= 0 && value < radix.radix[a], "a value is not below its radix");
            keys[i] += static_cast<uint64_t>(value) * radix.multiplier[a];
        }
    return packed(build(keys, codes.data(), short_bits, long_bits, radix.universe, error_bits));
}

}  // namespace laconic::compact
