// Codes of words under a fixed dictionary: the step on A of forest-structured sparse coding
// (Yogatama 2015, Eq. 4.1), one word after the other.
//
// Word v has the sparse row x_v over contexts; D is the dictionary. A code a_v minimises
//
//     |x_v - a_v D|^2 / 2 + strength Omega(a_v)
//         = |x_v|^2 / 2 - <b_v, a_v> + <a_v, G a_v> / 2 + strength Omega(a_v)
//
//     Omega(a) = sum over the nodes g of all trees of weight_g |a_(g and below)|_2
//
// with b_v = D x_v and G the dictionary's Gram matrix: contexts are met once per word, in b_v.
// Blocks of descent are the trees: those of one node are solved in closed form (coordinate descent
// for the lasso), others by accelerated proximal steps on their part of G (Beck and Teboulle 2009,
// with restarts: O'Donoghue and Candes 2015). All of b_v - G a_v is kept up to date, so that a tree
// that stays zero costs one look. The certificate is a duality gap.
#include "coding/codes.hpp"

#include <algorithm>

#include "numeric/lanes.hpp"

namespace laconic::coding {

using numeric::lane_steps;
using numeric::lane_stride;
using numeric::LaneSteps;

namespace {

// What all words share: trees, Gram matrix by padded rows, and for trees of several nodes their own
// part of it with a bound of its largest eigenvalue.
struct CodingProblem {
    const CodeTrees& trees;
    int stride;
    std::vector<double> gram, part;
    std::vector<int64_t> part_at;
    const double* curvature;
    double strength;
    bool positive;

    CodingProblem(const CodeTrees& trees_in, Vec<double> gram_in, Vec<double> curvature_in,
                  double strength_in, bool positive_in)
        : trees(trees_in),
          stride(lane_stride(trees_in.n_dimensions())),
          curvature(curvature_in.data()),
          strength(strength_in),
          positive(positive_in) {
        const int64_t m = trees.n_dimensions();
        require(static_cast<int64_t>(gram_in.size()) == m * m,
                "gram must have one row and one column per dimension");
        require(static_cast<int32_t>(curvature_in.size()) == trees.n_trees(),
                "curvature must have one entry per tree");
        require(strength >= 0 && std::isfinite(strength),
                "strength must be finite and not negative");
        for (size_t k = 0; k < gram_in.size(); ++k)
            require(std::isfinite(gram_in.data()[k]), "gram must hold finite numbers");
        gram.assign(m * stride, 0.0);
        for (int64_t i = 0; i < m; ++i)
            std::copy_n(gram_in.data() + i * m, m, gram.data() + i * stride);
        for (int32_t t = 0; t < trees.n_trees(); ++t) {
            const int32_t first = trees.ptr[t], n = trees.ptr[t + 1] - first, row = lane_stride(n);
            part_at.push_back(static_cast<int64_t>(part.size()));
            if (n == 1) continue;
            require(curvature[t] >= 0 && std::isfinite(curvature[t]),
                    "curvature must hold finite numbers that are not negative");
            part.resize(part.size() + int64_t{n} * row, 0.0);
            for (int32_t i = 0; i < n; ++i)
                for (int32_t j = 0; j < n; ++j)
                    part[part_at[t] + int64_t{i} * row + j] =
                        gram_in.data()[trees.dimension[first + i] * m + trees.dimension[first + j]];
        }
    }
};

struct CodeResult {
    double objective, gap;
};

// Descent for one word after the other, with scratch that is kept.
class CodeSolver {
  public:
    explicit CodeSolver(const CodingProblem& problem)
        : problem_(problem),
          trees_(problem.trees),
          residual_(problem.stride),
          code_(trees_.n_dimensions()),
          scratch_(8 * lane_stride(trees_.largest)),
          row_(trees_.largest),
          change_(trees_.largest),
          in_use_(trees_.n_trees()) {}

