// Templates over the parts of dependency trees: conjunctions of views at a part's words and near
// them.
//
// A part has up to five roles: head h, modifier m, sibling s between them, head g of the head, next
// sibling t. Template k with atoms (role, view, offset) has at a part the feature of key
//
//     sum over atoms of hash(role, view, offset, value at the role's word + offset)  +
//     hash(direction or distance)
//
// so that what depends on one word is hashed once per word, and a part costs one addition per role.
// A template with a view "between" fires once for every distinct value strictly between h and m.
// Parts larger than arcs always know their directions.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "door/checks.hpp"
#include "text/templates.hpp"

namespace laconic::compact {
class PartNumbers;
}

namespace laconic::tree {

using text::Columns;
using text::Matrix32;
using text::Templates;

enum Role { kHead = 0, kModifier = 1, kSiblingRole = 2, kGrand = 3, kThird = 4, kRoles = 5 };
enum Kind {
    kArcPart = 0,
    kSiblingPart = 1,
    kGrandchildPart = 2,
    kGrandSiblingPart = 3,
    kTriSiblingPart = 4,
    kKinds = 5
};
enum Special { kNoSpecial = 0, kDirection = 1, kDistance = 2 };

inline uint64_t mixed(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
}

// The words of a part; one without a word (no sibling, no child) has the sentence's length there.
struct Part {
    int32_t word[kRoles];
    bool operator==(const Part&) const = default;
};

class PartTemplates {
  public:
    // Values of the root, and where there is no word.
    static constexpr int32_t kRoot = INT32_MIN + 8192, kNobody = kRoot + 1;

    PartTemplates(const Vec<int32_t>& kind, const Vec<int32_t>& special,
                  const Vec<int32_t>& between, const Vec<int64_t>& atom_ptr,
                  const Vec<int32_t>& atom_role, const Vec<int32_t>& atom_view,
                  const Vec<int32_t>& atom_offset)
        : kind_(kind.data(), kind.data() + kind.size()),
          special_(special.data(), special.data() + special.size()),
          between_(between.data(), between.data() + between.size()) {
        const size_t M = kind.size(), n_atoms = atom_role.size();
        check_ptr(atom_ptr, static_cast<int64_t>(n_atoms), "atom_ptr");
        require(special.size() == M && between.size() == M && atom_ptr.size() == M + 1,
                "kind, special, between and atom_ptr must agree on the number of templates");
        require(atom_view.size() == n_atoms && atom_offset.size() == n_atoms,
                "atom_role, atom_view and atom_offset must agree");
        check_range(kind, 0, kKinds, "kind");
        check_range(special, 0, 3, "special");
        check_range(atom_role, 0, kRoles, "atom_role");
        for (size_t k = 0; k < M; ++k) {
            require(between_[k] >= -1, "between must be a view or -1");
            require(between_[k] < 0 || kind_[k] == kArcPart, "only templates of arcs look between");
            n_views_ = std::max(n_views_, int64_t{between_[k]} + 1);
            ptr_.push_back(static_cast<int64_t>(atom_.size()));
            for (int64_t a = atom_ptr.data()[k]; a < atom_ptr.data()[k + 1]; ++a) {
                const Atom atom{atom_role.data()[a], atom_view.data()[a], atom_offset.data()[a]};
                require(atom.view >= 0, "atom_view must not hold negative numbers");
                require(std::abs(atom.offset) <= 100, "atom_offset must lie within 100 steps");
                n_views_ = std::max(n_views_, int64_t{atom.view} + 1);
                const auto found = std::find(distinct_.begin(), distinct_.end(), atom);
                atom_.push_back(static_cast<int32_t>(found - distinct_.begin()));
                if (found == distinct_.end()) distinct_.push_back(atom);
            }
        }
        ptr_.push_back(static_cast<int64_t>(atom_.size()));
    }
    int64_t size() const { return static_cast<int64_t>(kind_.size()); }
    int kind(int64_t k) const { return kind_[k]; }
    int special(int64_t k) const { return special_[k]; }
    int between(int64_t k) const { return between_[k]; }
    bool has(int kind) const { return std::find(kind_.begin(), kind_.end(), kind) != kind_.end(); }
    // How many values name a feature: those of its atoms, the one between, and the direction or
    // distance.
    int64_t n_values(int64_t k) const {
        return ptr_[k + 1] - ptr_[k] + (between_[k] >= 0) + knows_shape(k);
    }
    bool knows_shape(int64_t k) const { return special_[k] != kNoSpecial || kind_[k] != kArcPart; }
    void check(const Columns& columns) const {
        require(columns.n_views >= n_views_,
                "columns must have a row for every view the templates name");
    }

