// Log-linear language models on the suffix trie or tree of contexts (Nelakanti et al. 2013, Eqs. 1
// and 2): exact likelihood, gradient and dual value in time linear in the pairs.
//
//     score(c, v) = score(parent(c), v) + length(c) w(c, v),    p(v | c) = exp score(c, v) / Z(c)
//
// A word that was never seen after c has the score of the longest suffix after which it was, so
// that
//
//     Z(c) = Z(parent) + sum over the pairs (c, v) of exp score(c, v) - exp score(parent, v)
//
// and every pair is visited once for the whole text, the vocabulary once. Gradients go the same way
// back. With R(c) the sum of count / Z over the leaves at and below c, the gradient of w(c, v) is
// length(c) (E(c, v) - count(c, v)), where
//
//     E(c, v) = exp score(c, v) R(c) + sum over the children b of c that have a pair with v of
//               E(b, v) - exp score(c, v) R(b)
//
// Weights are not negative, so that nothing cancels in Z. `loss` gives E - count, the gradient of
// each of the length(c) weights that a collapsed node stands for.
//
// A tree with offsets o(c, v) has the scores of another model beside its own,
//
//     score(c, v) = score(parent(c), v) + o(c, v) + length(c) w(c, v)
//
// and pairs that its text lacks, with count 0, where that model has some.
#pragma once
#include <cmath>

#include "door/checks.hpp"
#include "door/threads.hpp"
#include "lm/contexts.hpp"

namespace laconic::lm {

class ContextTree {
  public:
    ContextTree(Vec<int32_t> tokens, Vec<int64_t> sentences, int32_t n_words, int order,
                bool collapse) {
        require(n_words >= 1 && n_words < INT32_MAX, "n_words must be at least 1");
        require(order >= 1 && order <= 1000, "order must be from 1 to 1000");
        check_ptr(sentences, static_cast<int64_t>(tokens.size()), "sentences");
        check_range(tokens, 0, n_words, "tokens");
        require(tokens.size() + 2 * sentences.size() < UINT32_MAX,
                "the text must have fewer than 2^32 tokens");
        nb::gil_scoped_release release;
        std::vector<int32_t> flat;
        flat.reserve(tokens.size() + 2 * sentences.size());
        for (size_t s = 0; s + 1 < sentences.size(); ++s) {
            if (sentences.data()[s] == sentences.data()[s + 1]) continue;
            flat.push_back(ContextBuilder::kNothing);
            flat.push_back(n_words);
            flat.insert(flat.end(), tokens.data() + sentences.data()[s],
                        tokens.data() + sentences.data()[s + 1]);
        }
        require(!flat.empty(), "the text must have a word");
        a = ContextBuilder(flat, n_words, order, collapse).build();
        require(a.pairs() < INT32_MAX, "the text has too many n-grams: take a smaller order");
        n_words_ = n_words;
        cut();
    }

    // The same text beside another model: the pairs of context c are those of this tree and
    // target[ptr[c]:ptr[c + 1]], rising, with their offsets; pairs of this tree alone have none.
    ContextTree beside(Vec<int64_t> ptr, Vec<int32_t> target, Vec<double> offset) const {
        check_offsets(ptr, target, offset);
        nb::gil_scoped_release release;
        ContextTree both(*this);
        ContextArrays& b = both.a;
        b.target.clear(), b.shorter.clear(), b.count.clear(), b.ptr.assign(1, 0);
        both.offset_.clear(), both.own_.clear();
        for (int64_t c = 0; c < a.size(); ++c) {
            int64_t p = a.ptr[c], q = ptr.data()[c];
            const int64_t p_end = a.ptr[c + 1], q_end = ptr.data()[c + 1];
            while (p < p_end || q < q_end) {
                const int32_t v = q == q_end || (p < p_end && a.target[p] <= target.data()[q])
                                      ? a.target[p]
                                      : target.data()[q];
                const bool ours = p < p_end && a.target[p] == v,
                           theirs = q < q_end && target.data()[q] == v;
                if (ours) both.own_.push_back(b.pairs());
                b.shorter.push_back(c == 0 ? -1 : pair_in(b, a.parent[c], v));
                b.target.push_back(v);
                b.count.push_back(ours ? a.count[p] : 0);
                both.offset_.push_back(theirs ? offset.data()[q] : 0.0);
                p += ours, q += theirs;
            }
            b.ptr.push_back(b.pairs());
        }
        require(b.pairs() < INT32_MAX, "there are too many n-grams: take a smaller order");
        both.whole_ = false;
        both.cut();
        return both;
    }

    // The pairs that the text has, of a tree beside another model.
    const std::vector<int64_t>& own() const { return own_; }

