// A dependency parser's weights, and the scores that they make of sentences.
#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "numeric/flat_table.hpp"
#include "numeric/online.hpp"
#include "tree/decoder.hpp"

namespace laconic::tree {

using numeric::FlatTable;
using numeric::OnlineModel;
using numeric::Reading;

class Parser;

// A sentence under work, with the keys of its features.
struct Parse : TreeState {
    explicit Parse(const Parser& parser);
    PartKeys keys;
    PartWords words;
};

class Parser : public TreeDecoder, public OnlineModel<FlatTable> {
  public:
    using Work = Parse;

    Parser(const PartTemplates& templates, const TreeShape& shape) : TreeDecoder(templates, shape) {
        tables.resize(templates.size());
    }
    void check(const Columns& columns) const { templates.check(columns); }

    // Parts of sentence s and their scores.
    void read(const Columns& columns, int64_t s, const Candidates& candidates, Parse& at,
              Reading reading = Reading::plain) const {
        lay_out(columns, s, candidates, at);
        for (int64_t k = 0; k < templates.size(); ++k) {
            const FlatTable& table = tables[k];
            if (table.empty()) continue;
            const double scale = table.scale();
            double* out = at.score[templates.kind(k)].data();
            const int32_t* place = at.layout.lists[templates.kind(k)].place.data();
            if (reading == Reading::dual)
                each_key(k, at, [&](int64_t i, uint64_t key) {
                    out[place[i]] += from_dual(table.weight(key));
                });
            else if (table.deferring())
                each_key(k, at, [&](int64_t i, uint64_t key) {
                    out[place[i]] += scale * table.due_weight(key);
                });
            else
                each_key(k, at, [&](int64_t i, uint64_t key) {
                    out[place[i]] += scale * table.weight(key);
                });
        }
    }
    void lay_out(const Columns& columns, int64_t s, const Candidates& candidates, Parse& at) const {
        open(columns, s, candidates, at);
        at.keys.read(columns, at.begin, at.n);
    }
    // Calls body(i, key) for the features of template k at all parts, i the number of the part in
    // its list.
    template <class Body>
    void each_key(int64_t k, Parse& at, Body body) const {
        const PartList& list = at.layout.lists[templates.kind(k)];
        const FlatTable& table = tables[k];
        at.keys.words(k, at.words);
        const int between = templates.between(k);
        const uint64_t* of_code = templates.knows_shape(k) ? code_hashes().data() : nullptr;
        each_block(list, templates.special(k) == kDistance, of_code, PartKeys::code_hash(0),
                   at.words, [&](const KeyBlock& block) {
                       if (between >= 0) {
                           for (int j = 0; j < block.count; ++j) {
                               if (block.gone(j)) continue;
                               const int h = list.word[kHead][block.first + j],
                                         m = list.word[kModifier][block.first + j];
                               at.keys.each_between(between, std::min(h, m), std::max(h, m),
                                                    [&](uint64_t value) {
                                                        body(block.first + j, block.key[j] + value);
                                                    });
                           }
                           return;
                       }
                       if (table.size() > kSmall)
                           for (int j = 0; j < block.count; ++j) table.prefetch(block.key[j]);
                       for (int j = 0; j < block.count; ++j)
                           if (!block.gone(j)) body(block.first + j, block.key[j]);
                   });
    }

  private:
    // Features that stay in the nearest cache by themselves.
    static constexpr int64_t kSmall = 2000;

    static const std::array<uint64_t, 256>& code_hashes() {
        static const std::array<uint64_t, 256> hashes = [] {
            std::array<uint64_t, 256> made;
            for (int code = 0; code < 256; ++code) made[code] = PartKeys::code_hash(code);
            return made;
        }();
        return hashes;
    }
};

inline Parse::Parse(const Parser& parser)
    : TreeState(parser.model, parser.single_root), keys(parser.templates) {}

}  // namespace laconic::tree
