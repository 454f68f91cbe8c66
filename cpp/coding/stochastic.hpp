// Stochastic proximal steps for codes and dictionary (Yogatama 2015, Algorithm 1), entry by entry
// of a sparse matrix. For entry x of word v and context c, with error e = x - <a_v, d_c>:
//
//     d_c <- d_c / (1 + eta_c ridge) + eta_c weight e a_v
//     a_v <- a_v + eta_v weight e d_c               both from the values before
//     a_v <- prox(a_v, eta_v strength Omega)        after a run of entries of the word
//
// with e / (1 + weight (eta_v |d_c|^2 + eta_c |a_v|^2)) for e, to first order the error after the
// step: no weight makes a step overshoot.
//
// Contexts lie in parts, words are dealt to as many; in a round thread t has words and contexts of
// its own, so that no row of the codes or of the dictionary is shared (a Latin square of rounds
// meets all pairs), and what is computed does not depend on how many threads there are. A visit is
// a run of entries of one word, after which its code takes one proximal step.
#pragma once
#include <algorithm>
#include <cmath>

#include "coding/trees.hpp"
#include "coding/visits.hpp"

namespace laconic::coding {

// Numbers from 0 to 1 from a seed and a place, by SplitMix64.
class Draws {
  public:
    explicit Draws(uint64_t seed) : state_(seed) {}
    float next() { return static_cast<float>(step() >> 40) * 0x1p-24f; }
    uint64_t step() {
        uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31);
    }

  private:
    uint64_t state_;
};

enum class Weighting { uniform = 0, scaled = 1, sampled = 2 };

struct StochasticRule {
    // Entries count 1; |x| / mean; or are met as often as that.
    Weighting weighting = Weighting::uniform;
    float mean = 1;
    float rate = 0.05f;  // of steps
    // Divided by the root of the mean square of all gradients of the row so far.
    bool adaptive = true;
    float strength = 0, ridge = 0;
    bool positive = false;
    // Zeros that are drawn for a stored entry, and for a word's part of the contexts.
    float negatives = 0, at_least = 0;
    float negative_weight = 1;
    int run = 16;  // entries of a visit at most
    uint64_t seed = 0;
};

// Codes and dictionary under way, rows of `stride` floats, and the sums of squares of the gradients
// of every row.
struct StochasticState {
    MutVec<float> codes, table, code_squares, context_squares;
    int stride = 8;
};

// The entries of words by parts of contexts: those of word v in part k are cut[v * parts + k] to
// cut[v * parts + k + 1] (or the next word's first).
class Stochastic {
  public:
    Stochastic(const CodeTrees& trees, Vec<int64_t> cut, Vec<int32_t> index, Vec<float> value,
               Vec<int64_t> context_ptr)
        : trees_(trees),
          cut_(cut.data(), cut.data() + cut.size()),
          index_(index.data(), index.data() + index.size()),
          value_(value.data(), value.data() + value.size()),
          context_ptr_(context_ptr.data(), context_ptr.data() + context_ptr.size()),
          parts_(static_cast<int64_t>(context_ptr.size()) - 1) {
        require(parts_ >= 1 && (cut.size() - 1) % parts_ == 0 && cut.size() > 1,
                "cut must have one entry per word and part");
        require(index.size() == value.size(), "index and value must have the same length");
        check_ptr(cut, static_cast<int64_t>(index.size()), "cut");
        n_words_ = (static_cast<int64_t>(cut.size()) - 1) / parts_;
        n_contexts_ = context_ptr_.back();
        check_ptr(context_ptr, n_contexts_, "context_ptr");
        times_.assign(n_contexts_, 0);
        for (int64_t v = 0; v < n_words_; ++v)
            for (int64_t k = 0; k < parts_; ++k)
                for (int64_t e = cut_[v * parts_ + k]; e < cut_[v * parts_ + k + 1]; ++e) {
                    require(index_[e] >= context_ptr_[k] && index_[e] < context_ptr_[k + 1],
                            "contexts must lie in their part");
                    ++times_[index_[e]];
                }
    }