    CodeResult solve(const float* products, double square, float* code, double tolerance,
                     int most_sweeps) {
        const int32_t m = trees_.n_dimensions();
        start(products, code);
        CodeResult best = certify(products, square);
        int sweeps = 0;
        while (best.gap > tolerance * best.objective && sweeps < most_sweeps) {
            sweep(true);
            ++sweeps;
            // Trees that are in use alone, until they stand nearly still.
            double first = 0;
            for (int inner = 0; inner < kInner && sweeps < most_sweeps; ++inner, ++sweeps) {
                const double moved = sweep(false);
                if (inner == 0) first = moved;
                if (moved <= 0.01 * first) break;
            }
            best = certify(products, square);
        }
        for (int32_t j = 0; j < m; ++j) code[j] = static_cast<float>(code_[j]);
        return best;
    }

  private:
    static constexpr int kInner = 5, kSteps = 10, kHalvings = 30;

    void start(const float* products, const float* code) {
        const int32_t m = trees_.n_dimensions();
        std::copy_n(products, m, residual_.begin());
        std::fill(residual_.begin() + m, residual_.end(), 0.0);
        for (int32_t j = 0; j < m; ++j) {
            code_[j] = problem_.positive ? std::max(0.0f, code[j]) : code[j];
            if (code_[j] != 0) subtract(j, code_[j]);
        }
        std::fill(in_use_.begin(), in_use_.end(), char{1});  // until a sweep has looked
    }
    void subtract(int32_t j, double change) {
        const double minus = -change;
        lanes_.add_outer(&minus, problem_.gram.data() + int64_t{j} * problem_.stride, 1,
                         problem_.stride, residual_.data());
    }

    // All trees, or those in use; the sum of squares of what changed.
    double sweep(bool all) {
        double moved = 0;
        for (int32_t t = 0; t < trees_.n_trees(); ++t) {
            const int32_t first = trees_.ptr[t], n = trees_.ptr[t + 1] - first;
            if (!all && !in_use_[t]) continue;
            moved += n == 1 ? single(t, first) : tree(t, first, n);
        }
        return moved;
    }

    // a_j = soft(b_j - sum_(k != j) G_jk a_k, strength weight) / G_jj
    double single(int32_t t, int32_t g) {
        const int32_t j = trees_.dimension[g];
        const double curvature = problem_.gram[int64_t{j} * problem_.stride + j], old = code_[j];
        const double slope = residual_[j] + curvature * old,
                     most = problem_.strength * trees_.weight[g];
        double now = 0;
        if (curvature > 0 && slope > most) now = (slope - most) / curvature;
        if (curvature > 0 && slope < -most && !problem_.positive) now = (slope + most) / curvature;
        in_use_[t] = now != 0;
        if (now == old) return 0;
        code_[j] = now;
        subtract(j, now - old);
        return (now - old) * (now - old);
    }

