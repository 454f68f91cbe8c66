// A tagger that reads its weights from compact maps: unary[t][y] = sum_m weight(feature of template m at t, y), as in tagger.hpp.
//
// A feature is the number sum_a value_a * multiplier_a of its atoms' values; its code in the template's map names a row, a short
// list of (label, value). Rows are few where weights have few values, and are added in the order of templates, so that sums are
// those of the plain tagger to the last bit.
#include "compact_features.hpp"
#include "kernels.hpp"
#include "tagging.hpp"

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

    CompactTagger(nb::tuple templates, Vec<int64_t> n_values, nb::tuple maps, const Rows<float>& rows_in, int64_t n_shared,
                  Vec<float> edge_in, Vec<float> start_in)
        : Decoder(static_cast<int>(std::min<size_t>(start_in.size(), INT32_MAX)), is_any(nb::cast<Vec<uint8_t>>(templates[3]))),
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

  private:
    static bool is_any(const Vec<uint8_t>& flags) {
        return std::any_of(flags.data(), flags.data() + flags.size(), [](uint8_t flag) { return flag != 0; });
    }
    static constexpr uint64_t kMissing = ~uint64_t{0};  // no mixed key: buckets and rests have fewer than 64 bits
    static constexpr int64_t kSparsestList = 3;         // keys a row in a list

    struct Template {
        std::vector<int32_t> view, offset;
        bool pairs = false;
        std::vector<RowPlace> places;  // by key, and none for the one after the last; only where most keys have rows
    };
    static std::vector<Template> checked(const nb::tuple& templates, const Vec<int64_t>& n_values) {
        const auto atom_ptr = nb::cast<Vec<int64_t>>(templates[0]);
        const auto atom_view = nb::cast<Vec<int32_t>>(templates[1]), atom_offset = nb::cast<Vec<int32_t>>(templates[2]);
        const auto pairs = nb::cast<Vec<uint8_t>>(templates[3]);
        check_ptr(atom_ptr, static_cast<int64_t>(atom_view.size()), "atom_ptr");
        require(atom_offset.size() == atom_view.size() && pairs.size() + 1 == atom_ptr.size(),
                "there must be an offset an atom and an entry of pairs a template");
        check_range(atom_view, 0, static_cast<int64_t>(n_values.size()), "atom_view");
        check_range(atom_offset, -::Templates::kFarthest, ::Templates::kFarthest + 1, "atom_offset");
        check_range(n_values, 0, kMostEntries - 2 * ::Templates::kFarthest, "n_values");
        std::vector<Template> out(pairs.size());
        for (size_t m = 0; m < out.size(); ++m) {
            const int64_t begin = atom_ptr.data()[m], end = atom_ptr.data()[m + 1];
            out[m].view.assign(atom_view.data() + begin, atom_view.data() + end);
            out[m].offset.assign(atom_offset.data() + begin, atom_offset.data() + end);
            out[m].pairs = pairs.data()[m] != 0;
        }
        return out;
    }
    // Positions outside the sentence are values of their own, one for each step that an atom can reach.
    static std::vector<Radix> radixes(const std::vector<Template>& templates, const Vec<int64_t>& n_values) {
        std::vector<Radix> out;
        for (const Template& entry : templates) {
            std::vector<int64_t> radix;
            for (size_t a = 0; a < entry.view.size(); ++a)
                radix.push_back(std::max<int64_t>(1, n_values.data()[entry.view[a]] + std::abs(entry.offset[a])));
            out.emplace_back(radix);
        }
        return out;
    }

    void check_labels(const Rows<float>& rows) const {
        for (int64_t m = 0; has_pairs && m < size(); ++m) {
            const uint32_t most = static_cast<uint32_t>(templates_[m].pairs ? n_labels * n_labels : n_labels);
            for (int64_t i = 0; i < features.map(m).shape.n; ++i)
                require(rows.largest(features.row_of(m, i)) < most, "a weight belongs to a label that is not there");
        }
    }
    // Templates such as words and tags by themselves, of whose possible features many have weights, get a list of these.
    void list_places(int64_t m) {
        const Map& map = features.map(m);
        if (!map.shape.direct() || map.shape.universe > kSparsestList * map.shape.n) return;
        templates_[m].places.resize(map.shape.universe + 1);
        const auto rows = rows_.view();
        map.each_key([&](int64_t number, uint64_t key) { templates_[m].places[key] = rows.places[features.row_of(m, number)]; });
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
        const Map map = features.map(m);
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
        const uint32_t first_own = static_cast<uint32_t>(features.first_own(m));
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
        const Map map = features.map(m);
        const int64_t n = at.n, width = n + 2 * reach_;
        const auto values_of = [&](size_t a) { return at.padded.data() + entry.view[a] * width + reach_ + entry.offset[a]; };
        if (entry.view.empty()) std::fill(out, out + n, uint64_t{0});
        for (size_t a = 0; a < entry.view.size(); ++a) {
            const int32_t* value = values_of(a);
            const uint64_t multiplier = features.radix()[m].multiplier[a];
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

    std::vector<Template> templates_;

  public:
    const Features features;

  private:
    RowForms<float> rows_;
    std::vector<int64_t> n_values_;
    int32_t reach_ = 0;
};

}  // namespace

void bind_compact_tagger(nb::module_& m) {
    nb::class_<CompactTagger> door(m, "CompactTagger");
    door.def(nb::init<nb::tuple, Vec<int64_t>, nb::tuple, const Rows<float>&, int64_t, Vec<float>, Vec<float>>(),
             nb::arg("templates"), nb::arg("n_values"), nb::arg("maps"), nb::arg("rows"), nb::arg("n_shared"), nb::arg("edge"),
             nb::arg("start"));
    bind_features(door);
    bind_tagging(door);
}
