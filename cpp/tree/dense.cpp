// Inference over dense tables of scores: checked arrays for projective.hpp, projective_large.hpp
// and arborescence.hpp. Parsers lay parts out sparsely instead (part_layout.hpp); this is for
// callers who have scores of their own, and for tests.
#include "tree/dense.hpp"

#include "tree/arborescence.hpp"
#include "tree/projective_large.hpp"

namespace laconic::tree {

namespace {

// Tables as far as a model has them; indices run head first:
//     arc (n, n)                    (h, m)
//     sibling (n, n, n)             (h, m, s)
//     grandchild (n, n, n)          (h, m, c)
//     grand_sibling (n, n, n, n)    (g, h, m, s)
//     tri_sibling (n, n, n, n)      (h, m, s, t)
struct Tables {
    int n;
    const double *arcs, *siblings, *grandchildren, *grand_siblings, *tri_siblings;

    int64_t at(int h, int m) const { return int64_t{h} * n + m; }
    int64_t at(int h, int m, int s) const { return at(h, m) * n + s; }
    int64_t at(int g, int h, int m, int s) const { return at(g, h, m) * n + s; }
    bool allowed(int h, int m) const { return h != m && arcs[at(h, m)] != deduction::forbidden; }
    int64_t n_arcs() const { return int64_t{n} * n; }
    int64_t number(int h, int m) const { return at(h, m); }
    std::pair<int, int> ends(int64_t arc) const {
        return {static_cast<int>(arc / n), static_cast<int>(arc % n)};
    }
    double arc(int h, int m) const { return arcs[at(h, m)]; }
    double grandchild(int h, int m, int c) const { return grandchildren[at(h, m, c)]; }
    double tri_sibling(int h, int m, int s, int t) const {
        return arcs[at(h, m)] + siblings[at(h, m, s)] + tri_siblings[at(h, m, s, t)];
    }
};
struct WithSiblings : Tables {
    double sibling(int h, int m, int s) const { return arcs[at(h, m)] + siblings[at(h, m, s)]; }
};
struct WithGrandchildren : Tables {
    double sibling(int h, int m, int s) const { return siblings[at(h, m, s)]; }
};
struct WithGrandSiblings : Tables {
    double grand_sibling(int g, int h, int m, int s) const {
        return arcs[at(h, m)] + siblings[at(h, m, s)] + grand_siblings[at(g, h, m, s)];
    }
};
struct WithTriSiblings : Tables {
    double grand_sibling(int g, int h, int m, int s) const {
        return grand_siblings[at(g, h, m, s)];
    }
};

struct Marginals {
    int n;
    double *arcs, *siblings, *grandchildren, probability = 0;
    void arc(int h, int m) { arcs[int64_t{h} * n + m] += probability; }
    void sibling(int h, int m, int s) { siblings[(int64_t{h} * n + m) * n + s] += probability; }
    void grandchild(int h, int m, int c) {
        grandchildren[(int64_t{h} * n + m) * n + c] += probability;
    }
};

int64_t power(int64_t n, int exponent) { return exponent == 0 ? 1 : n * power(n, exponent - 1); }

Tables read(TreeModel model, int n, const DenseScores& scores) {
    require(n >= 1 && n <= 1024, "n must be from 1 to 1024");
    const bool needed[] = {true, model >= TreeModel::siblings, model == TreeModel::carreras,
                           model >= TreeModel::grand_siblings, model == TreeModel::tri_siblings};
    const int exponent[] = {2, 3, 3, 4, 4};
    const double* table[5] = {};
    size_t given = 0;
    for (int i = 0; i < 5; ++i) {
        if (!needed[i]) continue;
        require(given < scores.size(), "a table of scores is missing");
        require(static_cast<int64_t>(scores[given].size()) == power(n, exponent[i]),
                "a table of scores has the wrong size");
        table[i] = scores[given].data();
        for (size_t k = 0; k < scores[given].size(); ++k)
            require(table[i][k] < std::numeric_limits<double>::infinity(),
                    "scores must be finite or -infinity");
        ++given;
    }
    require(given == scores.size(), "there are more tables of scores than the model has");
    return {n, table[0], table[1], table[2], table[3], table[4]};
}

// Calls body(model) with the projective model of a number.
template <class Body>
auto with_model(TreeModel model, const Tables& tables, bool single_root, Body body) {
    switch (model) {
        case TreeModel::arcs:
            return body(projective::Arcs<Tables>(tables, tables.n, single_root));
        case TreeModel::siblings: {
            const WithSiblings scores{tables};
            return body(projective::Siblings<WithSiblings>(scores, tables.n, single_root));
        }
        case TreeModel::carreras: {
            const WithGrandchildren scores{tables};
            return body(projective::Carreras<WithGrandchildren>(scores, tables.n, single_root));
        }
        case TreeModel::grand_siblings: {
            const WithGrandSiblings scores{tables};
            return body(
                projective::GrandSiblings<WithGrandSiblings>(scores, tables.n, single_root));
        }
        default: {
            const WithTriSiblings scores{tables};
            return body(projective::TriSiblings<WithTriSiblings>(scores, tables.n, single_root));
        }
    }
}

}  // namespace

std::tuple<Array<int32_t>, double> projective_best(TreeModel model, int n,
                                                   const DenseScores& scores, bool single_root) {
    const Tables tables = read(model, n, scores);
    std::vector<int32_t> heads(n, -1);
    const double score = with_model(model, tables, single_root, [&]<class M>(const M& grammar) {
        deduction::Best<M> best;
        const double found = best.solve(grammar);
        projective::Heads visit{heads.data()};
        if (found != deduction::forbidden) best.follow(grammar, visit);
        return found;
    });
    return std::make_tuple(to_numpy(std::move(heads)), score);
}

std::tuple<Array<int32_t>, Array<double>> projective_k_best(TreeModel model, int n,
                                                            const DenseScores& scores,
                                                            bool single_root, int64_t k) {
    const Tables tables = read(model, n, scores);
    require(k >= 1 && k <= 100000, "k must be from 1 to 100000");
    std::vector<int32_t> heads;
    std::vector<double> values;
    with_model(model, tables, single_root, [&]<class M>(const M& grammar) {
        deduction::KBest<M> best;
        const int64_t found = best.solve(grammar, k);
        heads.assign(found * n, -1);
        for (int64_t i = 0; i < found; ++i) {
            projective::Heads visit{heads.data() + i * n};
            best.follow(grammar, i, visit);
            values.push_back(best.score(grammar, i));
        }
    });
    return std::make_tuple(to_numpy(std::move(heads)), to_numpy(std::move(values)));
}

std::tuple<double, Array<double>, Array<double>, Array<double>> projective_marginals(
    TreeModel model, int n, const DenseScores& scores, bool single_root) {
    const Tables tables = read(model, n, scores);
    require(model <= TreeModel::carreras, "marginals are those of models of orders 1 and 2");
    const int64_t square = int64_t{n} * n, cube = square * n;
    std::vector<double> arcs(square, 0.0), siblings(model >= TreeModel::siblings ? cube : 0, 0.0);
    std::vector<double> grandchildren(model == TreeModel::carreras ? cube : 0, 0.0);
    Marginals visit{n, arcs.data(), siblings.data(), grandchildren.data()};
    const auto run = [&]<class M>(const M& grammar) {
        deduction::InsideOutside<M> sums;
        const double log_z = sums.inside(grammar);
        if (log_z != deduction::forbidden) sums.outside(grammar, visit);
        return log_z;
    };
    double log_z;
    if (model == TreeModel::arcs) {
        log_z = run(projective::Arcs<Tables>(tables, n, single_root));
    } else if (model == TreeModel::siblings) {
        const WithSiblings with{tables};
        log_z = run(projective::Siblings<WithSiblings>(with, n, single_root));
    } else {
        const WithGrandchildren with{tables};
        log_z = run(projective::Carreras<WithGrandchildren>(with, n, single_root));
    }
    return std::make_tuple(log_z, to_numpy(std::move(arcs)), to_numpy(std::move(siblings)),
                           to_numpy(std::move(grandchildren)));
}

std::tuple<Array<int32_t>, double> crossing_best(int n, Vec<double> arc, bool single_root) {
    read(TreeModel::arcs, n, {arc});
    std::vector<int32_t> heads(n, -1);
    const double score =
        arborescence::ChuLiuEdmonds().solve(arc.data(), n, single_root, heads.data());
    return std::make_tuple(to_numpy(std::move(heads)), score);
}

std::tuple<Array<int32_t>, Array<double>> crossing_k_best(int n, Vec<double> arc, bool single_root,
                                                          int64_t k) {
    read(TreeModel::arcs, n, {arc});
    require(k >= 1 && k <= 100000, "k must be from 1 to 100000");
    std::vector<int32_t> heads(k * n, -1);
    std::vector<double> scores(k, 0.0);
    const int64_t found =
        arborescence::KBest().solve(arc.data(), n, single_root, k, heads.data(), scores.data());
    heads.resize(found * n);
    scores.resize(found);
    return std::make_tuple(to_numpy(std::move(heads)), to_numpy(std::move(scores)));
}

std::tuple<double, Array<double>> crossing_marginals(int n, Vec<double> arc, bool single_root) {
    read(TreeModel::arcs, n, {arc});
    std::vector<double> probability(int64_t{n} * n, 0.0);
    const double log_z =
        arborescence::MatrixTree().solve(arc.data(), n, single_root, probability.data());
    return std::make_tuple(log_z, to_numpy(std::move(probability)));
}

}  // namespace laconic::tree
