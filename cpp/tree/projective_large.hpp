// Projective dependency trees whose parts have three or four words, see projective.hpp: Carreras'
// model (2007), and models 1 and 2 of Koo and Collins (2010). Spans know one word more, a child or
// the head g of their head; written to the right,
//
//     Carreras        C(h, m, e) = I(h, m) + max_c C(m, c, e) + grandchild(h, m, c)
//                     I(h, m) = arc(h, m) + max_r near(h, m, r) + far(h, m, r)
//                     near(h, m, r) = max_c C(h, c, r) + sibling(h, m, c)
//                     far(h, m, r) = max_c C(m, c, r + 1) + grandchild(h, m, c)
//     both others     C(g, h, e) = max_m I(g, h, m) + C(h, m, e)
//                     S(h, s, m) = max_r C(h, s, r) + C(h, m, r + 1)
//     GrandSiblings   I(g, h, m) = max of C(h, m, h + 1) + grand_sibling(g, h, m, none)
//                                  and max_s I(g, h, s) + S(h, s, m) + grand_sibling(g, h, m, s)
//     TriSiblings     I(g, h, m) = max_s J(h, m, s) + grand_sibling(g, h, m, s)
//                     J(h, m, none) = C(h, m, h + 1) + tri_sibling(h, m, none, none)
//                     J(h, m, s) = max_t J(h, s, t) + S(h, s, m) + tri_sibling(h, m, s, t)
//
// All take O(n^4) time and O(n^3) memory where every arc is allowed; with k heads per word, items
// are numbered by arcs and memory is O(k n^2).
#pragma once
#include <cstdint>
#include <utility>

#include "tree/projective.hpp"

namespace laconic::tree {

namespace projective {

// Items of the larger models: a kind, an arc that may be, and a place in the sentence. Few arcs
// make few items. What stands for "the arc to the root" is numbered after all arcs; so is what
// needs no arc, the unit, an item of value 0.
template <class Scores>
class ArcItems {
  public:
    ArcItems(const Scores& scores, int n, bool single_root, int n_kinds)
        : scores_(scores),
          n_(n),
          single_(single_root),
          n_kinds_(n_kinds),
          n_arcs_(scores.n_arcs()) {}
    int64_t n_items() const { return n_kinds_ * (n_arcs_ + 2) * n_ + 2; }

  protected:
    struct Item {
        int kind, head, modifier, place;
    };
    int64_t at(int kind, int head, int modifier, int place) const {
        const int64_t arc = head == modifier ? n_arcs_ : scores_.number(head, modifier);
        return (kind * (n_arcs_ + 2) + arc) * n_ + place;
    }
    int64_t unit() const { return n_kinds_ * (n_arcs_ + 2) * n_; }
    // Of an item that `at` has made; head and modifier are 0 for the root's.
    Item parts(int64_t item) const {
        const int64_t arc = item / n_ % (n_arcs_ + 2);
        const auto [head, modifier] =
            arc == n_arcs_ ? std::pair<int, int>{0, 0} : scores_.ends(arc);
        return {static_cast<int>(item / n_ / (n_arcs_ + 2)), head, modifier,
                static_cast<int>(item % n_)};
    }
    // Calls f(h, e) for both directions of all spans, the root's to the right alone.
    template <class F>
    static void each_way(int low, int high, F f) {
        f(low, high);
        if (low > 0) f(high, low);
    }
    // Calls f(g) for the possible heads of h outside a span; the root's is 0.
    template <class F>
    void each_grand(int h, int low, int high, F f) const {
        if (h == 0) {
            f(0);
            return;
        }
        for (int g = 0; g < n_; ++g)
            if ((g < low || g > high) && scores_.allowed(g, h)) f(g);
    }
    // Calls f(head) for the possible common heads of two words, which lie outside their span.
    template <class F>
    void each_common_head(int low, int high, F f) const {
        for (int head = 0; low > 0 && head < n_; ++head)
            if ((head < low || head > high) && scores_.allowed(head, low) &&
                scores_.allowed(head, high))
                f(head);
    }
    // Whether s may be the child of h before another one, h itself standing for none.
    bool may_precede(int h, int s) const {
        return s == h || (scores_.allowed(h, s) && !(h == 0 && single_));
    }

    const Scores& scores_;
    int n_;
    bool single_;
    int64_t n_kinds_, n_arcs_;
};

// Complete spans C(h, m, e) remember the outermost child m of their head h. An arc's two sides are
// put together apart, each with its own child: near (h, m, r) is h's side up to r, far (h, m, r)
// m's side from there. A span without children is the unit.
template <class Scores>
class Carreras : public ArcItems<Scores> {
    using Base = ArcItems<Scores>;
    using Base::at, Base::n_, Base::parts, Base::scores_, Base::single_, Base::unit;
    using typename Base::Item;

