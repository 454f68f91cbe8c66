// A tagger that reads its weights from compact maps: unary[t][y] = sum_m weight(feature of template m at t, y), as in tagger.hpp.
//
// A feature is the number sum_a value_a * multiplier_a of its atoms' values; its code in the template's map names a row, a short
// list of (label, value). Rows are few where weights have few values, and are added in the order of templates, so that sums are
// those of the plain tagger to the last bit.
#include "compact.hpp"
#include "compact_rows.hpp"
#include "kernels.hpp"
#include "tagging.hpp"

// Shifts by a variable and counts of bits have better instructions where the processor is younger than the portable baseline: the
// hot function is compiled twice, all that it calls with it, and the loader chooses. (Sanitizers come too late for the loader.)
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define COMPACT_CLONES __attribute__((target_clones("arch=x86-64-v3", "default"), flatten))
#else
#define COMPACT_CLONES
#endif

namespace {

using namespace compact;

// A token with a feature that has weights: the number of their row, at first among all and then among those of its form.
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

class CompactTagger : public Decoder {
  public:
    using Work = Looking;

    CompactTagger(nb::tuple templates, Vec<int64_t> n_values, nb::tuple maps, const Rows<float>& rows_in, int64_t n_shared_in,
                  Vec<float> edge_in, Vec<float> start_in)
        : Decoder(static_cast<int>(std::min<size_t>(start_in.size(), INT32_MAX)), is_any(nb::cast<Vec<uint8_t>>(templates[3]))),
          rows_(rows_in, n_labels, stride),
          n_values_(n_values.data(), n_values.data() + n_values.size()) {
        const auto atom_ptr = nb::cast<Vec<int64_t>>(templates[0]);
        const auto atom_view = nb::cast<Vec<int32_t>>(templates[1]), atom_offset = nb::cast<Vec<int32_t>>(templates[2]);
        const auto pairs_in = nb::cast<Vec<uint8_t>>(templates[3]);
        set_transitions(edge_in, start_in);
        check_ptr(atom_ptr, static_cast<int64_t>(atom_view.size()), "atom_ptr");
        require(atom_offset.size() == atom_view.size() && pairs_in.size() + 1 == atom_ptr.size(),
                "there must be an offset an atom and an entry of pairs a template");
        check_range(atom_view, 0, static_cast<int64_t>(n_values_.size()), "atom_view");
        check_range(atom_offset, -::Templates::kFarthest, ::Templates::kFarthest + 1, "atom_offset");
        check_range(n_values, 0, kMostEntries - 2 * ::Templates::kFarthest, "n_values");
        std::vector<int64_t> universes;
        for (size_t m = 0; m < pairs_in.size(); ++m) {
            std::vector<int64_t> radix;
            Template entry;
            for (int64_t a = atom_ptr.data()[m]; a < atom_ptr.data()[m + 1]; ++a) {
                entry.view.push_back(atom_view.data()[a]);
                entry.offset.push_back(atom_offset.data()[a]);
                reach_ = std::max(reach_, std::abs(entry.offset.back()));
                // Positions outside the sentence are values of their own, one for each step that the atom can reach.
                radix.push_back(std::max<int64_t>(1, n_values_[entry.view.back()] + std::abs(entry.offset.back())));
            }
            entry.radix = Radix(radix);
            entry.pairs = pairs_in.data()[m] != 0;
            universes.push_back(entry.radix.universe);
            templates_.push_back(std::move(entry));
        }
        maps_ = std::make_unique<Maps>(nb::cast<Vec<uint64_t>>(maps[0]), nb::cast<Sizes>(maps[1]), nb::cast<Widths>(maps[2]),
                                       universes);
        check_rows(rows_in, n_shared_in);
        for (int64_t m = 0; m < size(); ++m) list_places(m);
    }