    // Negative log-likelihood of the text, and unless null its gradient, expected less seen counts
    // of every pair.
    double loss(const double* w, double* gradient, int threads) {
        forward(w, threads);
        double total = 0;
        for (double part : lane_loss_) total += part;
        if (gradient) backward(gradient, threads);
        return total;
    }

    // The same of a part of the text: its tokens as the pairs (longest context, word). Visits the
    // contexts on their paths alone, adds its gradient to what is there. Weights of these contexts
    // are checked on the way.
    double batch_loss(Vec<int32_t> tokens, const double* w, double* gradient) {
        whole_ = false;
        on_path_.resize(a.size(), 0);
        std::vector<int32_t> path, own;
        for (size_t i = 0; i < tokens.size(); ++i) {
            const auto after =
                std::upper_bound(a.ptr.begin(), a.ptr.end(), int64_t{tokens.data()[i]});
            own.push_back(static_cast<int32_t>(after - a.ptr.begin() - 1));
            for (int32_t c = own.back(); c >= 0 && !on_path_[c]; c = a.parent[c]) {
                on_path_[c] = 1;
                path.push_back(c);
            }
        }
        std::sort(path.begin(), path.end());
        bool sound = true;
        for (int32_t c : path) {
            on_path_[c] = 0;
            rate_[c] = 0;
            for (int64_t p = a.ptr[c]; p < a.ptr[c + 1]; ++p) sound &= is_weight(w[p]);
            visit(c, w);
            std::fill(expected_.begin() + a.ptr[c], expected_.begin() + a.ptr[c + 1], 0.0);
        }
        require(sound, kWeights);
        double total = 0;
        for (size_t i = 0; i < tokens.size(); ++i) {
            total += std::log(z_[own[i]]) - score_[tokens.data()[i]];
            rate_[own[i]] += 1 / z_[own[i]];
            for (int32_t p = tokens.data()[i]; p >= 0; p = a.shorter[p]) gradient[p] -= 1;
        }
        for (auto c = path.rbegin(); c != path.rend(); ++c) {
            const double rate = rate_[*c];
            for (int64_t p = a.ptr[*c]; p < a.ptr[*c + 1]; ++p) {
                const double expected = expected_[p] + power_[p] * rate;
                gradient[p] += expected;
                if (a.shorter[p] >= 0)
                    expected_[a.shorter[p]] += expected - power_[a.shorter[p]] * rate;
            }
            if (*c) rate_[a.parent[*c]] += rate;
        }
        return total;
    }

    // Whether scores are those of the same weights everywhere.
    bool whole() const { return whole_; }

    bool is_longest(int32_t pair) const {
        return leaf_[std::upper_bound(a.ptr.begin(), a.ptr.end(), int64_t{pair}) - a.ptr.begin() -
                     1];
    }

    static constexpr const char* kWeights = "weights must be from 0 to 1000";
    static bool is_weight(double w) { return w >= 0 && w < 1e3; }

    // log Z of contexts and scores of pairs at w.
    void scores(const double* w, double* score, double* log_z, int threads) {
        forward(w, threads);
        std::copy(score_.begin(), score_.end(), score);
        for (int64_t c = 0; c < a.size(); ++c) log_z[c] = std::log(z_[c]);
    }

    // sum over tokens of sum_v p_v (log p_v - o_v) + o_token, p the prediction at the weights of
    // the last `loss` and o the offsets: minus the conjugate of the loss at token - p, which a
    // duality gap needs.
    double negative_entropy() const {
        std::vector<double> moment(a.size());  // sum_v exp(score) score
        double total = 0;
        for (int64_t c = 0; c < a.size(); ++c) {
            moment[c] = c ? moment[a.parent[c]] : 0;
            for (int64_t p = a.ptr[c]; p < a.ptr[c + 1]; ++p) {
                moment[c] += without_offset(p) * power_[p];
                if (c) moment[c] -= without_offset(a.shorter[p]) * power_[a.shorter[p]];
                if (leaf_[c] && !offset_.empty()) total += a.count[p] * path_offset_[p];
            }
            if (leaf_[c]) total += seen_[c] * (moment[c] / z_[c] - std::log(z_[c]));
        }
        return total;
    }

    ContextArrays a;

  private:
    static constexpr int kLanes = 8;
    static constexpr int64_t kSmallest = 1 << 14;

