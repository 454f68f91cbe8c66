// Projective dependency trees as deduction (see deduction.hpp). Words are 1 .. n - 1, 0 is the root, which stands before them
// all.
//
// Spans: complete C(h, e), all descendants of h from h to e; incomplete I(h, m), an arc from h to m and what lies between;
// siblings S(s, m), two neighbouring children of one head, and what lies between. Scores are asked for as follows, `none` being h
// itself:
//
//     Arcs           Eisner 2000:              arc(h, m)
//     Siblings       McDonald and Pereira 2006: sibling(h, m, s), s the next child of h on m's side, towards h; it scores the arc
//     too Carreras       Carreras 2007:            arc, sibling(h, m, s), grandchild(h, m, c), c the outermost child of m on
//     either side GrandSiblings  Koo and Collins 2010, model 1: grand_sibling(g, h, m, s), g the head of h (0 if h is the root)
//     TriSiblings    Koo and Collins 2010, model 2: tri_sibling(h, m, s, t) for successive children, and grand_sibling for the
//                    outermost child on each side
//
// allowed(h, m) says which arcs may be: with few of them the higher orders cost little. With a single root only one word hangs on
// 0.
#pragma once
#include <cstdint>

#include "deduction.hpp"

namespace projective {

// Calls f(h, e) for all spans from short to long, the root's only to the right.
template <class F>
void each_width(int n, F f) {
    for (int width = 1; width < n; ++width)
        for (int low = 0; low + width < n; ++low) f(low, low + width);
}
inline int toward(int from, int to) { return from < to ? 1 : -1; }

template <class Scores>
class Arcs {
  public:
    Arcs(const Scores& scores, int n, bool single_root) : scores_(scores), n_(n), single_(single_root) {}
    int64_t n_items() const { return 2 * int64_t{n_} * n_; }
    int64_t goal() const { return complete(0, n_ - 1); }
    template <class F>
    void each_leaf(F f) const {
        for (int h = 0; h < n_; ++h) f(complete(h, h));
    }
    template <class F>
    void each_item(F f) const {
        each_width(n_, [&](int low, int high) {
            if (scores_.allowed(low, high)) f(incomplete(low, high));
            if (low > 0 && scores_.allowed(high, low)) f(incomplete(high, low));
            f(complete(low, high));
            if (low > 0) f(complete(high, low));
        });
    }
    template <class F>
    void rules(int64_t item, F f) const {
        const auto [h, e] = ends(item);
        if (is_arc(item)) {
            const int low = std::min(h, e), high = std::max(h, e), last = h == 0 && single_ ? 0 : high - 1;
            const double w = scores_.arc(h, e);
            for (int r = low; r <= last; ++r) f(complete(low, r), complete(high, r + 1), w);
        } else {
            for (int m = h, step = toward(h, e); m != e;) {
                m += step;
                f(incomplete(h, m), complete(m, e), 0.0);
            }
        }
    }
    template <class Visit>
    void describe(int64_t item, int64_t, Visit& visit) const {
        if (is_arc(item)) visit.arc(ends(item).first, ends(item).second);
    }

  private:
    int64_t complete(int h, int e) const { return int64_t{h} * n_ + e; }
    int64_t incomplete(int h, int m) const { return int64_t{n_} * n_ + int64_t{h} * n_ + m; }
    bool is_arc(int64_t item) const { return item >= int64_t{n_} * n_; }
    std::pair<int, int> ends(int64_t item) const {
        item %= int64_t{n_} * n_;
        return {static_cast<int>(item / n_), static_cast<int>(item % n_)};
    }
    const Scores& scores_;
    int n_;
    bool single_;
};

template <class Scores>
class Siblings {
  public:
    Siblings(const Scores& scores, int n, bool single_root) : scores_(scores), n_(n), single_(single_root) {}
    int64_t n_items() const { return 3 * int64_t{n_} * n_; }
    int64_t goal() const { return at(kComplete, 0, n_ - 1); }
    template <class F>
    void each_leaf(F f) const {
        for (int h = 0; h < n_; ++h) f(at(kComplete, h, h));
    }
    template <class F>
    void each_item(F f) const {
        each_width(n_, [&](int low, int high) {
            if (low > 0) f(at(kSibling, low, high));
            if (scores_.allowed(low, high)) f(at(kIncomplete, low, high));
            if (low > 0 && scores_.allowed(high, low)) f(at(kIncomplete, high, low));
            f(at(kComplete, low, high));
            if (low > 0) f(at(kComplete, high, low));
        });
    }
    template <class F>
    void rules(int64_t item, F f) const {
        const auto [kind, h, e] = parts(item);
        const int step = toward(h, e);
        if (kind == kComplete) {
            for (int m = h; m != e;) {
                m += step;
                f(at(kIncomplete, h, m), at(kComplete, m, e), 0.0);
            }
        } else if (kind == kSibling) {
            for (int r = h; r < e; ++r) f(at(kComplete, h, r), at(kComplete, e, r + 1), 0.0);
        } else {
            f(at(kComplete, h, h), at(kComplete, e, h + step), scores_.sibling(h, e, h));
            if (h == 0 && single_) return;
            for (int s = h + step; s != e; s += step)
                if (scores_.allowed(h, s))
                    f(at(kIncomplete, h, s), at(kSibling, std::min(s, e), std::max(s, e)), scores_.sibling(h, e, s));
        }
    }
    template <class Visit>
    void describe(int64_t item, int64_t a, Visit& visit) const {
        const auto [kind, h, m] = parts(item);
        if (kind != kIncomplete) return;
        visit.arc(h, m);
        visit.sibling(h, m, parts(a).end);  // the first antecedent is C(h, h) or I(h, s)
    }

