// A tagger that reads its weights from compact maps:
//
//     unary[t][y] = sum_m weight(feature of template m at t, y)        as in chain/tagger.hpp
//
// A feature is the number sum_a value_a * multiplier_a of its atoms' values; its code in the
// template's map names a row, a short list of (label, value). Rows are few where weights have few
// values, and are added in the order of templates, so that sums are those of the plain tagger to
// the last bit.
#pragma once
#include "chain/tagging.hpp"
#include "compact/features.hpp"

namespace laconic::compact {

using chain::Decoder;
using chain::Scored;
using text::Columns;

// A token with a feature that has weights: the number of their row, at first among all and then
// among those of its form.
struct Hit {
    int32_t token;
    uint32_t row;
};

// The hits of a template by the forms of their rows.
struct Hits {
    Hit* of[kForms];
    int64_t n[kForms] = {};
};

// What a sentence needs while it is scored.
struct Looking : Scored {
    std::vector<uint64_t> keys;
    std::vector<Map::Place> places;
    std::vector<Hit> tried, hits;
};

// atom_ptr, atom_view, atom_offset, and whether templates are conjoined with pairs of labels.
using TemplateArrays = std::tuple<Vec<int64_t>, Vec<int32_t>, Vec<int32_t>, Vec<uint8_t>>;

class CompactTagger : public Decoder {
  public:
    using Work = Looking;

    CompactTagger(const TemplateArrays& templates, Vec<int64_t> n_values, const MapArrays& maps,
                  const Rows<float>& rows_in, int64_t n_shared, Vec<float> edge_in,
                  Vec<float> start_in)
        : Decoder(static_cast<int>(std::min<size_t>(start_in.size(), INT32_MAX)),
                  is_any(std::get<3>(templates))),
          templates_(checked(templates, n_values)),
          features(radixes(templates_, n_values), maps, rows_in.size(), n_shared),
          rows_(rows_in, n_labels, stride),
          n_values_(n_values.data(), n_values.data() + n_values.size()) {
        set_transitions(edge_in, start_in);
        for (const Template& entry : templates_)
            for (int32_t offset : entry.offset) reach_ = std::max(reach_, std::abs(offset));
        check_labels(rows_in);
        for (int64_t m = 0; m < size(); ++m) list_places(m);
    }

    void check(const Columns& columns) const {
        require(columns.n_views == static_cast<int64_t>(n_values_.size()),
                "columns must have a row for every view");
        for (int64_t v = 0; v < columns.n_views; ++v) {
            int32_t largest = -1;  // found without a branch per token
            for (int64_t t = 0; t < columns.n_tokens; ++t)
                largest = std::max(largest, columns.data[v * columns.n_tokens + t]);
            require(largest < n_values_[v], "columns hold a value that no view has");
        }
    }

    // Scores of one sentence.
    void read(const Columns& columns, int64_t s, Looking& at) const;

    int64_t size() const { return static_cast<int64_t>(templates_.size()); }

  private:
    void read_fast(const Columns& columns, int64_t s, Looking& at) const;
    static bool is_any(const Vec<uint8_t>& flags) {
        return std::any_of(flags.data(), flags.data() + flags.size(),
                           [](uint8_t flag) { return flag != 0; });
    }
    // No mixed key: buckets and rests have fewer than 64 bits.
    static constexpr uint64_t kMissing = ~uint64_t{0};
    static constexpr int64_t kSparsestList = 3;  // keys per row in a list

    struct Template {
        std::vector<int32_t> view, offset;
        bool pairs = false;
        // By key, and none for the one after the last; only where most keys have rows.
        std::vector<RowPlace> places;
    };
    static std::vector<Template> checked(const TemplateArrays& templates,
                                         const Vec<int64_t>& n_values) {
        const Vec<int64_t>& atom_ptr = std::get<0>(templates);
        const Vec<int32_t>&atom_view = std::get<1>(templates),
              &atom_offset = std::get<2>(templates);
        const Vec<uint8_t>& pairs = std::get<3>(templates);
        check_ptr(atom_ptr, static_cast<int64_t>(atom_view.size()), "atom_ptr");
        require(atom_offset.size() == atom_view.size() && pairs.size() + 1 == atom_ptr.size(),
                "there must be one offset per atom and one entry of pairs per template");
        check_range(atom_view, 0, static_cast<int64_t>(n_values.size()), "atom_view");
        check_range(atom_offset, -text::Templates::kFarthest, text::Templates::kFarthest + 1,
                    "atom_offset");
        check_range(n_values, 0, kMostEntries - 2 * text::Templates::kFarthest, "n_values");
        std::vector<Template> out(pairs.size());
        for (size_t m = 0; m < out.size(); ++m) {
            const int64_t begin = atom_ptr.data()[m], end = atom_ptr.data()[m + 1];
            out[m].view.assign(atom_view.data() + begin, atom_view.data() + end);
            out[m].offset.assign(atom_offset.data() + begin, atom_offset.data() + end);
            out[m].pairs = pairs.data()[m] != 0;
        }
        return out;
    }
    // Positions outside the sentence are values of their own, one for each step that an atom can
    // reach.
    static std::vector<Radix> radixes(const std::vector<Template>& templates,
                                      const Vec<int64_t>& n_values) {
        std::vector<Radix> out;
        for (const Template& entry : templates) {
            std::vector<int64_t> radix;
            for (size_t a = 0; a < entry.view.size(); ++a)
                radix.push_back(std::max<int64_t>(
                    1, n_values.data()[entry.view[a]] + std::abs(entry.offset[a])));
            out.emplace_back(radix);
        }
        return out;
    }

    void check_labels(const Rows<float>& rows) const {
        for (int64_t m = 0; has_pairs && m < size(); ++m) {
            const uint32_t most =
                static_cast<uint32_t>(templates_[m].pairs ? n_labels * n_labels : n_labels);
            for (int64_t i = 0; i < features.map(m).shape.n; ++i)
                require(rows.largest(features.row_of(m, i)) < most,
                        "a weight belongs to a label that is not there");
        }
    }
    // Templates such as words and tags by themselves, of whose possible features many have weights,
    // get a list of these.
    void list_places(int64_t m) {
        const Map& map = features.map(m);
        if (!map.shape.direct() || map.shape.universe > kSparsestList * map.shape.n) return;
        templates_[m].places.resize(map.shape.universe + 1);
        const auto rows = rows_.view();
        map.each_key([&](int64_t number, uint64_t key) {
            templates_[m].places[key] = rows.places[features.row_of(m, number)];
        });
    }

    void find_rows(int64_t m, const uint64_t* keys, Looking& at, Hits& hits) const;
    void add_rows(int64_t m, const Hits& hits, Scored& at) const;
    void pad(const Columns& columns, Scored& at) const;
    void mixed_keys(int64_t m, const Scored& at, uint64_t* out) const;

    std::vector<Template> templates_;

  public:
    const Features features;

  private:
    RowForms<float> rows_;
    std::vector<int64_t> n_values_;
    int32_t reach_ = 0;
};

}  // namespace laconic::compact
