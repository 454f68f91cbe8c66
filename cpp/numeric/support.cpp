// Products, scores and preconditioner of the support, see support.hpp.
#include "numeric/support.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/gram.hpp"

namespace laconic::numeric {

namespace {

// Replaces the lower triangle of A, m rows, by its Cholesky factor. Rows whose pivot is lost in
// rounding errors keep their diagonal alone.
void cholesky(double* A, int64_t m) {
    for (int64_t a = 0; a < m; ++a) {
        double* row = A + a * m;
        const double own = row[a];
        double rest = own;
        for (int64_t b = 0; b < a; ++b) {
            const double* other = A + b * m;
            double sums[4] = {};
            int64_t e = 0;
            for (; e + 4 <= b; e += 4)
                for (int64_t s = 0; s < 4; ++s) sums[s] += row[e + s] * other[e + s];
            for (; e < b; ++e) sums[0] += row[e] * other[e];
            row[b] = (row[b] - ((sums[0] + sums[1]) + (sums[2] + sums[3]))) / other[b];
            rest -= row[b] * row[b];
        }
        if (!(rest > 1e-12 * own)) {
            std::fill(row, row + a, 0.0);
            rest = own;
        }
        row[a] = rest > 0 ? std::sqrt(rest) : 1.0;
    }
}

}  // namespace

Support::Support(const Matrix& X, int n_outputs)
    : X_(X), K_(n_outputs), n_(static_cast<size_t>(X.n_rows)), slots_(K_), column_(K_) {}

void Support::choose(const std::vector<int64_t>& active, bool with_intercept) {
    with_intercept_ = with_intercept;
    n_weights_ = active.size();
    for (int k = 0; k < K_; ++k) {
        slots_[k].clear();
        column_[k].clear();
    }
    slot_of_.resize(X_.n_cols * K_, -1);
    for (int64_t weight : active_) slot_of_[weight] = -1;
    active_ = active;
    for (size_t a = 0; a < n_weights_; ++a) {
        slot_of_[active[a]] = static_cast<int32_t>(a);
        slots_[active[a] % K_].push_back(static_cast<int32_t>(a));
        column_[active[a] % K_].push_back(active[a] / K_);
    }
    for (Factor& factor : factors_)
        for (size_t a = 0; a < factor.weights.size(); ++a)
            factor.slots[a] = slot(factor.weights[a]);
}

// Weights of the intercept come after those of all columns.
int64_t Support::weight(int32_t slot) const {
    const auto s = static_cast<size_t>(slot);
    return s < n_weights_ ? active_[s] : X_.n_cols * K_ + slot - static_cast<int64_t>(n_weights_);
}

int32_t Support::slot(int64_t weight) const {
    const int64_t output = weight - X_.n_cols * K_;
    if (output >= 0) return static_cast<int32_t>(static_cast<int64_t>(n_weights_) + output);
    return slot_of_[weight];
}

void Support::curve(const std::vector<double>& h, const double* coupling) {
    h_.resize(n_ * K_);
    bend_.resize(n_ * K_);
    coupling_.clear();
    if (coupling) coupling_.assign(coupling, coupling + n_);
    for (size_t i = 0; i < n_; ++i)
        for (int k = 0; k < K_; ++k) {
            const double own = h[i * K_ + k];
            h_[k * n_ + i] = own;
            bend_[k * n_ + i] = coupling ? std::max(own - coupling[i] * own * own, 0.0) : own;
        }
    by_rows_ = curved_.load(X_, {column_, slots_, size(), with_intercept_}, {h_, bend_, coupling_});
}

// table_ = X v, (K, n).
void Support::spread(const std::vector<double>& v) {
    table_.resize(n_ * K_);
    for (int k = 0; k < K_; ++k) {
        double* out = &table_[k * n_];
        std::fill(out, out + n_, with_intercept_ ? v[n_weights_ + k] : 0.0);
        for (size_t s = 0; s < slots_[k].size(); ++s)
            if (const double by = v[slots_[k][s]]; by != 0) X_.column_add(column_[k][s], by, out);
    }
}

// out = X' table of a table (K, n).
void Support::gather(const std::vector<double>& table, std::vector<double>& out) const {
    out.assign(size(), 0.0);
    for (int k = 0; k < K_; ++k) {
        const double* r = &table[k * n_];
        for (size_t s = 0; s < slots_[k].size(); ++s)
            out[slots_[k][s]] = X_.column_dot(column_[k][s], r);
        if (with_intercept_)
            for (size_t i = 0; i < n_; ++i) out[n_weights_ + k] += r[i];
    }
}

void Support::score(const std::vector<double>& v, std::vector<double>& out) {
    spread(v);
    for (size_t i = 0; i < n_; ++i)
        for (int k = 0; k < K_; ++k) out[i * K_ + k] = table_[k * n_ + i];
}

void Support::pull(const std::vector<double>& r, std::vector<double>& out,
                   std::vector<double>& diagonal) {
    table_.resize(n_ * K_);
    for (size_t i = 0; i < n_; ++i)
        for (int k = 0; k < K_; ++k) table_[k * n_ + i] = r[i * K_ + k];
    out.assign(size(), 0.0);
    diagonal.assign(size(), 0.0);
    for (int k = 0; k < K_; ++k) {
        const double *own = &table_[k * n_], *bend = &bend_[k * n_];
        for (size_t s = 0; s < slots_[k].size(); ++s) {
            const ColumnDots found = X_.column_dots(column_[k][s], own, bend);
            out[slots_[k][s]] = found.gradient;
            diagonal[slots_[k][s]] = found.curvature;
        }
        if (!with_intercept_) continue;
        for (size_t i = 0; i < n_; ++i) {
            out[n_weights_ + k] += own[i];
            diagonal[n_weights_ + k] += bend[i];
        }
    }
}

void Support::product(const std::vector<double>& v, std::vector<double>& out) {
    if (by_rows_) return curved_.product(v, out);
    spread(v);
    for (size_t c = 0; c < table_.size(); ++c) table_[c] *= h_[c];
    if (!coupling_.empty()) {
        shared_.assign(n_, 0.0);
        for (int k = 0; k < K_; ++k)
            for (size_t i = 0; i < n_; ++i) shared_[i] += table_[k * n_ + i];
        for (size_t i = 0; i < n_; ++i) shared_[i] *= coupling_[i];
        for (int k = 0; k < K_; ++k)
            for (size_t i = 0; i < n_; ++i) table_[k * n_ + i] -= shared_[i] * h_[k * n_ + i];
    }
    gather(table_, out);
}

void Support::factor(const std::vector<double>& extra, const std::vector<double>& diagonal) {
    factors_.clear();
    for (int k = 0; k < K_; ++k) {
        std::vector<int32_t> every = slots_[k];
        if (with_intercept_) every.push_back(static_cast<int32_t>(n_weights_ + k));
        std::stable_sort(every.begin(), every.end(),
                         [&](int32_t a, int32_t b) { return diagonal[a] > diagonal[b]; });
        for (auto at = every.begin(); at != every.end();) {
            const auto end = at + std::min<int64_t>(BLOCK, every.end() - at);
            factors_.push_back(factored(k, {at, end}, extra));
            at = end;
        }
    }
}

Support::Factor Support::factored(int k, std::vector<int32_t> slots,
                                  const std::vector<double>& extra) const {
    // The column of ones is the last one of a Gram matrix.
    const auto ones = static_cast<int32_t>(n_weights_ + k);
    const auto end = std::remove(slots.begin(), slots.end(), ones);
    const bool with_ones = end != slots.end();
    slots.erase(end, slots.end());
    std::vector<int64_t> columns;
    for (int32_t slot : slots) {
        const auto at = std::lower_bound(slots_[k].begin(), slots_[k].end(), slot);
        columns.push_back(column_[k][at - slots_[k].begin()]);
    }
    GramModel gram;
    gram.load(X_.n_rows, std::vector<int32_t>(slots.size(), 0), 1, with_ones,
              [&](int64_t c, auto body) { X_.column(columns[c], body); });
    const double* bend = &bend_[k * n_];
    gram.bend(bend, nullptr, 1, GramModel::FLAT);
    if (with_ones) slots.push_back(ones);
    const auto m = static_cast<int64_t>(slots.size());
    std::vector<double> lower = gram.matrix();
    for (int64_t a = 0; a < m; ++a)
        lower[a * m + a] = lower[a * m + a] * (1 + 1e-6) + extra[slots[a]];
    cholesky(lower.data(), m);
    std::vector<int64_t> weights;
    for (int32_t slot : slots) weights.push_back(weight(slot));
    return {std::move(weights), std::move(lower), std::move(slots)};
}

void Support::precondition(const std::vector<double>& r, std::vector<double>& z) const {
    std::vector<double> part;
    for (const Factor& factor : factors_) {
        const auto m = static_cast<int64_t>(factor.slots.size());
        part.resize(m);
        for (int64_t a = 0; a < m; ++a) {
            const double* row = &factor.lower[a * m];
            double sums[4] = {factor.slots[a] < 0 ? 0.0 : r[factor.slots[a]]};
            int64_t e = 0;
            for (; e + 4 <= a; e += 4)
                for (int64_t s = 0; s < 4; ++s) sums[s] -= row[e + s] * part[e + s];
            for (; e < a; ++e) sums[0] -= row[e] * part[e];
            part[a] = ((sums[0] + sums[1]) + (sums[2] + sums[3])) / row[a];
        }
        for (int64_t a = m - 1; a >= 0; --a) {
            const double* row = &factor.lower[a * m];
            const double found = part[a] /= row[a];
            for (int64_t b = 0; b < a; ++b) part[b] -= found * row[b];
        }
        for (int64_t a = 0; a < m; ++a)
            if (factor.slots[a] >= 0) z[factor.slots[a]] = part[a];
    }
}

}  // namespace laconic::numeric