  private:
    enum Kind { kComplete, kIncomplete, kSibling };
    struct Span {
        int kind, head, end;
    };
    int64_t at(int kind, int h, int e) const { return (int64_t{kind} * n_ + h) * n_ + e; }
    Span parts(int64_t item) const {
        return {static_cast<int>(item / n_ / n_), static_cast<int>(item / n_ % n_), static_cast<int>(item % n_)};
    }
    const Scores& scores_;
    int n_;
    bool single_;
};

// Complete spans remember the outermost child m of their head (h itself if there is none). An arc's two sides are put together
// apart, each with its own child: near (h, m, r) is h's side up to r, far (h, m, r) m's side from there.
template <class Scores>
class Carreras {
  public:
    Carreras(const Scores& scores, int n, bool single_root) : scores_(scores), n_(n), single_(single_root) {}
    int64_t n_items() const { return 4 * int64_t{n_} * n_ * n_; }
    int64_t goal() const { return unit() + 1; }
    template <class F>
    void each_leaf(F f) const {
        f(unit());
        for (int h = 0; h < n_; ++h) f(at(kComplete, h, h, h));
        if (n_ == 1) f(goal());
    }
    template <class F>
    void each_item(F f) const {
        each_width(n_, [&](int low, int high) {
            for (int turn = 0; turn < (low > 0 ? 2 : 1); ++turn) {
                const int h = turn ? high : low, m = turn ? low : high;
                if (!scores_.allowed(h, m)) continue;
                for (int r = low; r < high; ++r) {
                    f(at(kNear, h, m, r));
                    f(at(kFar, h, m, r));
                }
                f(at(kIncomplete, h, m, 0));
            }
            for (int m = low + 1; m <= high; ++m)
                if (scores_.allowed(low, m)) f(at(kComplete, low, high, m));
            for (int m = low; low > 0 && m < high; ++m)
                if (scores_.allowed(high, m)) f(at(kComplete, high, low, m));
        });
        if (n_ > 1) f(goal());
    }
    template <class F>
    void rules(int64_t item, F f) const {
        if (item == goal()) {
            for (int m = 1; m < n_; ++m) f(at(kComplete, 0, n_ - 1, m), unit(), 0.0);
            return;
        }
        const auto [kind, h, e, x] = parts(item);
        if (kind == kComplete) {  // x is the outermost child
            each_child(x, e, [&](int c) { f(at(kComplete, x, e, c), at(kIncomplete, h, x, 0), scores_.grandchild(h, x, c)); });
        } else if (kind == kIncomplete) {
            const int low = std::min(h, e), last = h == 0 && single_ ? 0 : std::max(h, e) - 1;
            const double w = scores_.arc(h, e);
            for (int r = low; r <= last; ++r) f(at(kNear, h, e, r), at(kFar, h, e, r), w);
        } else {  // x is where the left side ends; e the modifier
            const int near = h < e ? x : x + 1, far = h < e ? x + 1 : x;
            if (kind == kNear)
                each_child(h, near, [&](int c) { f(at(kComplete, h, near, c), unit(), scores_.sibling(h, e, c)); });
            else
                each_child(e, far, [&](int c) { f(at(kComplete, e, far, c), unit(), scores_.grandchild(h, e, c)); });
        }
    }
    template <class Visit>
    void describe(int64_t item, int64_t a, Visit& visit) const {
        if (item == goal()) return;
        const auto [kind, h, e, x] = parts(item);
        const int child = parts(a).extra;
        if (kind == kIncomplete) visit.arc(h, e);
        if (kind == kComplete) visit.grandchild(h, x, child);
        if (kind == kNear) visit.sibling(h, e, child);
        if (kind == kFar) visit.grandchild(h, e, child);
    }

