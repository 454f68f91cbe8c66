// The parts of a sentence that a model scores, and where their scores lie.
//
// Arcs that may be are numbered head by head; larger parts are made of them, so that few arcs make
// few parts. The scores of a kind are dense rows, found without search:
//
//     sibling (h, m, s)           sibling_row(arc h m) + |s - h|, 0 for no sibling
//     grandchild (g, h, m)        arc g h * n + m, h for no child
//     grand-sibling (g, h, m, s)  the row of arc g h + where (h, m, s) lies among the siblings of h
//     tri-sibling (h, m, s, t)    tri_row(sibling h m s) + |t - h|
#pragma once
#include <cstdint>
#include <vector>

#include "tree/part_templates.hpp"
#include "tree/projective_large.hpp"
#include "tree/shape.hpp"

namespace laconic::tree {

// Parts of one kind, role by role, the place of each one's score, and its directions without and
// with the distance.
struct PartList {
    std::vector<int32_t> word[kRoles];
    std::vector<int32_t> place;
    std::vector<uint8_t> shape, shape_and_distance;
    int64_t n_places = 0;

    int64_t size() const { return static_cast<int64_t>(place.size()); }
    void clear() {
        for (auto& column : word) column.clear();
        place.clear();
        shape.clear();
        shape_and_distance.clear();
        n_places = 0;
    }
    // Words that a kind has not are `nobody`.
    void add(const Part& part, int64_t at) {
        for (int r = 0; r < kRoles; ++r) word[r].push_back(part.word[r]);
        place.push_back(static_cast<int32_t>(at));
        shape.push_back(static_cast<uint8_t>(PartKeys::shape_code(part, false)));
        shape_and_distance.push_back(static_cast<uint8_t>(PartKeys::shape_code(part, true)));
    }
    Part part(int64_t i) const {
        return {{word[0][i], word[1][i], word[2][i], word[3][i], word[4][i]}};
    }
};

struct PlacedPart {
    int32_t place;
    Part part;
};

class PartLayout {
  public:
    explicit PartLayout(TreeModel model, bool single_root) : model_(model), single_(single_root) {}

    // allowed(h, m) for all arcs of a sentence of n - 1 words.
    template <class Allowed>
    void build(int n, Allowed allowed) {
        n_ = n;
        arc_of_.assign(static_cast<size_t>(n) * n, -1);
        first_.assign(1, 0);
        for (PartList& list : lists) list.clear();
        PartList& arcs = lists[kArcPart];
        for (int h = 0; h < n; ++h) {
            for (int m = 1; m < n; ++m)
                if (m != h && allowed(h, m)) {
                    arc_of_[static_cast<size_t>(h) * n + m] = static_cast<int32_t>(arcs.size());
                    arcs.add(part(h, m, n, n, n), arcs.size());
                }
            first_.push_back(static_cast<int32_t>(arcs.size()));
        }
        arcs.n_places = arcs.size();
        if (model_ != TreeModel::arcs) build_siblings();
        if (model_ == TreeModel::carreras) build_grandchildren(true);
        if (model_ >= TreeModel::grand_siblings) {
            build_grandchildren(false);
            build_grand_siblings();
        }
        if (model_ == TreeModel::tri_siblings) build_tri_siblings();
    }
    int n() const { return n_; }
    TreeModel model() const { return model_; }
    bool single_root() const { return single_; }
    int32_t arc(int h, int m) const { return arc_of_[static_cast<size_t>(h) * n_ + m]; }
    bool allowed(int h, int m) const { return arc(h, m) >= 0; }
    int64_t sibling(int h, int m, int s) const { return sibling_row_[arc(h, m)] + std::abs(s - h); }
    int64_t grandchild(int g, int h, int m) const { return int64_t{arc(g, h)} * n_ + m; }
    int64_t grand_sibling(int g, int h, int m, int s) const {
        return grand_row_[arc(g, h)] + sibling(h, m, s) - sibling_row_[first_[h]];
    }
    int64_t tri_sibling(int h, int m, int s, int t) const {
        return tri_row_[sibling(h, m, s)] + std::abs(t - h);
    }

    // The parts of a tree, kind by kind, in the order of their places; false if it has an arc that
    // may not be.
    bool parts_of(const int32_t* heads, std::vector<PlacedPart> (&out)[kKinds]) const {
        for (auto& list : out) list.clear();
        for (int m = 1; m < n_; ++m) {
            if (heads[m] < 0 || heads[m] >= n_ || arc(heads[m], m) < 0) return false;
            out[kArcPart].push_back({arc(heads[m], m), part(heads[m], m, n_, n_, n_)});
        }
        if (model_ != TreeModel::arcs)
            for (int h = 0; h < n_; ++h) {
                side_of(heads, h, 1, out);
                side_of(heads, h, -1, out);
            }
        for (auto& list : out)
            std::sort(list.begin(), list.end(),
                      [](const PlacedPart& a, const PlacedPart& b) { return a.place < b.place; });
        return true;
    }

    PartList lists[kKinds];

  private:
    Part part(int h, int m, int s, int g, int t) const { return {{h, m, s, g, t}}; }
    int or_nobody(int word, int none) const { return word == none ? n_ : word; }

