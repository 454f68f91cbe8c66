// Feature templates: conjunctions of views at offsets. At position t, template m with atoms (view,
// offset) has the feature
//
//     (m, columns[view_1][t + offset_1], columns[view_2][t + offset_2], ...)
//
// known by a 64-bit key. With 10^7 features two share a key with probability 3e-6, so keys stand
// for features everywhere.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "door/checks.hpp"

namespace laconic::text {

// Tokens of all sentences: view v of token t is data[v * n_tokens + t]; sentence s is [ptr[s],
// ptr[s + 1]).
struct Columns {
    Columns(Mat<int32_t> columns, const Vec<int64_t>& ptr_in)
        : data(columns.data()),
          n_views(static_cast<int64_t>(columns.shape(0))),
          n_tokens(static_cast<int64_t>(columns.shape(1))),
          n_sentences(static_cast<int64_t>(ptr_in.size()) - 1),
          ptr(ptr_in.data()) {
        check_ptr(ptr_in, n_tokens, "ptr");
        require(n_tokens < INT32_MAX, "there must be fewer than 2^31 tokens at a time");
        for (int64_t i = 0; i < n_views * n_tokens; ++i)
            require(data[i] >= -1, "columns must hold numbers from -1 on");
    }
    const int32_t* data;
    int64_t n_views, n_tokens, n_sentences;
    const int64_t* ptr;
};

using Matrix32 = Mat<int32_t>;

class Templates {
  public:
    // Values d steps outside: plus d.
    static constexpr int32_t kBefore = INT32_MIN, kAfter = INT32_MIN + 4096;
    static constexpr int32_t kFarthest = 4095;

    Templates(const Vec<int64_t>& atom_ptr, const Vec<int32_t>& atom_view,
              const Vec<int32_t>& atom_offset)
        : ptr_(atom_ptr.data(), atom_ptr.data() + atom_ptr.size()),
          view_(atom_view.data(), atom_view.data() + atom_view.size()),
          offset_(atom_offset.data(), atom_offset.data() + atom_offset.size()) {
        check_ptr(atom_ptr, static_cast<int64_t>(view_.size()), "atom_ptr");
        require(view_.size() == offset_.size(),
                "atom_view and atom_offset must have the same length");
        for (size_t a = 0; a < view_.size(); ++a) {
            require(view_[a] >= 0, "atom_view must not hold negative numbers");
            require(offset_[a] >= -kFarthest && offset_[a] <= kFarthest,
                    "atom_offset must lie within 4095 steps");
            n_views_ = std::max(n_views_, int64_t{view_[a]} + 1);
            reach_ = std::max(reach_, std::abs(offset_[a]));
        }
    }
    int64_t size() const { return static_cast<int64_t>(ptr_.size()) - 1; }
    bool operator==(const Templates&) const = default;
    int64_t n_atoms(int64_t m) const { return ptr_[m + 1] - ptr_[m]; }

    void check(const Columns& columns) const {
        require(columns.n_views >= n_views_,
                "columns must have a row for every view the templates name");
    }

    // One sentence with its surroundings: every view padded by `reach` positions on both sides.
    void pad(const Columns& columns, int64_t begin, int64_t n, std::vector<int32_t>& padded) const {
        const int64_t width = n + 2 * reach_;
        padded.resize(static_cast<size_t>(n_views_ * width));
        for (int64_t v = 0; v < n_views_; ++v) {
            int32_t* row = padded.data() + v * width;
            for (int32_t d = 1; d <= reach_; ++d) {
                row[reach_ - d] = kBefore + d;
                row[reach_ + n + d - 1] = kAfter + d;
            }
            std::copy_n(columns.data + v * columns.n_tokens + begin, n, row + reach_);
        }
    }

    // out[t] = key of template m at position t of the padded sentence, 0 where an atom is missing
    // and the template does not fire.
    void keys(int64_t m, const std::vector<int32_t>& padded, int64_t n, uint64_t* out) const {
        const int64_t width = n + 2 * reach_;
        const auto values_of = [&](int64_t a) {
            return padded.data() + view_[a] * width + reach_ + offset_[a];
        };
        std::fill(out, out + n, seed(m));
        for (int64_t a = ptr_[m]; a < ptr_[m + 1]; ++a) {
            const int32_t* value = values_of(a);
            for (int64_t t = 0; t < n; ++t) out[t] = join(out[t], value[t]);
        }
        for (int64_t t = 0; t < n; ++t) out[t] = finish(out[t]);
        // Missing values are rare: a quick look for any is cheaper than a question at every step.
        for (int64_t a = ptr_[m]; a < ptr_[m + 1]; ++a) {
            const int32_t* value = values_of(a);
            int missing = 0;
            for (int64_t t = 0; t < n; ++t) missing |= value[t] == -1;
            if (missing)
                for (int64_t t = 0; t < n; ++t) out[t] = value[t] == -1 ? 0 : out[t];
        }
    }

    // The atoms' values of template m at position t of a sentence of n tokens; column(view) is a
    // view's values from its first token.
    template <class Column>
    void values(int64_t m, Column column, int64_t n, int64_t t, int32_t* out) const {
        for (int64_t a = ptr_[m]; a < ptr_[m + 1]; ++a) {
            const int64_t at = t + offset_[a];
            *out++ = at < 0    ? kBefore + static_cast<int32_t>(-at)
                     : at >= n ? kAfter + static_cast<int32_t>(at - n + 1)
                               : column(view_[a])[at];
        }
    }

    // The key of template m with given values of its atoms.
    uint64_t key(int64_t m, const int32_t* value) const {
        uint64_t state = seed(m);
        for (int64_t a = 0; a < n_atoms(m); ++a) {
            if (value[a] == -1) return 0;
            state = join(state, value[a]);
        }
        return finish(state);
    }

  private:
    static uint64_t seed(int64_t m) {
        return (static_cast<uint64_t>(m) + 1) * 0x9E3779B97F4A7C15ull;
    }
    static uint64_t join(uint64_t state, int32_t value) {
        const uint64_t mixed = ((state << 23) | (state >> 41)) ^
                               (static_cast<uint32_t>(value) * 0xD6E8FEB86659FD93ull);
        return mixed * 0xFF51AFD7ED558CCDull;
    }
    // Never 0 but by a chance of 2^-64: 0 says that a template does not fire.
    static uint64_t finish(uint64_t state) {
        state = (state ^ (state >> 32)) * 0xC4CEB9FE1A85EC53ull;
        return state ^ (state >> 29);
    }

    std::vector<int64_t> ptr_;
    std::vector<int32_t> view_, offset_;
    int64_t n_views_ = 0;
    int32_t reach_ = 0;
};

// ids[token * M + m] = number of template m's feature at the token, or -1; the numbers of template
// m are a slice, in order of first occurrence; sizes[m] = how many it has.
void number_features(const Templates& templates, const Columns& columns, int threads,
                     std::vector<int32_t>& ids, std::vector<int64_t>& sizes);

// The same for Python: ids and sizes.
std::tuple<Array<int32_t>, Array<int64_t>> number(const Templates& templates, Matrix32 columns,
                                                  Vec<int64_t> ptr, int threads);

}  // namespace laconic::text
