// The averaged perceptron over lists of outputs, see ranking.hpp. Averages take no work per step:
// with changes c_t at step t of n, the average is sum_t c_t - sum_t c_t t / n.
#include "mining/ranking.hpp"

#include <cmath>

#include "door/interrupts.hpp"

namespace laconic::mining {

namespace {

// Calls body(x) for what one of two rising sequences has and the other has not.
template <class Body>
void each_difference(const int32_t* a, const int32_t* a_end, const int32_t* b, const int32_t* b_end,
                     Body body) {
    while (a != a_end || b != b_end) {
        if (b == b_end || (a != a_end && *a < *b))
            body(*a++);
        else if (a == a_end || *b < *a)
            body(*b++);
        else
            ++a, ++b;
    }
}

}  // namespace

std::tuple<Array<double>, Array<int64_t>> learn_ranking(const RankedLists& lists,
                                                        Vec<double> step_of, double most_step,
                                                        Vec<int64_t> order, int64_t epochs) {
    const Vec<int64_t>&list_ptr = lists.list_ptr, &gold = lists.gold, &ptr = lists.ptr;
    const Vec<int32_t>& feature = lists.feature;
    const Vec<double>& cost = lists.cost;
    const int64_t n_outputs = static_cast<int64_t>(ptr.size()) - 1,
                  n = static_cast<int64_t>(gold.size());
    check_ptr(ptr, static_cast<int64_t>(feature.size()), "ptr");
    check_ptr(list_ptr, n_outputs, "list_ptr");
    require(static_cast<int64_t>(list_ptr.size()) == n + 1, "gold must have one entry per list");
    const int64_t n_features = static_cast<int64_t>(step_of.size());
    check_range(feature, 0, n_features, "feature");
    check_range(order, 0, n, "order");
    require(static_cast<int64_t>(cost.size()) == n_outputs, "cost must have one entry per output");
    require(most_step >= 0 && std::isfinite(most_step),
            "most_step must be finite and not negative");
    require(epochs >= 1 && order.size() % epochs == 0,
            "order must have as many entries in each epoch");
    for (int64_t i = 0; i < n; ++i)
        require(gold.data()[i] >= list_ptr.data()[i] && gold.data()[i] < list_ptr.data()[i + 1],
                "gold must be in its list");
    // late: changes times the steps before them.
    std::vector<double> weight(n_features, 0.0), late(n_features, 0.0);
    std::vector<int64_t> wrong(epochs, 0);
    {
        nb::gil_scoped_release release;
        Interrupts interrupts;
        const int64_t per_epoch = std::max<int64_t>(1, static_cast<int64_t>(order.size()) / epochs);
        for (size_t step = 0; step < order.size(); ++step) {
            const int64_t i = order.data()[step], right = gold.data()[i];
            int64_t best = -1;
            double highest = 0, of_right = 0;
            for (int64_t o = list_ptr.data()[i]; o < list_ptr.data()[i + 1]; ++o) {
                double score = o == right ? 0 : cost.data()[o];
                for (int64_t f = ptr.data()[o]; f < ptr.data()[o + 1]; ++f)
                    score += weight[feature.data()[f]];
                if (o == right) of_right = score;
                if (best < 0 || score > highest || (score == highest && best == right)) {
                    best = o;
                    highest = score;
                }
            }
            if (best == right) continue;
            ++wrong[step / per_epoch];
            double length = 1;
            if (most_step > 0) {
                double norm = 0;
                each_difference(
                    feature.data() + ptr.data()[right], feature.data() + ptr.data()[right + 1],
                    feature.data() + ptr.data()[best], feature.data() + ptr.data()[best + 1],
                    [&](int32_t f) { norm += step_of.data()[f]; });
                length = norm > 0 ? std::min(most_step, (highest - of_right) / norm) : 0;
            }
            // w <- w + length v^2 (phi(right) - phi(best)); the average over n steps is
            // w - sum of changes * step / n
            const auto move = [&](int64_t o, double sign) {
                for (int64_t f = ptr.data()[o]; f < ptr.data()[o + 1]; ++f) {
                    const double by = sign * length * step_of.data()[feature.data()[f]];
                    weight[feature.data()[f]] += by;
                    late[feature.data()[f]] += by * static_cast<double>(step);
                }
            };
            move(right, 1);
            move(best, -1);
            interrupts.poll();
        }
    }
    const double steps = std::max<double>(1, static_cast<double>(order.size()));
    for (int64_t f = 0; f < n_features; ++f) weight[f] -= late[f] / steps;
    return std::make_tuple(to_numpy(std::move(weight)), to_numpy(std::move(wrong)));
}

}  // namespace laconic::mining
