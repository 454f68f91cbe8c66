// Builds the layout of layout.hpp from the features of all tokens: twins, then labels of units,
// then trees of implied templates, then the references of rows and tokens. Every step is a pass
// over the columns of ids; twins and implications are found by hashes and counts, never by
// comparing pairs of features.
#include "chain/layout.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "door/checks.hpp"

namespace laconic::chain {

namespace {

constexpr size_t n_blocks_at_most = 8, n_words_at_once = size_t{1} << 22;

uint64_t mixed(uint64_t x) {  // splitmix64
    x += 0x9E3779B97F4A7C15ull;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
}

class Builder {
  public:
    Builder(ChainLayout& layout, const int32_t* ids, const std::vector<int64_t>& first,
            const std::vector<int32_t>& gold, int n_labels)
        : out_(layout),
          first_(first),
          gold_(gold),
          n_labels_(n_labels),
          n_(gold.size()),
          M_(first.size() - 1) {
        column_.resize(n_ * M_);
        constexpr size_t tile = 64;
        for (size_t begin = 0; begin < n_; begin += tile)
            for (size_t m = 0; m < M_; ++m)
                for (size_t t = begin; t < std::min(n_, begin + tile); ++t)
                    column_[m * n_ + t] = ids[t * M_ + m];
        times_.assign(first_.back(), 0);
        out_.first_token.assign(first_.back(), static_cast<int32_t>(n_));
        for (size_t m = 0; m < M_; ++m)
            for (size_t t = n_; t-- > 0;)
                if (const int32_t f = column(m)[t]; f >= 0) {
                    times_[f] += 1;
                    out_.first_token[f] = static_cast<int32_t>(t);
                }
    }

    // Units in the order of their first features.
    void unite(bool merge_twins) {
        const int64_t n_features = first_.back();
        std::vector<int32_t> leader(n_features);
        std::iota(leader.begin(), leader.end(), 0);
        if (merge_twins) find_leaders(leader);
        out_.feature_unit.resize(n_features);
        for (int64_t f = 0; f < n_features; ++f) {
            if (leader[f] == f) {
                out_.feature_unit[f] = static_cast<int32_t>(out_.twins.size());
                out_.twins.push_back(0);
                out_.times.push_back(times_[f]);
            } else {
                out_.feature_unit[f] = out_.feature_unit[leader[f]];
            }
            out_.twins[out_.feature_unit[f]] += 1;
        }
        leads_.resize(n_features);
        for (int64_t f = 0; f < n_features; ++f) leads_[f] = leader[f] == f;
    }

    // The labels that units have weights for.
    void give_labels(bool all_labels) {
        const size_t words = (n_labels_ + 63) / 64;
        std::vector<uint64_t> seen;
        out_.unit_ptr.push_back(0);
        for (size_t m = 0; m < M_; ++m) {
            const int64_t n_at_once = std::max<int64_t>(1, n_words_at_once / words);
            for (int64_t low = first_[m]; low < first_[m + 1]; low += n_at_once) {
                const int64_t high = std::min(first_[m + 1], low + n_at_once);
                seen.assign((high - low) * words, 0);
                for (size_t t = 0; t < n_; ++t)
                    if (const int32_t f = column(m)[t];
                        f >= low && f < high && leads_[f] && gold_[t] >= 0)
                        seen[(f - low) * words + gold_[t] / 64] |= uint64_t{1} << (gold_[t] % 64);
                for (int64_t f = low; f < high; ++f)
                    if (leads_[f])
                        close_unit(f, all_labels, seen.data() + (f - low) * words, words);
            }
        }
        out_.label.shrink_to_fit();
    }

    void plant_trees(bool nest) {
        std::vector<size_t> order(M_);  // children before parents
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(),
                         [&](size_t a, size_t b) { return size(a) < size(b); });
        children_.resize(M_);
        std::vector<size_t> root(M_);
        std::iota(root.begin(), root.end(), 0);
        for (size_t k = nest ? M_ : 0; k-- > 0;) {
            const size_t b = order[k];
            const auto parent = std::find_if(order.begin() + k + 1, order.end(),
                                             [&](size_t a) { return determines(a, b); });
            if (parent == order.end()) continue;
            children_[*parent].push_back(b);
            root[b] = root[*parent];
        }
        const size_t share = (M_ + n_blocks_at_most - 1) / n_blocks_at_most;
        std::vector<char> gathered(M_, 0);
        size_t n_gathered = 0, n_left = M_;
        for (size_t r = 0; r < M_; ++r) {
            if (root[r] != r) continue;
            for (size_t m = 0; m < M_; ++m)
                if (root[m] == r) gathered[m] = 1, ++n_gathered, --n_left;
            if (n_gathered < share && n_left > 0) continue;
            std::vector<size_t> members;
            for (size_t m : order)
                if (gathered[m]) members.push_back(m);
            lay_block(members, root);
            std::fill(gathered.begin(), gathered.end(), 0);
            n_gathered = 0;
        }
    }

  private:
    // The labels of a unit: all of them if its feature fires at all, or those whose bits are set.
    void close_unit(int64_t f, bool all_labels, const uint64_t* seen, size_t words) {
        const size_t before = out_.label.size();
        if (all_labels) {
            for (int j = 0; times_[f] && j < n_labels_; ++j)
                out_.label.push_back(static_cast<uint16_t>(j));
        } else {
            for (size_t v = 0; v < words; ++v)
                for (uint64_t bits = seen[v]; bits; bits &= bits - 1)
                    out_.label.push_back(static_cast<uint16_t>(64 * v + std::countr_zero(bits)));
        }
        if (out_.label.size() > before) out_.label.back() |= ChainLayout::last_label;
        require(out_.label.size() < INT32_MAX, "there must be fewer than 2^31 weights");
        out_.unit_ptr.push_back(static_cast<int32_t>(out_.label.size()));
    }