    // One round: words part t (words[word_ptr[t]] ...) with contexts part (t + round) % parts.
    // Gives the sum of weight (x - <a, d>)^2 / 2 as met, before the steps.
    double round(int64_t round, const StochasticRule& rule, Vec<int64_t> words,
                 Vec<int64_t> word_ptr, const StochasticState& state, int threads) {
        const auto& [codes, table, code_squares, context_squares, stride] = state;
        require(static_cast<int64_t>(word_ptr.size()) == parts_ + 1,
                "word_ptr must have one entry per part");
        check_ptr(word_ptr, static_cast<int64_t>(words.size()), "word_ptr");
        check_range(words, 0, n_words_, "words");
        require(
            rows_of(codes.size(), stride, "codes must have rows of stride entries") == n_words_ &&
                rows_of(table.size(), stride, "table must have rows of stride entries") ==
                    n_contexts_ &&
                stride >= trees_.n_dimensions() &&
                static_cast<int64_t>(code_squares.size()) == n_words_ &&
                static_cast<int64_t>(context_squares.size()) == n_contexts_,
            "codes and table must have rows of all words and contexts");
        std::vector<char> dealt(n_words_, 0);
        for (size_t i = 0; i < words.size(); ++i) {
            require(!dealt[words.data()[i]], "a word must be dealt once");
            dealt[words.data()[i]] = 1;
        }
        require(rule.run >= 1 && rule.mean > 0 && rule.rate > 0,
                "run, mean and rate must be positive");
        std::vector<double> loss(parts_, 0.0);
        nb::gil_scoped_release release;
        parallel_ranges(parts_, threads, 1, [&](int64_t begin, int64_t end, int) {
            for (int64_t t = begin; t < end; ++t) {
                Tile tile{*this, rule, state};
                loss[t] = tile.meet(
                    words.data() + word_ptr.data()[t], word_ptr.data()[t + 1] - word_ptr.data()[t],
                    (t + round) % parts_, rule.seed + 1000003ULL * (round * parts_ + t));
            }
        });
        double total = 0;
        for (double part : loss) total += part;
        return total;
    }

  private:
    struct Tile {
        const Stochastic& all;
        const StochasticRule& rule;
        float *codes, *table, *code_squares, *context_squares;
        int stride;
        Tile(const Stochastic& all, const StochasticRule& rule, const StochasticState& state)
            : all(all),
              rule(rule),
              codes(state.codes.data()),
              table(state.table.data()),
              code_squares(state.code_squares.data()),
              context_squares(state.context_squares.data()),
              stride(state.stride) {}
        const VisitSteps& steps = visit_steps();
        std::vector<float> scratch{};

        // All entries of some words in a part of the contexts, and zeros between them.
        double meet(const int64_t* words, int64_t n, int64_t part, uint64_t seed) {
            scratch.resize(4 * all.trees_.largest);
            Draws draws(seed);
            double loss = 0;
            for (int64_t i = 0; i < n; ++i) {
                const int64_t v = words[i], first = all.cut_[v * all.parts_ + part],
                              last = all.cut_[v * all.parts_ + part + 1];
                const int64_t entries = all.cut_[(v + 1) * all.parts_] - all.cut_[v * all.parts_];
                float* code = codes + v * stride;
                const float stored = static_cast<float>(last - first),
                            zeros = rule.negatives * stored + rule.at_least;
                float pending = draws.next();  // zeros that are still to be drawn
                for (int64_t begin = first; begin < last; begin += rule.run) {
                    const int64_t end = std::min<int64_t>(last, begin + rule.run);
                    for (int64_t e = begin; e < end; ++e) {
                        if (e + 4 < last)
                            __builtin_prefetch(table + int64_t{all.index_[e + 4]} * stride);
                        const float x = all.value_[e], size = std::abs(x) / rule.mean;
                        int times = 1;
                        float weight = 1;
                        if (rule.weighting == Weighting::scaled) weight = size;
                        if (rule.weighting == Weighting::sampled)
                            times = static_cast<int>(size + draws.next());
                        for (; times > 0; --times) loss += step(v, all.index_[e], code, x, weight);
                        for (pending += zeros / stored; pending >= 1; --pending)
                            loss += zero(v, code, part, first, last, draws);
                    }
                    prox(code, rate(code_squares[v]) * rule.strength *
                                   static_cast<float>(end - begin) / static_cast<float>(entries));
                }
                if (first == last)
                    for (pending += zeros; pending >= 1; --pending)
                        loss += zero(v, code, part, first, last, draws);
            }
            return loss;
        }

        float rate(float squares) const {
            return rule.adaptive ? rule.rate / std::sqrt(1e-6f + squares) : rule.rate;
        }

