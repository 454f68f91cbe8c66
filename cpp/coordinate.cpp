// Proximal Newton by block coordinate descent on a working set (Friedman, Hastie and Tibshirani 2010; Yuan, Ho and Lin 2012).
//
//   min_{w, b}  sum_i s_i loss(y_i, x_i W + b) + sum_c lasso_c |w_c| + ridge_c (w_c - centre_c)^2 / 2 + sum_g mass_g |w_g|_2
//
// Coordinate c = j K + k is feature j, output k. Each round replaces the loss by its quadratic model, runs a few passes over the
// working blocks that keep the model's residuals R = r + H (X d) up to date, then searches along d. The exponentials are paid
// once a round, the passes cost the entries of the working columns. The multinomial loss keeps its exact Hessian diag(h) - h h' a
// row: its diagonal alone would need hundreds of rounds.
#include <numeric>

#include "blocks.hpp"
#include "gram.hpp"
#include "kernels.hpp"
#include "losses.hpp"
#include "threads.hpp"

namespace {

class Descent {
  public:
    Descent(const Matrix& X, int kind, Vec<double> target, Vec<double> weight, int n_outputs, const Blocks& blocks,
            Vec<double> mass)
        : X_(X),
          kind_(kind),
          K_(n_outputs),
          y_(target.data(), target.data() + target.size()),
          sw_(weight.data(), weight.data() + weight.size()),
          blocks_(blocks),
          mass_(mass.data(), mass.data() + mass.size()) {
        require(static_cast<int64_t>(target.size()) == X.n_rows, "target must have n_rows entries");
        check_rows(kind, target.size() * n_outputs, target, weight, n_outputs);
        require(blocks.n == X.n_cols * K_, "blocks must be over n_cols * n_outputs coordinates");
        require(static_cast<int64_t>(mass.size()) == blocks.size(), "mass must have an entry a block");
        const size_t cells = y_.size() * K_;
        coupled_ = with_loss(kind, [](auto loss) { return decltype(loss)::coupled; });
        for (double s : sw_) coupling_.push_back(s > 0 ? 1 / s : 0);
        R_.resize(cells);
        H_.resize(cells);
        D_.resize(cells);
        trial_.resize(cells);
        moved_.resize(cells);
        one_feature_.resize(blocks.size());
        for (int64_t g = 0; g < blocks.size(); ++g) {
            const int64_t first = blocks.ptr[g], size = blocks.ptr[g + 1] - first;
            bool row = size == K_ && K_ > 1;
            for (int64_t e = 0; row && e < size; ++e) row = blocks.index[first + e] == blocks.index[first] / K_ * K_ + e;
            one_feature_[g] = row;
        }
    }

    // One call works on the blocks in `working` until their violation is below `tolerance` or `max_rounds` are spent. The
    // weights, the intercept (size K, or 0 for none) and the scores move together. Returns (rounds, violation, value of the
    // loss).
    nb::tuple descend(Vec<int64_t> working, Vec<double> lasso, Vec<double> ridge, Vec<double> centre, bool positive,
                      MutVec<double> weights, MutVec<double> intercept, MutVec<double> scores, double tolerance, int max_rounds,
                      int max_passes) {
        const size_t p = static_cast<size_t>(blocks_.n);
        require(lasso.size() == 1 || lasso.size() == p, "lasso must have 1 or n entries");
        require(ridge.size() == 1 || ridge.size() == p, "ridge must have 1 or n entries");
        require(centre.size() == 1 || centre.size() == p, "centre must have 1 or n entries");
        require(weights.size() == p, "weights must have n_cols * n_outputs entries");
        require(intercept.size() == 0 || intercept.size() == static_cast<size_t>(K_),
                "intercept must have 0 or n_outputs entries");
        require(scores.size() == R_.size(), "scores must have n_rows * n_outputs entries");
        check_range(working, 0, blocks_.size(), "working");
        lasso_ = {lasso.data(), lasso.size() == 1};
        ridge_ = {ridge.data(), ridge.size() == 1};
        centre_ = {centre.data(), centre.size() == 1};
        positive_ = positive;
        max_passes_ = max_passes;
        working_.assign(working.data(), working.data() + working.size());
        w_ = weights.data();
        b_ = intercept.data();
        has_intercept_ = intercept.size() > 0;
        s_ = scores.data();
        std::tuple<int, double, double> result;
        {
            nb::gil_scoped_release release;
            result = with_loss(kind_, [&](auto loss) { return rounds<decltype(loss)>(tolerance, max_rounds); });
        }
        return nb::make_tuple(std::get<0>(result), std::get<1>(result), std::get<2>(result));
    }