    // Accelerated proximal steps on one tree, L bounding the eigenvalues of its part of G:
    //     next = prox(ahead - (G ahead - target) / L, strength / L)
    //     ahead = next + (m - 1) / m' (next - now),   m' = (1 + sqrt(1 + 4 m^2)) / 2
    double tree(int32_t t, int32_t first, int32_t n) {
        const int32_t row = lane_stride(n), *dimension = trees_.dimension.data() + first,
                      *parent = trees_.parent.data() + first;
        const double *weight = trees_.weight.data() + first,
                     *part = problem_.part.data() + problem_.part_at[t];
        double *old = scratch_.data(), *target = old + row, *now = target + row, *ahead = now + row,
               *slope = ahead + row, *next = slope + row, *below = next + row,
               *factor = below + row;
        bool zero = true;
        for (int32_t g = 0; g < n; ++g) {
            old[g] = code_[dimension[g]];
            target[g] = residual_[dimension[g]];
            zero = zero && old[g] == 0;
        }
        const double curvature = problem_.curvature[t];
        if (zero && (curvature <= 0 || !tree_prox(target, n, parent, weight, problem_.strength,
                                                  problem_.positive, next, below, factor))) {
            in_use_[t] = 0;
            return 0;
        }
        lanes_.sum_times(old, part, n, row, slope);
        for (int32_t g = 0; g < n; ++g) {
            target[g] += slope[g];
            now[g] = ahead[g] = old[g];
        }
        double momentum = 1;
        for (int step = 0; step < kSteps; ++step) {
            if (step > 0) lanes_.sum_times(ahead, part, n, row, slope);
            for (int32_t g = 0; g < n; ++g)
                slope[g] = ahead[g] - (slope[g] - target[g]) / curvature;
            tree_prox(slope, n, parent, weight, problem_.strength / curvature, problem_.positive,
                      next, below, factor);
            double along = 0, moved = 0, size = 0;
            for (int32_t g = 0; g < n; ++g) {
                along += (ahead[g] - next[g]) * (next[g] - now[g]);
                moved += (next[g] - now[g]) * (next[g] - now[g]);
                size += next[g] * next[g];
            }
            if (along > 0) momentum = 1;  // the step turned back: restart
            const double last = momentum;
            momentum = 0.5 * (1 + std::sqrt(1 + 4 * last * last));
            for (int32_t g = 0; g < n; ++g) {
                ahead[g] = next[g] + (last - 1) / momentum * (next[g] - now[g]);
                now[g] = next[g];
            }
            if (moved <= 1e-12 * size) break;
        }
        int32_t count = 0;
        double moved = 0;
        in_use_[t] = std::any_of(now, now + n, [](double entry) { return entry != 0; });
        for (int32_t g = 0; g < n; ++g) {
            const double change = now[g] - old[g];
            if (change == 0) continue;
            code_[dimension[g]] = now[g];
            row_[count] = problem_.gram.data() + int64_t{dimension[g]} * problem_.stride;
            change_[count++] = -change;
            moved += change * change;
        }
        lanes_.add_scaled(row_.data(), change_.data(), count, problem_.stride, residual_.data());
        return moved;
    }

    // Objective and duality gap. The dual point is s (x - a D), s in [0, 1] the largest for which
    // s (b - G a) lies in the ball of the dual norm, that is for which the proximal step from it is
    // zero:
    //     gap = |x - a D|^2 / 2 + strength Omega(a) - s <x, x - a D> + s^2 |x - a D|^2 / 2
    CodeResult certify(const float* products, double square) {
        const int32_t m = trees_.n_dimensions();
        double fit = 0, rest = 0, norm = 0;
        for (int32_t j = 0; j < m; ++j) {
            fit += products[j] * code_[j];
            rest += residual_[j] * code_[j];
        }
        double scale = 1;
        double *w = scratch_.data(), *out = w + lane_stride(trees_.largest),
               *below = out + lane_stride(trees_.largest),
               *factor = below + lane_stride(trees_.largest),
               *point = factor + lane_stride(trees_.largest);
        for (int32_t t = 0; t < trees_.n_trees(); ++t) {
            const int32_t first = trees_.ptr[t], n = trees_.ptr[t + 1] - first,
                          *parent = trees_.parent.data() + first;
            const double* weight = trees_.weight.data() + first;
            for (int32_t g = 0; g < n; ++g) {
                w[g] = residual_[trees_.dimension[first + g]];
                out[g] = code_[trees_.dimension[first + g]];
            }
            norm += tree_norm(out, n, parent, weight, below);
            const auto inside = [&](double s) {
                for (int32_t g = 0; g < n; ++g) point[g] = s * w[g];
                return !tree_prox(point, n, parent, weight, problem_.strength, problem_.positive,
                                  out, below, factor);
            };
            if (inside(scale)) continue;
            double low = 0, high = scale;
            for (int k = 0; k < kHalvings && high - low > 1e-9; ++k)
                (inside(0.5 * (low + high)) ? low : high) = 0.5 * (low + high);
            scale = low;
        }
        const double error = std::max(0.0, square - fit - rest),
                     with_row = square - fit;  // |x - a D|^2 and <x, x - a D>
        const double objective = 0.5 * error + problem_.strength * norm;
        return {objective,
                std::max(0.0, objective - scale * with_row + 0.5 * scale * scale * error)};
    }