  public:
    Carreras(const Scores& scores, int n, bool single_root) : Base(scores, n, single_root, 4) {}
    int64_t goal() const { return n_ > 1 ? unit() + 1 : unit(); }
    template <class F>
    void each_leaf(F f) const {
        f(unit());
    }
    template <class F>
    void each_item(F f) const {
        each_width(n_, [&](int low, int high) {
            this->each_way(low, high, [&](int h, int m) {
                if (!scores_.allowed(h, m)) return;
                for (int r = low; r < high; ++r) {
                    f(at(kNear, h, m, r));
                    f(at(kFar, h, m, r));
                }
                f(at(kIncomplete, h, m, 0));
            });
            for (int m = low + 1; m <= high; ++m)
                if (scores_.allowed(low, m)) f(at(kComplete, low, m, high));
            for (int m = low; low > 0 && m < high; ++m)
                if (scores_.allowed(high, m)) f(at(kComplete, high, m, low));
        });
        if (n_ > 1) f(goal());
    }
    template <class F>
    void rules(int64_t item, F f) const {
        if (item == goal()) {
            for (int m = 1; m < n_; ++m)
                if (scores_.allowed(0, m)) f(at(kComplete, 0, m, n_ - 1), unit(), 0.0);
            return;
        }
        const Item it = parts(item);
        const int kind = it.kind, h = it.head, m = it.modifier, x = it.place;
        if (kind == kComplete) {  // x is the end
            // C(h, m, e) = I(h, m) + max_c C(m, c, e) + grandchild(h, m, c)
            each_child(m, x, [&](int c, int64_t side) {
                f(side, at(kIncomplete, h, m, 0), scores_.grandchild(h, m, c));
            });
        } else if (kind == kIncomplete) {
            const int low = std::min(h, m), last = h == 0 && single_ ? 0 : std::max(h, m) - 1;
            const double w = scores_.arc(h, m);
            // I(h, m) = arc(h, m) + max_r near(h, m, r) + far(h, m, r)
            for (int r = low; r <= last; ++r) f(at(kNear, h, m, r), at(kFar, h, m, r), w);
        } else {  // x is where the left side ends
            const int near = h < m ? x : x + 1, far = h < m ? x + 1 : x;
            if (kind == kNear)
                each_child(h, near,
                           [&](int c, int64_t side) { f(side, unit(), scores_.sibling(h, m, c)); });
            else
                each_child(m, far, [&](int c, int64_t side) {
                    f(side, unit(), scores_.grandchild(h, m, c));
                });
        }
    }
    template <class Visit>
    void describe(int64_t item, int64_t a, Visit& visit) const {
        if (item == goal()) return;
        const auto [kind, h, m, x] = parts(item);
        const auto child = [&](int head) { return a == unit() ? head : parts(a).modifier; };
        if (kind == kIncomplete) visit.arc(h, m);
        if (kind == kComplete) visit.grandchild(h, m, child(m));
        if (kind == kNear) visit.sibling(h, m, child(h));
        if (kind == kFar) visit.grandchild(h, m, child(m));
    }

  private:
    enum Kind { kComplete, kIncomplete, kNear, kFar };
    // Calls f(c, item) for the possible outermost children of a head whose span ends at e: itself
    // (none) if the span is empty.
    template <class F>
    void each_child(int head, int e, F f) const {
        if (head == e) {
            f(head, unit());
            return;
        }
        for (int c = head, step = toward(head, e); c != e;) {
            c += step;
            if (scores_.allowed(head, c)) f(c, at(kComplete, head, c, e));
        }
    }
};

// Spans with the head g of their head, which lies outside; S(s, m) with the head of both. The
// root's g is 0. A span without children is the unit. How I(g, h, m) comes about is up to a model.
template <class Scores>
class GrandItems : public ArcItems<Scores> {
    using Base = ArcItems<Scores>;

  public:
    GrandItems(const Scores& scores, int n, bool single_root, int n_kinds)
        : Base(scores, n, single_root, n_kinds) {}
    int64_t goal() const { return complete(0, 0, n_ - 1); }
    template <class F>
    void each_leaf(F f) const {
        f(unit());
    }

  protected:
    using Base::at, Base::n_, Base::parts, Base::scores_, Base::unit;
    enum Kind { kComplete, kIncomplete, kSibling, kArc };
    int64_t complete(int g, int h, int e) const { return h == e ? unit() : at(kComplete, g, h, e); }
    int64_t siblings(int head, int s, int m) const {
        return at(kSibling, head, std::min(s, m), std::max(s, m));
    }