  private:
    enum Kind { kComplete, kIncomplete, kNear, kFar };
    struct Span {
        int kind, head, end, extra;
    };
    // The possible outermost children of a head whose span ends at e: itself (none) if the span is empty.
    template <class F>
    void each_child(int head, int e, F f) const {
        if (head == e) {
            f(head);
            return;
        }
        for (int c = head, step = toward(head, e); c != e;) {
            c += step;
            if (scores_.allowed(head, c)) f(c);
        }
    }
    int64_t at(int kind, int h, int e, int x) const { return ((int64_t{kind} * n_ + h) * n_ + e) * n_ + x; }
    // Incomplete items use the place 0 of the last index only (and a word has no arc to itself): room for two items more.
    int64_t unit() const { return n_ > 1 ? at(kIncomplete, 0, 0, 0) : 1; }
    Span parts(int64_t item) const {
        return {static_cast<int>(item / n_ / n_ / n_), static_cast<int>(item / n_ / n_ % n_), static_cast<int>(item / n_ % n_),
                static_cast<int>(item % n_)};
    }
    const Scores& scores_;
    int n_;
    bool single_;
};

// Spans with the head g of their head, which lies outside; S(s, m) with the head of both. The root's g is 0.
template <class Scores>
class GrandSiblings {
  public:
    GrandSiblings(const Scores& scores, int n, bool single_root) : scores_(scores), n_(n), single_(single_root) {}
    int64_t n_items() const { return 3 * int64_t{n_} * n_ * n_; }
    int64_t goal() const { return at(kComplete, 0, 0, n_ - 1); }
    template <class F>
    void each_leaf(F f) const {
        for (int g = 0; g < n_; ++g)
            for (int h = 0; h < n_; ++h) f(at(kComplete, g, h, h));
    }
    template <class F>
    void each_item(F f) const {
        each_width(n_, [&](int low, int high) {
            if (low > 0)
                each_outside(low, high, [&](int head) {
                    if (scores_.allowed(head, low) && scores_.allowed(head, high)) f(at(kSibling, head, low, high));
                });
            for (int turn = 0; turn < (low > 0 ? 2 : 1); ++turn) {
                const int h = turn ? high : low, e = turn ? low : high;
                each_grand(h, low, high, [&](int g) {
                    if (scores_.allowed(h, e)) f(at(kIncomplete, g, h, e));
                    f(at(kComplete, g, h, e));
                });
            }
        });
    }
    template <class F>
    void rules(int64_t item, F f) const {
        const auto [kind, g, h, e] = parts(item);
        const int step = toward(h, e);
        if (kind == kComplete) {
            for (int m = h; m != e;) {
                m += step;
                if (scores_.allowed(h, m)) f(at(kIncomplete, g, h, m), at(kComplete, h, m, e), 0.0);
            }
        } else if (kind == kSibling) {
            for (int r = h; r < e; ++r) f(at(kComplete, g, h, r), at(kComplete, g, e, r + 1), 0.0);
        } else {
            f(at(kComplete, g, h, h), at(kComplete, h, e, h + step), scores_.grand_sibling(g, h, e, h));
            if (h == 0 && single_) return;
            for (int s = h + step; s != e; s += step)
                if (scores_.allowed(h, s))
                    f(at(kIncomplete, g, h, s), at(kSibling, h, std::min(s, e), std::max(s, e)),
                      scores_.grand_sibling(g, h, e, s));
        }
    }
    template <class Visit>
    void describe(int64_t item, int64_t a, Visit& visit) const {
        const auto [kind, g, h, m] = parts(item);
        if (kind != kIncomplete) return;
        visit.arc(h, m);
        visit.grand_sibling(g, h, m, parts(a).end);
    }

