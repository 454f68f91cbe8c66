// Steps of Newton's method on a loss plus norms of overlapping groups, where the norms are smooth.
//
//   loss(A w) + sum_i ridge_i w_i^2 / 2 + sum_g mass_g |w_g|
//
// On the weights that are not zero the norms have a Hessian, which falls short of that of their
// quadratic bound by one dyad per group:
//
//   B = A' (diag(h) - h h' / sum h) A + diag(ridge_i + sum_g mass_g / |w_g|)
//       - share sum_g mass_g / |w_g|^3 w_g w_g',     B d = -slope
//
// h holds the second derivatives of the loss by scores; an intercept that follows the weights takes
// h h' / sum h away, for every output. share = 0 is a step of reweighting, share = 1 one of
// Newton, which near zero or with more weights than rows leads far away: those in between combine
// small steps with fast convergence. B d = -slope is solved by conjugate gradients with the
// diagonal of B; a product takes the entries of the columns and groups of these weights.
#pragma once
#include <vector>

#include "door/checks.hpp"
#include "numeric/matrix.hpp"

namespace laconic::numeric {

// Where a step starts: weights, slope (gradient of everything but the norms) and ridge, one entry
// per weight, and curvature, one per score.
struct NormPoint {
    Vec<double> weights, slope, ridge, curvature;
};

class NormNewton {
  public:
    NormNewton(const Matrix& X, int n_outputs, bool has_intercept);

    // Norms of groups, flat (no parents) or nested: a node's group are its own entries and those
    // of all nodes below it, which are stored after it.
    void add(Vec<int64_t> ptr, Vec<int64_t> index, Vec<int64_t> parent, Vec<double> mass);

    // Writes d, zero where a weight is zero, and returns the number of products: it ends when the
    // residual is `tolerance` of the first one.
    int step(const NormPoint& point, double share, double tolerance, int max_products,
             MutVec<double> direction);

  private:
    struct Term {
        std::vector<int64_t> ptr;
        std::vector<int32_t> index, parent;
        std::vector<double> mass;
        // Groups with a weight that is not zero: own entries among the present weights, parents,
        // and mass / |w_g|^3.
        std::vector<int64_t> live_ptr;
        std::vector<int32_t> live_index, live_parent;
        std::vector<double> pull, sums;
    };

    void gather(const NormPoint& point);
    void load(Term& term);
    void product(const std::vector<double>& d, double share, std::vector<double>& out);

    const Matrix& X_;
    const int K_;
    const bool has_intercept_;
    std::vector<Term> terms_;
    std::vector<int32_t> place_;     // of every weight among the present ones, or -1
    std::vector<int64_t> support_;   // weights that are not zero
    std::vector<double> w_, slope_;  // theirs
    std::vector<double> diagonal_;   // of B without the loss, at share 0
    std::vector<double> short_;      // what share = 1 takes off the diagonal
    std::vector<double> bend_;       // diagonal of A' diag(h) A
    std::vector<double> h_, total_, scores_;
};

}  // namespace laconic::numeric
