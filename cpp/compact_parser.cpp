// A parser that reads its weights from compact maps: score of a part = sum over templates of weight(feature at the part), as in
// parser.hpp. A feature is a number (part_numbers.hpp); its code in the template's map names its weight. Weights are added in the
// order of templates and parts, so that sums are those of the plain parser to the last bit.
#include "compact_features.hpp"
#include "kernels.hpp"
#include "parsing.hpp"
#include "part_numbers.hpp"

namespace {

using namespace compact;

class CompactParser;

// Features to be looked up: of each its number, and where its weight is added.
struct Wanted {
    static constexpr int kMost = KeyBlock::kMost;
    int count = 0;
    std::array<uint64_t, kMost> key;
    std::array<int32_t, kMost> place;
    std::array<int64_t, kMost> first;  // entry of its bucket
    std::array<int32_t, kMost> in_bucket, left;
    std::array<uint64_t, kMost> fields;
};

struct CompactParse : TreeState {
    explicit CompactParse(const CompactParser& parser);
    PartNumbers numbers;
    PartWords words;
    Wanted wanted;
};

class CompactParser : public TreeDecoder {
  public:
    using Work = CompactParse;

    CompactParser(const PartTemplates& templates, int model, bool crossing, bool single_root, Vec<int64_t> n_values_in,
                  nb::tuple maps, const Rows<float>& rows, int64_t n_shared)
        : TreeDecoder(templates, model, crossing, single_root),
          n_values(checked(n_values_in)),
          features(PartNumbers::radixes(templates, n_values), maps, rows.size(), n_shared) {
        for (int64_t row = 0; row < rows.size(); ++row) {
            require(rows.end(row) - rows.begin(row) == 1, "a feature of a part has one weight");
            weight_.push_back(rows.begin(row)->value);
        }
        for (int64_t k = 0; k < features.size(); ++k)
            code_numbers_.push_back(PartNumbers::code_numbers(templates, k, features.radix()[k]));
    }

    void check(const Columns& columns) const {
        require(columns.n_views == static_cast<int64_t>(n_values.size()), "columns must have a row for every view");
        for (int64_t v = 0; v < columns.n_views; ++v) {
            int32_t largest = -1;  // found without a question a token
            for (int64_t t = 0; t < columns.n_tokens; ++t) largest = std::max(largest, columns.data[v * columns.n_tokens + t]);
            require(largest < n_values[v], "columns hold a value that no view has");
        }
    }

    // Parts of sentence s and their scores.
    COMPACT_CLONES void read(const Columns& columns, int64_t s, const Candidates& candidates, CompactParse& at) const {
        open(columns, s, candidates, at);
        at.numbers.read(columns, at.begin, at.n);
        for (int64_t k = 0; k < features.size(); ++k)
            if (features.map(k).shape.n > 0) add_template(k, at);
    }

    const std::vector<int64_t> n_values;
    const Features features;

  private:
    static std::vector<int64_t> checked(const Vec<int64_t>& n_values) {
        check_range(n_values, 0, kMostEntries - 2 * ::Templates::kFarthest, "n_values");
        return {n_values.data(), n_values.data() + n_values.size()};
    }

