// Scores of parts from compact maps: score[place] += weight(feature of template k at the part),
// block by block of parts, in the order of the plain parser. Nearly all time is spent waiting for
// memory, so every look-up is cut into steps and each step asks memory for what the next one reads.
#include "compact/parser.hpp"

#include "compact/clones.hpp"

namespace laconic::compact {

CompactParse::CompactParse(const CompactParser& parser)
    : TreeState(parser.model, parser.single_root),
      numbers(parser.templates, parser.n_values, parser.features.radix()) {}

void CompactParser::add_template(int64_t k, CompactParse& at) const {
    const PartList& list = at.layout.lists[templates.kind(k)];
    const int32_t* place = list.place.data();
    double* out = at.score[templates.kind(k)].data();
    Wanted& wanted = at.wanted;
    at.numbers.words(k, at.words);
    const uint64_t* of_code = templates.knows_shape(k) ? code_numbers_[k].data() : nullptr;
    const bool distance = templates.special(k) == kDistance;
    if (const int between = templates.between(k); between >= 0) {
        const uint64_t multiplier = features.radix()[k].multiplier.back();
        int count = 0;
        each_block(list, distance, of_code, 0, at.words, [&](const KeyBlock& block) {
            for (int j = 0; j < block.count; ++j) {
                if (block.gone(j)) continue;
                const int h = list.word[kHead][block.first + j],
                          m = list.word[kModifier][block.first + j];
                at.numbers.each_between(
                    between, std::min(h, m), std::max(h, m), [&](uint64_t value) {
                        wanted.key[count] = block.key[j] + value * multiplier;
                        wanted.place[count] = place[block.first + j];
                        if (++count < Wanted::kMost) return;
                        add_weights(k, wanted.key.data(), wanted.place.data(), count, wanted, out);
                        count = 0;
                    });
            }
        });
        add_weights(k, wanted.key.data(), wanted.place.data(), count, wanted, out);
        return;
    }
    each_block(list, distance, of_code, 0, at.words, [&](const KeyBlock& block) {
        const int32_t* places = place + block.first;
        const uint64_t* keys = block.key.data();
        int count = block.count;
        if (block.some_gone) {
            count = 0;
            for (int j = 0; j < block.count; ++j) {
                wanted.key[count] = block.key[j];
                wanted.place[count] = places[j];
                count += !block.is_gone[j];
            }
            keys = wanted.key.data();
            places = wanted.place.data();
        }
        add_weights(k, keys, places, count, wanted, out);
    });
}

// Adds the weights of the features that have one. What one step asks memory for the next one uses;
// most features have no weight, and are left behind without a branch that the processor could guess
// wrong. Results are kept field by field: a copy of a whole struct would wait until its fields are
// in memory. The map is copied: what is written in the loops cannot be the copy, so that its
// numbers stay in registers.
void CompactParser::add_weights(int64_t k, const uint64_t* number, const int32_t* place, int count,
                                Wanted& wanted, double* out) const {
    const Map map = features.map(k);
    uint64_t *key = wanted.key.data(), *fields = wanted.fields.data();
    int64_t* first = wanted.first.data();
    int32_t *in_bucket = wanted.in_bucket.data(), *left = wanted.left.data();
    uint8_t* tried = wanted.tried.data();
    int n_tried = 0, n_found = 0;
    if (map.shape.direct()) {
        for (int j = 0; j < count; ++j) {
            tried[n_tried] = static_cast<uint8_t>(j);
            n_tried += map.has(number[j]);
        }
        for (; n_found < n_tried; ++n_found) first[n_found] = map.number_of(number[tried[n_found]]);
    } else {
        for (int j = 0; j < count; ++j) {
            key[j] = map.mix(number[j]);
            map.prefetch(key[j]);
        }
        for (int j = 0; j < count; ++j) {
            const Map::Bucket bucket = map.bucket_of(key[j]);
            first[j] = bucket.first;
            in_bucket[j] = bucket.count;
            map.prefetch(bucket);
        }
        for (int j = 0; j < count; ++j) {
            const Map::Place found = map.search(key[j], {first[j], in_bucket[j]});
            tried[n_tried] = static_cast<uint8_t>(j);
            fields[n_tried] = found.fields;
            left[n_tried] = found.left;
            n_tried += (found.fields != 0) | (found.left > 0);
        }
        for (int i = 0; i < n_tried; ++i) {
            const int j = tried[i];
            const int64_t entry = map.entry_at({fields[i], first[j], left[i]}, key[j]);
            if (entry < 0) continue;
            map.prefetch_code(entry);
            tried[n_found] = static_cast<uint8_t>(j);
            first[n_found++] = entry;
        }
    }
    const float* weight = weight_.data();
    const int64_t first_own = features.first_own(k);
    for (int i = 0; i < n_found; ++i) {
        const Code code = map.code(first[i]);
        out[place[tried[i]]] += weight[code.is_long ? first_own + code.value : int64_t{code.value}];
    }
}

COMPACT_CLONES void CompactParser::read_fast(const Columns& columns, int64_t s,
                                             const Candidates& candidates, CompactParse& at) const {
    open(columns, s, candidates, at);
    at.numbers.read(columns, at.begin, at.n);
    for (int64_t k = 0; k < features.size(); ++k)
        if (features.map(k).shape.n > 0) add_template(k, at);
}

// In the file of the clones: other files would not know which symbol to call under clang.
void CompactParser::read(const Columns& columns, int64_t s, const Candidates& candidates,
                         CompactParse& at) const {
    read_fast(columns, s, candidates, at);
}

}  // namespace laconic::compact
