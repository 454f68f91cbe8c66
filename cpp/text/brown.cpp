// Brown clustering: greedy merging of word classes by the loss of average mutual information of
// neighbouring classes.
//
// n(a,b): how often class b follows class a; l, r: its row and column sums; N: its total;
// h(n) = n log n. Then
//     N * AMI = sum_ab h(n(a,b)) - sum_a h(l(a)) - sum_b h(r(b)) + h(N),
// so with share(p,q) = h(p) + h(q) - h(p+q), which is zero when p or q is, merging a and b loses
//     loss(a,b) = sum_x share(n(a,x), n(b,x)) + sum_x share(n(x,a), n(x,b))
//                 - share(l(a), l(b)) - share(r(a), r(b)) + corner(a,b),
// where corner puts right the four cells among a and b themselves. Only contexts x shared by a and
// b count, and merging c with d changes the loss of another pair only where one of the two has met
// c and the other d: each step visits those pairs alone.
//
// C active clusters (Brown et al. 1992, section 3; Liang 2005): the C most frequent words start,
// each further word joins as a cluster of its own and the cheapest merge makes room for the next. A
// word that has not joined yet is already a context of its own, so the loss is that of the mutual
// information of the whole text, and joining changes no other pair.
//
// h is kept in fixed point: sums are exact in any order, an updated loss equals one computed
// afresh, ties are true.
#include "text/brown.hpp"

#include <array>

#include "door/checks.hpp"
#include "door/interrupts.hpp"

namespace laconic::text {

using namespace brown;

namespace {

class Clustering {
  public:
    // bigrams: (rank of the first word) << 32 | (rank of the second), in any order.
    Clustering(std::vector<uint64_t>&& bigrams, int32_t n_nodes, int32_t n_slots)
        : entropy_(static_cast<int64_t>(bigrams.size())),
          table_(n_slots),
          slot_(n_nodes, -1),
          self_(n_nodes, 0),
          shared_(n_slots),
          after_(n_slots, 0),
          before_(n_slots, 0) {
        for (int way : {0, 1}) {
            edges_[way].resize(n_nodes);
            margin_[way].assign(n_nodes, 0);
        }
        total_ = static_cast<int64_t>(bigrams.size());
        std::sort(bigrams.begin(), bigrams.end());
        information_ = entropy_.h(total_);
        for (size_t i = 0, j; i < bigrams.size(); i = j) {
            for (j = i; j < bigrams.size() && bigrams[j] == bigrams[i];) ++j;
            const auto a = static_cast<int32_t>(bigrams[i] >> 32),
                       b = static_cast<int32_t>(bigrams[i] & 0xffffffffu);
            const auto count = static_cast<int32_t>(j - i);
            edges_[0][a].push_back({b, count});
            edges_[1][b].push_back({a, count});
            margin_[0][a] += count;
            margin_[1][b] += count;
            if (a == b) self_[a] = count;
            information_ += entropy_.h(count);
        }
        for (const auto& margin : margin_)
            for (int64_t n : margin) information_ -= entropy_.h(n);
    }

    double average_mutual_information() const {
        return total_ ? information_ / SCALE / total_ : 0.0;
    }

    // The word of rank `word`, all more frequent ones having joined, becomes a cluster in a free
    // slot.
    void join(int32_t word, int32_t slot) {
        std::fill(shared_.begin(), shared_.end(), 0);
        for (int way : {0, 1})
            for (const Edge& mine : edges_[way][word])
                for (const Edge& other : edges_[1 - way][mine.node]) {
                    if (other.node >= word) break;
                    shared_[slot_[other.node]] += entropy_.share(mine.count, other.count);
                }
        newest_ = word;
        slot_[word] = slot;
        table_.node[slot] = word;
        write_row(word);
    }

    // Performs the cheapest merge: returns (kept, gone), kept < gone; the slot of `gone` is free.
    std::pair<int32_t, int32_t> merge_cheapest() {
        const auto [s, t] = table_.cheapest();
        const auto [keep, gone] = std::minmax({table_.node[s], table_.node[t]});
        information_ -= table_.get(s, t);
        read_row(keep);
        for (int way : {0, 1}) unite_items(way, keep, gone);
        for (int way : {0, 1}) unite_contexts(way, keep, gone);
        for (int way : {0, 1}) unite_edges(way, keep, gone);
        self_[keep] = 0;
        for (const Edge& edge : edges_[0][keep])
            if (edge.node == keep) self_[keep] = edge.count;
        table_.release(slot_[gone]);
        write_row(keep);
        return {keep, gone};
    }
    int32_t slot(int32_t node) const { return slot_[node]; }