    void check(const Columns& columns) const {
        require(columns.n_views == static_cast<int64_t>(n_values_.size()), "columns must have a row for every view");
        for (int64_t v = 0; v < columns.n_views; ++v) {
            int32_t largest = -1;  // found without a question a token
            for (int64_t t = 0; t < columns.n_tokens; ++t) largest = std::max(largest, columns.data[v * columns.n_tokens + t]);
            require(largest < n_values_[v], "columns hold a value that no view has");
        }
    }

    // Scores of one sentence.
    COMPACT_CLONES void read(const Columns& columns, int64_t s, Looking& at) const {
        const int64_t n = columns.ptr[s + 1] - columns.ptr[s];
        open(columns.ptr[s], n, at);
        pad(columns, at);
        at.keys.resize(2 * n);
        // Three templates are under way: keys of one are made, those of the one before are looked up and their rows asked for,
        // and the rows of the one before that are added.
        const int64_t M = size();
        at.places.resize(n);
        at.tried.resize(n);
        at.hits.resize(2 * kForms * n);
        uint64_t *looked = at.keys.data(), *made = looked + n;
        Hits added, found;
        for (int64_t form = 0; form < kForms; ++form) {
            added.of[form] = at.hits.data() + form * n;
            found.of[form] = added.of[form] + kForms * n;
        }
        for (int64_t m = 0; m < M + 2; ++m) {
            if (m < M) mixed_keys(m, at, made);
            if (m >= 1 && m <= M) find_rows(m - 1, looked, at, found);
            if (m >= 2) add_rows(m - 2, added, at);
            std::swap(looked, made);
            std::swap(added, found);
        }
    }

    int64_t size() const { return static_cast<int64_t>(templates_.size()); }
    bool exact(int64_t m) const { return templates_[m].radix.universe > 0 && (*maps_)[m].shape.exact(); }
    nb::object sizes() const {
        std::vector<int64_t> out;
        for (int64_t m = 0; m < size(); ++m) out.push_back((*maps_)[m].shape.n);
        return to_numpy(std::move(out));
    }
    // The row of every feature of a template, in the order of their numbers.
    nb::object feature_rows(int64_t m) const {
        require(m >= 0 && m < size(), "there is no such template");
        std::vector<uint32_t> out;
        for (int64_t i = 0; i < (*maps_)[m].shape.n; ++i) out.push_back(static_cast<uint32_t>(row_of(m, i)));
        return to_numpy(std::move(out));
    }
    // The values of the atoms of every feature of an exact template, outside positions counted on from the values of the view.
    nb::object feature_values(int64_t m) const {
        require(m >= 0 && m < size(), "there is no such template");
        require(exact(m), "the features of this template are known by hashes alone");
        const auto& radix = templates_[m].radix.radix;
        std::vector<int64_t> out((*maps_)[m].shape.n * radix.size());
        (*maps_)[m].each_key([&](int64_t number, uint64_t key) {
            for (size_t a = 0; a < radix.size(); ++a) {
                out[number * radix.size() + a] = static_cast<int64_t>(key % radix[a]);
                key /= radix[a];
            }
            require(key == 0, "a feature mentions a value that is not there");
        });
        return to_numpy(std::move(out));
    }

  private:
    static bool is_any(const Vec<uint8_t>& flags) {
        return std::any_of(flags.data(), flags.data() + flags.size(), [](uint8_t flag) { return flag != 0; });
    }
    static constexpr uint64_t kMissing = ~uint64_t{0};  // no mixed key: buckets and rests have fewer than 64 bits
    static constexpr int64_t kSparsestList = 3;         // keys a row in a list

    struct Template {
        std::vector<int32_t> view, offset;
        Radix radix;
        bool pairs = false;
        int64_t first_own = 0;         // the row of its first long code
        std::vector<RowPlace> places;  // by key, and none for the one after the last; only where most keys have rows
    };

