// Trees over words 1 .. n - 1 with root 0 that may cross:
//
//     score(tree) = sum over words m of arc[head(m) * n + m]
//
// Arcs into the root and from a word to itself are never looked at; -infinity is forbidden.
//
// Best tree: Chu-Liu/Edmonds in O(n^2), after Tarjan (1977): walk up best incoming arcs; a cycle
// becomes one node c whose incoming scores are those of its words, less what the cycle loses,
//
//     arc(u, c) = max over v in the cycle of arc(u, v) - arc(best(v), v)
//
// Sums over all trees: the matrix-tree theorem (Tutte 1984; for parsing Koo et al. 2007). With
// w(h, m) = exp arc(h, m) and L the (n - 1) x (n - 1) Laplacian
//
//     L[h][m] = -w(h, m),  L[m][m] = sum_h w(h, m), 0 among the h;    Z = det L
//     p(h -> m) = w(h, m) (inverse[m][m] - inverse[m][h]),    p(0 -> m) = w(0, m) inverse[m][m]
//
// If only one word may hang on the root, its arcs take the place of the first row of L.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <queue>
#include <vector>

namespace laconic::tree {

namespace arborescence {

constexpr double forbidden = -std::numeric_limits<double>::infinity();

class ChuLiuEdmonds {
  public:
    // Heads of words 1 .. n - 1 (heads[0] = -1) and the score; -infinity if there is no tree.
    double solve(const double* arc, int n, bool single_root, int32_t* heads) {
        heads[0] = -1;
        if (n == 1) return 0;
        load(arc, n, single_root);
        if (!contract()) return forbidden;
        expand(heads);
        double total = 0;
        int roots = 0;
        for (int m = 1; m < n; ++m) {
            total += arc[heads[m] * n + m];
            roots += heads[m] == 0;
        }
        return single_root && roots > 1 ? forbidden : total;
    }

  private:
    // A working copy. With a single root arcs from 0 cost so much that a best tree has as few of
    // them as it can.
    void load(const double* arc, int n, bool single_root) {
        n_ = n;
        score_.assign(arc, arc + int64_t{n} * n);
        if (single_root) {
            double low = 0, high = 0;
            for (double s : score_)
                if (std::isfinite(s)) low = std::min(low, s), high = std::max(high, s);
            for (int m = 1; m < n; ++m) score_[m] -= (high - low + 1) * n;
        }
        for (int i = 0; i < n; ++i) score_[i * n + i] = forbidden;
        // A cycle gets the row and column of one of its nodes; up to n - 1 contractions make new
        // names n, n + 1, ...
        name_.resize(n);
        std::iota(name_.begin(), name_.end(), 0);
        parent_.assign(2 * n, -1);
        enter_from_.assign(2 * n, -1);
        enter_to_.assign(2 * n, -1);
        real_from_.resize(int64_t{n} * n);
        real_to_.resize(int64_t{n} * n);
        for (int h = 0; h < n; ++h)
            for (int m = 0; m < n; ++m) {
                real_from_[h * n + m] = h;
                real_to_[h * n + m] = m;
            }
    }

    bool contract() {
        const int n = n_;
        std::vector<char> gone(n, 0), done(n, 0), on_path(n, 0);
        std::vector<int> best(n, -1), path;
        int next = n;
        done[0] = 1;
        for (int start = 1; start < n; ++start) {
            if (gone[start] || done[start]) continue;
            path.assign(1, start);
            on_path[start] = 1;
            while (true) {
                const int v = path.back();
                int from = -1;
                for (int u = 0; u < n; ++u)
                    if (!gone[u] && u != v && score_[u * n + v] != forbidden &&
                        (from < 0 || score_[u * n + v] > score_[from * n + v]))
                        from = u;
                if (from < 0) return false;
                best[v] = from;
                enter_from_[name_[v]] = real_from_[from * n + v];
                enter_to_[name_[v]] = real_to_[from * n + v];
                if (done[from]) break;
                if (!on_path[from]) {
                    path.push_back(from);
                    on_path[from] = 1;
                    continue;
                }
                merge(from, path, best, gone, on_path, next++);
            }
            for (int v : path) on_path[v] = 0, done[v] = 1;
        }
        n_names_ = next;
        return true;
    }

