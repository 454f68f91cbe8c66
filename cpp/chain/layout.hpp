// How weights of (feature, label) pairs lie in memory, and what a token has to add up. Three facts
// about features of text make it short:
//
// Twins. Features that fire at the very same tokens (all those seen once at one token, for a start)
// have the same gradient for ever. They can share one weight for each label, which counts as often
// as there are twins: a unit.
//
// Implied templates. Where p-1 p0 p1 fires, p-1 p0 does too, and its value is known. If the
// features of template a determine those of template b, at all tokens, b becomes a child of a: rows
// of labels are added up once for every feature of a rather than once for every token. Templates
// become trees, of which a token sees the roots.
//
// Rows. A feature that fires often, and has children or many labels, gets a row of all labels, to
// be added as a vector. Others are narrow: a walk over the few labels they were seen with. Features
// that are not worth a row hand what they refer to on to their parents, at last to the tokens.
#pragma once
#include <cstdint>
#include <vector>

#include "numeric/aligned.hpp"

namespace laconic::chain {

using numeric::AlignedVector;

// References of tokens, or of rows: to rows, and to narrow units by their first weight.
class References {
  public:
    struct Span {
        const int32_t *rows, *narrow;
        int n_rows, n_narrow;
    };
    Span operator[](int64_t k) const {
        const int32_t *begin = item_.data() + ptr_[2 * k], *middle = item_.data() + ptr_[2 * k + 1];
        return {begin, middle, static_cast<int>(middle - begin),
                static_cast<int>(ptr_[2 * k + 2] - ptr_[2 * k + 1])};
    }
    int64_t size() const { return static_cast<int64_t>(ptr_.size() / 2); }
    // Adds an entry: items from 0 on are rows, ~w is the narrow unit whose first weight is w.
    void push(const std::vector<int32_t>& items) {
        for (int32_t item : items)
            if (item >= 0) item_.push_back(item);
        ptr_.push_back(static_cast<uint32_t>(item_.size()));
        for (int32_t item : items)
            if (item < 0) item_.push_back(~item);
        ptr_.push_back(static_cast<uint32_t>(item_.size()));
    }
    void done() {
        item_.shrink_to_fit();
        ptr_.shrink_to_fit();
    }

  private:
    std::vector<uint32_t> ptr_{0};
    std::vector<int32_t> item_;
};

struct ChainLayout {
    // Weights for all labels or for those seen; twins in one unit or apart; implied templates as
    // children or on their own: a row takes memory for all labels, which where these are pairs of
    // labels can be far more than the weights that it stands for.
    struct Shape {
        bool all_labels = false, merge_twins = false, nest = true;
    };

    // ids (n_tokens, n_templates) by tokens, the features of template m from first[m] to first[m +
    // 1]; label -1: none here.
    ChainLayout(const int32_t* ids, const std::vector<int64_t>& first,
                const std::vector<int32_t>& gold, int n_labels, Shape shape);

    // Trees of templates that threads take one by one. The rows of a block follow those of the
    // block before; a row refers to rows before it in its block.
    struct Block {
        int64_t first_row = 0, last_row = 0;
        // Of each row: the first weight of its own unit, -1 if it has none.
        std::vector<int32_t> own;
        References rows, tokens;
    };

    static constexpr uint16_t last_label = 0x8000;   // marks the last weight of a unit
    std::vector<int32_t> unit_ptr;                   // weights of a unit
    std::vector<int32_t> times;                      // tokens of a unit
    std::vector<int32_t> twins;                      // features of a unit
    std::vector<int32_t> feature_unit, first_token;  // of a feature; n_tokens: it never fires
    AlignedVector<uint16_t> label;                   // of a weight
    std::vector<Block> blocks;
    int64_t n_rows = 0;
};

}  // namespace laconic::chain