    // The first n_shared rows are named by short codes; after them come the rows of long codes, template after template.
    void check_rows(const Rows<float>& rows, int64_t n_shared) {
        require(n_shared >= 0 && n_shared <= rows.size(), "there are more shared rows than rows");
        int64_t first = n_shared;
        for (int64_t m = 0; m < size(); ++m) {
            const Map& map = (*maps_)[m];
            require(map.shape.long_bits == 0, "long codes of features have no bits");
            map.check_codes(n_shared, map.shape.n_long);
            templates_[m].first_own = first;
            first += map.shape.n_long;
            require(first <= rows.size(), "a code names a row that is not there");
            const uint32_t most = static_cast<uint32_t>(templates_[m].pairs ? n_labels * n_labels : n_labels);
            for (int64_t i = 0; has_pairs && i < map.shape.n; ++i) {
                const int64_t row = row_of(m, i);
                require(rows.largest(row) < most, "a weight belongs to a label that is not there");
            }
        }
        require(first == rows.size(), "there are rows that no feature has");
    }
    // Templates such as words and tags by themselves, of whose possible features many have weights, get a list of these.
    void list_places(int64_t m) {
        const Map& map = (*maps_)[m];
        if (!map.shape.direct() || map.shape.universe > kSparsestList * map.shape.n) return;
        templates_[m].places.resize(map.shape.universe + 1);
        const auto rows = rows_.view();
        map.each_key([&](int64_t number, uint64_t key) { templates_[m].places[key] = rows.places[row_of(m, number)]; });
    }
    int64_t row_of(int64_t m, int64_t number) const {
        const Code code = (*maps_)[m].code(number);
        return code.is_long ? templates_[m].first_own + code.value : int64_t{code.value};
    }

    // Which tokens have features with weights, and their rows. First all keys are tried without a branch that the processor could
    // guess wrong, then those that hit are followed. Maps are copied before their loops: what is written in the loop cannot be
    // the copy, so that its numbers stay in registers.
    void find_rows(int64_t m, const uint64_t* keys, Looking& at, Hits& hits) const {
        const auto rows = rows_.view();
        std::fill(hits.n, hits.n + kForms, 0);
        const auto keep = [&](int32_t token, RowPlace place) {
            hits.of[place.form()][hits.n[place.form()]++] = {token, place.number()};
        };
        const RowPlace* place_of = templates_[m].places.data();
        if (const uint64_t last = templates_[m].places.size(); last > 0) {
            for (int64_t t = 0; t < at.n; ++t) keep(static_cast<int32_t>(t), place_of[std::min(keys[t], last - 1)]);
            return;
        }
        const Map map = (*maps_)[m];
        Map::Place* places = at.places.data();
        Hit* tried = at.tried.data();
        int64_t n_tried = 0;
        if (map.shape.direct()) {
            for (int64_t t = 0; t < at.n; ++t) {
                tried[n_tried].token = static_cast<int32_t>(t);
                const bool known = keys[t] != kMissing;
                n_tried += known & map.has(known ? keys[t] : 0);
            }
        } else {
            for (int64_t t = 0; t < at.n; ++t) {
                tried[n_tried].token = static_cast<int32_t>(t);
                const bool known = keys[t] != kMissing;
                places[n_tried] = map.search(known ? keys[t] : 0);
                n_tried += known & (places[n_tried].fields != 0 || places[n_tried].left > 0);
            }
        }
        const uint32_t first_own = static_cast<uint32_t>(templates_[m].first_own);
        int64_t n_hits = 0;
        for (int64_t k = 0; k < n_tried; ++k) {
            const int32_t token = tried[k].token;
            const int64_t number = map.shape.direct() ? map.number_of(keys[token]) : map.settle(places[k], keys[token]);
            if (number < 0) continue;
            const Code code = map.code(number);
            tried[n_hits] = {token, code.value + (code.is_long ? first_own : 0)};
            rows.prefetch_place(tried[n_hits++].row);
        }
        for (const Hit* hit = tried; hit != tried + n_hits; ++hit) {
            const RowPlace place = rows.places[hit->row];
            keep(hit->token, place);
            rows.prefetch(place);
        }
    }
    void add_rows(int64_t m, const Hits& hits, Scored& at) const {
        const auto rows = rows_.view();
        float* scores = templates_[m].pairs ? at.edges.data() : at.unary.data();
        const int64_t step = templates_[m].pairs ? int64_t{n_labels} * stride : stride;
        const auto each = [&](RowForm form, auto add) {
            for (const Hit* hit = hits.of[form]; hit != hits.of[form] + hits.n[form]; ++hit)
                add(hit->row, scores + hit->token * step);
        };
        each(kBlock, [=](uint32_t row, float* here) { rows.add_block(row, here); });
        each(kDense, [=](uint32_t row, float* here) { rows.add_dense(row, here); });
        each(kBlocks, [=](uint32_t row, float* here) { rows.add_blocks(row, here); });
    }

