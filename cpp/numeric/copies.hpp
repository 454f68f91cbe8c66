// Copies of weights for ADMM with overlapping groups (Yogatama 2015, Algorithm 2): v = M w, one
// copy per entry of `index`, so that the groups of copies are disjoint.
//
// The steps on v and u (Eqs. 5.3 and 5.4) in scaled form, u standing for -u / rho of the thesis,
// with over-relaxation (Boyd et al. 2011, section 3.4.3):
//
//     h = relax M w + (1 - relax) v
//     v_g <- (1 - mass_g / |z_g|)_+ z_g,    z = h + u
//     u <- z - v
//
// One fused sweep per group does these and all sums that the next step on w (Eq. 5.2) and the
// stopping test need: the copies, of which there are far more than weights, are read and written
// once per iteration.
#pragma once
#include <cmath>
#include <limits>

#include "door/checks.hpp"
#include "door/threads.hpp"

namespace laconic::numeric {

struct Sums {  // over the copies
    double primal = 0, length_w = 0, length_v = 0;
    void add(const Sums& other) {
        primal += other.primal;
        length_w += other.length_w;
        length_v += other.length_v;
    }
};

// Arrays that `split` moves: copies v and scaled duals u, and the sums that the next step on w
// needs.
struct CopyState {
    MutVec<double> v, u, towards, change, force;
};

class Copies {
  public:
    Copies(Vec<int64_t> ptr, Vec<int64_t> index, int64_t n)
        : n_(n), ptr_(ptr.data(), ptr.data() + ptr.size()) {
        check_ptr(ptr, static_cast<int64_t>(index.size()), "ptr");
        require(n >= 0 && n < INT32_MAX, "n must be from 0 to 2^31 - 1");
        check_range(index, 0, n, "index");
        index_.assign(index.data(), index.data() + index.size());
    }

    // One step on v and u, see above; then
    //   towards = M'(v - u)     change = M'(v - v_old)     force = M' u
    // Returns |M w - v|^2, |M w|^2, |v|^2.
    std::tuple<double, double, double> split(Vec<double> weights, Vec<double> mass, double relax,
                                             const CopyState& state, int threads) const {
        const MutVec<double>&v = state.v, &u = state.u, &towards = state.towards,
              &change = state.change, &force = state.force;
        const int64_t n_groups = static_cast<int64_t>(ptr_.size()) - 1;
        require(static_cast<int64_t>(weights.size()) == n_ &&
                    static_cast<int64_t>(towards.size()) == n_ &&
                    static_cast<int64_t>(change.size()) == n_ &&
                    static_cast<int64_t>(force.size()) == n_,
                "weights, towards, change and force must have n entries");
        require(v.size() == index_.size() && u.size() == index_.size(),
                "v and u must have one entry per copy");
        require(static_cast<int64_t>(mass.size()) == n_groups,
                "mass must have one entry per group");
        const double *w = weights.data(), *m = mass.data();
        Sums total;
        {
            nb::gil_scoped_release release;
            const int parts = std::max(1, threads);
            std::vector<std::vector<double>> private_sums(parts);
            std::vector<Sums> sums(parts);
            parallel_ranges(n_groups, parts, 4096, [&](int64_t begin, int64_t end, int part) {
                private_sums[part].assign(3 * n_, 0.0);
                double* mine = private_sums[part].data();
                sums[part] = sweep(begin, end, w, m, relax, v.data(), u.data(), mine);
            });
            for (const Sums& part : sums) total.add(part);
            parallel_ranges(n_, parts, 65536, [&](int64_t begin, int64_t end, int) {
                for (int64_t i = begin; i < end; ++i) {
                    double t = 0, c = 0, f = 0;
                    for (const auto& mine : private_sums)
                        if (!mine.empty()) {
                            t += mine[3 * i];
                            c += mine[3 * i + 1];
                            f += mine[3 * i + 2];
                        }
                    towards.data()[i] = t;
                    change.data()[i] = c;
                    force.data()[i] = f;
                }
            });
        }
        return std::make_tuple(total.primal, total.length_w, total.length_v);
    }

    // One reweighting: norms of the groups -> lengths eta and ridge weights
    //     ridge_i = sum over the groups g of i of mass_g / eta_g,
    // so that sum_i ridge_i w_i^2 / 2 + sum_g mass_g eta_g / 2 >= sum_g mass_g |w_g|, with equality
    // at eta_g = |w_g|. eta_g is multiplied by (|w_g| / eta_g)^exponent, within bounds. Returns the
    // largest ratio of a norm to its old length.
    double reweigh(Vec<double> weights, Vec<double> mass, double exponent, double floor,
                   MutVec<double> eta, MutVec<double> ridge) const {
        const int64_t n_groups = static_cast<int64_t>(ptr_.size()) - 1;
        require(
            static_cast<int64_t>(weights.size()) == n_ && static_cast<int64_t>(ridge.size()) == n_,
            "weights and ridge must have n entries");
        require(static_cast<int64_t>(mass.size()) == n_groups &&
                    static_cast<int64_t>(eta.size()) == n_groups,
                "mass and eta must have one entry per group");
        const double* w = weights.data();
        double* out = ridge.data();
        nb::gil_scoped_release release;
        double worst = 0;
        std::fill(out, out + n_, 0.0);
        for (int64_t g = 0; g < n_groups; ++g) {
            double squares = 0;
            for (int64_t e = ptr_[g]; e < ptr_[g + 1]; ++e) squares += w[index_[e]] * w[index_[e]];
            double& length = eta.data()[g];
            const double ratio = std::sqrt(squares) / length;
            worst = std::max(worst, ratio);
            length = std::max(floor, length * std::clamp(power(ratio, exponent), 0.1, 3.0));
            const double pull = mass.data()[g] / length;
            for (int64_t e = ptr_[g]; e < ptr_[g + 1]; ++e) out[index_[e]] += pull;
        }
        return worst;
    }

