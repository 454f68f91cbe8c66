// Projective dependency trees as deduction (see deduction.hpp), arcs and siblings; larger parts are
// in projective_large.hpp. Words are 1 .. n - 1, 0 is the root, which stands before them all.
//
// Spans: complete C(h, e), all descendants of h from h to e; incomplete I(h, m), an arc from h to m
// and what lies between; siblings S(s, m), two neighbouring children of one head, and what lies
// between. With max for the best tree (a sum of exponentials for log Z), h < m < e:
//
//     C(h, e) = max_m I(h, m) + C(m, e)                          C(h, h) = 0
//     I(h, m) = arc(h, m) + max_r C(h, r) + C(m, r + 1)                                 (Arcs)
//     I(h, m) = max of C(m, h + 1) + sibling(h, m, none)                                (Siblings)
//               and max_s I(h, s) + S(s, m) + sibling(h, m, s)
//     S(s, m) = max_r C(s, r) + C(m, r + 1)
//
// and mirrored to the left: O(n^3) time, O(n^2) memory. Scores are asked for as follows, `none`
// being h itself:
//
//     Arcs            Eisner 2000: arc(h, m)
//     Siblings        McDonald and Pereira 2006: sibling(h, m, s), s the next child of h on m's
//                     side, towards h; it scores the arc too
//     Carreras        Carreras 2007: arc, sibling(h, m, s), grandchild(h, m, c), c the outermost
//                     child of m on either side
//     GrandSiblings   Koo and Collins 2010, model 1: grand_sibling(g, h, m, s), g the head of h (0
//                     if h is the root)
//     TriSiblings     Koo and Collins 2010, model 2: tri_sibling(h, m, s, t) for successive
//                     children, and grand_sibling for the outermost child on each side
//
// allowed(h, m) says which arcs may be: with few of them the higher orders cost little. These
// number them: number(h, m) is from 0 to n_arcs() - 1, ends(number) the way back. With a single
// root only one word hangs on 0.
#pragma once
#include <cstdint>

#include "tree/deduction.hpp"

namespace laconic::tree {

namespace projective {

// Calls f(h, e) for all spans from short to long, the root's only to the right.
template <class F>
void each_width(int n, F f) {
    for (int width = 1; width < n; ++width)
        for (int low = 0; low + width < n; ++low) f(low, low + width);
}
// Parts of a tree as the heads of its words.
struct Heads {
    int32_t* heads;
    void arc(int h, int m) { heads[m] = h; }
    void sibling(int, int, int) {}
    void grandchild(int, int, int) {}
    void grand_sibling(int, int, int, int) {}
    void tri_sibling(int, int, int, int) {}
};
inline int toward(int from, int to) { return from < to ? 1 : -1; }

template <class Scores>
class Arcs {
  public:
    Arcs(const Scores& scores, int n, bool single_root)
        : scores_(scores), n_(n), single_(single_root) {}
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
            const int low = std::min(h, e), high = std::max(h, e),
                      last = h == 0 && single_ ? 0 : high - 1;
            const double w = scores_.arc(h, e);
            // I(h, e) = arc(h, e) + max_r C(low, r) + C(high, r + 1)
            for (int r = low; r <= last; ++r) f(complete(low, r), complete(high, r + 1), w);
        } else {
            // C(h, e) = max_m I(h, m) + C(m, e)
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
    Siblings(const Scores& scores, int n, bool single_root)
        : scores_(scores), n_(n), single_(single_root) {}
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
            // C(h, e) = max_m I(h, m) + C(m, e)
            for (int m = h; m != e;) {
                m += step;
                f(at(kIncomplete, h, m), at(kComplete, m, e), 0.0);
            }
        } else if (kind == kSibling) {
            // S(h, e) = max_r C(h, r) + C(e, r + 1)
            for (int r = h; r < e; ++r) f(at(kComplete, h, r), at(kComplete, e, r + 1), 0.0);
        } else {
            // I(h, e) = max of C(e, h + step) + sibling(h, e, none)
            //           and max_s I(h, s) + S(s, e) + sibling(h, e, s)
            f(at(kComplete, h, h), at(kComplete, e, h + step), scores_.sibling(h, e, h));
            if (h == 0 && single_) return;
            for (int s = h + step; s != e; s += step)
                if (scores_.allowed(h, s))
                    f(at(kIncomplete, h, s), at(kSibling, std::min(s, e), std::max(s, e)),
                      scores_.sibling(h, e, s));
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
        return {static_cast<int>(item / n_ / n_), static_cast<int>(item / n_ % n_),
                static_cast<int>(item % n_)};
    }
    const Scores& scores_;
    int n_;
    bool single_;
};

}  // namespace projective

}  // namespace laconic::tree
