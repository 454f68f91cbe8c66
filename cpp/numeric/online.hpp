// How taggers and parsers learn from one sentence at a time: the rule of a step, and what both keep
// between steps.
//
// A step on sentence t with step size eta is, with phi the feature counts,
//
//     w <- (1 - eta ridge) w                      ridge
//     w <- w - eta (phi(predicted) - phi(gold))   gradient of the loss
//     w <- soft(w, eta lasso every)               lasso, deferred until a feature fires
//
// Predicted is the expectation under the model (log loss), the best output with a cost (hinge) or
// the best output (perceptron). Passive-aggressive steps (Crammer et al. 2006, PA-I) replace eta by
// min(C, loss / |phi(predicted) - phi(gold)|^2). Dual averages (Xiao 2009, with the lasso)
// keep sums of steps s_t and read w_t = eta / sqrt(t) soft(-s_t, lasso t).
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "door/checks.hpp"
#include "door/interrupts.hpp"
#include "numeric/structured_loss.hpp"

namespace laconic::numeric {

// How weights are read while learning: as they are; after applying deferred penalties weight by
// weight or row by row; or as dual averages.
enum class Reading { plain = 0, by_weight = 1, by_row = 2, dual = 3 };

struct OnlineRule {
    StructuredLoss loss = StructuredLoss::perceptron;
    double step = 1;  // size of a gradient step; the upper bound C of a passive-aggressive one
    bool aggressive = false;  // step = min(C, loss / |difference of features|^2)
    bool grow = true;         // whether features may be added
    bool averaged = false;
    Reading reading = Reading::plain;
    double ridge = 0;  // weights shrink by 1 - step * ridge before a step
    // Dual averages: by how much the threshold grows per step. Else the deferred penalty of a
    // round, divided by the step size.
    double lasso = 0;
    int64_t every = 1;  // rounds between deferred penalties

    void check() const {
        require(step >= 0 && ridge >= 0 && lasso >= 0,
                "step, ridge and lasso must not be negative");
        require(std::isfinite(ridge) && std::isfinite(lasso) && (aggressive || std::isfinite(step)),
                "ridge and lasso must be finite, and so must the step unless it is aggressive");
        require(!(aggressive && ridge > 0), "aggressive steps take no ridge");
        require(every >= 1, "every must be at least 1");
        require(!(dual() && (averaged || aggressive || ridge > 0)),
                "dual averages take no averaging, no aggressive steps and no ridge");
        require(!(averaged && reading != Reading::plain),
                "averages are of weights without deferred penalties: the reading must be plain");
    }
    bool dual() const { return reading == Reading::dual; }
    // What the gradient is multiplied with: dual averages are sums of gradients.
    double gradient_step() const { return dual() ? 1 : step; }
};

// One table of weights per template, and the sums over steps that are under way.
template <class Table>
class OnlineModel {
  public:
    enum class Sums { none, averages, dual };

    // Begins the averages or dual averages of a rule; false if they are under way already.
    bool begin_sums(const OnlineRule& rule) {
        const Sums wanted = rule.dual() ? Sums::dual : rule.averaged ? Sums::averages : Sums::none;
        require(sums == Sums::none || sums == wanted,
                "other averages are under way: finish_sums must end them first");
        if (sums == wanted) return false;
        if (rule.averaged)
            for (Table& table : tables) table.average_from_here();
        sums = wanted;
        clock = 0;
        return true;
    }
    void end_sums() {
        sums = Sums::none;
        clock = dual_gain = dual_threshold = 0;
    }

    // Before a step: the ridge. Returns the factor of all weights.
    double begin_step(const OnlineRule& rule) {
        if (rule.averaged) clock += 1;
        if (rule.ridge == 0) return 1;
        const double factor = std::max(0.0, 1 - rule.step * rule.ridge);
        for (Table& table : tables) table.shrink(factor);
        return factor;
    }
    // After a step: averages, dual averages or the deferred lasso.
    void end_step(const OnlineRule& rule) {
        rounds += 1;
        if (rule.averaged)
            for (Table& table : tables) table.end_step();
        if (rule.dual()) {
            clock += 1;
            dual_gain = rule.step / std::sqrt(clock);
            dual_threshold = rule.lasso * clock;
        } else if (rule.lasso > 0 && rounds % rule.every == 0) {
            for (Table& table : tables)
                table.defer(rule.step * rule.lasso * static_cast<double>(rule.every));
        }
    }
    // w = gain * soft(sum, threshold)
    double from_dual(double sum) const {
        return dual_gain * std::copysign(std::max(0.0, std::abs(sum) - dual_threshold), sum);
    }

    void check_factors(const Vec<double>& factor) const {
        require(factor.size() == tables.size(), "factor must have one entry per template");
        for (size_t k = 0; k < factor.size(); ++k)
            require(factor.data()[k] >= 0 && factor.data()[k] <= 1, "factors are from 0 to 1");
    }
    // Defers a penalty of amount[k] for every feature of template k.
    void defer(Vec<double> amount) {
        require(amount.size() == tables.size(), "amount must have one entry per template");
        for (size_t k = 0; k < amount.size(); ++k)
            require(amount.data()[k] >= 0 && std::isfinite(amount.data()[k]),
                    "amounts must be finite and not negative");
        for (size_t k = 0; k < amount.size(); ++k) tables[k].defer(amount.data()[k]);
    }

    // Of every template: the number of features, the 2-norm of the weights, the number of weights
    // that are not zero.
    Array<int64_t> sizes() const {
        return per_template<int64_t>([](const Table& table) { return table.size(); });
    }
    Array<double> norms() const {
        return per_template<double>(
            [](const Table& table) { return std::sqrt(table.norm_squared()); });
    }
    Array<int64_t> nonzeros() const {
        return per_template<int64_t>(
            [&](const Table& table) { return table.n_above(dual_threshold); });
    }
    size_t bytes() const {
        size_t total = 0;
        for (const Table& table : tables) total += table.bytes();
        return total;
    }

    std::vector<Table> tables;
    Sums sums = Sums::none;
    double clock = 0;    // steps that the sums cover
    int64_t rounds = 0;  // sentences learned from
    double dual_gain = 0, dual_threshold = 0;

  private:
    template <class T, class Value>
    Array<T> per_template(Value value) const {
        std::vector<T> out;
        for (const Table& table : tables) out.push_back(value(table));
        return to_numpy(std::move(out));
    }
};

// One sentence after the other: the sum of the losses before each step, and the number of wrong
// tokens.
template <class Learner>
std::tuple<double, int64_t> learn_in_order(Learner& learner, const Vec<int64_t>& order) {
    double total = 0;
    {
        nb::gil_scoped_release release;
        Interrupts interrupts;
        for (size_t i = 0; i < order.size(); ++i) {
            total += learner.learn(order.data()[i]);
            interrupts.poll();
        }
    }
    return {total, learner.wrong()};
}

}  // namespace laconic::numeric