  private:
    struct Atom {
        int32_t role, view, offset;
        bool operator==(const Atom&) const = default;
    };
    std::vector<int32_t> kind_, special_, between_, atom_;
    std::vector<int64_t> ptr_;
    std::vector<Atom> distinct_;
    int64_t n_views_ = 0;

    friend class PartValues;
    friend class PartKeys;
    friend class compact::PartNumbers;
};

constexpr uint64_t kGone = ~uint64_t{0};  // the key of a word at which a template does not fire

// What each role contributes to the keys of one template: key[role][p] with word p.
struct PartWords {
    std::vector<uint64_t> key[kRoles];
    bool has[kRoles];
    bool missing[kRoles];  // whether some word has no key

    void clear() {
        for (int r = 0; r < kRoles; ++r) has[r] = missing[r] = false;
    }
    // One atom more: what it contributes with each word.
    void add(int r, const uint64_t* of_word, size_t width) {
        if (!has[r]) {
            has[r] = true;
            key[r].assign(of_word, of_word + width);
            for (size_t p = 0; p < width; ++p) missing[r] |= of_word[p] == kGone;
            return;
        }
        uint64_t* sum = key[r].data();
        for (size_t p = 0; p < width; ++p) {
            const bool gone = of_word[p] == kGone || sum[p] == kGone;
            missing[r] |= gone;
            sum[p] = gone ? kGone : sum[p] + of_word[p];
        }
    }
};

// The values of one sentence's words: the root is word 0, words are 1 .. n - 1, n is nobody.
class PartValues {
  public:
    explicit PartValues(const PartTemplates& templates) : of_(templates) {}

  protected:
    void open(const Columns& columns, int64_t begin, int n) {
        n_ = n;
        begin_ = begin;
        columns_ = &columns;
        lists_of_ = -1;
    }
    int32_t at(int view, int p) const {
        return columns_->data[view * columns_->n_tokens + begin_ + p - 1];
    }
    int32_t value_at(const PartTemplates::Atom& atom, int p) const {
        if (p == n_) return PartTemplates::kNobody;
        p += atom.offset;
        if (p < 0) return Templates::kBefore - p;
        if (p >= n_) return Templates::kAfter + (p - n_ + 1);
        return p == 0 ? PartTemplates::kRoot : at(atom.view, p);
    }
    // Calls body(code(value)) for every distinct value of a view between two words.
    template <class Code, class Body>
    void each_between(int view, int low, int high, Code code, Body body) {
        if (lists_of_ != view) list_between(view, code);
        const int count = counts_[low * (n_ + 1) + high];
        const uint64_t* list = lists_.data() + static_cast<size_t>(low) * n_;
        for (int i = 0; i < count; ++i) body(list[i]);
    }

    const PartTemplates& of_;
    const Columns* columns_ = nullptr;
    int n_ = 0;
    int64_t begin_ = 0;

  private:
    // Distinct values after word `low` in their order: those before `high` are the first
    // counts[low, high] of them.
    template <class Code>
    void list_between(int view, Code code) {
        lists_of_ = view;
        lists_.assign(static_cast<size_t>(n_) * n_, 0);
        counts_.assign(static_cast<size_t>(n_ + 1) * (n_ + 1), 0);
        std::vector<int32_t> seen;
        for (int low = 0; low < n_; ++low) {
            seen.clear();
            for (int p = low + 1; p < n_; ++p) {
                counts_[low * (n_ + 1) + p] = static_cast<int32_t>(seen.size());
                const int32_t value = at(view, p);
                if (value == -1 || std::find(seen.begin(), seen.end(), value) != seen.end())
                    continue;
                lists_[static_cast<size_t>(low) * n_ + seen.size()] = code(value);
                seen.push_back(value);
            }
        }
    }

    int lists_of_ = -1;  // the view that lists_ and counts_ are about
    std::vector<uint64_t> lists_;
    std::vector<int32_t> counts_;
};

// The hashes of one sentence's words.
class PartKeys : public PartValues {
  public:
    using PartValues::PartValues;

    void read(const Columns& columns, int64_t begin, int n) {
        open(columns, begin, n);
        const size_t width = n + 1;
        hash_.resize(of_.distinct_.size() * width);
        for (size_t a = 0; a < of_.distinct_.size(); ++a)
            for (int p = 0; p <= n; ++p) {
                const int32_t value = value_at(of_.distinct_[a], p);
                hash_[a * width + p] = value == -1 ? kGone : hash_of(a, value);
            }
    }
    int n() const { return n_; }