    // The cycle at the end of the path, which `into` opens, becomes the node in the place of
    // `into`.
    void merge(int into, std::vector<int>& path, const std::vector<int>& best,
               std::vector<char>& gone, std::vector<char>& on_path, int name) {
        const int n = n_;
        std::vector<int> cycle;
        do {
            cycle.push_back(path.back());
            path.pop_back();
        } while (cycle.back() != into);
        std::vector<char> inside(n, 0);
        std::vector<double> lost(n, 0);
        for (int v : cycle) {
            inside[v] = 1;
            lost[v] = score_[best[v] * n + v];
            parent_[name_[v]] = name;
        }
        for (int u = 0; u < n; ++u) {
            if (gone[u] || inside[u]) continue;
            double in = forbidden, out = forbidden;
            int in_to = into, out_from = into;
            // arc(u, c) = max_v arc(u, v) - arc(best(v), v), and arc(c, u) = max_v arc(v, u)
            for (int v : cycle) {
                const double entering = score_[u * n + v] - lost[v];
                if (entering > in) in = entering, in_to = v;
                if (score_[v * n + u] > out) out = score_[v * n + u], out_from = v;
            }
            const int64_t to_in = int64_t{u} * n + in_to, from_out = int64_t{out_from} * n + u;
            const int in_real_from = real_from_[to_in], in_real_to = real_to_[to_in];
            const int out_real_from = real_from_[from_out], out_real_to = real_to_[from_out];
            score_[u * n + into] = in;
            score_[into * n + u] = out;
            real_from_[u * n + into] = in_real_from;
            real_to_[u * n + into] = in_real_to;
            real_from_[into * n + u] = out_real_from;
            real_to_[into * n + u] = out_real_to;
        }
        for (int v : cycle) {
            on_path[v] = 0;
            gone[v] = v != into;
        }
        name_[into] = name;
        path.push_back(into);
        on_path[into] = 1;
    }

    // Outermost nodes first: the arc into a node takes the place of the arcs into all inner nodes
    // around the word it goes to.
    void expand(int32_t* heads) const {
        std::vector<char> entered(n_names_, 0);
        for (int node = n_names_ - 1; node > 0; --node) {
            if (entered[node]) continue;
            heads[enter_to_[node]] = enter_from_[node];
            for (int inner = enter_to_[node]; inner != node; inner = parent_[inner])
                entered[inner] = 1;
        }
    }

    int n_ = 0, n_names_ = 0;
    std::vector<double> score_;
    std::vector<int> name_, parent_, enter_from_, enter_to_, real_from_, real_to_;
};

// The k best trees, by Lawler's partition (Lawler 1972): what is left of a set of trees without its
// best falls into parts that share the heads of words 1 .. m - 1 with it and give m another.
// O(k n^3).
class KBest {
  public:
    // Rows of heads (k, n) and scores, best first; how many there are.
    int64_t solve(const double* arc, int n, bool single_root, int64_t k, int32_t* heads,
                  double* scores) {
        const auto worse = [](const Part& x, const Part& y) {
            return x.score != y.score ? x.score < y.score : x.serial > y.serial;
        };
        std::priority_queue<Part, std::vector<Part>, decltype(worse)> parts(worse);
        int64_t serial = 0, found = 0;
        const auto push = [&](std::vector<double> allowed, int n_fixed) {
            Part part{forbidden, serial++, n_fixed, std::vector<int32_t>(n), std::move(allowed)};
            part.score = solver_.solve(part.arc.data(), n, single_root, part.heads.data());
            if (part.score != forbidden) parts.push(std::move(part));
        };
        push(std::vector<double>(arc, arc + int64_t{n} * n), 1);
        while (found < k && !parts.empty()) {
            const Part best = parts.top();
            parts.pop();
            std::copy(best.heads.begin(), best.heads.end(), heads + found * n);
            scores[found++] = best.score;
            std::vector<double> rest = best.arc;
            for (int m = best.n_fixed; m < n; ++m) {
                std::vector<double> part = rest;
                part[best.heads[m] * n + m] = forbidden;
                push(std::move(part), m);
                for (int h = 0; h < n; ++h)
                    if (h != best.heads[m]) rest[h * n + m] = forbidden;
            }
        }
        return found;
    }

