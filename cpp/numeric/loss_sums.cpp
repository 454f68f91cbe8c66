// Sums over rows of the losses of losses.hpp. Threads take runs of rows and their sums are added in
// order.
#include "numeric/loss_sums.hpp"

#include "door/threads.hpp"

namespace laconic::numeric {

namespace {

template <class Row>
double sum_rows(int64_t n, int threads, Row row) {
    std::vector<double> parts(std::max(1, threads), 0.0);
    parallel_ranges(n, threads, 4096, [&](int64_t begin, int64_t end, int part) {
        double total = 0;
        for (int64_t i = begin; i < end; ++i) total += row(i);
        parts[part] = total;
    });
    double total = 0;
    for (double part : parts) total += part;
    return total;
}

}  // namespace

double loss_value_residual(LossKind kind, Vec<double> scores, Vec<double> target,
                           Vec<double> weight, int n_outputs, MutVec<double> residual,
                           int threads) {
    const int64_t n = static_cast<int64_t>(target.size());
    check_rows(kind, scores.size(), target, weight, n_outputs);
    require(residual.size() == scores.size(), "residual must have the size of scores");
    const double *s = scores.data(), *y = target.data(), *sw = weight.data();
    double* r = residual.data();
    const int K = n_outputs;
    nb::gil_scoped_release release;
    return with_loss(kind, [&](auto loss) {
        return sum_rows(n, threads, [&](int64_t i) {
            const double value = decltype(loss)::row(s + i * K, K, y[i], r + i * K, nullptr);
            for (int k = 0; k < K; ++k) r[i * K + k] = sw[i] == 0 ? 0.0 : sw[i] * r[i * K + k];
            return sw[i] == 0 ? 0.0 : sw[i] * value;
        });
    });
}

double loss_conjugate(LossKind kind, Vec<double> residual, Vec<double> target, Vec<double> weight,
                      int n_outputs, double scale, int threads) {
    const int64_t n = static_cast<int64_t>(target.size());
    check_rows(kind, residual.size(), target, weight, n_outputs);
    const double *r = residual.data(), *y = target.data(), *sw = weight.data();
    const int K = n_outputs;
    nb::gil_scoped_release release;
    return with_loss(kind, [&](auto loss) {
        return sum_rows(n, threads, [&](int64_t i) {
            if (sw[i] == 0) return 0.0;
            double small[64];
            std::vector<double> large;
            double* scaled = small;
            if (K > 64) {
                large.resize(K);
                scaled = large.data();
            }
            for (int k = 0; k < K; ++k) scaled[k] = scale * r[i * K + k] / sw[i];
            return sw[i] * decltype(loss)::conjugate(scaled, K, y[i]);
        });
    });
}

void loss_curvature(LossKind kind, Vec<double> scores, Vec<double> target, Vec<double> weight,
                    int n_outputs, MutVec<double> out, int threads) {
    const int64_t n = static_cast<int64_t>(target.size());
    check_rows(kind, scores.size(), target, weight, n_outputs);
    require(out.size() == scores.size(), "out must have the size of scores");
    const double *s = scores.data(), *y = target.data(), *sw = weight.data();
    double* h = out.data();
    const int K = n_outputs;
    nb::gil_scoped_release release;
    with_loss(kind, [&](auto loss) {
        parallel_ranges(n, threads, 4096, [&](int64_t begin, int64_t end, int) {
            std::vector<double> residual(K);
            for (int64_t i = begin; i < end; ++i) {
                decltype(loss)::row(s + i * K, K, y[i], residual.data(), h + i * K);
                for (int k = 0; k < K; ++k) h[i * K + k] = sw[i] == 0 ? 0.0 : sw[i] * h[i * K + k];
            }
        });
    });
}

void check_rows(LossKind kind, size_t n_scores, const Vec<double>& target,
                const Vec<double>& weight, int n_outputs) {
    require(n_outputs >= 1, "n_outputs must be at least 1");
    require(kind != LossKind::multinomial || n_outputs >= 2,
            "the multinomial loss needs at least 2 outputs");
    require(kind != LossKind::squared || n_outputs == 1, "the squared loss has 1 output");
    require(kind != LossKind::poisson || n_outputs == 1, "the Poisson loss has 1 output");
    require(n_scores == target.size() * n_outputs, "scores must have n_rows * n_outputs entries");
    require(weight.size() == target.size(), "weight must have n_rows entries");
    for (size_t i = 0; i < target.size(); ++i) {
        const double y = target.data()[i];
        if (kind == LossKind::multinomial || (kind != LossKind::squared && n_outputs > 1))
            require(y >= 0 && y < n_outputs && y == std::floor(y),
                    "targets must be class numbers below n_outputs");
        else if (kind == LossKind::poisson)
            require(y >= 0 && std::isfinite(y), "targets must be finite and not negative");
        else if (kind != LossKind::squared)
            require(y == 0 || y == 1, "targets must be 0 or 1");
        else
            require(std::isfinite(y), "targets must be finite");
        require(weight.data()[i] >= 0 && std::isfinite(weight.data()[i]),
                "weights must be finite and not negative");
    }
}

}  // namespace laconic::numeric