    const CodingProblem& problem_;
    const CodeTrees& trees_;
    const LaneSteps<double>& lanes_ = lane_steps<double>();
    std::vector<double> residual_, code_, scratch_;
    std::vector<const double*> row_;
    std::vector<double> change_;
    std::vector<char> in_use_;
};

}  // namespace

std::tuple<Array<double>, Array<double>> solve_codes(const CodeTrees& trees, const CodeTerms& terms,
                                                     Vec<float> products, Vec<double> squares,
                                                     const CodeLimits& limits, MutVec<float> codes,
                                                     int threads) {
    const CodingProblem problem(trees, terms.gram, terms.curvature, terms.strength, terms.positive);
    const int64_t n = static_cast<int64_t>(squares.size());
    const bool fits = static_cast<int64_t>(products.size()) == n * problem.stride &&
                      codes.size() == products.size();
    require(fits, "products and codes must have one row per word");
    for (size_t k = 0; k < products.size(); ++k)
        require(std::isfinite(products.data()[k]) && std::isfinite(codes.data()[k]),
                "products and codes must hold finite numbers");
    std::vector<double> objective(n), gap(n);
    {
        nb::gil_scoped_release release;
        each_word(n, threads, [&] {
            return [&, solver = CodeSolver(problem)](int64_t i) mutable {
                const CodeResult result = solver.solve(
                    products.data() + i * problem.stride, squares.data()[i],
                    codes.data() + i * problem.stride, limits.tolerance, limits.most_steps);
                objective[i] = result.objective;
                gap[i] = result.gap;
            };
        });
    }
    return {to_numpy(std::move(objective)), to_numpy(std::move(gap))};
}

void prox_codes(const CodeTrees& trees, Vec<double> w, double scale, bool positive,
                MutVec<double> out) {
    const int32_t m = trees.n_dimensions();
    require(w.size() % m == 0 && out.size() == w.size(),
            "w and out must have rows of all dimensions");
    std::vector<double> in(m), result(m), below(m), factor(m);
    for (size_t row = 0; row < w.size(); row += m)
        for (int32_t t = 0; t < trees.n_trees(); ++t) {
            const int32_t first = trees.ptr[t], n = trees.ptr[t + 1] - first;
            for (int32_t g = 0; g < n; ++g) in[g] = w.data()[row + trees.dimension[first + g]];
            tree_prox(in.data(), n, trees.parent.data() + first, trees.weight.data() + first, scale,
                      positive, result.data(), below.data(), factor.data());
            for (int32_t g = 0; g < n; ++g)
                out.data()[row + trees.dimension[first + g]] = result[g];
        }
}

void norm_codes(const CodeTrees& trees, Vec<float> codes, int stride, MutVec<double> out) {
    const int64_t n = rows_of(codes.size(), stride, "codes must have rows of stride entries");
    require(static_cast<int64_t>(out.size()) == n && stride >= trees.n_dimensions(),
            "out must have one entry per row");
    std::vector<double> in(trees.largest), squares(trees.largest);
    for (int64_t i = 0; i < n; ++i) {
        out.data()[i] = 0;
        for (int32_t t = 0; t < trees.n_trees(); ++t) {
            const int32_t first = trees.ptr[t], count = trees.ptr[t + 1] - first;
            for (int32_t g = 0; g < count; ++g)
                in[g] = codes.data()[i * stride + trees.dimension[first + g]];
            out.data()[i] += tree_norm(in.data(), count, trees.parent.data() + first,
                                       trees.weight.data() + first, squares.data());
        }
    }
}

}  // namespace laconic::coding
