#include "numeric/output_tree.hpp"

#include <algorithm>
#include <cmath>

namespace laconic::numeric {

OutputTree::OutputTree(Vec<int64_t> parent, Vec<int64_t> ptr, Vec<int64_t> index,
                       Vec<double> weight, int64_t n_outputs)
    : K_(n_outputs),
      parent_(parent.data(), parent.data() + parent.size()),
      ptr_(ptr.data(), ptr.data() + ptr.size()),
      index_(index.data(), index.data() + index.size()),
      weight_(weight.data(), weight.data() + weight.size()),
      below_(parent.size()),
      factor_(parent.size()) {
    const int64_t n = static_cast<int64_t>(parent_.size());
    require(n_outputs >= 1, "n_outputs must be at least 1");
    require(static_cast<int64_t>(weight_.size()) == n, "weight must have one entry per node");
    require(static_cast<int64_t>(ptr_.size()) == n + 1 && ptr_[0] == 0 &&
                ptr_[n] == static_cast<int64_t>(index_.size()),
            "ptr must go from 0 to the size of index, one entry per node and one more");
    std::vector<char> owned(K_, 0);
    for (int64_t u = 0; u < n; ++u) {
        require(parent_[u] >= -1 && parent_[u] < u, "every parent must come before its children");
        require(ptr_[u] <= ptr_[u + 1], "ptr must not decrease");
        require(weight_[u] >= 0 && std::isfinite(weight_[u]),
                "weight must hold finite numbers that are not negative");
    }
    for (int64_t k : index_) {
        require(k >= 0 && k < K_ && !owned[k], "every output must be owned by one node at most");
        owned[k] = 1;
    }
}

bool OutputTree::prox_row(const double* row, double scale, double* out) {
    const int64_t n = static_cast<int64_t>(parent_.size());
    std::fill(below_.begin(), below_.end(), 0.0);
    bool any = false;
    for (int64_t u = n - 1; u >= 0; --u) {
        double squares = below_[u];
        for (int64_t e = ptr_[u]; e < ptr_[u + 1]; ++e) squares += row[index_[e]] * row[index_[e]];
        const double length = std::sqrt(squares), left = length - scale * weight_[u];
        factor_[u] = left > 0 ? left / length : 0;
        if (left > 0 && parent_[u] >= 0) below_[parent_[u]] += left * left;
    }
    for (int64_t u = 0; u < n; ++u) {
        if (parent_[u] >= 0) factor_[u] *= factor_[parent_[u]];
        for (int64_t e = ptr_[u]; e < ptr_[u + 1]; ++e) {
            out[index_[e]] = row[index_[e]] * factor_[u];
            any = any || out[index_[e]] != 0;
        }
    }
    return any;
}

void OutputTree::prox(Vec<double> table, double scale, MutVec<double> out) {
    require(table.size() % K_ == 0 && out.size() == table.size(),
            "table and out must have n rows of n_outputs numbers");
    for (size_t i = 0; i < table.size(); i += K_) {
        std::copy(table.data() + i, table.data() + i + K_, out.data() + i);
        prox_row(table.data() + i, scale, out.data() + i);
    }
}

// Most rows are zero at the largest scale so far, which one sweep tells; the others move it up.
double OutputTree::gauge(Vec<double> table) {
    require(table.size() % K_ == 0, "table must have n rows of n_outputs numbers");
    std::vector<double> out(K_);
    double best = 0;
    for (size_t i = 0; i < table.size(); i += K_) {
        const double* row = table.data() + i;
        out.assign(row, row + K_);  // outputs of no node stay as they are
        if (!prox_row(row, best, out.data())) {
            if (std::all_of(out.begin(), out.end(), [](double v) { return v == 0; })) continue;
            return INFINITY;
        }
        double low = best, high = best > 0 ? 2 * best : 1;
        while (prox_row(row, high, out.data())) {
            low = high;
            high *= 2;
            if (!(high < 1e30)) return INFINITY;
        }
        while (high - low > 1e-12 * high && high > 1e-300) {
            const double middle = 0.5 * (low + high);
            (prox_row(row, middle, out.data()) ? low : high) = middle;
        }
        best = high;
    }
    return best;
}

double OutputTree::value(Vec<double> table) {
    require(table.size() % K_ == 0, "table must have n rows of n_outputs numbers");
    double total = 0;
    for (size_t i = 0; i < table.size(); i += K_) {
        const double* row = table.data() + i;
        if (std::any_of(row, row + K_, [](double v) { return v != 0; })) total += row_value(row);
    }
    return total;
}

double OutputTree::row_value(const double* row) {
    double total = 0;
    std::fill(below_.begin(), below_.end(), 0.0);
    for (int64_t u = static_cast<int64_t>(parent_.size()) - 1; u >= 0; --u) {
        double squares = below_[u];
        for (int64_t e = ptr_[u]; e < ptr_[u + 1]; ++e) squares += row[index_[e]] * row[index_[e]];
        if (parent_[u] >= 0) below_[parent_[u]] += squares;
        total += weight_[u] * std::sqrt(squares);
    }
    return total;
}

// The rows of one problem: values V, residuals R and curvatures H, kept at the scores.
template <class Loss>
class FeatureSweep {
  public:
    FeatureSweep(OutputTree& tree, const Matrix& X, const LossData& data, Loss loss,
                 double strength, double* w, double* b, double* s)
        : tree_(tree),
          X_(X),
          data_(data),
          loss_(loss),
          strength_(strength),
          K_(data.n_outputs),
          w_(w),
          b_(b),
          s_(s),
          sw_(data.weight.data()),
          g_(K_),
          a_(K_),
          from_(K_),
          moved_(K_),
          step_(K_),
          last_(K_) {
        const size_t n = data.weight.size();
        V_.resize(n);
        R_.resize(n * K_);
        H_.resize(n * K_);
        for (size_t i = 0; i < n; ++i) V_[i] = evaluate(i, s_ + i * K_, &R_[i * K_], &H_[i * K_]);
    }

