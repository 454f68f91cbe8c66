// Best paths, k best paths and marginals of all sentences of a batch: arrays are checked, rows
// copied to strides of whole vectors, and sentences shared among threads. The algorithms are in
// inference.hpp, k_best.hpp and tables.hpp.
#include "chain/batches.hpp"

#include "chain/inference.hpp"
#include "chain/k_best.hpp"
#include "chain/tables.hpp"
#include "door/checks.hpp"
#include "door/threads.hpp"

namespace laconic::chain {

namespace {

// Scores (n_tokens, L), one edge table (L, L) or a table into every token (n_tokens, L, L), and
// starts (L,), checked, with rows copied to strides as sentences are asked for.
class Batch {
  public:
    Batch(const Vec<double>& scores, const Vec<int64_t>& ptr, const Vec<double>& edge,
          const Vec<double>& start)
        : n_labels(static_cast<int>(start.size())),
          stride(lane_stride(n_labels)),
          scores_(scores.data()),
          ptr_(ptr.data()) {
        require(start.size() >= 1 && start.size() < 32768, "there must be from 1 to 32767 labels");
        require(ptr.size() >= 1, "ptr must have at least one entry");
        require(scores.size() % start.size() == 0, "scores must have n_tokens * n_labels entries");
        n_sentences = static_cast<int64_t>(ptr.size()) - 1;
        n_tokens = static_cast<int64_t>(scores.size() / start.size());
        check_ptr(ptr, n_tokens, "ptr");
        const size_t one = start.size() * start.size();
        moving = edge.size() != one;
        require(!moving || edge.size() == one * static_cast<size_t>(n_tokens),
                "edge must have n_labels * n_labels entries, or as many per token");
        for (const auto* part : {&scores, &edge, &start})
            for (size_t i = 0; i < part->size(); ++i)
                require(part->data()[i] < -chain::forbidden, "scores must be finite or -infinity");
        edges_ = edge.data();
        if (!moving) edge_ = pad(edges_, n_labels);
        start_.assign(start.data(), start.data() + n_labels);
    }
    int64_t begin(int64_t s) const { return ptr_[s]; }
    int64_t length(int64_t s) const { return ptr_[s + 1] - ptr_[s]; }
    std::vector<double> sentence(int64_t s) const {
        return pad(scores_ + ptr_[s] * n_labels, length(s));
    }
    const double* edge() const { return edge_.data(); }
    // The tables of a sentence where every token has its own.
    std::vector<double> edges(int64_t s) const {
        return pad(edges_ + ptr_[s] * n_labels * n_labels, length(s) * n_labels);
    }
    auto edge_at(const std::vector<double>& tables) const {
        const double* first = moving ? tables.data() : edge_.data();
        const int64_t step = moving ? int64_t{n_labels} * stride : 0;
        return [first, step](int64_t t) { return first + t * step; };
    }
    const double* start() const { return start_.data(); }

    // Calls body(sentence) for all sentences, on several threads.
    template <class Body>
    void each(int threads, Body body) const {
        parallel_ranges(n_sentences, threads, 16, [&](int64_t first, int64_t last, int part) {
            for (int64_t s = first; s < last; ++s) body(s, part);
        });
    }

    int n_labels, stride;
    int64_t n_sentences, n_tokens;
    bool moving = false;  // whether tables change from token to token

