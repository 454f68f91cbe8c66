#include "numeric/loss_rows.hpp"

#include <memory>

namespace laconic::numeric {

LossRows kernel_rows(LossKind kind, Vec<double> target, Vec<double> weight, int n_outputs,
                     double parameter) {
    check_rows({kind, parameter, target, weight, n_outputs}, weight.size() * n_outputs);
    const int K = n_outputs;
    const std::vector<double> y(target.data(), target.data() + target.size());
    const std::vector<double> sw(weight.data(), weight.data() + weight.size());
    return with_loss(kind, parameter, [&](auto loss) {
        using Loss = decltype(loss);
        auto evaluate = [=](const double* s, double* r, double* h) {
            const bool each = y.size() == sw.size() * K;
            double total = 0;
            for (size_t i = 0; i < sw.size(); ++i, s += K, r += K) {
                const Targets row{&y[each ? i * K : i], each};
                const double value = loss.row(s, K, row, r, h);
                for (int k = 0; k < K; ++k) r[k] = sw[i] == 0 ? 0.0 : sw[i] * r[k];
                if (h) {
                    for (int k = 0; k < K; ++k) h[k] = sw[i] == 0 ? 0.0 : sw[i] * h[k];
                    h += K;
                }
                if (sw[i] != 0) total += sw[i] * value;
            }
            return total;
        };
        return LossRows{K, Loss::coupled, Loss::quadratic, Loss::steepest, sw, evaluate};
    });
}

namespace {

// Copies what Python returned, which must be `size` numbers.
void copy_numbers(nb::handle from, size_t size, double* into, const char* message) {
    Vec<double> found;
    require(nb::try_cast<Vec<double>>(from, found) && found.size() == size, message);
    std::copy(found.data(), found.data() + size, into);
}

}  // namespace

LossRows python_rows(nb::object loss, Vec<double> weight, int n_outputs) {
    require(n_outputs >= 1, "n_outputs must be at least 1");
    const std::vector<double> sw(weight.data(), weight.data() + weight.size());
    const size_t size = sw.size() * n_outputs;
    auto evaluate = [=](const double* s, double* r, double* h) {
        nb::gil_scoped_acquire acquire;
        auto* copy = new std::vector<double>(s, s + size);  // Python may keep what it is given
        nb::capsule owner(copy,
                          [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
        const nb::object scores = nb::cast(Array<double>(copy->data(), {size}, owner));
        const nb::tuple found = nb::cast<nb::tuple>(loss.attr("value_residual")(scores));
        require(nb::len(found) == 2, "value_residual must return a value and the residuals");
        copy_numbers(found[1], size, r, "value_residual must return one residual per score");
        if (h)
            copy_numbers(loss.attr("curvature")(scores), size, h,
                         "curvature must return one number per score");
        return nb::cast<double>(found[0]);
    };
    return {n_outputs, false, false, INFINITY, sw, evaluate};
}

}  // namespace laconic::numeric