  private:
    struct Met {  // an item's counts with the two contexts that become one
        int32_t slot;
        int64_t first, second;
    };

    // corner(a, b): h of the rows and columns among the two, less h of the cells and of their sum.
    int64_t corner(int64_t aa, int64_t ab, int64_t ba, int64_t bb) const {
        const auto& e = entropy_;
        return e.h(aa + ab) + e.h(ba + bb) + e.h(aa + ba) + e.h(ab + bb) - e.h(aa) - e.h(ab) -
               e.h(ba) - e.h(bb) - e.h(aa + ab + ba + bb);
    }
    // visit(slot, loss beyond the shared contexts) for every other cluster.
    template <class Visit>
    void for_each_other(int32_t node, Visit visit) {
        const auto scatter = [&](bool clear) {
            for (int way : {0, 1})
                for (const Edge& edge : edges_[way][node]) {
                    if (edge.node > newest_) break;
                    (way ? before_ : after_)[slot_[edge.node]] = clear ? 0 : edge.count;
                }
        };
        scatter(false);
        for (int32_t s = 0; s < static_cast<int32_t>(table_.node.size()); ++s) {
            const int32_t other = table_.node[s];
            if (other < 0 || other == node) continue;
            // loss(a,b) less the shares of common contexts
            visit(s, corner(self_[node], after_[s], before_[s], self_[other]) -
                         entropy_.share(margin_[0][node], margin_[0][other]) -
                         entropy_.share(margin_[1][node], margin_[1][other]));
        }
        scatter(true);
    }
    void write_row(int32_t node) {
        for_each_other(
            node, [&](int32_t s, int64_t rest) { table_.set(slot_[node], s, shared_[s] + rest); });
    }
    void read_row(int32_t node) {
        table_.copy(slot_[node], shared_);
        for_each_other(node, [&](int32_t s, int64_t rest) { shared_[s] -= rest; });
    }
    // `gone` adds its counts to the item `keep`, the contexts staying as they are.
    void unite_items(int way, int32_t keep, int32_t gone) {
        zip(edges_[way][keep], edges_[way][gone],
            [&](int32_t context, int32_t kept, int32_t added) {
                if (!added) return;
                for (const Edge& other : edges_[1 - way][context]) {
                    if (other.node > newest_) break;
                    shared_[slot_[other.node]] += entropy_.share(kept + added, other.count) -
                                                  entropy_.share(kept, other.count);
                }
            });
    }
    // The contexts `keep` and `gone` become one, for all pairs of items that have met both between
    // them.
    void unite_contexts(int way, int32_t keep, int32_t gone) {
        for (auto& list : met_) list.clear();
        std::vector<Met>&both = met_[0], &first = met_[1], &second = met_[2];
        Met merged{slot_[keep], 0, 0};
        zip(edges_[1 - way][keep], edges_[1 - way][gone], [&](int32_t item, int32_t p, int32_t q) {
            if (item > newest_) return;
            if (item == keep || item == gone) {
                merged.first += p;
                merged.second += q;
            } else {
                (p && q ? both : p ? first : second).push_back({slot_[item], p, q});
            }
        });
        // share(n(a,c) + n(a,d), n(b,c) + n(b,d)) - share(n(a,c), n(b,c)) - share(n(a,d), n(b,d))
        const auto change = [&](const Met& a, const Met& b) {
            return entropy_.share(a.first + a.second, b.first + b.second) -
                   entropy_.share(a.first, b.first) - entropy_.share(a.second, b.second);
        };
        for (const auto& list : met_)
            for (const Met& item : list) shared_[item.slot] += change(merged, item);
        for (size_t i = 0; i < both.size(); ++i) {
            for (size_t j = 0; j < i; ++j)
                table_.add(both[i].slot, both[j].slot, change(both[i], both[j]));
            for (const Met& item : first)
                table_.add(both[i].slot, item.slot, change(both[i], item));
            for (const Met& item : second)
                table_.add(both[i].slot, item.slot, change(both[i], item));
        }
        for (const Met& a : first)
            for (const Met& b : second)
                table_.add(a.slot, b.slot, entropy_.share(a.first, b.second));
    }
    void unite_edges(int way, int32_t keep, int32_t gone) {
        auto& edges = edges_[way];
        Edges united;
        zip(edges[keep], edges[gone], [&](int32_t node, int32_t p, int32_t q) {
            united.push_back({node, p + q});
            if (q && node != keep && node != gone) rename(edges_[1 - way][node], gone, keep);
        });
        rename(united, gone, keep);
        edges[keep] = std::move(united);
        edges[gone] = Edges();
        margin_[way][keep] += margin_[way][gone];
    }