    // Moves feature j; returns whether it has a weight.
    bool move(int64_t j) {
        double* own = w_ + j * K_;
        auto column = [&](auto body) { X_.column(j, body); };
        slope(column);
        const bool dead = std::all_of(own, own + K_, [](double v) { return v == 0; });
        if (dead) {
            for (int k = 0; k < K_; ++k) from_[k] = -g_[k];
            step_ = from_;
            if (!tree_.prox_row(from_.data(), strength_, step_.data())) return false;
        }
        if (bend(column))
            for (int tries = 0; tries < 60; ++tries) {
                solve(own);
                if (take(own, column)) break;
                for (double& a : a_) a *= 2;
            }
        return std::any_of(own, own + K_, [](double v) { return v != 0; });
    }

    // Moves the intercept, as a feature that is 1 everywhere and costs nothing.
    void move_intercept() {
        const int64_t n = static_cast<int64_t>(V_.size());
        auto everywhere = [n](auto body) {
            for (int64_t i = 0; i < n; ++i) body(i, 1.0);
        };
        slope(everywhere);
        if (!bend(everywhere)) return;
        for (int tries = 0; tries < 60; ++tries) {
            for (int k = 0; k < K_; ++k) step_[k] = b_[k] - g_[k] / a_[k];
            if (take(b_, everywhere)) return;
            for (double& a : a_) a *= 2;
        }
    }

  private:
    static constexpr double narrowest = 1e-2;  // least over largest curvature of a feature
    static constexpr int most_steps = 40;      // of the model of one feature

    double evaluate(int64_t i, const double* s, double* r, double* h) {
        if (sw_[i] == 0) {
            std::fill(r, r + K_, 0.0);
            std::fill(h, h + K_, 0.0);
            return 0;
        }
        return sw_[i] * loss_.row(s, K_, targets_of(data_, i), r, h);
    }

    // g = sum_i s_i x_i r_i
    template <class Column>
    void slope(Column column) {
        std::fill(g_.begin(), g_.end(), 0.0);
        column([&](int64_t i, double x) {
            const double by = sw_[i] * x, *r = &R_[i * K_];
            for (int k = 0; k < K_; ++k) g_[k] += by * r[k];
        });
    }

    // a = sum_i s_i x_i^2 h_i, none much smaller than the largest; whether there is any.
    template <class Column>
    bool bend(Column column) {
        std::fill(a_.begin(), a_.end(), 0.0);
        double squares = 0;
        column([&](int64_t i, double x) {
            const double by = sw_[i] * x * x, *h = &H_[i * K_];
            squares += by;
            for (int k = 0; k < K_; ++k) a_[k] += by * h[k];
        });
        const double top = std::max(*std::max_element(a_.begin(), a_.end()), 1e-9 * squares);
        for (double& a : a_) a = std::max(a, narrowest * top);
        return top > 0 && std::isfinite(top);
    }