    // Calls before(h, e), which may name items of a model's own, and then f(item) for the spans
    // from h to e.
    template <class Before, class F>
    void each_span(Before before, F f) const {
        each_width(n_, [&](int low, int high) {
            this->each_common_head(low, high, [&](int head) { f(at(kSibling, head, low, high)); });
            this->each_way(low, high, [&](int h, int e) {
                if (scores_.allowed(h, e)) before(h, e);
                this->each_grand(h, low, high, [&](int g) {
                    if (scores_.allowed(h, e)) f(at(kIncomplete, g, h, e));
                    f(complete(g, h, e));
                });
            });
        });
    }
    // C(g, h, e) = max_m I(g, h, m) + C(h, m, e)
    template <class F>
    void rules_of_complete(int g, int h, int e, F f) const {
        for (int m = h, step = toward(h, e); m != e;) {
            m += step;
            if (scores_.allowed(h, m)) f(at(kIncomplete, g, h, m), complete(h, m, e), 0.0);
        }
    }
    // S(head, s, m) = max_r C(head, s, r) + C(head, m, r + 1)
    template <class F>
    void rules_of_siblings(int head, int s, int m, F f) const {
        for (int r = s; r < m; ++r) f(complete(head, s, r), complete(head, m, r + 1), 0.0);
    }
};

template <class Scores>
class GrandSiblings : public GrandItems<Scores> {
    using Base = GrandItems<Scores>;
    using Base::at, Base::complete, Base::parts, Base::scores_, Base::unit, Base::kComplete,
        Base::kIncomplete, Base::kSibling;

  public:
    GrandSiblings(const Scores& scores, int n, bool single_root)
        : Base(scores, n, single_root, 3) {}
    template <class F>
    void each_item(F f) const {
        this->each_span([](int, int) {}, f);
    }
    template <class F>
    void rules(int64_t item, F f) const {
        const auto [kind, g, h, e] = parts(item);
        if (kind == kComplete) {
            this->rules_of_complete(g, h, e, f);
        } else if (kind == kSibling) {
            this->rules_of_siblings(g, h, e, f);
        } else {
            const int step = toward(h, e);
            // I(g, h, e): C(h, e, h + step) alone, or I(g, h, s) + S(h, s, e), and grand_sibling
            f(unit(), complete(h, e, h + step), scores_.grand_sibling(g, h, e, h));
            for (int s = h + step; s != e; s += step)
                if (this->may_precede(h, s))
                    f(at(kIncomplete, g, h, s), this->siblings(h, s, e),
                      scores_.grand_sibling(g, h, e, s));
        }
    }
    template <class Visit>
    void describe(int64_t item, int64_t a, Visit& visit) const {
        const auto [kind, g, h, m] = parts(item);
        if (kind != kIncomplete) return;
        visit.arc(h, m);
        visit.grand_sibling(g, h, m, a == unit() ? h : parts(a).place);
    }
};

// Arcs are made in J(h, m, s), which knows the next child s towards h and not the head of h;
// I(g, h, m) forgets s and scores the grand-sibling of the outermost child alone.
template <class Scores>
class TriSiblings : public GrandItems<Scores> {
    using Base = GrandItems<Scores>;
    using Base::at, Base::complete, Base::parts, Base::scores_, Base::unit, Base::kComplete,
        Base::kIncomplete, Base::kSibling, Base::kArc;

  public:
    TriSiblings(const Scores& scores, int n, bool single_root) : Base(scores, n, single_root, 4) {}
    template <class F>
    void each_item(F f) const {
        const auto arcs = [&](int h, int m) {
            for (int s = h, step = toward(h, m); s != m; s += step)
                if (this->may_precede(h, s)) f(at(kArc, h, m, s));
        };
        this->each_span(arcs, f);
    }
    template <class F>
    void rules(int64_t item, F f) const {
        const auto [kind, x, y, z] = parts(item);
        if (kind == kComplete) {
            this->rules_of_complete(x, y, z, f);
        } else if (kind == kSibling) {
            this->rules_of_siblings(x, y, z, f);
        } else if (kind == kIncomplete) {  // x = g, y = h, z = m: max_s J(h, m, s) + grand_sibling
            for (int s = y, step = toward(y, z); s != z; s += step)
                if (this->may_precede(y, s))
                    f(at(kArc, y, z, s), unit(), scores_.grand_sibling(x, y, z, s));
        } else if (z == x) {  // x = h, y = m, and there is no child between
            f(complete(x, y, x + toward(x, y)), unit(), scores_.tri_sibling(x, y, x, x));
        } else {  // z = s: max_t J(h, s, t) + S(h, s, m) + tri_sibling
            for (int t = x, step = toward(x, z); t != z; t += step)
                if (t == x || scores_.allowed(x, t))
                    f(at(kArc, x, z, t), this->siblings(x, z, y), scores_.tri_sibling(x, y, z, t));
        }
    }
    template <class Visit>
    void describe(int64_t item, int64_t a, Visit& visit) const {
        const auto [kind, x, y, z] = parts(item);
        if (kind == kIncomplete) visit.grand_sibling(x, y, z, parts(a).place);
        if (kind != kArc) return;
        visit.arc(x, y);
        visit.tri_sibling(x, y, z, z == x ? x : parts(a).place);
    }
};

}  // namespace projective

}  // namespace laconic::tree