    // Calls f(s) for no sibling (h itself) and the possible ones between h and m.
    template <class F>
    void each_sibling(int h, int m, F f) const {
        f(h);
        if (h == 0 && single_) return;
        for (int s = h + projective::toward(h, m), step = projective::toward(h, m); s != m;
             s += step)
            if (allowed(h, s)) f(s);
    }
    void build_siblings() {
        const PartList& arcs = lists[kArcPart];
        PartList& list = lists[kSiblingPart];
        sibling_row_.resize(arcs.size() + 1);
        int64_t row = 0;
        for (int64_t a = 0; a < arcs.size(); ++a) {
            const int h = arcs.word[kHead][a], m = arcs.word[kModifier][a];
            sibling_row_[a] = static_cast<int32_t>(row);
            each_sibling(h, m, [&](int s) {
                list.add(part(h, m, or_nobody(s, h), n_, n_), row + std::abs(s - h));
            });
            row += std::abs(m - h);
        }
        sibling_row_[arcs.size()] = static_cast<int32_t>(row);
        list.n_places = row;
    }
    void build_grandchildren(bool with_none) {
        const PartList& arcs = lists[kArcPart];
        PartList& list = lists[kGrandchildPart];
        for (int64_t a = 0; a < arcs.size(); ++a) {
            const int g = arcs.word[kHead][a], h = arcs.word[kModifier][a];
            if (with_none) list.add(part(h, n_, n_, g, n_), a * n_ + h);
            for (int32_t b = first_[h]; b < first_[h + 1]; ++b)
                if (const int m = arcs.word[kModifier][b]; !beyond(g, h, m))
                    list.add(part(h, m, n_, g, n_), a * n_ + m);
        }
        list.n_places = arcs.size() * n_;
    }
    void build_grand_siblings() {
        const PartList &arcs = lists[kArcPart], &siblings = lists[kSiblingPart];
        PartList& list = lists[kGrandSiblingPart];
        // The siblings of a head are neighbours in their list, as are its arcs.
        std::vector<int64_t> begin(n_ + 1, siblings.size());
        for (int64_t i = siblings.size() - 1; i >= 0; --i) begin[siblings.word[kHead][i]] = i;
        for (int h = n_ - 1; h >= 0; --h)
            if (first_[h] == first_[h + 1]) begin[h] = begin[h + 1];
        grand_row_.resize(arcs.size());
        int64_t row = 0;
        for (int64_t a = 0; a < arcs.size(); ++a) {
            const int g = arcs.word[kHead][a], h = arcs.word[kModifier][a];
            const int64_t first = sibling_row_[first_[h]];
            grand_row_[a] = static_cast<int32_t>(row);
            for (int64_t i = begin[h]; i < begin[h + 1]; ++i) {
                Part found = siblings.part(i);
                if (beyond(g, h, found.word[kModifier])) continue;
                found.word[kGrand] = g;
                list.add(found, row + siblings.place[i] - first);
            }
            row += sibling_row_[first_[h + 1]] - first;
            require(row < INT32_MAX, "a sentence has too many parts: prune its arcs");
        }
        list.n_places = row;
    }
    // A projective tree has no child m of h beyond the head g of h.
    static bool beyond(int g, int h, int m) { return (g < h && m <= g) || (g > h && m >= g); }
    void build_tri_siblings() {
        const PartList& siblings = lists[kSiblingPart];
        PartList& list = lists[kTriSiblingPart];
        tri_row_.assign(siblings.n_places, 0);
        int64_t row = 0;
        for (int64_t i = 0; i < siblings.size(); ++i) {
            Part found = siblings.part(i);
            const int h = found.word[kHead], s = found.word[kSiblingRole];
            tri_row_[siblings.place[i]] = static_cast<int32_t>(row);
            if (s == n_) {
                list.add(found, row++);
                continue;
            }
            each_sibling(h, s, [&](int t) {
                found.word[kThird] = or_nobody(t, h);
                list.add(found, row + std::abs(t - h));
            });
            row += std::abs(s - h);
            require(row < INT32_MAX, "a sentence has too many parts: prune its arcs");
        }
        list.n_places = row;
    }

    // The larger parts that a tree has at head h on one side.
    void side_of(const int32_t* heads, int h, int step,
                 std::vector<PlacedPart> (&out)[kKinds]) const {
        const int g = h == 0 ? -1 : heads[h];
        int s = h, t = h, last = -1;
        for (int m = h + step; m > 0 && m < n_; m += step) {
            if (heads[m] != h) continue;
            const Part seen = part(h, m, or_nobody(s, h), n_, n_);
            out[kSiblingPart].push_back({static_cast<int32_t>(sibling(h, m, s)), seen});
            if (model_ == TreeModel::tri_siblings)
                out[kTriSiblingPart].push_back({static_cast<int32_t>(tri_sibling(h, m, s, t)),
                                                with_third(seen, or_nobody(t, h))});
            if (model_ == TreeModel::grand_siblings && g >= 0) add_grand(g, h, m, s, out);
            t = s;
            s = m;
            last = m;
        }
        if (g < 0) return;
        if (model_ == TreeModel::carreras) {
            const int c = last < 0 ? h : last;
            out[kGrandchildPart].push_back(
                {static_cast<int32_t>(grandchild(g, h, c)), part(h, or_nobody(c, h), n_, g, n_)});
        }
        if (model_ == TreeModel::tri_siblings && last >= 0) add_grand(g, h, last, t, out);
    }
    Part with_third(Part part, int t) const {
        part.word[kThird] = t;
        return part;
    }
    void add_grand(int g, int h, int m, int s, std::vector<PlacedPart> (&out)[kKinds]) const {
        out[kGrandchildPart].push_back(
            {static_cast<int32_t>(grandchild(g, h, m)), part(h, m, n_, g, n_)});
        out[kGrandSiblingPart].push_back(
            {static_cast<int32_t>(grand_sibling(g, h, m, s)), part(h, m, or_nobody(s, h), g, n_)});
    }

    TreeModel model_;
    bool single_;
    int n_ = 0;
    // By (h, m); the arcs of head h are first[h] .. first[h + 1].
    std::vector<int32_t> arc_of_, first_;
    std::vector<int32_t> sibling_row_, grand_row_, tri_row_;
};

}  // namespace laconic::tree