    // step_ = about argmin_v g'(v - w) + sum_k a_k (v_k - w_k)^2 / 2 + sum_u mass_u |v_u|, from w,
    // by accelerated proximal steps: they cost no exponential.
    void solve(const double* own) {
        const double top = *std::max_element(a_.begin(), a_.end());
        step_.assign(own, own + K_);
        from_ = step_;
        double momentum = 1;
        for (int turn = 0; turn < most_steps; ++turn) {
            last_ = step_;
            for (int k = 0; k < K_; ++k) from_[k] -= (g_[k] + a_[k] * (from_[k] - own[k])) / top;
            step_ = from_;
            tree_.prox_row(from_.data(), strength_ / top, step_.data());
            double change = 0, size = 0;
            for (int k = 0; k < K_; ++k) {
                change = std::max(change, std::abs(step_[k] - last_[k]));
                size = std::max(size, std::abs(step_[k] - own[k]));
            }
            if (change <= 1e-3 * size) break;
            const double next = 0.5 * (1 + std::sqrt(1 + 4 * momentum * momentum));
            for (int k = 0; k < K_; ++k)
                from_[k] = step_[k] + (momentum - 1) / next * (step_[k] - last_[k]);
            momentum = next;
        }
    }

    double cost(const double* v) { return strength_ * tree_.row_value(v); }

    // Goes from `own` to step_ if the loss stays below its model; whether it did.
    template <class Column>
    bool take(double* own, Column column) {
        double along = 0, squares = 0;
        for (int k = 0; k < K_; ++k) {
            moved_[k] = step_[k] - own[k];
            along += g_[k] * moved_[k];
            squares += a_[k] * moved_[k] * moved_[k];
        }
        if (squares == 0) return true;
        const double lost = own == b_ ? 0.0 : cost(own) - cost(step_.data());
        scores_.clear();
        residuals_.clear();
        curvatures_.clear();
        values_.clear();
        double change = 0, size = 0;
        column([&](int64_t i, double x) {
            const size_t at = scores_.size();
            scores_.resize(at + K_);
            residuals_.resize(at + K_);
            curvatures_.resize(at + K_);
            for (int k = 0; k < K_; ++k) scores_[at + k] = s_[i * K_ + k] + x * moved_[k];
            values_.push_back(evaluate(i, &scores_[at], &residuals_[at], &curvatures_[at]));
            change += values_.back() - V_[i];
            size += V_[i];
        });
        // Half of what the model promises is enough; it must not be worse than nothing.
        const double promised = along + 0.5 * squares - lost;
        if (!(change - lost <= 0.5 * std::min(promised, 0.0) + 1e-13 * size)) return false;
        size_t at = 0;
        column([&](int64_t i, double) {
            std::copy_n(&scores_[at * K_], K_, s_ + i * K_);
            std::copy_n(&residuals_[at * K_], K_, &R_[i * K_]);
            std::copy_n(&curvatures_[at * K_], K_, &H_[i * K_]);
            V_[i] = values_[at++];
        });
        std::copy_n(step_.data(), K_, own);
        return true;
    }

    OutputTree& tree_;
    const Matrix& X_;
    const LossData& data_;
    Loss loss_;
    double strength_;
    int K_;
    double *w_, *b_, *s_;
    const double* sw_;
    std::vector<double> g_, a_, from_, moved_, step_, last_;        // of one feature
    std::vector<double> V_, R_, H_;                                 // of all rows
    std::vector<double> scores_, residuals_, curvatures_, values_;  // of the rows of a feature
};

int64_t OutputTree::descend(const Matrix& X, const LossData& data, double strength,
                            Vec<int64_t> working, MutVec<double> weights, MutVec<double> intercept,
                            MutVec<double> scores) {
    check_rows(data, scores.size());
    check_range(working, 0, X.n_cols, "working");
    require(data.n_outputs == K_, "the loss must have n_outputs scores per row");
    require(static_cast<int64_t>(data.weight.size()) == X.n_rows, "rows and weights must agree");
    require(static_cast<int64_t>(weights.size()) == X.n_cols * K_,
            "weights must have n_cols * n_outputs entries");
    require(intercept.size() == 0 || static_cast<int64_t>(intercept.size()) == K_,
            "intercept must have 0 or n_outputs entries");
    require(strength >= 0 && std::isfinite(strength), "strength must be a number from 0 on");
    X.need_columns();
    nb::gil_scoped_release release;
    return with_loss(data.kind, data.parameter, [&](auto loss) {
        FeatureSweep<decltype(loss)> sweep(*this, X, data, loss, strength, weights.data(),
                                           intercept.data(), scores.data());
        std::vector<int64_t> alive(working.data(), working.data() + working.size());
        for (int turn = 0; turn < sweeps; ++turn) {
            if (intercept.size() > 0) sweep.move_intercept();
            // What has no weight after the first sweep waits for the next call.
            alive.erase(std::remove_if(alive.begin(), alive.end(),
                                       [&](int64_t j) { return !sweep.move(j); }),
                        alive.end());
        }
        return static_cast<int64_t>(alive.size());
    });
}

}  // namespace laconic::numeric