    void check_offsets(const Vec<int64_t>& ptr, const Vec<int32_t>& target,
                       const Vec<double>& offset) const {
        require(static_cast<int64_t>(ptr.size()) == a.size() + 1,
                "ptr must have an entry more than there are contexts");
        check_ptr(ptr, static_cast<int64_t>(target.size()), "ptr");
        check_range(target, 0, n_words_, "target");
        require(offset.size() == target.size(), "offset must have one entry per pair");
        for (size_t i = 0; i < offset.size(); ++i)
            require(std::abs(offset.data()[i]) < 1e3, "offsets must be from -1000 to 1000");
        for (int64_t c = 0; c < a.size(); ++c) {
            require(c == 0 || a.depth[c] == a.depth[a.parent[c]] + 1,
                    "a collapsed tree takes no offsets");
            for (int64_t p = ptr.data()[c] + 1; p < ptr.data()[c + 1]; ++p)
                require(target.data()[p - 1] < target.data()[p], "targets of a context must rise");
        }
    }
    static int32_t pair_in(const ContextArrays& b, int32_t context, int32_t v) {
        const auto begin = b.target.begin() + b.ptr[context],
                   end = b.target.begin() + b.ptr[context + 1],
                   at = std::lower_bound(begin, end, v);
        require(at != end && *at == v, "a pair must have one in the next shorter context");
        return static_cast<int32_t>(at - b.target.begin());
    }
    double without_offset(int64_t p) const {
        return offset_.empty() ? score_[p] : score_[p] - path_offset_[p];
    }

    // Lanes are runs of whole subtrees of contexts of one word, about as many pairs in each; they
    // depend on the text alone, so that threads change no digit.
    void cut() {
        leaf_.assign(a.size(), 1);
        for (int64_t c = 1; c < a.size(); ++c) leaf_[a.parent[c]] = 0;
        seen_.assign(a.size(), 0);
        for (int64_t c = 0; c < a.size(); ++c)
            if (leaf_[c])
                for (int64_t p = a.ptr[c]; p < a.ptr[c + 1]; ++p) seen_[c] += a.count[p];
        lanes_.assign(1, 1);
        const int64_t part = a.pairs() < kSmallest ? a.pairs() + 1 : a.pairs() / kLanes + 1;
        int64_t filled = a.ptr[1];
        for (int64_t c = 1; c < a.size(); ++c)
            if (a.parent[c] == 0 && c > lanes_.back() && a.ptr[c] - filled >= part) {
                lanes_.push_back(c);
                filled = a.ptr[c];
            }
        if (a.size() > 1) lanes_.push_back(a.size());
        const int64_t n_lanes = static_cast<int64_t>(lanes_.size()) - 1;
        lane_loss_.assign(n_lanes + 1, 0);
        lane_rate_.assign(n_lanes, 0);
        lane_root_.assign(n_lanes * n_words_, 0);
        path_offset_ = offset_;
        for (int64_t p = 0; p < static_cast<int64_t>(offset_.size()); ++p)
            if (a.shorter[p] >= 0) path_offset_[p] += path_offset_[a.shorter[p]];
        score_.resize(a.pairs());
        power_.resize(a.pairs());
        expected_.resize(a.pairs());
        z_.resize(a.size());
        rate_.resize(a.size());
    }

    double visit(int64_t c, const double* w) {
        const int32_t up = a.parent[c];
        const double length = up < 0 ? 1 : a.depth[c] - a.depth[up];
        double z = up < 0 ? 0 : z_[up], gold = 0;
        // score(c, v) = score(parent, v) + length w(c, v)
        // Z(c) = Z(parent) + sum_v exp score(c, v) - exp score(parent, v)
        for (int64_t p = a.ptr[c]; p < a.ptr[c + 1]; ++p) {
            const int32_t q = a.shorter[p];
            const double base = q < 0 ? 0 : score_[q];
            score_[p] = base + length * w[p];
            if (!offset_.empty()) score_[p] += offset_[p];
            power_[p] = score_[p] == base && q >= 0 ? power_[q] : std::exp(score_[p]);
            z += q < 0 ? power_[p] : power_[p] - power_[q];
            gold += a.count[p] * score_[p];
        }
        z_[c] = z;
        return leaf_[c] ? seen_[c] * std::log(z) - gold : 0;
    }

    template <class Body>
    void each_lane(int threads, Body body) {
        const int64_t n_lanes = static_cast<int64_t>(lanes_.size()) - 1;
        parallel_ranges(n_lanes, threads, 1, [&](int64_t begin, int64_t end, int) {
            for (int64_t lane = begin; lane < end; ++lane) body(lane);
        });
    }

    void forward(const double* w, int threads) {
        whole_ = true;
        lane_loss_.back() = visit(0, w);
        each_lane(threads, [&](int64_t lane) {
            double total = 0;
            for (int64_t c = lanes_[lane]; c < lanes_[lane + 1]; ++c) total += visit(c, w);
            lane_loss_[lane] = total;
        });
    }

