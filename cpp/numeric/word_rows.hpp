// Distributions of words by rows of effects whose weights move over time:
//
//     p_n(v) = exp(b_tv + sum_j x_nj w_jtv) / Z_n,    t the step of row n
//
// with weights (effects, steps, words) by rows. No table of rows x words is ever held: rows of a
// step are taken a few at a time, some hundred words at a time, so that the weights they share stay
// in the cache.
#pragma once
#include <algorithm>
#include <cmath>
#include <numeric>

#include "door/checks.hpp"
#include "door/threads.hpp"
#include "numeric/softmax.hpp"

namespace laconic::numeric {

class WordRows {
  public:
    WordRows(Vec<int64_t> ptr, Vec<int32_t> effect, Vec<double> value, Vec<int64_t> step,
             int64_t n_effects, int64_t n_steps, Vec<double> background)
        : J_(n_effects),
          T_(n_steps),
          V_(static_cast<int64_t>(background.size()) / std::max<int64_t>(1, n_steps)) {
        require(n_effects >= 0 && n_steps >= 1 && V_ >= 1,
                "there must be at least one step and one word");
        require(static_cast<int64_t>(background.size()) == T_ * V_,
                "background must be steps x words");
        require(effect.size() == value.size(), "effect and value must have the same size");
        check_ptr(ptr, static_cast<int64_t>(effect.size()), "ptr");
        check_range(effect, 0, J_, "effect");
        check_range(step, 0, T_, "step");
        const int64_t n = static_cast<int64_t>(ptr.size()) - 1;
        require(static_cast<int64_t>(step.size()) == n, "step must have one entry per row");
        for (size_t e = 0; e < value.size(); ++e)
            require(std::isfinite(value.data()[e]), "value must be finite");
        for (size_t e = 0; e < background.size(); ++e)
            require(std::isfinite(background.data()[e]), "background must be finite");
        background_.assign(background.data(), background.data() + background.size());
        ptr_.assign(ptr.data(), ptr.data() + n + 1);
        effect_.assign(effect.data(), effect.data() + effect.size());
        value_.assign(value.data(), value.data() + value.size());
        order_.resize(n);
        std::iota(order_.begin(), order_.end(), int64_t{0});
        std::stable_sort(order_.begin(), order_.end(),
                         [&](int64_t a, int64_t b) { return step.data()[a] < step.data()[b]; });
        first_.assign(T_ + 1, 0);
        for (int64_t i = 0; i < n; ++i) ++first_[step.data()[i] + 1];
        for (int64_t t = 0; t < T_; ++t) first_[t + 1] += first_[t];
    }

    // sum_n mass_n log Z_n, its gradient into `gradient`, and what lies above its second
    // derivatives, sum_n mass_n x_nj^2 p_n(v), into `curvature`; an empty array is not wanted.
    double log_partition(Vec<double> weights, Vec<double> mass, MutVec<double> gradient,
                         MutVec<double> curvature, int threads) const {
        check(weights, mass);
        require(gradient.size() == 0 || gradient.size() == weights.size(),
                "gradient must be empty or have the size of weights");
        require(curvature.size() == 0 || curvature.size() == weights.size(),
                "curvature must be empty or have that size too");
        nb::gil_scoped_release release;
        return over_steps(threads, [&](int64_t t) {
            clear(gradient, t);
            clear(curvature, t);
            return over_rows(weights.data(), t,
                             [&](const std::vector<int64_t>& rows, std::vector<double>& scores) {
                                 std::vector<double> factor(rows.size());
                                 double sum = 0;
                                 for (size_t i = 0; i < rows.size(); ++i) {
                                     double total, top;
                                     softmax_steps().exponentiate(scores.data() + i * V_, V_,
                                                                  &total, &top);
                                     const double m = mass.data()[rows[i]];
                                     factor[i] = m / total;
                                     sum += m == 0 ? 0.0 : m * (top + std::log(total));
                                 }
                                 if (gradient.size())
                                     spread<false>(rows, scores, factor, t, gradient.data());
                                 if (curvature.size())
                                     spread<true>(rows, scores, factor, t, curvature.data());
                                 return sum;
                             });
        });
    }

    // sum_n mass_n sum_v q log q - q b_tv,  q = scale p_n(v) + (1 - scale) c_nv / mass_n: the
    // conjugate of the negative log-likelihood of counts c (rows ptr, index, count; mass their
    // sums) at scale times its residuals.
    double conjugate(Vec<double> weights, Vec<double> mass, double scale, Vec<int64_t> ptr,
                     Vec<int32_t> index, Vec<double> count, int threads) const {
        check(weights, mass);
        require(scale >= 0 && scale <= 1, "scale must be from 0 to 1");
        require(ptr.size() == mass.size() + 1 && index.size() == count.size(),
                "counts must be compressed rows, one per row");
        check_ptr(ptr, static_cast<int64_t>(index.size()), "ptr");
        check_range(index, 0, V_, "index");
        nb::gil_scoped_release release;
        return over_steps(threads, [&](int64_t t) {
            return over_rows(weights.data(), t,
                             [&](const std::vector<int64_t>& rows, std::vector<double>& scores) {
                                 double sum = 0;
                                 for (size_t i = 0; i < rows.size(); ++i) {
                                     const int64_t n = rows[i];
                                     const double m = mass.data()[n];
                                     if (m == 0) continue;
                                     double *q = scores.data() + i * V_, total, top, inner = 0;
                                     softmax_steps().exponentiate(q, V_, &total, &top);
                                     for (int64_t v = 0; v < V_; ++v) q[v] *= scale / total;
                                     for (int64_t e = ptr.data()[n]; e < ptr.data()[n + 1]; ++e)
                                         q[index.data()[e]] += (1 - scale) * count.data()[e] / m;
                                     for (int64_t v = 0; v < V_; ++v)
                                         if (q[v] > 0)
                                             inner +=
                                                 q[v] * (std::log(q[v]) - background_[t * V_ + v]);
                                     sum += m * inner;
                                 }
                                 return sum;
                             });
        });
    }