    void add_template(int64_t k, CompactParse& at) const {
        const PartList& list = at.layout.lists[templates.kind(k)];
        double* out = at.score[templates.kind(k)].data();
        Wanted& wanted = at.wanted;
        wanted.count = 0;
        at.numbers.words(k, at.words);
        const uint64_t* of_code = templates.knows_shape(k) ? code_numbers_[k].data() : nullptr;
        const int between = templates.between(k);
        const uint64_t multiplier = between >= 0 ? features.radix()[k].multiplier.back() : 0;
        each_block(list, templates.special(k) == kDistance, of_code, 0, at.words, [&](const KeyBlock& block) {
            for (int j = 0; j < block.count; ++j) {
                if (block.gone(j)) continue;
                const int32_t place = list.place[block.first + j];
                if (between < 0) {
                    wanted.key[wanted.count] = block.key[j];
                    wanted.place[wanted.count++] = place;
                    continue;
                }
                const int h = list.word[kHead][block.first + j], m = list.word[kModifier][block.first + j];
                at.numbers.each_between(between, std::min(h, m), std::max(h, m), [&](uint64_t value) {
                    wanted.key[wanted.count] = block.key[j] + value * multiplier;
                    wanted.place[wanted.count++] = place;
                    if (wanted.count == Wanted::kMost) add_weights(k, wanted, out);
                });
            }
            if (between < 0) add_weights(k, wanted, out);
        });
        add_weights(k, wanted, out);
    }

    // Adds the weights of the features that have one. What one step asks memory for the next one uses; most features have no
    // weight, and are left behind without a branch that the processor could guess wrong. The map is copied: what is written in
    // the loops cannot be the copy, so that its numbers stay in registers.
    void add_weights(int64_t k, Wanted& wanted, double* out) const {
        const Map map = features.map(k);
        const int count = wanted.count;
        wanted.count = 0;
        const int32_t* place = wanted.place.data();
        const float* weight = weight_.data();
        const int64_t first_own = features.first_own(k);
        const auto add = [&](int j, int64_t number) {
            const Code code = map.code(number);
            out[place[j]] += weight[code.is_long ? first_own + code.value : int64_t{code.value}];
        };
        uint64_t* key = wanted.key.data();
        int n_tried = 0;
        std::array<uint8_t, Wanted::kMost> tried;
        if (map.shape.direct()) {
            for (int j = 0; j < count; ++j) {
                tried[n_tried] = static_cast<uint8_t>(j);
                n_tried += map.has(key[j]);
            }
            for (int i = 0; i < n_tried; ++i) add(tried[i], map.number_of(key[tried[i]]));
            return;
        }
        for (int j = 0; j < count; ++j) {
            key[j] = map.mix(key[j]);
            map.prefetch(key[j]);
        }
        for (int j = 0; j < count; ++j) {
            const Map::Bucket bucket = map.bucket_of(key[j]);
            wanted.first[j] = bucket.first;
            wanted.in_bucket[j] = bucket.count;
            map.prefetch(bucket);
        }
        // Field by field: a copy of the whole place would wait until its fields are in memory.
        for (int j = 0; j < count; ++j) {
            const Map::Place found = map.search(key[j], {wanted.first[j], wanted.in_bucket[j]});
            tried[n_tried] = static_cast<uint8_t>(j);
            wanted.fields[n_tried] = found.fields;
            wanted.left[n_tried] = found.left;
            n_tried += (found.fields != 0) | (found.left > 0);
        }
        for (int i = 0; i < n_tried; ++i) {
            const int j = tried[i];
            const int64_t number = map.settle({wanted.fields[i], wanted.first[j], wanted.left[i]}, key[j]);
            if (number >= 0) add(j, number);
        }
    }

    std::vector<float> weight_;                        // by row
    std::vector<std::vector<uint64_t>> code_numbers_;  // by template and code of directions
};

CompactParse::CompactParse(const CompactParser& parser)
    : TreeState(parser.model, parser.single_root), numbers(parser.templates, parser.n_values, parser.features.radix()) {}

}  // namespace

void bind_compact_parser(nb::module_& m) {
    nb::class_<CompactParser> door(m, "CompactParser");
    door.def(nb::init<const PartTemplates&, int, bool, bool, Vec<int64_t>, nb::tuple, const Rows<float>&, int64_t>(),
             nb::arg("templates"), nb::arg("model"), nb::arg("crossing"), nb::arg("single_root"), nb::arg("n_values"),
             nb::arg("maps"), nb::arg("rows"), nb::arg("n_shared"));
    bind_features(door);
    bind_parsing(door);
}