    Entropy entropy_;
    LossTable table_;
    std::array<std::vector<Edges>, 2> edges_;  // by node: [0] what follows it, [1] what it follows
    std::array<std::vector<int64_t>, 2> margin_;  // their sums
    std::vector<int32_t> slot_;                   // of each node that has joined
    std::vector<int32_t> self_;                   // how often a node follows itself
    std::vector<int64_t> shared_;                 // by slot: shared contexts with the node at work
    // By slot: counts with the node at work, zero between uses.
    std::vector<int32_t> after_, before_;
    std::array<std::vector<Met>, 3> met_;
    int32_t newest_ = -1;
    int64_t total_ = 0;
    int64_t information_ = 0;  // N * AMI in fixed point
};

// Words seen at least min_count times, most frequent first, ties by id.
std::vector<int32_t> by_frequency(const Vec<int32_t>& ids, int64_t n_words, int64_t min_count) {
    std::vector<int64_t> count(n_words, 0);
    for (size_t i = 0; i < ids.size(); ++i) ++count[ids.data()[i]];
    std::vector<int32_t> words;
    for (int64_t w = 0; w < n_words; ++w)
        if (count[w] >= min_count) words.push_back(static_cast<int32_t>(w));
    std::stable_sort(words.begin(), words.end(),
                     [&](int32_t a, int32_t b) { return count[a] > count[b]; });
    return words;
}

}  // namespace

std::tuple<Array<int32_t>, Array<int32_t>, Array<double>> brown_merges(
    Vec<int32_t> ids, Vec<int64_t> ptr, int64_t n_words, int64_t n_clusters, int64_t min_count) {
    constexpr int64_t limit = std::numeric_limits<int32_t>::max();
    require(n_words >= 0 && n_words < limit, "n_words must be in [0, 2^31 - 1)");
    require(n_clusters >= 1, "n_clusters must be at least 1");
    require(min_count >= 1, "min_count must be at least 1");
    require(static_cast<int64_t>(ids.size()) < limit, "ids must hold fewer than 2^31 - 1 words");
    check_ptr(ptr, static_cast<int64_t>(ids.size()), "ptr");
    check_range(ids, 0, n_words, "ids");
    std::vector<int32_t> kept, gone;
    std::vector<double> information;
    {
        nb::gil_scoped_release release;
        const std::vector<int32_t> words = by_frequency(ids, n_words, min_count);
        const auto n_nodes = static_cast<int32_t>(words.size());
        std::vector<int32_t> rank(n_words, -1);
        for (int32_t i = 0; i < n_nodes; ++i) rank[words[i]] = i;
        std::vector<uint64_t> bigrams;
        for (size_t s = 0; s + 1 < ptr.size(); ++s)
            for (int64_t i = ptr.data()[s] + 1; i < ptr.data()[s + 1]; ++i) {
                const int32_t a = rank[ids.data()[i - 1]], b = rank[ids.data()[i]];
                if (a >= 0 && b >= 0)
                    bigrams.push_back(static_cast<uint64_t>(a) << 32 | static_cast<uint32_t>(b));
            }
        // One slot more than clusters, for the word that joins.
        const auto n_slots = static_cast<int32_t>(n_clusters < n_nodes ? n_clusters + 1 : n_nodes);
        Clustering clustering(std::move(bigrams), n_nodes, n_slots);
        Interrupts interrupts;
        information.push_back(clustering.average_mutual_information());
        int32_t free_slot = 0;
        const auto merge = [&] {
            const auto [keep, lost] = clustering.merge_cheapest();
            kept.push_back(words[keep]);
            gone.push_back(words[lost]);
            information.push_back(clustering.average_mutual_information());
            free_slot = clustering.slot(lost);
        };
        for (int32_t w = 0; w < n_nodes; ++w, interrupts.poll()) {
            clustering.join(w, w < n_slots ? w : free_slot);
            if (w >= n_clusters) merge();
        }
        for (; static_cast<int32_t>(kept.size()) + 1 < n_nodes; interrupts.poll()) merge();
    }
    return std::make_tuple(to_numpy(std::move(kept)), to_numpy(std::move(gone)),
                           to_numpy(std::move(information)));
}

}  // namespace laconic::text
