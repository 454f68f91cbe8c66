// What all parsers share: the arcs that may be, the scores of a sentence's parts under way, and the
// trees that they make.
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "tree/arborescence.hpp"
#include "tree/part_blocks.hpp"

namespace laconic::tree {

// Arcs that may be: the heads of token t (places in its sentence, 0 the root) are head[ptr[t]] ..
// head[ptr[t + 1]]; without ptr, all.
struct Candidates {
    const int64_t* ptr = nullptr;
    const int32_t* head = nullptr;
};

// Scores of parts as the models of projective.hpp ask for them.
struct PartScores {
    const PartLayout& layout;
    const double* kind[kKinds];

    bool allowed(int h, int m) const { return layout.allowed(h, m); }
    int64_t n_arcs() const { return layout.lists[kArcPart].size(); }
    int64_t number(int h, int m) const { return layout.arc(h, m); }
    std::pair<int, int> ends(int64_t arc) const {
        return {layout.lists[kArcPart].word[kHead][arc],
                layout.lists[kArcPart].word[kModifier][arc]};
    }
    double arc(int h, int m) const { return kind[kArcPart][layout.arc(h, m)]; }
    double grandchild(int h, int m, int c) const {
        return kind[kGrandchildPart][layout.grandchild(h, m, c)];
    }
    double tri_sibling(int h, int m, int s, int t) const {
        return arc(h, m) + kind[kSiblingPart][layout.sibling(h, m, s)] +
               kind[kTriSiblingPart][layout.tri_sibling(h, m, s, t)];
    }
};
struct WithArcs : PartScores {
    // Always inline, as the others: they are asked for once per rule. Several files instantiate the
    // models, the linker keeps one copy, and compilers do not inline these in every file: parsing
    // of order 3 took 4 % more instructions where they did not.
    [[gnu::always_inline]] double sibling(int h, int m, int s) const {
        return arc(h, m) + kind[kSiblingPart][layout.sibling(h, m, s)];
    }
    [[gnu::always_inline]] double grand_sibling(int g, int h, int m, int s) const {
        return sibling(h, m, s) + grand(g, h, m, s);
    }
    [[gnu::always_inline]] double grand(int g, int h, int m, int s) const {
        if (h == 0) return 0;  // the root has no head
        return kind[kGrandchildPart][layout.grandchild(g, h, m)] +
               kind[kGrandSiblingPart][layout.grand_sibling(g, h, m, s)];
    }
};
struct WithoutArcs : WithArcs {
    double sibling(int h, int m, int s) const {
        return kind[kSiblingPart][layout.sibling(h, m, s)];
    }
    double grand_sibling(int g, int h, int m, int s) const { return grand(g, h, m, s); }
};

// One sentence being parsed: its parts, their scores and a tree. A thread has its own.
struct TreeState {
    TreeState(TreeModel model, bool single_root) : layout(model, single_root) {}
    int n = 0;          // words and the root
    int64_t begin = 0;  // of its tokens
    PartLayout layout;
    std::vector<double> score[kKinds], dense, probability;
    std::vector<uint8_t> may;  // by (h, m): whether the arc may be
    std::vector<int32_t> heads;
};

class TreeDecoder {
  public:
    TreeDecoder(const PartTemplates& templates, const TreeShape& shape)
        : templates(templates),
          model(shape.model),
          crossing(shape.crossing),
          single_root(shape.single_root) {
        require(!crossing || model == TreeModel::arcs, "trees that cross are scored by arcs alone");
        for (int64_t k = 0; k < templates.size(); ++k)
            require(scores(templates.kind(k)), "the model has no parts for a template");
    }
    // Whether the model scores a kind of part.
    bool scores(int kind) const {
        switch (model) {
            case TreeModel::arcs:
                return kind == kArcPart;
            case TreeModel::siblings:
                return kind <= kSiblingPart;
            case TreeModel::carreras:
                return kind <= kGrandchildPart;
            case TreeModel::grand_siblings:
                return kind <= kGrandSiblingPart;
            default:
                return true;
        }
    }

    // The parts of sentence s, without scores yet.
    void open(const Columns& columns, int64_t s, const Candidates& candidates,
              TreeState& at) const {
        at.begin = columns.ptr[s];
        at.n = static_cast<int>(columns.ptr[s + 1] - at.begin) + 1;
        if (candidates.ptr == nullptr) {
            at.layout.build(at.n, [](int, int) { return true; });
        } else {
            at.may.assign(static_cast<size_t>(at.n) * at.n, 0);
            for (int m = 1; m < at.n; ++m)
                for (int64_t i = candidates.ptr[at.begin + m - 1]; i < candidates.ptr[at.begin + m];
                     ++i)
                    at.may[static_cast<size_t>(candidates.head[i]) * at.n + m] = 1;
            at.layout.build(
                at.n, [&](int h, int m) { return at.may[static_cast<size_t>(h) * at.n + m] != 0; });
        }
        for (int kind = 0; kind < kKinds; ++kind)
            at.score[kind].assign(at.layout.lists[kind].n_places, 0.0);
    }

