// What Brown clustering keeps: n log n in fixed point, the losses of all pairs of clusters, sparse
// neighbour counts.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace laconic::text {

namespace brown {

struct Edge {
    int32_t node;
    int32_t count;
};
using Edges = std::vector<Edge>;  // sorted by node

constexpr int64_t NEVER = std::numeric_limits<int64_t>::max();
constexpr double SCALE = 1 << 24;  // h(2^31) * SCALE < 2^60
constexpr int64_t LARGEST_TABLE = 1 << 22;

class Entropy {
  public:
    explicit Entropy(int64_t total) : table_(std::min(total, LARGEST_TABLE) + 1) {
        for (size_t n = 0; n < table_.size(); ++n) table_[n] = fixed(n);
    }
    int64_t h(int64_t n) const {
        return n < static_cast<int64_t>(table_.size()) ? table_[n] : fixed(n);
    }
    int64_t share(int64_t p, int64_t q) const { return h(p) + h(q) - h(p + q); }

  private:
    static int64_t fixed(int64_t n) {
        return n < 2 ? 0 : std::llround(n * std::log(static_cast<double>(n)) * SCALE);
    }
    std::vector<int64_t> table_;
};

// Losses of all pairs of slots (lower triangle). Each row knows its least loss and the partner that
// has it, lazily: partner < 0 says that least is only a lower bound, made exact by a scan if the
// row ever looks like the winner. A lower bound on all losses but the partner's spares most of the
// scans when the partner's own loss rises.
class LossTable {
  public:
    explicit LossTable(int64_t n_slots)
        : node(n_slots, -1), loss_(n_slots * (n_slots - 1) / 2), rows_(n_slots) {}

    // What each slot holds: a word's rank, smaller is more frequent; -1 when free.
    std::vector<int32_t> node;

    int64_t get(int32_t s, int32_t t) const { return loss_[cell(s, t)]; }
    void add(int32_t s, int32_t t, int64_t change) { set(s, t, get(s, t) + change); }
    void set(int32_t s, int32_t t, int64_t loss) {
        if (s < t) std::swap(s, t);
        loss_[cell(s, t)] = loss;
        Row& row = rows_[s];
        if (row.partner == t) {
            if (loss <= row.least || loss < row.others) {
                row.least = loss;
            } else {
                row = {row.others, NEVER, -1};
            }
        } else if (loss < row.least ||
                   (loss == row.least && row.partner >= 0 && key(s, t) < key(s, row.partner))) {
            row = {loss, row.least, t};
        } else {
            row.others = std::min(row.others, loss);
        }
    }
    // The losses of one slot with all others. Half of them lie a row apart: a tight loop lets the
    // cache misses overlap.
    void copy(int32_t slot, std::vector<int64_t>& losses) const {
        size_t at = cell(slot, 0);
        std::copy_n(loss_.begin() + at, slot, losses.begin());
        at += 2 * static_cast<size_t>(slot);
        for (size_t s = slot + 1; s < rows_.size(); at += s, ++s) losses[s] = loss_[at];
    }
    void release(int32_t slot) {
        node[slot] = -1;
        rows_[slot] = Row();
        for (Row& row : rows_)
            if (row.partner == slot) row = {row.others, NEVER, -1};
    }
    // The pair of slots with the least loss; ties go to the pair with the more frequent words.
    std::pair<int32_t, int32_t> cheapest() {
        for (;;) {
            int64_t lowest = NEVER;
            for (const Row& row : rows_) lowest = std::min(lowest, row.least);
            int32_t winner = -1;
            for (int32_t s = 0; s < static_cast<int32_t>(rows_.size()); ++s) {
                if (rows_[s].least != lowest) continue;
                if (rows_[s].partner < 0) scan(s);
                if (rows_[s].least == lowest &&
                    (winner < 0 || key(s, rows_[s].partner) < key(winner, rows_[winner].partner)))
                    winner = s;
            }
            if (winner >= 0) return {winner, rows_[winner].partner};
        }
    }

  private:
    struct Row {
        int64_t least = NEVER, others = NEVER;
        int32_t partner = -1;
    };

    static size_t cell(int32_t s, int32_t t) {
        if (s < t) std::swap(s, t);
        return static_cast<size_t>(s) * (s - 1) / 2 + t;
    }
    std::pair<int32_t, int32_t> key(int32_t s, int32_t t) const {
        return std::minmax(node[s], node[t]);
    }
    void scan(int32_t s) {
        Row row;
        const int64_t* losses = loss_.data() + cell(s, 0);
        for (int32_t t = 0; t < s; ++t) {
            if (losses[t] > row.others || node[t] < 0) continue;
            if (losses[t] < row.least ||
                (losses[t] == row.least && key(s, t) < key(s, row.partner))) {
                row = {losses[t], row.least, t};
            } else {
                row.others = losses[t];
            }
        }
        rows_[s] = row;
    }
    std::vector<int64_t> loss_;
    std::vector<Row> rows_;
};

// Adds the count of `from` to that of `into` (< from) and removes `from`.
inline void rename(Edges& edges, int32_t from, int32_t into) {
    const auto before = [](const Edge& edge, int32_t node) { return edge.node < node; };
    const auto old = std::lower_bound(edges.begin(), edges.end(), from, before);
    if (old == edges.end() || old->node != from) return;
    const int32_t count = old->count;
    const auto place = std::lower_bound(edges.begin(), old, into, before);
    if (place != old && place->node == into) {
        place->count += count;
        edges.erase(old);
    } else {
        std::move_backward(place, old, old + 1);
        *place = {into, count};
    }
}

// Calls visit(node, count in a, count in b) for every node of either.
template <class Visit>
void zip(const Edges& a, const Edges& b, Visit visit) {
    size_t i = 0, j = 0;
    while (i < a.size() || j < b.size()) {
        if (j == b.size() || (i < a.size() && a[i].node < b[j].node)) {
            visit(a[i].node, a[i].count, 0);
            ++i;
        } else if (i == a.size() || b[j].node < a[i].node) {
            visit(b[j].node, 0, b[j].count);
            ++j;
        } else {
            visit(a[i].node, a[i].count, b[j].count);
            ++i, ++j;
        }
    }
}

}  // namespace brown

}  // namespace laconic::text