  private:
    struct Values {  // a vector, or one value for all
        const double* data = nullptr;
        bool same = true;
        double operator[](int64_t c) const { return data[same ? 0 : c]; }
    };

    template <class Loss>
    double evaluate(const double* s, bool with_curvature) {
        double total = 0;
        for (size_t i = 0; i < y_.size(); ++i) {
            double *r = with_curvature ? &R_[i * K_] : &trial_[i * K_], *h = with_curvature ? &H_[i * K_] : nullptr;
            const double value = Loss::row(s + i * K_, K_, y_[i], r, h);
            if (with_curvature)
                for (int k = 0; k < K_; ++k) {
                    r[k] *= sw_[i];
                    h[k] *= sw_[i];
                }
            if (sw_[i] != 0) total += sw_[i] * value;
        }
        return total;
    }

    double penalty() const {
        double total = 0;
        for (int64_t g : working_) {
            double squares = 0;
            for (int64_t e = blocks_.ptr[g]; e < blocks_.ptr[g + 1]; ++e) {
                const int64_t c = blocks_.index[e];
                const double off = w_[c] - centre_[c];
                total += lasso_[c] * std::abs(w_[c]) + 0.5 * ridge_[c] * off * off;
                squares += w_[c] * w_[c];
            }
            total += mass_[g] * std::sqrt(squares);
        }
        return total;
    }

    template <class Loss>
    std::tuple<int, double, double> rounds(double tolerance, int max_rounds) {
        double value = evaluate<Loss>(s_, true), violation = INFINITY;
        size_t n_working = 0;
        bool all_single = true;
        for (int64_t g : working_) {
            n_working += blocks_.ptr[g + 1] - blocks_.ptr[g];
            all_single = all_single && blocks_.ptr[g + 1] - blocks_.ptr[g] == 1;
        }
        curvature_.resize(n_working);
        const bool by_gram = all_single && load_gram();
        int round = 0;
        while (round < max_rounds) {
            ++round;
            const double before = value + penalty();
            remember(start_);
            if (has_intercept_) b_start_.assign(b_, b_ + K_);
            double slope = by_gram ? solve_by_gram<Loss>(tolerance, violation) : solve_by_columns<Loss>(tolerance, violation);
            const double after_penalty = penalty();
            slope += after_penalty - (before - value);
            if (!search<Loss>(before, after_penalty, slope, value)) break;
            if (violation <= tolerance) break;
        }
        return {round, violation, value};
    }

    // An inexact Newton step: passes go on until the model is solved ten times better than at the start of the round.
    template <class Loss>
    static double enough(double tolerance, double violation) {
        return std::max(Loss::quadratic ? 0.0 : 0.1 * violation, 0.3 * tolerance);
    }

    // Solves the model by columns; returns the slope of the loss along the step and the violation at its start.
    template <class Loss>
    double solve_by_columns(double tolerance, double& violation) {
        std::fill(D_.begin(), D_.end(), 0.0);
        r_.assign(R_.begin(), R_.end());
        violation = pass(true);
        double inner = violation;
        for (int passes = 1; passes < max_passes_ && inner > enough<Loss>(tolerance, violation); ++passes) inner = pass(false);
        double slope = 0;
        for (size_t c = 0; c < R_.size(); ++c) slope += r_[c] * D_[c];
        return slope;
    }

