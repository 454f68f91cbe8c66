// Features of templates with rows of weights, in compact maps: a template's features are numbers in
// a mixed radix, the code of a feature in the template's map names its row.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "compact/rows.hpp"

namespace laconic::compact {

class Features {
  public:
    // maps: words, sizes and widths, see Maps. The first n_shared rows are named by short codes;
    // after them come the rows of long codes, template after template.
    Features(std::vector<Radix>&& radix, const MapArrays& maps, int64_t n_rows, int64_t n_shared)
        : radix_(std::move(radix)),
          maps_(std::get<0>(maps), std::get<1>(maps), std::get<2>(maps), universes(radix_)) {
        require(n_shared >= 0 && n_shared <= n_rows, "there are more shared rows than rows");
        int64_t first = n_shared;
        for (int64_t m = 0; m < size(); ++m) {
            const Map& map = maps_[m];
            require(map.shape.long_bits == 0, "long codes of features have no bits");
            map.check_codes(n_shared, map.shape.n_long);
            first_own_.push_back(first);
            first += map.shape.n_long;
            require(first <= n_rows, "a code names a row that is not there");
        }
        require(first == n_rows, "there are rows that no feature has");
    }
    int64_t size() const { return static_cast<int64_t>(radix_.size()); }
    const Map& map(int64_t m) const { return maps_[m]; }
    const std::vector<Radix>& radix() const { return radix_; }
    int64_t first_own(int64_t m) const { return first_own_[m]; }  // the row of its first long code
    int64_t row_of(int64_t m, int64_t number) const {
        const Code code = maps_[m].code(number);
        return code.is_long ? first_own_[m] + code.value : int64_t{code.value};
    }

    bool exact(int64_t m) const {
        check(m);
        return radix_[m].universe > 0 && maps_[m].shape.exact();
    }
    Array<int64_t> sizes() const {
        std::vector<int64_t> out;
        for (int64_t m = 0; m < size(); ++m) out.push_back(maps_[m].shape.n);
        return to_numpy(std::move(out));
    }
    // The row of every feature of a template, in the order of their numbers.
    Array<uint32_t> rows(int64_t m) const {
        check(m);
        std::vector<uint32_t> out;
        for (int64_t i = 0; i < maps_[m].shape.n; ++i)
            out.push_back(static_cast<uint32_t>(row_of(m, i)));
        return to_numpy(std::move(out));
    }
    // The values that name every feature of an exact template, each below its radix.
    Array<int64_t> values(int64_t m) const {
        require(exact(m), "the features of this template are known by hashes alone");
        const auto& radix = radix_[m].radix;
        std::vector<int64_t> out(maps_[m].shape.n * radix.size());
        maps_[m].each_key([&](int64_t number, uint64_t key) {
            for (size_t a = 0; a < radix.size(); ++a) {
                out[number * radix.size() + a] = static_cast<int64_t>(key % radix[a]);
                key /= radix[a];
            }
            require(key == 0, "a feature mentions a value that is not there");
        });
        return to_numpy(std::move(out));
    }

  private:
    void check(int64_t m) const { require(m >= 0 && m < size(), "there is no such template"); }
    static std::vector<int64_t> universes(const std::vector<Radix>& radix) {
        std::vector<int64_t> out;
        for (const Radix& of_template : radix) out.push_back(of_template.universe);
        return out;
    }

    std::vector<Radix> radix_;
    Maps maps_;
    std::vector<int64_t> first_own_;
};

}  // namespace laconic::compact
