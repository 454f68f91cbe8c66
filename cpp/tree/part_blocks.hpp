// Keys of one template's features at a list of parts, a block of parts at a time: a part costs one
// addition per role.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>

#include "tree/part_layout.hpp"

namespace laconic::tree {

struct KeyBlock {
    static constexpr int kMost = 64;
    int64_t first = 0;  // part of the list
    int count = 0;
    bool some_gone = false;
    std::array<uint64_t, kMost> key;
    std::array<uint8_t, kMost> is_gone;

    bool gone(int j) const { return some_gone && is_gone[j]; }
};

// Calls body(block) for all parts. A key is the sum of what the words contribute and of of_code at
// the part's directions (with `distance`, and distance); without of_code (null) of `start`.
template <class Body>
void each_block(const PartList& list, bool distance, const uint64_t* of_code, uint64_t start,
                const PartWords& words, Body body) {
    const uint8_t* code = (distance ? list.shape_and_distance : list.shape).data();
    KeyBlock block;
    auto& key = block.key;
    for (block.first = 0; block.first < list.size(); block.first += KeyBlock::kMost) {
        const int count = block.count =
            static_cast<int>(std::min<int64_t>(KeyBlock::kMost, list.size() - block.first));
        for (int j = 0; j < count; ++j) key[j] = of_code ? of_code[code[block.first + j]] : start;
        block.some_gone = false;
        for (int r = 0; r < kRoles; ++r) {
            if (!words.has[r]) continue;
            const uint64_t* of_word = words.key[r].data();
            const int32_t* word = list.word[r].data() + block.first;
            if (words.missing[r]) {
                if (!block.some_gone) block.is_gone.fill(0);
                block.some_gone = true;
                for (int j = 0; j < count; ++j) block.is_gone[j] |= of_word[word[j]] == kGone;
            }
            for (int j = 0; j < count; ++j) key[j] += of_word[word[j]];
        }
        body(block);
    }
}

}  // namespace laconic::tree