    void pad(const Columns& columns, Scored& at) const {
        const int64_t width = at.n + 2 * reach_;
        at.padded.resize(n_values_.size() * width);
        for (size_t v = 0; v < n_values_.size(); ++v) {
            int32_t* row = at.padded.data() + v * width;
            for (int32_t d = 1; d <= reach_; ++d)
                row[reach_ - d] = row[reach_ + at.n + d - 1] = static_cast<int32_t>(n_values_[v] + d - 1);
            std::copy_n(columns.data + v * columns.n_tokens + at.begin, at.n, row + reach_);
        }
    }

    void mixed_keys(int64_t m, const Scored& at, uint64_t* out) const {
        const Template& entry = templates_[m];
        const Map map = (*maps_)[m];
        const int64_t n = at.n, width = n + 2 * reach_;
        const auto values_of = [&](size_t a) { return at.padded.data() + entry.view[a] * width + reach_ + entry.offset[a]; };
        if (entry.view.empty()) std::fill(out, out + n, uint64_t{0});
        for (size_t a = 0; a < entry.view.size(); ++a) {
            const int32_t* value = values_of(a);
            const uint64_t multiplier = entry.radix.multiplier[a];
            // Of 32 bits: half of a product of 64 bits need not be computed. (What is missing, -1, is mended below.)
            const auto part = [=](int64_t t) { return uint64_t{static_cast<uint32_t>(value[t])} * multiplier; };
            if (a == 0)
                for (int64_t t = 0; t < n; ++t) out[t] = part(t);
            else
                for (int64_t t = 0; t < n; ++t) out[t] += part(t);
        }
        if (!map.shape.direct())
            for (int64_t t = 0; t < n; ++t) out[t] = map.mix(out[t]);
        // Missing values are rare: a quick look for any is cheaper than a question at every step.
        for (size_t a = 0; a < entry.view.size(); ++a) {
            const int32_t* value = values_of(a);
            int missing = 0;
            for (int64_t t = 0; t < n; ++t) missing |= value[t] == -1;
            if (missing)
                for (int64_t t = 0; t < n; ++t) out[t] = value[t] == -1 ? kMissing : out[t];
        }
        if (map.is_large())
            for (int64_t t = 0; t < n; ++t)
                if (out[t] != kMissing) map.prefetch(out[t]);
    }

    RowForms<float> rows_;
    std::vector<int64_t> n_values_;
    std::vector<Template> templates_;
    std::unique_ptr<Maps> maps_;
    int32_t reach_ = 0;
};

}  // namespace

void bind_compact_tagger(nb::module_& m) {
    nb::class_<CompactTagger> door(m, "CompactTagger");
    door.def(nb::init<nb::tuple, Vec<int64_t>, nb::tuple, const Rows<float>&, int64_t, Vec<float>, Vec<float>>(),
             nb::arg("templates"), nb::arg("n_values"), nb::arg("maps"), nb::arg("rows"), nb::arg("n_shared"), nb::arg("edge"),
             nb::arg("start"))
        .def_prop_ro("sizes", &CompactTagger::sizes)
        .def("exact", &CompactTagger::exact, nb::arg("template"))
        .def("feature_rows", &CompactTagger::feature_rows, nb::arg("template"))
        .def("feature_values", &CompactTagger::feature_values, nb::arg("template"));
    bind_tagging(door);
}
