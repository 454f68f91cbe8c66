// Kernel spaces: which extensions the features that occur in a structure have, each exactly once.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "mining/tables.hpp"

namespace laconic::mining {

// Products of up to R binary features (a polynomial kernel). A structure is a set of numbers in
// rising order; a feature is extended by numbers above its last one, of which the set that has that
// number instead of the last one survived too: both are then neighbours in the list of what extends
// their common part.
struct Sets {
    struct Occurrence {
        uint32_t feature, last, part;  // part: the feature without its last number
    };
    const int64_t* ptr;
    const int32_t* member;
    int64_t n;

    int64_t count_basic(int64_t s) const { return ptr[s + 1] - ptr[s]; }
    template <class Take>
    void each_basic(int64_t s, Take take) const {
        for (int64_t i = ptr[s]; i < ptr[s + 1]; ++i) {
            const uint32_t number = static_cast<uint32_t>(member[i]);
            take(key_of(0, number), Occurrence{0, number, 0});
        }
    }
    int64_t count_extensions(int64_t, const Occurrence* begin, const Occurrence* end) const {
        int64_t total = 0, alike = 0;  // those with the part of this one
        for (const Occurrence* a = begin; a != end; ++a) {
            alike = a != begin && a->part == (a - 1)->part ? alike + 1 : 0;
            total += alike;
        }
        return total;
    }
    template <class Take>
    void each_extension(int64_t, const Occurrence* begin, const Occurrence* end, Take take) const {
        for (const Occurrence* a = begin; a != end; ++a)
            for (const Occurrence* b = a + 1; b != end && b->part == a->part; ++b)
                take(key_of(a->feature, b->last), Occurrence{0, b->last, a->feature});
    }
    // What is known to extend the root, or a feature that occurs.
    template <class Take>
    void each_first(int64_t s, const Children& children, Take take) const {
        each_known(s, Occurrence{0, 0, 0}, member + ptr[s], children, take);
    }
    template <class Take>
    void each_next(int64_t s, const Occurrence& at, const Children& children, Take take) const {
        each_known(
            s, at,
            std::upper_bound(member + ptr[s], member + ptr[s + 1], static_cast<int32_t>(at.last)),
            children, take);
    }
    // Extensions are made of what survived anyhow.
    void narrow(const std::vector<bool>&) {}

  private:
    template <class Take>
    void each_known(int64_t s, const Occurrence& at, const int32_t* above, const Children& children,
                    Take take) const {
        children.each(at.feature, 0, above, member + ptr[s + 1],
                      [&](uint32_t child, int32_t number) {
                          take(Occurrence{child, static_cast<uint32_t>(number), at.feature});
                      });
    }
};

// Sub feature trees of dependency trees (section 5.2): connected arcs, siblings among them adjacent
// in the tree, each arc one of its basic features. A tree is grown in pre-order, by a child of its
// last word or by the next sibling of a word on the path from its root to that word (rightmost
// extension): every tree in one way.
struct Trees {
    struct Occurrence {
        uint32_t feature;
        // The word added last, and how many arcs it lies below the root of the sub-tree.
        int32_t last, depth;
    };
    const int64_t* ptr;        // tokens of trees
    const int32_t* head;       // 0: the root, else the head's place in the sentence, from 1
    const int64_t* arc;        // of a token
    const int64_t* basic_ptr;  // basic features of an arc
    const int32_t* basic;
    const int32_t *first_child,
        *next_sibling;  // by word, the root of a sentence among them; -1: none
    int64_t n, n_arcs;
    uint32_t n_basic;
    std::vector<int64_t> narrow_ptr = {};  // what basic_ptr and basic are once narrowed
    std::vector<int32_t> narrow_basic = {};