    // The best tree into at.heads, and its score.
    double decode(TreeState& at) const {
        at.heads.assign(at.n, -1);
        if (crossing) {
            fill_dense(at);
            return arborescence::ChuLiuEdmonds().solve(at.dense.data(), at.n, single_root,
                                                       at.heads.data());
        }
        return with_grammar<double>(at, [&](const auto& grammar) { return best_of(grammar, at); });
    }
    // The best projective tree by the scores of arcs alone.
    double decode_projective(TreeState& at) const {
        at.heads.assign(at.n, -1);
        const WithArcs scores = scores_of(at);
        return best_of(projective::Arcs<WithArcs>(scores, at.n, single_root), at);
    }
    // Up to k trees: rows of heads and scores.
    int64_t decode_k(TreeState& at, int64_t k, std::vector<int32_t>& heads,
                     std::vector<double>& values) const {
        if (crossing) {
            fill_dense(at);
            heads.assign(k * at.n, -1);
            values.assign(k, 0.0);
            return arborescence::KBest().solve(at.dense.data(), at.n, single_root, k, heads.data(),
                                               values.data());
        }
        return with_grammar<int64_t>(at, [&]<class M>(const M& grammar) {
            deduction::KBest<M> best;
            const int64_t found = best.solve(grammar, k);
            heads.assign(found * at.n, -1);
            values.clear();
            for (int64_t i = 0; i < found; ++i) {
                projective::Heads visit{heads.data() + i * at.n};
                best.follow(grammar, i, visit);
                values.push_back(best.score(grammar, i));
            }
            return found;
        });
    }
    // log Z; the probability of every part into `out`, by its place. Orders 1 and 2.
    double marginals(TreeState& at, std::vector<double> (&out)[kKinds]) const {
        for (int kind = 0; kind < kKinds; ++kind) out[kind].assign(at.score[kind].size(), 0.0);
        if (crossing) {
            fill_dense(at);
            at.probability.resize(at.dense.size());
            const double log_z = arborescence::MatrixTree().solve(
                at.dense.data(), at.n, single_root, at.probability.data());
            const PartList& arcs = at.layout.lists[kArcPart];
            for (int64_t a = 0; a < arcs.size(); ++a)
                out[kArcPart][a] = at.probability[static_cast<size_t>(arcs.word[kHead][a]) * at.n +
                                                  arcs.word[kModifier][a]];
            return log_z;
        }
        Probabilities visit{at.layout, out};
        const auto sum = [&]<class M>(const M& grammar) {
            deduction::InsideOutside<M> sums;
            const double log_z = sums.inside(grammar);
            if (log_z != deduction::forbidden) sums.outside(grammar, visit);
            return log_z;
        };
        require(model <= TreeModel::carreras, "marginals are those of models of orders 1 and 2");
        const WithArcs with = scores_of(at);
        const WithoutArcs without{with};
        if (model == TreeModel::arcs)
            return sum(projective::Arcs<WithArcs>(with, at.n, single_root));
        if (model == TreeModel::siblings)
            return sum(projective::Siblings<WithArcs>(with, at.n, single_root));
        return sum(projective::Carreras<WithoutArcs>(without, at.n, single_root));
    }

    const PartTemplates templates;
    const TreeModel model;
    const bool crossing, single_root;

  private:
    struct Probabilities {
        const PartLayout& layout;
        std::vector<double> (&out)[kKinds];
        double probability = 0;
        void arc(int h, int m) { out[kArcPart][layout.arc(h, m)] += probability; }
        void sibling(int h, int m, int s) {
            out[kSiblingPart][layout.sibling(h, m, s)] += probability;
        }
        void grandchild(int h, int m, int c) {
            out[kGrandchildPart][layout.grandchild(h, m, c)] += probability;
        }
    };
    void fill_dense(TreeState& at) const {
        at.dense.assign(static_cast<size_t>(at.n) * at.n, deduction::forbidden);
        const PartList& arcs = at.layout.lists[kArcPart];
        for (int64_t a = 0; a < arcs.size(); ++a)
            at.dense[static_cast<size_t>(arcs.word[kHead][a]) * at.n + arcs.word[kModifier][a]] =
                at.score[kArcPart][a];
    }
    static WithArcs scores_of(const TreeState& at) {
        WithArcs scores{{at.layout, {}}};
        for (int kind = 0; kind < kKinds; ++kind) scores.kind[kind] = at.score[kind].data();
        return scores;
    }
    template <class M>
    static double best_of(const M& grammar, TreeState& at) {
        deduction::Best<M> best;
        const double found = best.solve(grammar);
        projective::Heads visit{at.heads.data()};
        if (found != deduction::forbidden) best.follow(grammar, visit);
        return found;
    }
    template <class Result, class Body>
    Result with_grammar(const TreeState& at, Body body) const {
        const WithArcs with = scores_of(at);
        const WithoutArcs without{with};
        switch (model) {
            case TreeModel::arcs:
                return body(projective::Arcs<WithArcs>(with, at.n, single_root));
            case TreeModel::siblings:
                return body(projective::Siblings<WithArcs>(with, at.n, single_root));
            case TreeModel::carreras:
                return body(projective::Carreras<WithoutArcs>(without, at.n, single_root));
            case TreeModel::grand_siblings:
                return body(projective::GrandSiblings<WithArcs>(with, at.n, single_root));
            default:
                return body(projective::TriSiblings<WithoutArcs>(without, at.n, single_root));
        }
    }
};

}  // namespace laconic::tree
