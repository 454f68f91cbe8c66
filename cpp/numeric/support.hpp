// Columns of the weights that differ from zero, with a column of ones per output where there is an
// intercept: what Newton's method on them asks for.
//
//   A = X' H X,   H_i = diag(h_i) - coupling_i h_i h_i'
//
// Scores lie output by output here, (K, n): a column then meets its vector in order and in the
// nearest cache, where rows of K scores would be fetched for one score each. Where most rows are
// nearly flat, products are over the others (curved_rows.hpp).
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "numeric/curved_rows.hpp"
#include "numeric/matrix.hpp"

namespace laconic::numeric {

class Support {
  public:
    Support(const Matrix& X, int n_outputs);

    // Takes the weights `active`, j K + k for column j and output k; X must have its columns. Slots
    // are in this order, those of the intercept after them.
    void choose(const std::vector<int64_t>& active, bool with_intercept);
    // Takes second derivatives, (n, K) by rows; `coupling` of every row, or null.
    void curve(const std::vector<double>& h, const double* coupling);
    size_t size() const { return n_weights_ + (with_intercept_ ? K_ : 0); }

    // out = X v, (n, K) by rows.
    void score(const std::vector<double>& v, std::vector<double>& out);
    // out = X' r of r, (n, K) by rows, and diagonal = diag(A).
    void pull(const std::vector<double>& r, std::vector<double>& out,
              std::vector<double>& diagonal);
    // out = A v, up to what flat rows have off the diagonal.
    void product(const std::vector<double>& v, std::vector<double>& out);

    // A preconditioner M of A + diag(extra): its blocks within single outputs, cut where they are
    // larger than BLOCK. Weights of frequent columns, which are correlated, share a block. It stays
    // when some of the weights leave: they count as if their residuals were zero.
    void factor(const std::vector<double>& extra, const std::vector<double>& diagonal);
    void forget() { factors_.clear(); }
    bool has_factors() const { return !factors_.empty(); }
    // z = M^-1 r.
    void precondition(const std::vector<double>& r, std::vector<double>& z) const;

  private:
    struct Factor {  // of a block: L by rows, L L' = M
        std::vector<int64_t> weights;
        std::vector<double> lower;
        std::vector<int32_t> slots;  // of the weights now; -1: none
    };
    static constexpr int64_t BLOCK = 400;

    void spread(const std::vector<double>& v);
    void gather(const std::vector<double>& table, std::vector<double>& out) const;
    Factor factored(int k, std::vector<int32_t> slots, const std::vector<double>& extra) const;
    int64_t weight(int32_t slot) const;
    int32_t slot(int64_t weight) const;

    const Matrix& X_;
    const int K_;
    const size_t n_;
    bool with_intercept_ = false;
    size_t n_weights_ = 0;
    std::vector<int64_t> active_;
    std::vector<int32_t> slot_of_;              // of every weight; -1: none
    std::vector<std::vector<int32_t>> slots_;   // of every output
    std::vector<std::vector<int64_t>> column_;  // of these slots
    std::vector<double> h_, bend_, coupling_, table_, shared_;
    std::vector<Factor> factors_;
    CurvedRows curved_;
    bool by_rows_ = false;  // whether products are by them
};

}  // namespace laconic::numeric
