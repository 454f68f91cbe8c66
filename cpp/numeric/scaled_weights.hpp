// What tables of online learners share: one scale for all weights, deferred penalties, averages
// over steps.
//
// A weight is scale * xi with xi stored, so that shrinking or dropping a whole template costs
// nothing per feature (the triple (xi, c, rho) of Martins et al. 2011, section 4). Two more sums
// keep other work off the features that do not fire:
//
//   deferred penalties   deferred_ - applied (in stored size) is still to be applied to a weight;
//                        this is done when the weight is next looked at. The lasso takes the amount
//                        from each weight, a penalty of rows from the length of the row: amounts
//                        add up exactly in both cases.
//   averages             the sum of a weight over all steps is lived * xi - sums, where lived is
//                        the sum of the scale over the steps and sums hold what the later parts of
//                        xi have missed. A row that was not there was zero.
#pragma once
#include <algorithm>
#include <cmath>

namespace laconic::numeric {

// Table stores xi, sums and applied amounts. It has clear(), fold(), which multiplies what is
// stored by scale(), and track_applied() and track_sums(), which make room for the amounts applied
// and for the sums.
template <class Table>
class ScaledWeights {
  public:
    double scale() const { return scale_; }
    double norm_squared() const { return std::max(0.0, norm_squared_); }

    // Every weight times factor; none is touched unless the scale gets too small for floats.
    void shrink(double factor) {
        if (factor <= 0) {
            self().clear();
            return;
        }
        scale_ *= factor;
        norm_squared_ *= factor * factor;
        // Sums of averages are differences, which lose digits sooner.
        if (scale_ > (averaged_ ? 1e-2 : 1e-6)) return;
        self().fold();
        deferred_ *= scale_;
        lived_ = 0;
        scale_ = 1;
    }

    // Defers a penalty of `amount` on every weight (or row), in true size.
    void defer(double amount) {
        if (!deferring_) self().track_applied();
        deferring_ = true;
        deferred_ += amount / scale_;
    }
    bool deferring() const { return deferring_; }

    void average_from_here() {
        averaged_ = true;
        lived_ = 0;
        self().track_sums();
    }
    void end_step() { lived_ += scale_; }

  protected:
    // scale * xi += change; how much xi rose.
    double move(float& xi, double change) {
        const double old = xi;
        xi = static_cast<float>(old + change / scale_);
        norm_squared_ += scale_ * scale_ * (xi - old) * (xi + old);
        return xi - old;
    }
    void reset() {
        scale_ = 1;
        norm_squared_ = deferred_ = lived_ = 0;
        deferring_ = false;
    }

    double scale_ = 1, norm_squared_ = 0, deferred_ = 0, lived_ = 0;
    bool averaged_ = false, deferring_ = false;

  private:
    Table& self() { return static_cast<Table&>(*this); }
};

}  // namespace laconic::numeric