    // Shares u of `whole` among the groups of every entry: sum over the groups g of i of u_gi =
    // whole_i, with |u_g| <= worst mass_g for a small worst, which is returned. By projections in
    // turn, past the balls of the groups and back to the sums, from any u, until worst is at most
    // `goal`. u is left inside the balls or past them; where it ended is of use for a next start.
    double share(Vec<double> whole, Vec<double> mass, MutVec<double> shares, double goal,
                 int rounds) const {
        const int64_t n_groups = static_cast<int64_t>(ptr_.size()) - 1;
        require(static_cast<int64_t>(whole.size()) == n_, "whole must have n entries");
        require(shares.size() == index_.size(), "shares must have one entry per copy");
        require(static_cast<int64_t>(mass.size()) == n_groups,
                "mass must have one entry per group");
        constexpr double kPast = 1.9;
        double* u = shares.data();
        nb::gil_scoped_release release;
        std::vector<double> count(n_, 0.0), left(whole.data(), whole.data() + n_);
        for (size_t e = 0; e < index_.size(); ++e) {
            count[index_[e]] += 1;
            left[index_[e]] -= u[e];
        }
        double best = std::numeric_limits<double>::infinity();
        for (int round = 0;; ++round) {
            for (int64_t i = 0; i < n_; ++i) left[i] = count[i] > 0 ? left[i] / count[i] : 0;
            double worst = 0;
            std::vector<double> next(whole.data(), whole.data() + n_);
            for (int64_t g = 0; g < n_groups; ++g) {
                double squares = 0;
                for (int64_t e = ptr_[g]; e < ptr_[g + 1]; ++e) {
                    u[e] += left[index_[e]];
                    squares += u[e] * u[e];
                }
                const double length = std::sqrt(squares);
                if (length > 0) worst = std::max(worst, length / mass.data()[g]);
                const double scale =
                    length > mass.data()[g] ? 1 - kPast * (1 - mass.data()[g] / length) : 1;
                for (int64_t e = ptr_[g]; e < ptr_[g + 1]; ++e) next[index_[e]] -= scale * u[e];
                if (scale == 1) continue;
                for (int64_t e = ptr_[g]; e < ptr_[g + 1]; ++e) u[e] *= scale;
            }
            best = std::min(best, worst);
            if (best <= goal || round == rounds) return best;
            left.swap(next);
        }
    }

    void norms(Vec<double> weights, MutVec<double> result) const {
        require(static_cast<int64_t>(weights.size()) == n_, "weights must have n entries");
        require(result.size() + 1 == ptr_.size(), "result must have one entry per group");
        for (size_t g = 0; g + 1 < ptr_.size(); ++g) {
            double squares = 0;
            for (int64_t e = ptr_[g]; e < ptr_[g + 1]; ++e)
                squares += weights.data()[index_[e]] * weights.data()[index_[e]];
            result.data()[g] = std::sqrt(squares);
        }
    }

  private:
    // ratio to the power exponent; std::pow would cost more than the rest of a small group, so
    // multiples of a quarter are built from squares and roots.
    static double power(double ratio, double exponent) {
        const double quarters = 4 * exponent;
        if (quarters != std::floor(quarters) || quarters < 0 || quarters > 64)
            return std::pow(ratio, exponent);
        const int n = static_cast<int>(quarters);
        double result = 1, square = ratio;
        for (int whole = n / 4; whole; whole /= 2, square *= square)
            if (whole % 2) result *= square;
        if (n % 4) {
            const double root = std::sqrt(ratio);
            if (n % 4 >= 2) result *= root;
            if (n % 2) result *= std::sqrt(root);
        }
        return result;
    }

    Sums sweep(int64_t begin, int64_t end, const double* w, const double* mass, double relax,
               double* v, double* u, double* sums) const {
        Sums out;
        for (int64_t g = begin; g < end; ++g) {
            double squares = 0;
            // z = relax M w + (1 - relax) v + u, kept in u
            for (int64_t e = ptr_[g]; e < ptr_[g + 1]; ++e) {
                const double z = relax * w[index_[e]] + (1 - relax) * v[e] + u[e];
                u[e] = z;
                squares += z * z;
            }
            const double length = std::sqrt(squares),
                         scale = length > mass[g] ? 1 - mass[g] / length : 0;
            // v = scale z, u = z - v
            for (int64_t e = ptr_[g]; e < ptr_[g + 1]; ++e) {
                const double next = scale * u[e], dual = u[e] - next, here = w[index_[e]];
                double* sum = sums + 3 * int64_t{index_[e]};
                sum[0] += next - dual;
                sum[1] += next - v[e];
                sum[2] += dual;
                out.primal += (here - next) * (here - next);
                out.length_w += here * here;
                out.length_v += next * next;
                v[e] = next;
                u[e] = dual;
            }
        }
        return out;
    }

    int64_t n_;
    std::vector<int64_t> ptr_;
    std::vector<int32_t> index_;
};

}  // namespace laconic::numeric