        // One entry: a step along the gradients of weight (x - <a, d>)^2 / 2, shortened as the
        // error at its end asks (an implicit step), so that no weight makes it overshoot.
        double step(int64_t v, int64_t c, float* code, float x, float weight) {
            float* context = table + c * stride;
            const VisitSums sums = steps.sums(code, context, stride);
            const float error = x - sums.product, slope = -weight * error;
            const float square = slope * slope / static_cast<float>(all.trees_.n_dimensions());
            code_squares[v] += square * sums.context;
            context_squares[c] += square * sums.code;
            const float on_code = rate(code_squares[v]), on_context = rate(context_squares[c]);
            const float by =
                slope / (1 + weight * (on_code * sums.context + on_context * sums.code));
            const float keep = 1 / (1 + on_context * all.ridge_share(c) * rule.ridge);
            steps.move(code, context, stride, -on_code * by, keep, -on_context * by);
            return 0.5 * weight * error * error;
        }

        // One context of the part that the word has no entry for.
        double zero(int64_t v, float* code, int64_t part, int64_t first, int64_t last,
                    Draws& draws) {
            const int64_t low = all.context_ptr_[part], count = all.context_ptr_[part + 1] - low;
            if (last - first == count) return 0;
            const int32_t *from = all.index_.data() + first, *to = all.index_.data() + last;
            int32_t c;
            do
                c = static_cast<int32_t>(
                    low + static_cast<int64_t>(draws.step() % static_cast<uint64_t>(count)));
            while (std::binary_search(from, to, c));
            return step(v, c, code, 0, rule.negative_weight);
        }

        void prox(float* code, float scale) {
            const CodeTrees& trees = all.trees_;
            float *in = scratch.data(), *out = in + trees.largest, *below = out + trees.largest,
                  *factor = below + trees.largest;
            if (scale <= 0 && !rule.positive) return;
            for (int32_t t = 0; t < trees.n_trees(); ++t) {
                const int32_t first = trees.ptr[t], n = trees.ptr[t + 1] - first;
                for (int32_t g = 0; g < n; ++g) in[g] = code[trees.dimension[first + g]];
                tree_prox(in, n, trees.parent.data() + first, trees.weight.data() + first, scale,
                          rule.positive, out, below, factor);
                for (int32_t g = 0; g < n; ++g) code[trees.dimension[first + g]] = out[g];
            }
        }
    };

    // Of the ridge of a context, what falls to one of its entries.
    float ridge_share(int64_t c) const {
        return 1 / static_cast<float>(std::max<int64_t>(1, times_[c]));
    }

    CodeTrees trees_;
    std::vector<int64_t> cut_;
    std::vector<int32_t> index_;
    std::vector<float> value_;
    std::vector<int64_t> context_ptr_, times_;
    int64_t parts_, n_words_, n_contexts_;
};

// For every word: the sum of weight (x - <a, d>)^2 over its entries, and that of <a, d>^2.
inline std::tuple<Array<double>, Array<double>> entry_errors(const SparseRows& rows,
                                                             Vec<float> codes, Vec<float> table,
                                                             int stride, float mean, int threads) {
    const Vec<int64_t>& ptr = rows.ptr;
    const Vec<int32_t>& index = rows.index;
    const Vec<float>& value = rows.value;
    check_ptr(ptr, static_cast<int64_t>(index.size()), "ptr");
    const int64_t n_words = rows_of(codes.size(), stride, "codes must have rows of stride entries");
    check_range(index, 0, rows_of(table.size(), stride, "table must have rows of stride entries"),
                "index");
    require(index.size() == value.size() && static_cast<int64_t>(ptr.size()) == n_words + 1,
            "ptr must have one entry per word");
    std::vector<double> errors(n_words), squares(n_words);
    {
        nb::gil_scoped_release release;
        const VisitSteps& steps = visit_steps();
        each_word(n_words, threads, [&] {
            return [&](int64_t v) {
                double error = 0, square = 0;
                for (int64_t e = ptr.data()[v]; e < ptr.data()[v + 1]; ++e) {
                    const float* context = table.data() + int64_t{index.data()[e]} * stride;
                    const double fit =
                                     steps.sums(codes.data() + v * stride, context, stride).product,
                                 x = value.data()[e];
                    error += (mean > 0 ? std::abs(x) / mean : 1) * (x - fit) * (x - fit);
                    square += fit * fit;
                }
                errors[v] = error;
                squares[v] = square;
            };
        });
    }
    return {to_numpy(std::move(errors)), to_numpy(std::move(squares))};
}

}  // namespace laconic::coding