    // Worth it while the Gram matrix costs less than the fifty passes by columns that it saves.
    bool load_gram() {
        if (working_.size() > 1500) return false;
        std::vector<int32_t> output;
        double entries = double(X_.n_rows) * K_;
        for (int64_t g : working_) {
            const int64_t c = blocks_.index[blocks_.ptr[g]];
            output.push_back(static_cast<int32_t>(c % K_));
            X_.column(c / K_, [&](int64_t, double) { ++entries; });
        }
        // A Gram pass costs m^2 contiguous additions, a pass by columns some six times its scattered entries.
        const double m = double(working_.size()) + (has_intercept_ ? K_ : 0);
        if (m * m > 6.0 * entries * (coupled_ ? K_ : 1)) return false;
        gram_.load(X_.n_rows, output, K_, has_intercept_,
                   [&](int64_t c, auto body) { X_.column(blocks_.index[blocks_.ptr[working_[c]]] / K_, body); });
        return gram_.cost() <= 50.0 * entries * (coupled_ ? K_ : 1);
    }

    template <class Loss>
    double solve_by_gram(double tolerance, double& violation) {
        gram_.refresh(R_.data(), H_.data(), coupled_ ? coupling_.data() : nullptr, K_);
        const std::vector<double> start_gradient = gram_.gradient;
        step_.assign(gram_.size(), 0.0);
        double inner = violation = gram_pass();
        for (int passes = 1; passes < 10 * max_passes_ && inner > enough<Loss>(tolerance, violation); ++passes)
            inner = gram_pass();
        gram_.scores(step_, D_.data(), K_);
        double slope = 0;
        for (int64_t c = 0; c < gram_.size(); ++c) slope += start_gradient[c] * step_[c];
        return slope;
    }

    double gram_pass() {
        double worst = 0;
        const int64_t m = static_cast<int64_t>(working_.size());
        for (int64_t c = 0; c < m; ++c) {
            const int64_t g = working_[c], at = blocks_.index[blocks_.ptr[g]];
            const double old = w_[at];
            worst = std::max(worst, update(at, mass_[g], gram_.gradient[c], gram_.curvature(c) + ridge_[at] + 1e-12));
            if (const double delta = w_[at] - old; delta != 0) {
                step_[c] += delta;
                gram_.move(c, delta);
            }
        }
        for (int64_t c = m; c < gram_.size(); ++c) {
            const double gradient = gram_.gradient[c], delta = -gradient / (gram_.curvature(c) + 1e-12);
            worst = std::max(worst, std::abs(gradient));
            b_[c - m] += delta;
            step_[c] += delta;
            gram_.move(c, delta);
        }
        return worst;
    }

    // Backtracking on F(w + t d); moves weights, intercept and scores to the accepted point and refreshes R and H there.
    template <class Loss>
    bool search(double before, double full_penalty, double slope, double& value) {
        const double noise = 1e-12 * std::abs(before);
        if (!(slope < noise)) {  // not a descent direction
            restore(start_);
            if (has_intercept_) std::copy(b_start_.begin(), b_start_.end(), b_);
            return false;
        }
        if (slope > -noise) {  // a gain below the rounding of the objective cannot be seen: trust the model
            for (size_t c = 0; c < D_.size(); ++c) s_[c] += D_[c];
            value = evaluate<Loss>(s_, true);
            return true;
        }
        remember(end_);
        if (has_intercept_) b_end_.assign(b_, b_ + K_);
        double t = 1;
        for (int trial = 0; trial < 40; ++trial, t *= 0.5) {
            for (size_t c = 0; c < D_.size(); ++c) moved_[c] = s_[c] + t * D_[c];
            double penalty_now = full_penalty;
            if (t < 1) {
                place(t);
                penalty_now = penalty();
            }
            if (evaluate<Loss>(moved_.data(), false) + penalty_now <= before + 1e-3 * t * slope + 1e-12 * std::abs(before)) {
                std::copy(moved_.begin(), moved_.end(), s_);
                value = evaluate<Loss>(s_, true);
                return true;
            }
        }
        restore(start_);
        if (has_intercept_) std::copy(b_start_.begin(), b_start_.end(), b_);
        return false;
    }