    void backward(double* gradient, int threads) {
        const int64_t n_lanes = static_cast<int64_t>(lanes_.size()) - 1;
        std::fill(lane_root_.begin(), lane_root_.end(), 0.0);
        each_lane(threads, [&](int64_t lane) {
            double* root = lane_root_.data() + lane * n_words_;
            const int64_t begin = lanes_[lane], end = lanes_[lane + 1];
            std::fill(expected_.begin() + a.ptr[begin], expected_.begin() + a.ptr[end], 0.0);
            std::fill(rate_.begin() + begin, rate_.begin() + end, 0.0);
            lane_rate_[lane] = 0;
            for (int64_t c = end - 1; c >= begin; --c) {
                const int32_t up = a.parent[c];
                const double rate = leaf_[c] ? seen_[c] / z_[c] : rate_[c];
                // E(c, v) = exp score R(c) + what the children added; the parent gets its share
                for (int64_t p = a.ptr[c]; p < a.ptr[c + 1]; ++p) {
                    const int32_t q = a.shorter[p];
                    const double expected = expected_[p] + power_[p] * rate;
                    gradient[p] = expected - a.count[p];
                    (up == 0 ? root[a.target[p]] : expected_[q]) += expected - power_[q] * rate;
                }
                (up == 0 ? lane_rate_[lane] : rate_[up]) += rate;
            }
        });
        double rate = leaf_[0] ? seen_[0] / z_[0] : 0;
        for (double part : lane_rate_) rate += part;
        for (int32_t v = 0; v < n_words_; ++v) {
            double expected = power_[v] * rate;
            for (int64_t lane = 0; lane < n_lanes; ++lane)
                expected += lane_root_[lane * n_words_ + v];
            gradient[v] = expected - a.count[v];
        }
    }

    int32_t n_words_ = 0;
    bool whole_ = false;
    std::vector<char> leaf_, on_path_;
    std::vector<int64_t> lanes_;
    std::vector<int64_t> own_;
    std::vector<double> offset_, path_offset_;  // of pairs, and summed up over shorter ones
    std::vector<double> seen_, score_, power_, expected_, z_, rate_, lane_loss_, lane_rate_,
        lane_root_;
};

inline void check_weights(const ContextTree& tree, const Vec<double>& w) {
    require(static_cast<int64_t>(w.size()) == tree.a.pairs(),
            "weights must have one entry per pair");
    for (size_t i = 0; i < w.size(); ++i)
        require(ContextTree::is_weight(w.data()[i]), ContextTree::kWeights);
}

inline double tree_loss(ContextTree& tree, Vec<double> w, MutVec<double> gradient, int threads) {
    check_weights(tree, w);
    require(gradient.size() == 0 || gradient.size() == w.size(),
            "gradient must have one entry per pair, or none");
    nb::gil_scoped_release release;
    return tree.loss(w.data(), gradient.size() ? gradient.data() : nullptr, threads);
}

inline double tree_batch_loss(ContextTree& tree, Vec<int32_t> tokens, Vec<double> w,
                              MutVec<double> gradient) {
    require(static_cast<int64_t>(w.size()) == tree.a.pairs() && gradient.size() == w.size(),
            "weights and gradient must have one entry per pair");
    check_range(tokens, 0, tree.a.pairs(), "tokens");
    for (size_t i = 0; i < tokens.size(); ++i)
        require(tree.is_longest(tokens.data()[i]),
                "tokens must be pairs of contexts without longer ones");
    return tree.batch_loss(tokens, w.data(), gradient.data());
}

inline void tree_scores(ContextTree& tree, Vec<double> w, MutVec<double> score,
                        MutVec<double> log_z, int threads) {
    check_weights(tree, w);
    require(score.size() == w.size() && static_cast<int64_t>(log_z.size()) == tree.a.size(),
            "score must have one entry per pair and log_z one per context");
    tree.scores(w.data(), score.data(), log_z.data(), threads);
}

inline double tree_negative_entropy(const ContextTree& tree) {
    require(tree.whole(), "loss must be called first");
    return tree.negative_entropy();
}

inline Array<int64_t> tree_own(const ContextTree& tree) {
    std::vector<int64_t> copy = tree.own();
    return to_numpy(std::move(copy));
}

template <class T, std::vector<T> ContextArrays::* member>
Array<T> column(const ContextTree& tree) {
    std::vector<T> copy = tree.a.*member;
    return to_numpy(std::move(copy));
}

}  // namespace laconic::lm