  private:
    enum Kind { kComplete, kIncomplete, kSibling };
    struct Span {
        int kind, grand, head, end;
    };
    template <class F>
    void each_outside(int low, int high, F f) const {
        for (int g = 0; g < low; ++g) f(g);
        for (int g = high + 1; g < n_; ++g) f(g);
    }
    template <class F>
    void each_grand(int h, int low, int high, F f) const {
        if (h == 0) {
            f(0);
            return;
        }
        each_outside(low, high, [&](int g) {
            if (scores_.allowed(g, h)) f(g);
        });
    }
    int64_t at(int kind, int g, int h, int e) const { return ((int64_t{kind} * n_ + g) * n_ + h) * n_ + e; }
    Span parts(int64_t item) const {
        return {static_cast<int>(item / n_ / n_ / n_), static_cast<int>(item / n_ / n_ % n_), static_cast<int>(item / n_ % n_),
                static_cast<int>(item % n_)};
    }
    const Scores& scores_;
    int n_;
    bool single_;
};

// As GrandSiblings, but arcs are made in J(h, m, s), which knows the next child s towards h and not the head of h; I(g, h, m)
// forgets s and scores the grand-sibling of the outermost child alone.
template <class Scores>
class TriSiblings {
  public:
    TriSiblings(const Scores& scores, int n, bool single_root) : scores_(scores), n_(n), single_(single_root) {}
    int64_t n_items() const { return 4 * int64_t{n_} * n_ * n_; }
    int64_t goal() const { return at(kComplete, 0, 0, n_ - 1); }
    template <class F>
    void each_leaf(F f) const {
        for (int g = 0; g < n_; ++g)
            for (int h = 0; h < n_; ++h) f(at(kComplete, g, h, h));
    }
    template <class F>
    void each_item(F f) const {
        each_width(n_, [&](int low, int high) {
            for (int head = 0; low > 0 && head < n_; ++head)
                if ((head < low || head > high) && scores_.allowed(head, low) && scores_.allowed(head, high))
                    f(at(kSibling, head, low, high));
            for (int turn = 0; turn < (low > 0 ? 2 : 1); ++turn) {
                const int h = turn ? high : low, e = turn ? low : high, step = toward(h, e);
                if (scores_.allowed(h, e))
                    for (int s = h; s != e; s += step)
                        if (s == h || (scores_.allowed(h, s) && !(h == 0 && single_))) f(at(kArc, h, e, s));
                for (int g = 0; g < (h == 0 ? 1 : n_); ++g) {
                    if (h != 0 && ((g >= low && g <= high) || !scores_.allowed(g, h))) continue;
                    if (scores_.allowed(h, e)) f(at(kIncomplete, g, h, e));
                    f(at(kComplete, g, h, e));
                }
            }
        });
    }
    template <class F>
    void rules(int64_t item, F f) const {
        const auto [kind, x, y, z] = parts(item);
        if (kind == kComplete) {  // x = g, y = h, z = the end
            for (int m = y, step = toward(y, z); m != z;) {
                m += step;
                if (scores_.allowed(y, m)) f(at(kIncomplete, x, y, m), at(kComplete, y, m, z), 0.0);
            }
        } else if (kind == kSibling) {  // x = the head of y and z
            for (int r = y; r < z; ++r) f(at(kComplete, x, y, r), at(kComplete, x, z, r + 1), 0.0);
        } else if (kind == kIncomplete) {  // x = g, y = h, z = m
            for (int s = y, step = toward(y, z); s != z; s += step)
                if (s == y || (scores_.allowed(y, s) && !(y == 0 && single_)))
                    f(at(kArc, y, z, s), at(kComplete, 0, y, y), scores_.grand_sibling(x, y, z, s));
        } else if (z == x) {  // x = h, y = m, and there is no child between
            f(at(kComplete, x, y, x + toward(x, y)), at(kComplete, 0, x, x), scores_.tri_sibling(x, y, x, x));
        } else {  // z = s
            for (int t = x, step = toward(x, z); t != z; t += step)
                if (t == x || scores_.allowed(x, t))
                    f(at(kArc, x, z, t), at(kSibling, x, std::min(y, z), std::max(y, z)), scores_.tri_sibling(x, y, z, t));
        }
    }
    template <class Visit>
    void describe(int64_t item, int64_t a, Visit& visit) const {
        const auto [kind, x, y, z] = parts(item);
        if (kind == kIncomplete) visit.grand_sibling(x, y, z, parts(a).third);
        if (kind != kArc) return;
        visit.arc(x, y);
        visit.tri_sibling(x, y, z, z == x ? x : parts(a).third);
    }

  private:
    enum Kind { kComplete, kIncomplete, kSibling, kArc };
    struct Span {
        int kind, first, second, third;
    };
    int64_t at(int kind, int x, int y, int z) const { return ((int64_t{kind} * n_ + x) * n_ + y) * n_ + z; }
    Span parts(int64_t item) const {
        return {static_cast<int>(item / n_ / n_ / n_), static_cast<int>(item / n_ / n_ % n_), static_cast<int>(item / n_ % n_),
                static_cast<int>(item % n_)};
    }
    const Scores& scores_;
    int n_;
    bool single_;
};

}  // namespace projective