    void place(double t) {
        size_t slot = 0;
        for (int64_t g : working_)
            for (int64_t e = blocks_.ptr[g]; e < blocks_.ptr[g + 1]; ++e, ++slot)
                w_[blocks_.index[e]] = start_[slot] + t * (end_[slot] - start_[slot]);
        if (has_intercept_)
            for (int k = 0; k < K_; ++k) b_[k] = b_start_[k] + t * (b_end_[k] - b_start_[k]);
    }
    void remember(std::vector<double>& into) {
        into.clear();
        for (int64_t g : working_)
            for (int64_t e = blocks_.ptr[g]; e < blocks_.ptr[g + 1]; ++e) into.push_back(w_[blocks_.index[e]]);
    }
    void restore(const std::vector<double>& from) {
        size_t slot = 0;
        for (int64_t g : working_)
            for (int64_t e = blocks_.ptr[g]; e < blocks_.ptr[g + 1]; ++e) w_[blocks_.index[e]] = from[slot++];
    }

    // One pass over the working blocks and the intercept; the first of a round computes the curvatures.
    double pass(bool first) {
        double worst = 0;
        size_t slot = 0;
        for (int64_t g : working_) {
            const int64_t size = blocks_.ptr[g + 1] - blocks_.ptr[g];
            if (size == 0) continue;
            const int64_t* coordinates = &blocks_.index[blocks_.ptr[g]];
            worst = std::max(worst, size == 1 ? step_single(coordinates[0], mass_[g], curvature_[slot], first)
                                              : step_block(g, coordinates, size, &curvature_[slot], first));
            slot += size;
        }
        if (has_intercept_) worst = std::max(worst, step_intercept());
        return worst;
    }

    double step_single(int64_t c, double mass, double& curvature, bool first) {
        const int64_t j = c / K_, k = c % K_;
        double gradient = 0;
        if (first) {
            double a = 0;
            X_.column(j, [&](int64_t i, double x) {
                const double h = H_[i * K_ + k];
                gradient += x * R_[i * K_ + k];
                a += x * x * (coupled_ ? h - coupling_[i] * h * h : h);
            });
            curvature = a + ridge_[c] + 1e-12;
        } else {
            X_.column(j, [&](int64_t i, double x) { gradient += x * R_[i * K_ + k]; });
        }
        const double old = w_[c], violation = update(c, mass, gradient, curvature);
        if (w_[c] != old) move(j, k, w_[c] - old);
        return violation;
    }

    // The exact step of one coordinate of the model; returns how far it was from optimal.
    double update(int64_t c, double mass, double gradient, double curvature) {
        gradient += ridge_[c] * (w_[c] - centre_[c]);
        const double old = w_[c], lasso = lasso_[c] + mass;
        w_[c] = soft(curvature * old - gradient, lasso, positive_) / curvature;
        if (old != 0) return std::abs(gradient + (old > 0 ? lasso : -lasso));
        return positive_ ? std::max(0.0, -gradient - lasso) : std::max(0.0, std::abs(gradient) - lasso);
    }

    void move(int64_t j, int64_t k, double delta) {
        X_.column(j, [&](int64_t i, double x) { shift(i, k, x * delta); });
    }

    // The score of row i, output k moves by `change`: R follows with the row's Hessian diag(h) - coupling h h'.
    void shift(int64_t i, int64_t k, double change) {
        double* r = &R_[i * K_];
        const double* h = &H_[i * K_];
        D_[i * K_ + k] += change;
        const double own = change * h[k];
        r[k] += own;
        if (!coupled_) return;
        const double shared = coupling_[i] * own;
        for (int l = 0; l < K_; ++l) r[l] -= shared * h[l];
    }

