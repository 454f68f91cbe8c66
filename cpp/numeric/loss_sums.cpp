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

double loss_value_residual(const LossData& data, Vec<double> scores, MutVec<double> residual,
                           int threads) {
    check_rows(data, scores.size());
    require(residual.size() == scores.size(), "residual must have the size of scores");
    const double *s = scores.data(), *sw = data.weight.data();
    double* r = residual.data();
    const int64_t n = static_cast<int64_t>(data.weight.size());
    const int K = data.n_outputs;
    nb::gil_scoped_release release;
    return with_loss(data.kind, data.parameter, [&](auto loss) {
        return sum_rows(n, threads, [&](int64_t i) {
            const double value = loss.row(s + i * K, K, targets_of(data, i), r + i * K, nullptr);
            for (int k = 0; k < K; ++k) r[i * K + k] = sw[i] == 0 ? 0.0 : sw[i] * r[i * K + k];
            return sw[i] == 0 ? 0.0 : sw[i] * value;
        });
    });
}

double loss_conjugate(const LossData& data, Vec<double> residual, double scale, int threads) {
    check_rows(data, residual.size());
    const double *r = residual.data(), *sw = data.weight.data();
    const int64_t n = static_cast<int64_t>(data.weight.size());
    const int K = data.n_outputs;
    nb::gil_scoped_release release;
    return with_loss(data.kind, data.parameter, [&](auto loss) {
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
            return sw[i] * loss.conjugate(scaled, K, targets_of(data, i));
        });
    });
}

void loss_curvature(const LossData& data, Vec<double> scores, MutVec<double> out, int threads) {
    check_rows(data, scores.size());
    require(out.size() == scores.size(), "out must have the size of scores");
    const double *s = scores.data(), *sw = data.weight.data();
    double* h = out.data();
    const int64_t n = static_cast<int64_t>(data.weight.size());
    const int K = data.n_outputs;
    nb::gil_scoped_release release;
    with_loss(data.kind, data.parameter, [&](auto loss) {
        parallel_ranges(n, threads, 4096, [&](int64_t begin, int64_t end, int) {
            std::vector<double> residual(K);
            for (int64_t i = begin; i < end; ++i) {
                loss.row(s + i * K, K, targets_of(data, i), residual.data(), h + i * K);
                for (int k = 0; k < K; ++k) h[i * K + k] = sw[i] == 0 ? 0.0 : sw[i] * h[i * K + k];
            }
        });
    });
}

namespace {

void check_target(LossKind kind, double y, bool each, int n_outputs, double power) {
    switch (kind) {
        case LossKind::multinomial:
        case LossKind::logistic:
        case LossKind::squared_hinge:
            if (each)
                require(y == 0 || y == 1, "targets must be 0 or 1");
            else
                require(y >= 0 && y < n_outputs && y == std::floor(y),
                        "targets must be class numbers below n_outputs");
            return;
        case LossKind::poisson:
            require(y >= 0 && std::isfinite(y), "targets must be finite and not negative");
            return;
        case LossKind::tweedie:
            if (power < 2)
                require(y >= 0 && std::isfinite(y), "targets must be finite and not negative");
            else
                require(y > 0 && std::isfinite(y), "targets must be finite and positive");
            return;
        default:
            require(std::isfinite(y), "targets must be finite");
    }
}

bool has_classes(LossKind kind) {
    return kind == LossKind::multinomial || kind == LossKind::logistic ||
           kind == LossKind::squared_hinge;
}

}  // namespace

void check_rows(const LossData& data, size_t n_scores) {
    const LossKind kind = data.kind;
    const int K = data.n_outputs;
    const size_t n = data.weight.size();
    require(K >= 1, "n_outputs must be at least 1");
    require(kind != LossKind::multinomial || K >= 2,
            "the multinomial loss needs at least 2 outputs");
    require(kind != LossKind::huber || (data.parameter > 0 && std::isfinite(data.parameter)),
            "delta of the Huber loss must be finite and positive");
    require(kind != LossKind::tweedie || (data.parameter >= 1 && data.parameter <= 2),
            "power of the Tweedie loss must be from 1 to 2");
    require(n_scores == n * K, "scores must have n_rows * n_outputs entries");
    const bool each = kind != LossKind::multinomial && data.target.size() == n * K;
    require(each || (has_classes(kind) && data.target.size() == n),
            has_classes(kind) ? "target must have n_rows or n_rows * n_outputs entries"
                              : "target must have n_rows * n_outputs entries");
    for (size_t i = 0; i < data.target.size(); ++i)
        check_target(kind, data.target.data()[i], each, K, data.parameter);
    for (size_t i = 0; i < n; ++i)
        require(data.weight.data()[i] >= 0 && std::isfinite(data.weight.data()[i]),
                "weights must be finite and not negative");
}

}  // namespace laconic::numeric