    const int32_t* column(size_t m) const { return column_.data() + m * n_; }
    int64_t size(size_t m) const { return first_[m + 1] - first_[m]; }

    // Leaders of features are the first ones that fire at the same tokens, known by a 64-bit sum of
    // hashes of tokens.
    void find_leaders(std::vector<int32_t>& leader) const {
        std::vector<uint64_t> sum(first_.back(), 0);
        for (size_t m = 0; m < M_; ++m)
            for (size_t t = 0; t < n_; ++t)
                if (const int32_t f = column(m)[t]; f >= 0) sum[f] += mixed(t);
        const auto often =
            std::count_if(times_.begin(), times_.end(), [](int32_t n) { return n > 1; });
        const size_t mask = std::bit_ceil(static_cast<size_t>(often) * 2 + 2) - 1;
        std::vector<int32_t> table(mask + 1, -1),
            alone(n_ + 1, -1);  // alone: by token; n_ for what never fires
        for (size_t f = 0; f < sum.size(); ++f) {
            size_t at = sum[f] & mask;
            if (times_[f] > 1)
                while (table[at] >= 0 && sum[table[at]] != sum[f]) at = (at + 1) & mask;
            int32_t& place = times_[f] > 1 ? table[at] : alone[out_.first_token[f]];
            if (place < 0) place = static_cast<int32_t>(f);
            leader[f] = place;
        }
    }

    // Whether b's feature (or that it does not fire) follows from a's at every token.
    bool determines(size_t a, size_t b) const {
        const int32_t *from = column(a), *to = column(b);
        for (size_t t = 0; t < n_; ++t)
            if (to[t] != (from[t] < 0 ? -1 : to[out_.first_token[from[t]]])) return false;
        return true;
    }

    // What features refer to, templates from children to roots; then what tokens do.
    void lay_block(const std::vector<size_t>& members, const std::vector<size_t>& root) {
        ChainLayout::Block block;
        block.first_row = out_.n_rows;
        std::vector<std::vector<uint32_t>> ptr(M_);
        std::vector<std::vector<int32_t>> pool(M_);
        std::vector<int32_t> items;
        for (size_t m : members) {
            ptr[m].assign(1, 0);
            for (int64_t f = first_[m]; f < first_[m + 1]; ++f) {
                items.clear();
                for (size_t c : children_[m])
                    if (times_[f])
                        refer(ptr[c], pool[c], column(c)[out_.first_token[f]] - first_[c], items);
                close(f, items, block);
                pool[m].insert(pool[m].end(), items.begin(), items.end());
                ptr[m].push_back(static_cast<uint32_t>(pool[m].size()));
            }
            for (size_t c : children_[m]) ptr[c] = {}, pool[c] = {};
        }
        for (size_t t = 0; t < n_; ++t) {
            items.clear();
            for (size_t m : members)
                if (root[m] == m && column(m)[t] >= 0)
                    refer(ptr[m], pool[m], column(m)[t] - first_[m], items);
            block.tokens.push(items);
        }
        block.rows.done();
        block.tokens.done();
        block.last_row = out_.n_rows;
        out_.blocks.push_back(std::move(block));
    }

    static void refer(const std::vector<uint32_t>& ptr, const std::vector<int32_t>& pool, int64_t f,
                      std::vector<int32_t>& items) {
        if (f >= 0) items.insert(items.end(), pool.begin() + ptr[f], pool.begin() + ptr[f + 1]);
    }

    // items: what the children of feature f refer to; then what f is referred to by: a row, or
    // items and f's own unit.
    void close(int64_t f, std::vector<int32_t>& items, ChainLayout::Block& block) {
        const int32_t unit = out_.feature_unit[f];
        const int n_own = leads_[f] ? out_.unit_ptr[unit + 1] - out_.unit_ptr[unit] : 0;
        const int32_t own = n_own ? out_.unit_ptr[unit] : -1;
        const int64_t n = static_cast<int64_t>(items.size()) + (n_own > 0), times = times_[f];
        // Worth a row: it is used often, and saves more additions than it costs, or has many
        // labels.
        if (times > 5 && (times * (n - 1) > 2 * n || n_own > std::max(3, n_labels_ / 8))) {
            block.own.push_back(own);
            block.rows.push(items);
            items.assign(1, static_cast<int32_t>(out_.n_rows++));
        } else if (own >= 0) {
            items.push_back(~own);
        }
    }

    ChainLayout& out_;
    const std::vector<int64_t>& first_;
    const std::vector<int32_t>& gold_;
    const int n_labels_;
    const size_t n_, M_;
    std::vector<int32_t> column_, times_;
    std::vector<char> leads_;
    std::vector<std::vector<size_t>> children_;
};

}  // namespace

ChainLayout::ChainLayout(const int32_t* ids, const std::vector<int64_t>& first,
                         const std::vector<int32_t>& gold, int n_labels, Shape shape) {
    Builder builder(*this, ids, first, gold, n_labels);
    builder.unite(shape.merge_twins);
    builder.give_labels(shape.all_labels);
    builder.plant_trees(shape.nest);
}

}  // namespace laconic::chain