    // log p_n(v) of all rows, (rows, words) by rows.
    void log_probabilities(Vec<double> weights, MutVec<double> out, int threads) const {
        require(static_cast<int64_t>(weights.size()) == J_ * T_ * V_,
                "weights must be effects x steps x words");
        require(out.size() == order_.size() * V_, "out must be rows x words");
        nb::gil_scoped_release release;
        over_steps(threads, [&](int64_t t) {
            return over_rows(weights.data(), t,
                             [&](const std::vector<int64_t>& rows, std::vector<double>& scores) {
                                 for (size_t i = 0; i < rows.size(); ++i) {
                                     double *s = scores.data() + i * V_,
                                            *o = out.data() + rows[i] * V_, total, top;
                                     std::copy(s, s + V_, o);
                                     softmax_steps().exponentiate(s, V_, &total, &top);
                                     const double log_z = top + std::log(total);
                                     for (int64_t v = 0; v < V_; ++v) o[v] -= log_z;
                                 }
                                 return 0.0;
                             });
        });
    }

  private:
    static constexpr int64_t batch = 16, chunk = 512;

    void check(const Vec<double>& weights, const Vec<double>& mass) const {
        require(static_cast<int64_t>(weights.size()) == J_ * T_ * V_,
                "weights must be effects x steps x words");
        require(mass.size() == order_.size(), "mass must have one entry per row");
        for (size_t i = 0; i < mass.size(); ++i)
            require(mass.data()[i] >= 0 && std::isfinite(mass.data()[i]),
                    "mass must be finite and not negative");
    }

    template <class Step>
    double over_steps(int threads, Step step) const {
        std::vector<double> parts(T_);
        parallel_ranges(T_, threads, 1, [&](int64_t begin, int64_t end, int) {
            for (int64_t t = begin; t < end; ++t) parts[t] = step(t);
        });
        return std::accumulate(parts.begin(), parts.end(), 0.0);
    }

    // Calls use(rows, their scores) for some rows of step t after the other; the sum of what it
    // returns.
    template <class Use>
    double over_rows(const double* weights, int64_t t, Use use) const {
        std::vector<double> scores(std::min(batch, first_[t + 1] - first_[t]) * V_);
        std::vector<int64_t> rows;
        std::vector<const double*> from;
        double sum = 0;
        for (int64_t begin = first_[t]; begin < first_[t + 1]; begin += batch) {
            rows.assign(order_.begin() + begin,
                        order_.begin() + std::min(begin + batch, first_[t + 1]));
            for (int64_t v = 0; v < V_; v += chunk)
                for (size_t i = 0; i < rows.size(); ++i) {
                    const int64_t n = rows[i], size = ptr_[n + 1] - ptr_[n];
                    from.resize(size);
                    for (int64_t e = 0; e < size; ++e)
                        from[e] = weights + (effect_[ptr_[n] + e] * T_ + t) * V_ + v;
                    softmax_steps().add(background_.data() + t * V_ + v, from.data(),
                                        value_.data() + ptr_[n], size, std::min(chunk, V_ - v),
                                        scores.data() + i * V_ + v);
                }
            sum += use(rows, scores);
        }
        return sum;
    }

    // out_jtv += sum over rows of x_nj (or its square) factor_n from_nv
    template <bool squared>
    void spread(const std::vector<int64_t>& rows, const std::vector<double>& from,
                const std::vector<double>& factor, int64_t t, double* out) const {
        std::vector<double*> to;
        std::vector<double> scale;
        for (int64_t v = 0; v < V_; v += chunk)
            for (size_t i = 0; i < rows.size(); ++i) {
                const int64_t n = rows[i], size = ptr_[n + 1] - ptr_[n];
                to.resize(size);
                scale.resize(size);
                for (int64_t e = 0; e < size; ++e) {
                    const double x = value_[ptr_[n] + e];
                    to[e] = out + (effect_[ptr_[n] + e] * T_ + t) * V_ + v;
                    scale[e] = (squared ? x * x : x) * factor[i];
                }
                softmax_steps().spread(from.data() + i * V_ + v, to.data(), scale.data(), size,
                                       std::min(chunk, V_ - v));
            }
    }

    void clear(MutVec<double>& table, int64_t t) const {
        if (table.size())
            for (int64_t j = 0; j < J_; ++j) std::fill_n(table.data() + (j * T_ + t) * V_, V_, 0.0);
    }

    int64_t J_, T_, V_;
    std::vector<double> background_, value_;
    std::vector<int64_t> ptr_, order_, first_;
    std::vector<int32_t> effect_;
};

}  // namespace laconic::numeric
