// Features of parts as numbers: the values that name one, from 0 on, in a mixed radix. What a word
// contributes to the number of a part's feature does not depend on the other words, so that numbers
// are sums as the hashes of part_templates.hpp are.
//
// A value of an atom is that of its view, or counted on from these: the root, nobody, and as many
// places outside the sentence as the atom's offset can reach. Directions and distances that a kind
// of part can have are numbered without holes.
#pragma once
#include <memory>

#include "compact/map.hpp"
#include "tree/part_templates.hpp"

namespace laconic::compact {

using text::Columns;
using tree::kDistance;
using tree::kGone;
using tree::kGrandchildPart;
using tree::kGrandSiblingPart;
using tree::PartTemplates;
using tree::PartValues;
using tree::PartWords;

class PartNumbers : public PartValues {
  public:
    PartNumbers(const PartTemplates& templates, const std::vector<int64_t>& n_values,
                const std::vector<compact::Radix>& radix)
        : PartValues(templates), n_values_(n_values), radix_(radix) {}

    // How many values each place of a feature's name has, template by template.
    static std::vector<compact::Radix> radixes(const PartTemplates& of,
                                               const std::vector<int64_t>& n_values) {
        require(static_cast<int64_t>(n_values.size()) >= of.n_views_,
                "n_values must have an entry for every view");
        std::vector<compact::Radix> out;
        for (int64_t k = 0; k < of.size(); ++k) {
            std::vector<int64_t> radix;
            for (int64_t i = of.ptr_[k]; i < of.ptr_[k + 1]; ++i) {
                const auto& atom = of.distinct_[of.atom_[i]];
                radix.push_back(n_values[atom.view] + kOthers + std::abs(atom.offset));
            }
            if (of.knows_shape(k)) radix.push_back(n_codes(of, k));
            if (of.between(k) >= 0) radix.push_back(std::max<int64_t>(1, n_values[of.between(k)]));
            out.emplace_back(radix);
        }
        return out;
    }
    // What the directions and the distance of a part contribute to the numbers of template k, by
    // their code.
    static std::vector<uint64_t> code_numbers(const PartTemplates& of, int64_t k,
                                              const compact::Radix& radix) {
        if (!of.knows_shape(k)) return {};
        const uint64_t multiplier = radix.multiplier[of.ptr_[k + 1] - of.ptr_[k]];
        const bool distance = of.special(k) == kDistance, grand = has_grand(of, k);
        std::vector<uint64_t> out;
        for (int code = 0; code <= kMostCode; ++code) {
            const int number = (grand ? code : code >> 1) - (distance ? n_directions(grand) : 0);
            out.push_back(number >= 0 && number < n_codes(of, k)
                              ? static_cast<uint64_t>(number) * multiplier
                              : 0);
        }
        return out;
    }

    void read(const Columns& columns, int64_t begin, int n) {
        open(columns, begin, n);
        number_.resize(of_.distinct_.size() * (n + 1));
        for (size_t a = 0; a < of_.distinct_.size(); ++a)
            for (int p = 0; p <= n; ++p)
                number_[a * (n + 1) + p] =
                    number_of(of_.distinct_[a], value_at(of_.distinct_[a], p));
    }
    void words(int64_t k, PartWords& out) {
        const size_t width = n_ + 1;
        scaled_.resize(width);
        out.clear();
        for (int64_t i = of_.ptr_[k]; i < of_.ptr_[k + 1]; ++i) {
            const int a = of_.atom_[i];
            const uint64_t multiplier = radix_[k].multiplier[i - of_.ptr_[k]];
            const int32_t* number = number_.data() + a * width;
            for (size_t p = 0; p < width; ++p)
                scaled_[p] =
                    number[p] == -1 ? kGone : static_cast<uint64_t>(number[p]) * multiplier;
            out.add(of_.distinct_[a].role, scaled_.data(), width);
        }
    }
    // Calls body(value) for every distinct value of a view between two words.
    template <class Body>
    void each_between(int view, int low, int high, Body body) {
        PartValues::each_between(
            view, low, high, [](int32_t value) { return static_cast<uint64_t>(value); }, body);
    }

  private:
    static constexpr int64_t kOthers = 2;                       // the root and nobody
    static constexpr int kBins = 8, kMostCode = 4 * kBins + 3;  // distances are 1 .. kBins

    static bool has_grand(const PartTemplates& of, int64_t k) {
        return of.kind(k) == kGrandchildPart || of.kind(k) == kGrandSiblingPart;
    }
    static int n_directions(bool grand) { return grand ? 4 : 2; }
    static int n_codes(const PartTemplates& of, int64_t k) {
        return n_directions(has_grand(of, k)) * (of.special(k) == kDistance ? kBins : 1);
    }
    int32_t number_of(const PartTemplates::Atom& atom, int32_t value) const {
        if (value >= -1) return value;
        const int32_t n = static_cast<int32_t>(n_values_[atom.view]);
        if (value == PartTemplates::kRoot) return n;
        if (value == PartTemplates::kNobody) return n + 1;
        return n + kOthers - 1 +
               (value > text::Templates::kAfter ? value - text::Templates::kAfter
                                                : value - text::Templates::kBefore);
    }

    const std::vector<int64_t>& n_values_;
    const std::vector<compact::Radix>& radix_;
    // Of distinct atom a at word p: [a * (n + 1) + p], -1 where it has none.
    std::vector<int32_t> number_;
    std::vector<uint64_t> scaled_;
};

}  // namespace laconic::compact