  private:
    std::vector<double> pad(const double* rows, int64_t n) const {
        std::vector<double> padded(n * stride, 0.0);
        for (int64_t i = 0; i < n; ++i)
            std::copy(rows + i * n_labels, rows + (i + 1) * n_labels, padded.begin() + i * stride);
        return padded;
    }
    const double* scores_;
    const int64_t* ptr_;
    const double* edges_ = nullptr;
    std::vector<double> edge_, start_;
};

}  // namespace

std::tuple<Array<int32_t>, Array<double>> chain_best(Vec<double> scores, Vec<int64_t> ptr,
                                                     Vec<double> edge, Vec<double> start,
                                                     int threads) {
    const Batch batch(scores, ptr, edge, start);
    std::vector<int32_t> path(batch.n_tokens);
    std::vector<double> out(batch.n_sentences);
    {
        nb::gil_scoped_release release;
        std::vector<chain::Scratch<double>> scratch(std::max(1, threads));
        batch.each(threads, [&](int64_t s, int part) {
            const auto tables = batch.moving ? batch.edges(s) : std::vector<double>();
            out[s] = chain::viterbi_at(batch.sentence(s).data(), batch.length(s),
                                       batch.edge_at(tables), batch.start(), batch.n_labels,
                                       batch.stride, scratch[part], path.data() + batch.begin(s));
        });
    }
    return {to_numpy(std::move(path)), to_numpy(std::move(out))};
}

std::tuple<Array<int32_t>, Array<double>, Array<int64_t>> chain_k_best(Vec<double> scores,
                                                                       Vec<int64_t> ptr,
                                                                       Vec<double> edge,
                                                                       Vec<double> start, int64_t k,
                                                                       int threads) {
    const Batch batch(scores, ptr, edge, start);
    require(k >= 1, "k must be at least 1");
    std::vector<int32_t> path(k * batch.n_tokens);
    std::vector<double> out(k * batch.n_sentences);
    std::vector<int64_t> found(batch.n_sentences);
    {
        nb::gil_scoped_release release;
        batch.each(threads, [&](int64_t s, int) {
            const auto tables = batch.moving ? batch.edges(s) : std::vector<double>();
            found[s] =
                chain::k_best_at(batch.sentence(s).data(), batch.length(s), batch.edge_at(tables),
                                 batch.start(), batch.n_labels, batch.stride, k,
                                 path.data() + k * batch.begin(s), out.data() + k * s);
        });
    }
    return {to_numpy(std::move(path)), to_numpy(std::move(out)), to_numpy(std::move(found))};
}

std::tuple<Array<double>, Array<double>, Array<double>> chain_marginals(
    Vec<double> scores, Vec<int64_t> ptr, Vec<double> edge, Vec<double> start, int threads) {
    const Batch batch(scores, ptr, edge, start);
    const int L = batch.n_labels, stride = batch.stride;
    std::vector<double> marginal(scores.size()), out(batch.n_sentences),
        total(static_cast<size_t>(L) * L, 0.0);
    {
        nb::gil_scoped_release release;
        const int parts = std::max(1, threads);
        const std::vector<double> none(static_cast<size_t>(L) * stride, 0.0);
        const chain::Potentials<double> potentials(batch.moving ? none.data() : batch.edge(),
                                                   batch.start(), L, stride);
        std::vector<chain::Scratch<double>> scratch(parts);
        std::vector<std::vector<double>> sums(
            parts, std::vector<double>(static_cast<size_t>(L) * stride, 0.0));
        batch.each(threads, [&](int64_t s, int part) {
            const int64_t n = batch.length(s);
            std::vector<double> rows(n * stride, 0.0);
            double* sum = sums[part].data();
            if (batch.moving) {
                const auto tables = batch.edges(s);
                out[s] = chain::forward_backward_at(
                    batch.sentence(s).data(), n, batch.edge_at(tables), batch.start(), L, stride,
                    scratch[part], rows.data(), [&](int64_t, int i, const double* p) {
                        for (int j = 0; j < L; ++j) sum[i * stride + j] += p[j];
                    });
            } else {
                out[s] = chain::forward_backward(batch.sentence(s).data(), n, potentials,
                                                 scratch[part], rows.data(), sum);
            }
            if (out[s] == chain::forbidden) std::fill(rows.begin(), rows.end(), 0.0);
            for (int64_t t = 0; t < n; ++t)
                std::copy_n(rows.data() + t * stride, L,
                            marginal.data() + (batch.begin(s) + t) * L);
        });
        for (const auto& sum : sums)
            for (int i = 0; i < L; ++i)
                for (int j = 0; j < L; ++j) total[i * L + j] += sum[i * stride + j];
    }
    return {to_numpy(std::move(marginal)), to_numpy(std::move(out)), to_numpy(std::move(total))};
}

}  // namespace laconic::chain