    // Block step under a diagonal metric a: w_c = b_c / (a_c + mass / |w|), b_c = soft(a_c w_c - g_c, lasso_c).
    double step_block(int64_t g, const int64_t* coordinates, int64_t size, double* a, bool first) {
        gradient_.assign(size, 0.0);
        target_.resize(size);
        delta_.resize(size);
        if (one_feature_[g]) {
            const int64_t j = coordinates[0] / K_;
            if (first) std::fill(a, a + size, 1e-12);
            X_.column(j, [&](int64_t i, double x) {
                const double *r = &R_[i * K_], *h = &H_[i * K_];
                for (int k = 0; k < K_; ++k) gradient_[k] += x * r[k];
                if (first)
                    for (int k = 0; k < K_; ++k) a[k] += x * x * h[k];
            });
            if (first)
                for (int64_t e = 0; e < size; ++e) a[e] += ridge_[coordinates[e]];
        } else {
            if (first) bound_curvature(coordinates, size, a);
            for (int64_t e = 0; e < size; ++e) {
                const int64_t j = coordinates[e] / K_, k = coordinates[e] % K_;
                X_.column(j, [&](int64_t i, double x) { gradient_[e] += x * R_[i * K_ + k]; });
            }
        }
        double length = 0, pulled = 0;
        for (int64_t e = 0; e < size; ++e) {
            const int64_t c = coordinates[e];
            gradient_[e] += ridge_[c] * (w_[c] - centre_[c]);
            length += w_[c] * w_[c];
            target_[e] = soft(a[e] * w_[c] - gradient_[e], lasso_[c], positive_);
            pulled += target_[e] * target_[e];
        }
        length = std::sqrt(length);
        pulled = std::sqrt(pulled);
        const double violation = block_violation(coordinates, size, length, mass_[g]);
        const double next_length = pulled > mass_[g] ? solve_length(a, size, mass_[g]) : 0;
        for (int64_t e = 0; e < size; ++e) {
            const int64_t c = coordinates[e];
            const double next = next_length > 0 ? target_[e] / (a[e] + mass_[g] / next_length) : 0;
            delta_[e] = next - w_[c];
            w_[c] = next;
        }
        if (one_feature_[g]) {
            bool any = false;
            for (double d : delta_) any = any || d != 0;
            if (any)
                X_.column(coordinates[0] / K_, [&](int64_t i, double x) {
                    double *d = &D_[i * K_], *r = &R_[i * K_], total = 0;
                    const double* h = &H_[i * K_];
                    for (int k = 0; k < K_; ++k) {
                        const double own = x * delta_[k] * h[k];
                        d[k] += x * delta_[k];
                        r[k] += own;
                        total += own;
                    }
                    if (coupled_)
                        for (int k = 0; k < K_; ++k) r[k] -= coupling_[i] * total * h[k];
                });
        } else {
            for (int64_t e = 0; e < size; ++e)
                if (delta_[e] != 0) move(coordinates[e] / K_, coordinates[e] % K_, delta_[e]);
        }
        return violation;
    }

    // Distance of 0 from the subdifferential of the block, in the 2-norm.
    double block_violation(const int64_t* coordinates, int64_t size, double length, double mass) const {
        double squares = 0;
        for (int64_t e = 0; e < size; ++e) {
            const int64_t c = coordinates[e];
            double v;
            if (w_[c] != 0)
                v = gradient_[e] + mass * w_[c] / length + (w_[c] > 0 ? lasso_[c] : -lasso_[c]);
            else
                v = soft(-gradient_[e], lasso_[c], positive_);
            squares += v * v;
        }
        return length > 0 ? std::sqrt(squares) : std::max(0.0, std::sqrt(squares) - mass);
    }

    // The root t = |w| of sum_c (b_c / (a_c t + mass))^2 = 1: Newton on 1 - 1 / sqrt(.), which is concave in t, inside a bracket.
    double solve_length(const double* a, int64_t size, double mass) const {
        double squares = 0, a_low = INFINITY, a_high = 0;
        for (int64_t e = 0; e < size; ++e) {
            squares += target_[e] * target_[e];
            a_low = std::min(a_low, a[e]);
            a_high = std::max(a_high, a[e]);
        }
        double low = (std::sqrt(squares) - mass) / a_high, high = (std::sqrt(squares) - mass) / a_low;
        double t = low;
        for (int step = 0; step < 60 && high - low > 1e-14 * high; ++step) {
            double f = 0, df = 0;
            for (int64_t e = 0; e < size; ++e) {
                const double u = a[e] * t + mass, v = target_[e] * target_[e] / (u * u);
                f += v;
                df -= 2 * v * a[e] / u;
            }
            (f > 1 ? low : high) = t;
            const double root = std::sqrt(f), newton = t + 2 * f * (1 - root) / df;
            const double next = newton > low && newton < high ? newton : 0.5 * (low + high);
            if (std::abs(next - t) <= 1e-15 * t) return next;
            t = next;
        }
        return t;
    }