    int64_t count_basic(int64_t s) const {
        int64_t total = 0;
        for (int64_t t = ptr[s]; t < ptr[s + 1]; ++t)
            total += basic_ptr[arc[t] + 1] - basic_ptr[arc[t]];
        return total;
    }
    template <class Take>
    void each_basic(int64_t s, Take take) const {
        for (int32_t m = 1; m <= ptr[s + 1] - ptr[s]; ++m) each_key(s, 0, 0, m, 1, take);
    }
    int64_t count_extensions(int64_t s, const Occurrence* begin, const Occurrence* end) const {
        int64_t total = 0;
        for (const Occurrence* at = begin; at != end; ++at)
            each_arc(s, *at, [&](int32_t, int32_t word, int32_t, int32_t) {
                const int64_t a = arc[ptr[s] + word - 1];
                total += basic_ptr[a + 1] - basic_ptr[a];
            });
        return total;
    }
    template <class Take>
    void each_extension(int64_t s, const Occurrence* begin, const Occurrence* end,
                        Take take) const {
        for (const Occurrence* at = begin; at != end; ++at)
            each_arc(s, *at, [&](int32_t below, int32_t word, int32_t depth, int32_t) {
                each_key(s, at->feature, below, word, depth, take);
            });
    }
    template <class Take>
    void each_first(int64_t s, const Children& children, Take take) const {
        for (int32_t m = 1; m <= ptr[s + 1] - ptr[s]; ++m)
            each_known(s, 0, 0, m, 1, children, take);
    }
    template <class Take>
    void each_next(int64_t s, const Occurrence& at, const Children& children, Take take) const {
        each_arc(s, at, [&](int32_t below, int32_t word, int32_t depth, int32_t) {
            each_known(s, at.feature, below, word, depth, children, take);
        });
    }
    // Trees are grown by these basic features alone: one that did not survive by itself is in no
    // tree that does.
    void narrow(const std::vector<bool>& survived) {
        narrow_ptr.assign(1, 0);
        narrow_basic.clear();
        for (int64_t a = 0; a < n_arcs; ++a) {
            for (int64_t i = basic_ptr[a]; i < basic_ptr[a + 1]; ++i)
                if (static_cast<size_t>(basic[i]) < survived.size() && survived[basic[i]])
                    narrow_basic.push_back(basic[i]);
            narrow_ptr.push_back(static_cast<int64_t>(narrow_basic.size()));
        }
        basic_ptr = narrow_ptr.data();
        basic = narrow_basic.data();
    }

    // Calls body(depth of the head, word, depth of the word, the sibling before it in the sub-tree
    // or 0) for the arcs that a sub-tree may grow by.
    template <class Body>
    void each_arc(int64_t s, const Occurrence& at, Body body) const {
        const int64_t words = ptr[s] + s;  // every tree before has a root besides its tokens
        for (int32_t c = first_child[words + at.last]; c > 0; c = next_sibling[words + c])
            body(at.depth, c, at.depth + 1, 0);
        int32_t word = at.last;
        for (int32_t depth = at.depth; depth > 0; --depth, word = head[ptr[s] + word - 1])
            if (const int32_t c = next_sibling[words + word]; c > 0)
                body(depth - 1, c, depth, word);
    }
    template <class Take>
    void each_known(int64_t s, uint32_t feature, int32_t below, int32_t word, int32_t depth,
                    const Children& children, Take take) const {
        const int64_t a = arc[ptr[s] + word - 1];
        children.each(feature, base(below), basic + basic_ptr[a], basic + basic_ptr[a + 1],
                      [&](uint32_t child, int32_t) { take(Occurrence{child, word, depth}); });
    }

  private:
    template <class Take>
    void each_key(int64_t s, uint32_t feature, int32_t below, int32_t word, int32_t depth,
                  Take take) const {
        const int64_t a = arc[ptr[s] + word - 1];
        for (int64_t i = basic_ptr[a]; i < basic_ptr[a + 1]; ++i)
            take(key_of(feature, base(below) + static_cast<uint32_t>(basic[i])),
                 Occurrence{0, word, depth});
    }
    uint32_t base(int32_t below) const { return static_cast<uint32_t>(below) * n_basic; }
};

}  // namespace laconic::mining