    void words(int64_t k, PartWords& out) const {
        out.clear();
        for (int64_t i = of_.ptr_[k]; i < of_.ptr_[k + 1]; ++i) {
            const int a = of_.atom_[i];
            out.add(of_.distinct_[a].role, hash_.data() + a * (n_ + 1), n_ + 1);
        }
    }

    // The directions of a part, and with `distance` the distance of head and modifier; a grand part
    // has a bit more.
    static int shape_code(const Part& part, bool distance) {
        const int h = part.word[kHead], m = part.word[kModifier], g = part.word[kGrand];
        return ((distance ? distance_bin(h, m) : 0) * 2 + (h < m)) * 2 + (g < h);
    }
    // What template k's keys know of a part's directions and distance.
    int code(int64_t k, const Part& part) const {
        return of_.knows_shape(k) ? shape_code(part, of_.special_[k] == kDistance) : 0;
    }
    static uint64_t code_hash(int code) {
        return mixed(0x5851F42D4C957F2Dull + static_cast<uint64_t>(code));
    }

    // Calls body(key) for every feature of template k at a part.
    template <class Body>
    void each(int64_t k, const Part& part, Body body) {
        const size_t width = n_ + 1;
        uint64_t key = code_hash(code(k, part));
        for (int64_t i = of_.ptr_[k]; i < of_.ptr_[k + 1]; ++i) {
            const int a = of_.atom_[i];
            const uint64_t hash = hash_[a * width + part.word[of_.distinct_[a].role]];
            if (hash == kGone) return;
            key += hash;
        }
        if (of_.between_[k] < 0) {
            body(key);
            return;
        }
        const int low = std::min(part.word[kHead], part.word[kModifier]),
                  high = std::max(part.word[kHead], part.word[kModifier]);
        each_between(of_.between_[k], low, high, [&](uint64_t value) { body(key + value); });
    }
    // Calls body(hash) for every distinct value of a view between two words.
    template <class Body>
    void each_between(int view, int low, int high, Body body) {
        PartValues::each_between(view, low, high, between_hash, body);
    }

    // The values that name the features of template k at a part (see n_values); false where it does
    // not fire. One more value is written by the caller for a view between.
    bool values(int64_t k, const Part& part, std::vector<int32_t>& out) const {
        out.clear();
        for (int64_t i = of_.ptr_[k]; i < of_.ptr_[k + 1]; ++i) {
            const auto& atom = of_.distinct_[of_.atom_[i]];
            out.push_back(value_at(atom, part.word[atom.role]));
            if (out.back() == -1) return false;
        }
        if (of_.knows_shape(k)) out.push_back(code(k, part));
        return true;
    }
    // The key of a feature by the values that name it: atoms, direction or distance if there is
    // one, the value between.
    static uint64_t key(const PartTemplates& of, int64_t k, const int32_t* value) {
        uint64_t key = 0;
        for (int64_t i = of.ptr_[k]; i < of.ptr_[k + 1]; ++i) key += hash_of(of.atom_[i], *value++);
        key += code_hash(of.knows_shape(k) ? *value++ : 0);
        return of.between_[k] >= 0 ? key + between_hash(*value) : key;
    }
    // The distinct values of a view between two words, in the order of each_between.
    void between_values(int view, int low, int high, std::vector<int32_t>& out) const {
        out.clear();
        for (int p = low + 1; p < high; ++p) {
            const int32_t value = at(view, p);
            if (value != -1 && std::find(out.begin(), out.end(), value) == out.end())
                out.push_back(value);
        }
    }
    static uint64_t between_hash(int32_t value) {
        return mixed(0xD1342543DE82EF95ull ^ static_cast<uint32_t>(value));
    }

    // 1 .. 5, 6-10, 11-20, more.
    static int distance_bin(int h, int m) {
        const int length = std::abs(h - m);
        return length <= 5 ? length : length <= 10 ? 6 : length <= 20 ? 7 : 8;
    }

  private:
    static uint64_t hash_of(size_t atom, int32_t value) {
        const uint64_t hash = mixed((static_cast<uint64_t>(atom) + 1) * 0x9E3779B97F4A7C15ull +
                                    static_cast<uint32_t>(value));
        return hash == kGone ? 1 : hash;
    }

    // Of distinct atom a at word p: [a * (n + 1) + p], kGone where it has no value.
    std::vector<uint64_t> hash_;
};

}  // namespace laconic::tree