    // An upper bound of the largest eigenvalue of |X_g|' H |X_g|: max_c (A v)_c / v_c for any v > 0 (Collatz and Wielandt), after
    // two power steps that tighten it.
    void bound_curvature(const int64_t* coordinates, int64_t size, double* a) {
        scratch_.resize(R_.size());
        std::vector<double> v(size, 1.0), next(size);
        double bound = 0, ridge = 0;
        for (int step = 0; step < 3; ++step) {
            for (int64_t e = 0; e < size; ++e)
                X_.column(coordinates[e] / K_, [&](int64_t i, double) { scratch_[i * K_ + coordinates[e] % K_] = 0; });
            for (int64_t e = 0; e < size; ++e)
                X_.column(coordinates[e] / K_,
                          [&](int64_t i, double x) { scratch_[i * K_ + coordinates[e] % K_] += std::abs(x) * v[e]; });
            bound = 0;
            double top = 0;
            for (int64_t e = 0; e < size; ++e) {
                double total = 0;
                X_.column(coordinates[e] / K_, [&](int64_t i, double x) {
                    const int64_t cell = i * K_ + coordinates[e] % K_;
                    total += std::abs(x) * H_[cell] * scratch_[cell];
                });
                bound = std::max(bound, total / v[e]);
                next[e] = total;
                top = std::max(top, total);
            }
            for (int64_t e = 0; e < size; ++e) v[e] = std::max(next[e] / std::max(top, 1e-300), 1e-3);
        }
        for (int64_t e = 0; e < size; ++e) ridge = std::max(ridge, ridge_[coordinates[e]]);
        std::fill(a, a + size, bound + ridge + 1e-12);
    }

    double step_intercept() {
        double worst = 0;
        for (int k = 0; k < K_; ++k) {
            double gradient = 0, curvature = 1e-12;
            for (size_t i = 0; i < y_.size(); ++i) {
                const double h = H_[i * K_ + k];
                gradient += R_[i * K_ + k];
                curvature += coupled_ ? h - coupling_[i] * h * h : h;
            }
            worst = std::max(worst, std::abs(gradient));
            const double delta = -gradient / curvature;
            b_[k] += delta;
            for (size_t i = 0; i < y_.size(); ++i) shift(static_cast<int64_t>(i), k, delta);
        }
        return worst;
    }

    const Matrix& X_;
    const int kind_, K_;
    bool coupled_ = false;
    const std::vector<double> y_, sw_;
    const Blocks& blocks_;
    const std::vector<double> mass_;
    std::vector<char> one_feature_;
    Values lasso_, ridge_, centre_;
    bool positive_ = false, has_intercept_ = false;
    int max_passes_ = 200;
    std::vector<int64_t> working_;
    double *w_ = nullptr, *b_ = nullptr, *s_ = nullptr;
    std::vector<double> coupling_;  // H_i = diag(h) - coupling_i h h' with h already weighted
    std::vector<double> R_, H_, D_, r_, trial_, moved_, start_, end_, b_start_, b_end_, curvature_;
    std::vector<double> gradient_, target_, delta_, scratch_, step_;
    GramModel gram_;
};

}  // namespace

void bind_coordinate(nb::module_& m) {
    nb::class_<Descent>(m, "Descent")
        .def(nb::init<const Matrix&, int, Vec<double>, Vec<double>, int, const Blocks&, Vec<double>>(), nb::arg("matrix"),
             nb::arg("kind"), nb::arg("target"), nb::arg("weight"), nb::arg("n_outputs"), nb::arg("blocks"), nb::arg("mass"),
             nb::keep_alive<1, 2>(), nb::keep_alive<1, 7>())
        .def("descend", &Descent::descend, nb::arg("working"), nb::arg("lasso"), nb::arg("ridge"), nb::arg("centre"),
             nb::arg("positive"), nb::arg("weights").noconvert(), nb::arg("intercept").noconvert(), nb::arg("scores").noconvert(),
             nb::arg("tolerance"), nb::arg("max_rounds"), nb::arg("max_passes") = 200);
}
