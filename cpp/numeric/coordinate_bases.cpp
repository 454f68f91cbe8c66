// What makes passes by columns fast, see coordinate_blocks.cpp: the eigenvectors of small blocks and
// the extrapolation of iterates.
#include "numeric/coordinate.hpp"

namespace laconic::numeric {

namespace {

// Eigenvectors (rows of V) and eigenvalues (the diagonal of G) by Jacobi's rotations, until what is
// off the diagonal is small. Returns its Frobenius norm, by which eigenvalues may be wrong.
double diagonalize(double* G, double* V, int64_t size) {
    for (int64_t a = 0; a < size; ++a)
        for (int64_t b = 0; b < size; ++b) V[a * size + b] = a == b;
    double trace = 0, off = 0;
    for (int64_t a = 0; a < size; ++a) trace += G[a * size + a];
    for (int turn = 0; turn < 30; ++turn) {
        off = 0;
        for (int64_t a = 0; a < size; ++a)
            for (int64_t b = 0; b < a; ++b) off += 2 * G[a * size + b] * G[a * size + b];
        if (off <= 1e-10 * trace * trace) break;
        for (int64_t a = 1; a < size; ++a)
            for (int64_t b = 0; b < a; ++b) {
                const double g = G[a * size + b];
                if (std::abs(g) <= 1e-9 * trace / size) continue;
                const double theta = (G[b * size + b] - G[a * size + a]) / (2 * g);
                const double t =
                    (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
                const double c = 1 / std::sqrt(t * t + 1), s = t * c;
                for (int64_t e = 0; e < size; ++e) {  // rows a and b of G and V
                    const double x = G[a * size + e], y = G[b * size + e];
                    G[a * size + e] = c * x - s * y;
                    G[b * size + e] = s * x + c * y;
                    const double v = V[a * size + e], u = V[b * size + e];
                    V[a * size + e] = c * v - s * u;
                    V[b * size + e] = s * v + c * u;
                }
                for (int64_t e = 0; e < size; ++e) {  // columns a and b of G
                    const double x = G[e * size + a], y = G[e * size + b];
                    G[e * size + a] = c * x - s * y;
                    G[e * size + b] = s * x + c * y;
                }
            }
    }
    return std::sqrt(off);
}

// Solves A z = 1 for a positive definite A of m rows, by elimination.
void solve_ones(double* A, double* z, int m) {
    std::fill(z, z + m, 1.0);
    for (int a = 0; a < m; ++a)
        for (int b = a + 1; b < m; ++b) {
            const double f = A[b * m + a] / A[a * m + a];
            for (int e = a; e < m; ++e) A[b * m + e] -= f * A[a * m + e];
            z[b] -= f * z[a];
        }
    for (int a = m - 1; a >= 0; --a) {
        for (int e = a + 1; e < m; ++e) z[a] -= A[a * m + e] * z[e];
        z[a] /= A[a * m + a];
    }
}

}  // namespace

// Keeps the bases if slack remains small under the present curvatures, without being much too
// large for most rows.
void Descent::keep_bases() {
    slack_ = 1;
    double kept = 0;
    for (double h : reference_) kept += h;
    bool near = reference_.size() == H_.size() && total_curvature_ > 0.7 * kept;
    for (size_t i = 0; near && i < H_.size(); ++i) {
        if (H_[i] > slack_ * reference_[i]) slack_ = H_[i] / reference_[i];
        near = slack_ < 1.3;
    }
    for (size_t e = 0; near && e < with_ridge_.size(); ++e) near = with_ridge_[e] == ridge_[e];
    if (near && !with_ridge_.empty()) return;
    slack_ = 1;
    reference_.assign(H_.begin(), H_.end());
    with_ridge_.assign(ridge_.data, ridge_.data + (ridge_.same ? 1 : blocks_.n));
    basis_at_.assign(blocks_.size(), -1);
    bases_.clear();
}

// V by rows and the eigenvalues of a block, the largest of them last but not in order otherwise,
// none below 1e-10 of the largest, and what Jacobi's rotations left added to all.
const double* Descent::basis(int64_t g, int64_t size) {
    if (basis_at_[g] >= 0) return &bases_[basis_at_[g]];
    const int64_t* coordinates = &blocks_.index[blocks_.ptr[g]];
    basis_at_[g] = static_cast<int64_t>(bases_.size());
    bases_.resize(bases_.size() + size * size + size);
    double *V = &bases_[basis_at_[g]], *a = V + size * size;
    std::vector<double> gram(size * size);
    scratch_.assign(R_.size(), 0.0);
    for (int64_t e = 0; e < size; ++e) {
        X_.column_add(coordinates[e], 1.0, reference_.data(), scratch_.data());
        for (int64_t f = 0; f <= e; ++f)
            gram[e * size + f] = gram[f * size + e] =
                X_.column_dot(coordinates[f], scratch_.data());
        if (X_.is_dense())
            std::fill(scratch_.begin(), scratch_.end(), 0.0);
        else
            X_.column(coordinates[e], [&](int64_t i, double) { scratch_[i] = 0; });
        gram[e * size + e] += ridge_[coordinates[e]];
    }
    const double off = diagonalize(gram.data(), V, size);
    int64_t top = 0;
    for (int64_t e = 0; e < size; ++e) {
        a[e] = std::max(gram[e * size + e], 0.0) + off;
        if (a[e] > a[top]) top = e;
    }
    std::swap(a[top], a[size - 1]);
    if (top != size - 1)
        std::swap_ranges(V + top * size, V + (top + 1) * size, V + (size - 1) * size);
    for (int64_t e = 0; e < size; ++e) a[e] = std::max(a[e], 1e-10 * a[size - 1]);
    return V;
}

// Keeps weights, intercept and residuals of an iterate: (moving weights, intercept, R).
void Descent::remember_point() {
    std::vector<double>& point = path_.emplace_back();
    point.reserve(moving_weights_.size() + 1 + R_.size());
    for (int64_t c : moving_weights_) point.push_back(w_[c]);
    point.push_back(has_intercept_ ? b_[0] : 0);
    point.insert(point.end(), R_.begin(), R_.end());
}

// loss model + penalty at the present weights and residuals: with D = (R - r) / H,
// r'D + D'H D / 2 + penalty. Infinite where weights must not be negative but are.
double Descent::model_value() const {
    double total = penalty();
    for (size_t i = 0; i < R_.size(); ++i)
        if (H_[i] > 0) total += (R_[i] - r_[i]) / H_[i] * 0.5 * (R_[i] + r_[i]);
    if (positive_)
        for (int64_t c : moving_weights_)
            if (w_[c] < 0) return INFINITY;
    return total;
}

void Descent::take_point(const std::vector<double>& point) {
    const size_t m = moving_weights_.size();
    for (size_t a = 0; a < m; ++a) w_[moving_weights_[a]] = point[a];
    if (has_intercept_) b_[0] = point[m];
    std::copy(point.begin() + m + 1, point.end(), R_.begin());
}

// The combination sum_k c_k x_(k+1), sum_k c_k = 1, that makes sum_k c_k (x_(k+1) - x_k) least,
// c = z / sum z with U'U z = 1; taken where it lowers the model.
void Descent::extrapolate() {
    constexpr int m = EXTRAPOLATED;
    double A[m * m], z[m], trace = 0, total = 0;
    const size_t length = moving_weights_.size() + 1;
    for (int a = 0; a < m; ++a)
        for (int b = 0; b <= a; ++b) {
            double sum = 0;
            for (size_t e = 0; e < length; ++e)
                sum += (path_[a + 1][e] - path_[a][e]) * (path_[b + 1][e] - path_[b][e]);
            A[a * m + b] = A[b * m + a] = sum;
            if (a == b) trace += sum;
        }
    if (!(trace > 0)) return;
    for (int a = 0; a < m; ++a) A[a * m + a] += 1e-12 * trace;
    solve_ones(A, z, m);
    for (double v : z) total += v;
    if (!(std::abs(total) > 0) || !std::isfinite(total)) return;
    std::vector<double> mixed(path_[0].size(), 0.0);
    for (int a = 0; a < m; ++a) {
        const double c = z[a] / total;
        for (size_t e = 0; e < mixed.size(); ++e) mixed[e] += c * path_[a + 1][e];
    }
    const double before = model_value();
    take_point(mixed);
    if (!(model_value() < before)) take_point(path_[m]);
}

}  // namespace laconic::numeric
