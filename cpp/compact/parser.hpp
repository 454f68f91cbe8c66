// A parser that reads its weights from compact maps:
//
//     score(part) = sum over templates of weight(feature at the part)        as in tree/parser.hpp
//
// A feature is a number (part_numbers.hpp); its code in the template's map names its weight.
// Weights are added in the order of templates and parts, so that sums are those of the plain parser
// to the last bit.
#pragma once
#include "compact/features.hpp"
#include "compact/part_numbers.hpp"
#include "tree/parsing.hpp"

namespace laconic::compact {

using text::Columns;
using tree::Candidates;
using tree::each_block;
using tree::kDistance;
using tree::KeyBlock;
using tree::kHead;
using tree::kModifier;
using tree::PartList;
using tree::PartTemplates;
using tree::PartWords;
using tree::TreeDecoder;
using tree::TreeShape;
using tree::TreeState;

class CompactParser;

// Features to be looked up: of each its number, and where its weight is added; and what is found
// out about it on the way.
struct Wanted {
    static constexpr int kMost = KeyBlock::kMost;
    int count = 0;
    std::array<uint64_t, kMost> key, fields;
    std::array<int32_t, kMost> place, in_bucket, left;
    std::array<int64_t, kMost> first;  // entry of its bucket; then its own
    std::array<uint8_t, kMost> tried;
};

struct CompactParse : TreeState {
    explicit CompactParse(const CompactParser& parser);
    PartNumbers numbers;
    PartWords words;
    Wanted wanted;
};

class CompactParser : public TreeDecoder {
  public:
    using Work = CompactParse;

    CompactParser(const PartTemplates& templates, const TreeShape& shape, Vec<int64_t> n_values_in,
                  const MapArrays& maps, const Rows<float>& rows, int64_t n_shared)
        : TreeDecoder(templates, shape),
          n_values(checked(n_values_in)),
          features(PartNumbers::radixes(templates, n_values), maps, rows.size(), n_shared) {
        for (int64_t row = 0; row < rows.size(); ++row) {
            require(rows.end(row) - rows.begin(row) == 1, "a feature of a part has one weight");
            weight_.push_back(rows.begin(row)->value);
        }
        for (int64_t k = 0; k < features.size(); ++k)
            code_numbers_.push_back(PartNumbers::code_numbers(templates, k, features.radix()[k]));
    }

    void check(const Columns& columns) const {
        require(columns.n_views == static_cast<int64_t>(n_values.size()),
                "columns must have a row for every view");
        for (int64_t v = 0; v < columns.n_views; ++v) {
            int32_t largest = -1;  // found without a branch per token
            for (int64_t t = 0; t < columns.n_tokens; ++t)
                largest = std::max(largest, columns.data[v * columns.n_tokens + t]);
            require(largest < n_values[v], "columns hold a value that no view has");
        }
    }

    // Parts of sentence s and their scores.
    void read(const Columns& columns, int64_t s, const Candidates& candidates,
              CompactParse& at) const;

    const std::vector<int64_t> n_values;
    const Features features;

  private:
    void read_fast(const Columns& columns, int64_t s, const Candidates& candidates,
                   CompactParse& at) const;
    static std::vector<int64_t> checked(const Vec<int64_t>& n_values) {
        check_range(n_values, 0, kMostEntries - 2 * text::Templates::kFarthest, "n_values");
        return {n_values.data(), n_values.data() + n_values.size()};
    }

    void add_template(int64_t k, CompactParse& at) const;
    void add_weights(int64_t k, const uint64_t* number, const int32_t* place, int count,
                     Wanted& wanted, double* out) const;

    std::vector<float> weight_;                        // by row
    std::vector<std::vector<uint64_t>> code_numbers_;  // by template and code of directions
};

}  // namespace laconic::compact
