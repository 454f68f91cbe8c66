// How taggers and parsers learn from one sentence at a time: the parameters of a step, checked once for both.
#pragma once
#include <cmath>
#include <cstdint>

#include "bind.hpp"
#include "chain_loss.hpp"
#include "interrupts.hpp"

struct OnlineRule {
    ChainLoss loss;
    double step;      // of a gradient step; the upper bound C of a passive-aggressive one
    bool aggressive;  // step = min(C, loss / |difference of features|^2)
    bool grow;        // whether features may be added
    bool averaged;
    int settle;     // how weights are read, see Tagger::Reading and Parser::Reading
    double ridge;   // weights shrink by 1 - step * ridge before a step
    double lasso;   // of dual averages: the threshold grows by it with every step; else what features owe a round, times step
    int64_t every;  // rounds between dues

    // `dual`: the way of reading weights that dual averages have; `plain`: that of weights without lazy penalties.
    void check(int dual, int plain) const {
        require(step >= 0 && ridge >= 0 && lasso >= 0, "step, ridge and lasso must not be negative");
        require(std::isfinite(ridge) && std::isfinite(lasso) && (aggressive || std::isfinite(step)),
                "ridge and lasso must be finite, and so must the step unless it is aggressive");
        require(!(aggressive && ridge > 0), "aggressive steps take no ridge");
        require(settle >= 0 && settle <= 3, "settle must be from 0 to 3");
        require(every >= 1, "every must be at least 1");
        require(!(settle == dual && (averaged || aggressive || ridge > 0)),
                "dual averages take no averaging, no aggressive steps and no ridge");
        require(!(averaged && settle != plain), "averages are of weights without lazy penalties: settle must be 0");
    }
};

// Begins the averages or dual averages that a rule wants of a tagger or parser; false if they are under way already.
template <class Model>
bool begin_sums(Model& model, const OnlineRule& rule) {
    const auto sums = rule.settle == Model::kDual ? Model::kDualSums : rule.averaged ? Model::kAverages : Model::kNoSums;
    require(model.sums == Model::kNoSums || model.sums == sums, "other averages are under way: settle_sums must end them first");
    if (model.sums == sums) return false;
    if (rule.averaged)
        for (auto& table : model.tables) table.average_from_here();
    model.sums = sums;
    model.clock = 0;
    return true;
}

// One sentence after the other: the sum of the losses before each step, and the number of wrong tokens.
template <class Learner>
nb::tuple learn_in_order(Learner& learner, const Vec<int64_t>& order) {
    double total = 0;
    {
        nb::gil_scoped_release release;
        Interrupts interrupts;
        for (size_t i = 0; i < order.size(); ++i) {
            total += learner.learn(order.data()[i]);
            interrupts.poll();
        }
    }
    return nb::make_tuple(total, learner.wrong());
}
