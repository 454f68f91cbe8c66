// Kernel spaces: which extensions the features that occur in a structure have, each exactly once.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "mining.hpp"

namespace mining {

// Products of up to R binary features (a polynomial kernel). A structure is a set of numbers in rising order; a feature is
// extended by numbers above its last one, of which the set that has that number instead of the last one survived too: both are
// then neighbours in the list of what extends their common part.
struct Sets {
    struct Occurrence {
        uint32_t feature, last, part;  // part: the feature without its last number
    };
    const int64_t* ptr;
    const int32_t* member;
    int64_t n;
    static constexpr bool kRepeats = false;  // whether a feature may occur twice in a structure

    template <class Take>
    void each_basic(int64_t s, Take take) const {
        for (int64_t i = ptr[s]; i < ptr[s + 1]; ++i) {
            const uint32_t number = static_cast<uint32_t>(member[i]);
            take(key_of(0, number), Occurrence{0, number, 0});
        }
    }
    template <class Take>
    void each_extension(int64_t, const Occurrence* begin, const Occurrence* end, Take take) const {
        for (const Occurrence* a = begin; a != end; ++a)
            for (const Occurrence* b = a + 1; b != end && b->part == a->part; ++b)
                take(key_of(a->feature, b->last), Occurrence{0, b->last, a->feature});
    }
    // The same where the occurrences are not those of all features with a common part.
    template <class Take>
    void each_extension_of_some(int64_t s, const Occurrence* begin, const Occurrence* end, Take take) const {
        const int32_t* const stop = member + ptr[s + 1];
        for (const Occurrence* a = begin; a != end; ++a)
            for (const int32_t* m = std::upper_bound(member + ptr[s], stop, static_cast<int32_t>(a->last)); m != stop; ++m)
                take(key_of(a->feature, static_cast<uint32_t>(*m)), Occurrence{0, static_cast<uint32_t>(*m), a->feature});
    }
};

// Sub feature trees of dependency trees (section 5.2): connected arcs, siblings among them adjacent in the tree, each arc one of
// its basic features. A tree is grown in pre-order, by a child of its last word or by the next sibling of a word on the path from
// its root to that word (rightmost extension): every tree in one way.
struct Trees {
    struct Occurrence {
        uint32_t feature;
        int32_t last, depth;  // the word added last, and how many arcs it lies below the root of the sub-tree
    };
    const int64_t* ptr;        // tokens of trees
    const int32_t* head;       // 0: the root, else the head's place in the sentence, from 1
    const int64_t* arc;        // of a token
    const int64_t* basic_ptr;  // basic features of an arc
    const int32_t* basic;
    const int32_t *first_child, *next_sibling;  // by word, the root of a sentence among them; -1: none
    int64_t n;
    uint32_t n_basic;
    static constexpr bool kRepeats = true;

    template <class Take>
    void each_basic(int64_t s, Take take) const {
        for (int32_t m = 1; m <= ptr[s + 1] - ptr[s]; ++m) each_feature(s, 0, 0, m, 1, take);
    }
    template <class Take>
    void each_extension(int64_t s, const Occurrence* begin, const Occurrence* end, Take take) const {
        const int64_t words = ptr[s] + s;  // every tree before has a root besides its tokens
        for (const Occurrence* at = begin; at != end; ++at) {
            for (int32_t c = first_child[words + at->last]; c > 0; c = next_sibling[words + c])
                each_feature(s, at->feature, at->depth, c, at->depth + 1, take);
            int32_t word = at->last;
            for (int32_t depth = at->depth; depth > 0; --depth, word = head[ptr[s] + word - 1])
                if (const int32_t c = next_sibling[words + word]; c > 0) each_feature(s, at->feature, depth - 1, c, depth, take);
        }
    }
    template <class Take>
    void each_extension_of_some(int64_t s, const Occurrence* begin, const Occurrence* end, Take take) const {
        each_extension(s, begin, end, take);
    }

  private:
    template <class Take>
    void each_feature(int64_t s, uint32_t feature, int32_t below, int32_t word, int32_t depth, Take take) const {
        const int64_t a = arc[ptr[s] + word - 1];
        for (int64_t i = basic_ptr[a]; i < basic_ptr[a + 1]; ++i)
            take(key_of(feature, static_cast<uint32_t>(below) * n_basic + static_cast<uint32_t>(basic[i])),
                 Occurrence{0, word, depth});
    }
};

}  // namespace mining
