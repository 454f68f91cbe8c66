// Steps of Newton's method on norms of overlapping groups, see norm_newton.hpp.
#include "numeric/norm_newton.hpp"

#include <algorithm>
#include <cmath>

namespace laconic::numeric {

NormNewton::NormNewton(const Matrix& X, int n_outputs, bool has_intercept)
    : X_(X), K_(n_outputs), has_intercept_(has_intercept) {
    require(n_outputs >= 1, "n_outputs must be at least 1");
    require(X.n_cols * n_outputs < INT32_MAX, "there must be fewer than 2^31 weights");
    X.need_columns();
    place_.assign(X.n_cols * n_outputs, -1);
}

void NormNewton::add(Vec<int64_t> ptr, Vec<int64_t> index, Vec<int64_t> parent, Vec<double> mass) {
    check_ptr(ptr, static_cast<int64_t>(index.size()), "ptr");
    check_range(index, 0, static_cast<int64_t>(place_.size()), "index");
    const size_t n_groups = ptr.size() - 1;
    require(n_groups < INT32_MAX, "there must be fewer than 2^31 groups");
    require(mass.size() == n_groups, "mass must have one entry per group");
    require(parent.size() == 0 || parent.size() == n_groups,
            "parent must have one entry per group, or none");
    for (size_t g = 0; g < parent.size(); ++g)
        require(parent.data()[g] >= -1 && parent.data()[g] < static_cast<int64_t>(g),
                "parent must hold an earlier group, or -1");
    Term term;
    term.ptr.assign(ptr.data(), ptr.data() + ptr.size());
    term.index.assign(index.data(), index.data() + index.size());
    term.parent.assign(parent.data(), parent.data() + parent.size());
    term.mass.assign(mass.data(), mass.data() + mass.size());
    terms_.push_back(std::move(term));
}

// The norms of one term at the present weights: their diagonal, their slope, and what a product
// needs.
void NormNewton::load(Term& term) {
    const int64_t n_groups = static_cast<int64_t>(term.mass.size());
    const bool nested = !term.parent.empty();
    std::vector<double> squares(n_groups, 0.0);
    for (int64_t g = n_groups - 1; g >= 0; --g) {
        for (int64_t e = term.ptr[g]; e < term.ptr[g + 1]; ++e) {
            const int32_t i = place_[term.index[e]];
            if (i >= 0) squares[g] += w_[i] * w_[i];
        }
        if (nested && term.parent[g] >= 0) squares[term.parent[g]] += squares[g];
    }
    term.live_ptr.assign(1, 0);
    term.live_index.clear();
    term.live_parent.clear();
    term.pull.clear();
    std::vector<int32_t> number(nested ? n_groups : 0);
    std::vector<double> rate, pull;  // sums over the groups above: mass / |w_g|, mass / |w_g|^3
    for (int64_t g = 0; g < n_groups; ++g) {
        if (!(squares[g] > 0)) continue;
        const int32_t up = nested && term.parent[g] >= 0 ? number[term.parent[g]] : -1;
        const double length = std::sqrt(squares[g]), own = term.mass[g] / length;
        rate.push_back(own + (up >= 0 ? rate[up] : 0));
        pull.push_back(own / squares[g] + (up >= 0 ? pull[up] : 0));
        for (int64_t e = term.ptr[g]; e < term.ptr[g + 1]; ++e) {
            const int32_t i = place_[term.index[e]];
            if (i < 0) continue;
            term.live_index.push_back(i);
            diagonal_[i] += rate.back();
            slope_[i] += rate.back() * w_[i];
            short_[i] += pull.back() * w_[i] * w_[i];
        }
        if (nested) {
            number[g] = static_cast<int32_t>(term.pull.size());
            term.live_parent.push_back(up);
        }
        term.pull.push_back(own / squares[g]);
        term.live_ptr.push_back(static_cast<int64_t>(term.live_index.size()));
    }
    term.sums.resize(term.pull.size());
}

void NormNewton::gather(const NormPoint& point) {
    for (int64_t c : support_) place_[c] = -1;
    support_.clear();
    w_.clear();
    slope_.clear();
    diagonal_.clear();
    for (size_t c = 0; c < place_.size(); ++c) {
        const double w = point.weights.data()[c];
        if (w == 0) continue;
        place_[c] = static_cast<int32_t>(support_.size());
        support_.push_back(static_cast<int64_t>(c));
        w_.push_back(w);
        slope_.push_back(point.slope.data()[c]);
        diagonal_.push_back(point.ridge.data()[c]);
    }
    const size_t n = support_.size();
    short_.assign(n, 0.0);
    bend_.assign(n, 0.0);
    for (Term& term : terms_) load(term);
    h_.assign(point.curvature.data(), point.curvature.data() + point.curvature.size());
    scores_.resize(h_.size());
    total_.assign(K_, 0.0);
    for (size_t i = 0; i < h_.size(); ++i) total_[i % K_] += h_[i];
    for (size_t a = 0; a < n; ++a) {
        const int64_t k = support_[a] % K_;
        X_.column(support_[a] / K_,
                  [&](int64_t i, double x) { bend_[a] += x * x * h_[i * K_ + k]; });
    }
}

// out = B d
void NormNewton::product(const std::vector<double>& d, double share, std::vector<double>& out) {
    const size_t n = support_.size();
    std::fill(scores_.begin(), scores_.end(), 0.0);
    for (size_t a = 0; a < n; ++a) {
        const int64_t k = support_[a] % K_;
        X_.column(support_[a] / K_, [&](int64_t i, double x) { scores_[i * K_ + k] += x * d[a]; });
    }
    std::vector<double> mean(K_, 0.0);
    if (has_intercept_) {
        for (size_t i = 0; i < h_.size(); ++i) mean[i % K_] += h_[i] * scores_[i];
        for (int k = 0; k < K_; ++k) mean[k] = total_[k] > 0 ? mean[k] / total_[k] : 0;
    }
    for (size_t i = 0; i < h_.size(); ++i) scores_[i] = h_[i] * (scores_[i] - mean[i % K_]);
    for (size_t a = 0; a < n; ++a) {
        const int64_t k = support_[a] % K_;
        double sum = diagonal_[a] * d[a];
        X_.column(support_[a] / K_, [&](int64_t i, double x) { sum += x * scores_[i * K_ + k]; });
        out[a] = sum;
    }
    for (Term& term : terms_) {
        const int64_t n_live = static_cast<int64_t>(term.pull.size());
        const bool nested = !term.parent.empty();
        std::vector<double>& s = term.sums;
        std::fill(s.begin(), s.end(), 0.0);
        for (int64_t g = n_live - 1; g >= 0; --g) {
            for (int64_t e = term.live_ptr[g]; e < term.live_ptr[g + 1]; ++e)
                s[g] += w_[term.live_index[e]] * d[term.live_index[e]];
            if (nested && term.live_parent[g] >= 0) s[term.live_parent[g]] += s[g];
        }
        for (int64_t g = 0; g < n_live; ++g) {
            s[g] *= share * term.pull[g];
            if (nested && term.live_parent[g] >= 0) s[g] += s[term.live_parent[g]];
            for (int64_t e = term.live_ptr[g]; e < term.live_ptr[g + 1]; ++e)
                out[term.live_index[e]] -= s[g] * w_[term.live_index[e]];
        }
    }
}

int NormNewton::step(const NormPoint& point, double share, double tolerance, int max_products,
                     MutVec<double> direction) {
    const size_t n_weights = place_.size();
    require(point.weights.size() == n_weights && point.slope.size() == n_weights &&
                point.ridge.size() == n_weights && direction.size() == n_weights,
            "weights, slope, ridge and direction must have one entry per weight");
    require(static_cast<int64_t>(point.curvature.size()) == X_.n_rows * K_,
            "curvature must have one entry per score");
    require(share >= 0 && share <= 1, "share must be from 0 to 1");
    nb::gil_scoped_release release;
    gather(point);
    const size_t n = support_.size();
    std::vector<double> d(n, 0.0), residual(n), scaled(n), along(n), image(n), inverse(n);
    double first = 0, size = 0;
    for (size_t a = 0; a < n; ++a) {
        const double diagonal = bend_[a] + diagonal_[a] - share * short_[a];
        inverse[a] = 1 / std::max(diagonal, 1e-12 * (bend_[a] + diagonal_[a]) + 1e-300);
        residual[a] = -slope_[a];
        along[a] = scaled[a] = inverse[a] * residual[a];
        first += residual[a] * scaled[a];
    }
    size = first;
    int n_products = 0;
    while (n_products < max_products && size > tolerance * tolerance * first && size > 0) {
        product(along, share, image);
        ++n_products;
        double curvature = 0;
        for (size_t a = 0; a < n; ++a) curvature += along[a] * image[a];
        if (!(curvature > 0)) break;  // rounding errors of a singular B
        const double step = size / curvature;
        double next = 0;
        for (size_t a = 0; a < n; ++a) {
            d[a] += step * along[a];
            residual[a] -= step * image[a];
            scaled[a] = inverse[a] * residual[a];
            next += residual[a] * scaled[a];
        }
        for (size_t a = 0; a < n; ++a) along[a] = scaled[a] + next / size * along[a];
        size = next;
    }
    std::fill(direction.data(), direction.data() + n_weights, 0.0);
    for (size_t a = 0; a < n; ++a) direction.data()[support_[a]] = d[a];
    return n_products;
}

}  // namespace laconic::numeric