  private:
    struct Part {
        double score;
        int64_t serial;
        int n_fixed;  // words before this one keep their heads
        std::vector<int32_t> heads;
        std::vector<double> arc;
    };
    ChuLiuEdmonds solver_;
};

// log Z and the probability of every arc (n, n); -infinity if there is no tree. O(n^3).
class MatrixTree {
  public:
    double solve(const double* arc, int n, bool single_root, double* probability) {
        std::fill(probability, probability + int64_t{n} * n, 0.0);
        const int size = n - 1;
        if (size == 0) return 0;
        weight_.assign(int64_t{n} * n, 0.0);
        double log_z = 0;
        for (int m = 1; m < n; ++m) {  // columns are scaled, so that scores may have any size
            double top = forbidden;
            for (int h = 0; h < n; ++h)
                if (h != m) top = std::max(top, arc[h * n + m]);
            if (top == forbidden) return forbidden;
            log_z += top;
            for (int h = 0; h < n; ++h)
                if (h != m) weight_[h * n + m] = std::exp(arc[h * n + m] - top);
        }
        if (!has_tree(n, single_root)) return forbidden;
        // L[h][m] = -w(h, m), L[m][m] = sum_h w(h, m); a single root has the first row to itself
        laplacian_.assign(int64_t{size} * size, 0.0);
        for (int m = 1; m < n; ++m)
            for (int h = 0; h < n; ++h) {
                const double w = weight_[h * n + m];
                if (h > 0) laplacian_[(h - 1) * size + m - 1] -= w;
                if (h > 0 || !single_root) laplacian_[(m - 1) * size + m - 1] += w;
            }
        if (single_root)
            for (int m = 1; m < n; ++m) laplacian_[m - 1] = weight_[m];
        const double log_det = invert(size);
        if (!std::isfinite(log_det)) return forbidden;
        const auto inverse = [&](int row, int column) {
            return inverse_[(row - 1) * size + column - 1];
        };
        // p(h -> m) = d log det L / d log w(h, m), by the entries of L that hold w(h, m)
        for (int m = 1; m < n; ++m)
            for (int h = 0; h < n; ++h) {
                const double w = weight_[h * n + m];
                if (w == 0) continue;
                double p;
                if (h == 0)
                    p = inverse(m, single_root ? 1 : m);
                else if (single_root)
                    p = (m == 1 ? 0 : inverse(m, m)) - (h == 1 ? 0 : inverse(m, h));
                else
                    p = inverse(m, m) - inverse(m, h);
                probability[h * n + m] = std::clamp(w * p, 0.0, 1.0);
            }
        return log_z + log_det;
    }

  private:
    // Whether some tree has a weight above zero. Pivots do not show it: without a tree L is
    // singular, but rounding may leave a tiny pivot where it should be zero.
    bool has_tree(int n, bool single_root) {
        if (!single_root) return reaches_all(0, n);
        for (int m = 1; m < n; ++m)
            if (weight_[m] > 0 && reaches_all(m, n)) return true;
        return false;
    }
    // Whether arcs lead from a word to all others; none leads into the root.
    bool reaches_all(int from, int n) {
        reached_.assign(n, 0);
        reached_[from] = 1;
        path_.assign(1, from);
        int count = 1;
        while (!path_.empty()) {
            const int h = path_.back();
            path_.pop_back();
            for (int m = 1; m < n; ++m)
                if (!reached_[m] && weight_[h * n + m] > 0) {
                    reached_[m] = 1;
                    path_.push_back(m);
                    ++count;
                }
        }
        return count == (from == 0 ? n : n - 1);
    }

    // Gauss-Jordan with row pivots: the inverse, and log of the determinant, which is not negative
    // but for rounding.
    double invert(int size) {
        inverse_.assign(int64_t{size} * size, 0.0);
        for (int i = 0; i < size; ++i) inverse_[i * size + i] = 1;
        double log_det = 0;
        for (int column = 0; column < size; ++column) {
            int pivot = column;
            for (int row = column + 1; row < size; ++row)
                if (std::abs(laplacian_[row * size + column]) >
                    std::abs(laplacian_[pivot * size + column]))
                    pivot = row;
            const double value = laplacian_[pivot * size + column];
            if (std::abs(value) < 1e-300) return forbidden;
            if (pivot != column)
                for (int j = 0; j < size; ++j) {
                    std::swap(laplacian_[pivot * size + j], laplacian_[column * size + j]);
                    std::swap(inverse_[pivot * size + j], inverse_[column * size + j]);
                }
            log_det += std::log(std::abs(value));
            for (int j = 0; j < size; ++j) {
                laplacian_[column * size + j] /= value;
                inverse_[column * size + j] /= value;
            }
            for (int row = 0; row < size; ++row) {
                const double factor = laplacian_[row * size + column];
                if (row == column || factor == 0) continue;
                for (int j = 0; j < size; ++j) {
                    laplacian_[row * size + j] -= factor * laplacian_[column * size + j];
                    inverse_[row * size + j] -= factor * inverse_[column * size + j];
                }
            }
        }
        return log_det;
    }

    std::vector<double> weight_, laplacian_, inverse_;
    std::vector<char> reached_;
    std::vector<int> path_;
};

}  // namespace arborescence

}  // namespace laconic::tree
