// Scores of labels from compact maps: unary[t] += row(feature of template m at t), template by
// template. Keys of a template are made, looked up and added in three stages, so that memory
// answers one while the processor does the others.
#include "compact/tagger.hpp"

#include "compact/clones.hpp"

namespace laconic::compact {

// Which tokens have features with weights, and their rows. First all keys are tried without a
// branch that the processor could guess wrong, then those that hit are followed. Maps are copied
// before their loops: what is written in the loop cannot be the copy, so that its numbers stay in
// registers.
void CompactTagger::find_rows(int64_t m, const uint64_t* keys, Looking& at, Hits& hits) const {
    const auto rows = rows_.view();
    std::fill(hits.n, hits.n + kForms, 0);
    const auto keep = [&](int32_t token, RowPlace place) {
        hits.of[place.form()][hits.n[place.form()]++] = {token, place.number()};
    };
    const RowPlace* place_of = templates_[m].places.data();
    if (const uint64_t last = templates_[m].places.size(); last > 0) {
        for (int64_t t = 0; t < at.n; ++t)
            keep(static_cast<int32_t>(t), place_of[std::min(keys[t], last - 1)]);
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
        const int64_t number =
            map.shape.direct() ? map.number_of(keys[token]) : map.entry_at(places[k], keys[token]);
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
void CompactTagger::add_rows(int64_t m, const Hits& hits, Scored& at) const {
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

void CompactTagger::pad(const Columns& columns, Scored& at) const {
    const int64_t width = at.n + 2 * reach_;
    at.padded.resize(n_values_.size() * width);
    for (size_t v = 0; v < n_values_.size(); ++v) {
        int32_t* row = at.padded.data() + v * width;
        for (int32_t d = 1; d <= reach_; ++d)
            row[reach_ - d] = row[reach_ + at.n + d - 1] =
                static_cast<int32_t>(n_values_[v] + d - 1);
        std::copy_n(columns.data + v * columns.n_tokens + at.begin, at.n, row + reach_);
    }
}

void CompactTagger::mixed_keys(int64_t m, const Scored& at, uint64_t* out) const {
    const Template& entry = templates_[m];
    const Map map = features.map(m);
    const int64_t n = at.n, width = n + 2 * reach_;
    const auto values_of = [&](size_t a) {
        return at.padded.data() + entry.view[a] * width + reach_ + entry.offset[a];
    };
    if (entry.view.empty()) std::fill(out, out + n, uint64_t{0});
    for (size_t a = 0; a < entry.view.size(); ++a) {
        const int32_t* value = values_of(a);
        const uint64_t multiplier = features.radix()[m].multiplier[a];
        // Of 32 bits: half of a product of 64 bits need not be computed. (What is missing, -1, is
        // mended below.)
        const auto part = [=](int64_t t) {
            return uint64_t{static_cast<uint32_t>(value[t])} * multiplier;
        };
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

COMPACT_CLONES void CompactTagger::read_fast(const Columns& columns, int64_t s, Looking& at) const {
    const int64_t n = columns.ptr[s + 1] - columns.ptr[s];
    open(columns.ptr[s], n, at);
    pad(columns, at);
    at.keys.resize(2 * n);
    // Three templates are under way: keys of one are made, those of the one before are looked up
    // and their rows asked for, and the rows of the one before that are added.
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

// In the file of the clones: other files would not know which symbol to call under clang.
void CompactTagger::read(const Columns& columns, int64_t s, Looking& at) const {
    read_fast(columns, s, at);
}

}  // namespace laconic::compact
