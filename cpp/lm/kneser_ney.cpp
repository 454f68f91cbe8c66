#include "lm/kneser_ney.hpp"

namespace laconic::lm {

LineFile::LineFile(const std::string& name) : file_(std::fopen(name.c_str(), "wb")) {
    if (!file_) throw std::runtime_error("the file " + name + " cannot be made");
}

LineFile::~LineFile() {
    if (file_) std::fclose(file_);
}

void LineFile::flush() {
    if (std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size())
        throw std::runtime_error("a temporary file cannot be written: is the disk full?");
    buffer_.clear();
}

void LineFile::close() {
    flush();
    const bool closed = std::fclose(file_) == 0;
    file_ = nullptr;
    if (!closed) throw std::runtime_error("a temporary file cannot be written: is the disk full?");
}

// Seven decimals, as many as single precision has.
void LineFile::number(double value) {
    constexpr int kDecimals = 7;
    constexpr int64_t kOne = 10'000'000;
    const int64_t digits = std::llround(std::abs(value) * kOne);
    char text[32];
    char *const end = text + sizeof text, *at = end;
    int64_t left = digits;
    for (int k = 0; left > 0 || k <= kDecimals; ++k, left /= 10) {
        if (k == kDecimals) *--at = '.';
        *--at = static_cast<char>('0' + left % 10);
    }
    if (value < 0 && digits > 0) *--at = '-';
    buffer_.append(at, end - at);
}

void LineFile::add(double log10_prob, std::string_view words, std::string_view last,
                   double log10_weight) {
    number(log10_prob);
    buffer_ += '\t';
    buffer_.append(words).append(last);
    if (log10_weight != 0) {
        buffer_ += '\t';
        number(log10_weight);
    }
    buffer_ += '\n';
    if (buffer_.size() > 1 << 18) flush();
}

KneserNey::KneserNey(const TokenText& text, int order, int64_t memory, const std::string& folder)
    : order_(order),
      n_words_(text.n_words),
      blocks_(text, order, memory, folder),
      root_(text.n_words, 0),
      counts_(order * kCounts, 0),
      n_contexts_(order, 0),
      n_pairs_(order, 0) {
    if (order == 1)
        for (int64_t t = 0; t < text.sentences[text.n_sentences]; ++t) ++root_[text.tokens[t]];
    blocks_.each([&](int32_t, const Block& block) {
        for (int64_t c = 0; c < block.size(); ++c) {
            const int depth = block.depth[c];
            ++n_contexts_[depth];
            n_pairs_[depth] += block.ptr[c + 1] - block.ptr[c];
            for (int64_t p = block.ptr[c]; p < block.ptr[c + 1]; ++p)
                count(depth, block.adjusted[p]);
        }
        for (int64_t p = 0; p < block.ptr[1]; ++p) ++root_[block.target[p]];
    });
    n_contexts_[0] = 1;
    n_pairs_[0] = n_words_;
    for (const int32_t adjusted : root_) count(0, adjusted);
}

// Discounts of one order, by adjusted counts.
static double discount(const double* of_order, int32_t adjusted) {
    return adjusted == 0 ? 0 : of_order[std::min(adjusted, 3) - 1];
}

void KneserNey::evaluate_root(const double* discounts) {
    double total = 0, taken = 0;
    for (const int32_t a : root_) {
        total += a;
        taken += discount(discounts, a);
    }
    root_prob_.resize(n_words_);
    for (int32_t v = 0; v < n_words_; ++v)
        root_prob_[v] =
            (root_[v] - discount(discounts, root_[v])) / total + taken / total / n_words_;
}

void KneserNey::evaluate(const Block& block, const double* discounts) {
    prob_.resize(block.target.size());
    gamma_.resize(block.size());
    for (int64_t c = 0; c < block.size(); ++c) {
        const double* its = discounts + 3 * block.depth[c];
        double total = 0, taken = 0;
        for (int64_t p = block.ptr[c]; p < block.ptr[c + 1]; ++p) {
            total += block.adjusted[p];
            taken += discount(its, block.adjusted[p]);
        }
        gamma_[c] = taken / total;
        // p(v | c) = (a - D) / a(c .) + gamma(c) p(v | parent)
        for (int64_t p = block.ptr[c]; p < block.ptr[c + 1]; ++p) {
            const int32_t a = block.adjusted[p];
            const double lower = c == 0 ? root_prob_[block.target[p]] : prob_[block.shorter[p]];
            prob_[p] = (a - discount(its, a)) / total + gamma_[c] * lower;
        }
    }
}

void KneserNey::model(const double* discounts, const Model& out) {
    evaluate_root(discounts);
    out.parent[0] = out.word[0] = -1;
    out.base[0] = 0;
    out.ptr[0] = 0;
    for (int32_t v = 0; v < n_words_; ++v) {
        out.target[v] = v;
        out.gain[v] = std::log(std::max(root_prob_[v], kLeast));
    }
    int64_t n_contexts = 1, n_pairs = out.ptr[1] = n_words_;
    blocks_.each([&](int32_t, const Block& block) {
        evaluate(block, discounts);
        for (int64_t c = 0; c < block.size(); ++c) {
            const int64_t g = n_contexts + c,
                          up = block.parent[c] < 0 ? 0 : n_contexts + block.parent[c];
            out.parent[g] = static_cast<int32_t>(up);
            out.word[g] = block.word[c];
            out.base[g] = out.base[up] + std::log(std::max(gamma_[c], kLeast));
            out.ptr[g + 1] = n_pairs + block.ptr[c + 1];
            for (int64_t p = block.ptr[c]; p < block.ptr[c + 1]; ++p) {
                out.target[n_pairs + p] = block.target[p];
                out.gain[n_pairs + p] = std::log(std::max(prob_[p], kLeast)) - out.base[g];
            }
        }
        n_contexts += block.size();
        n_pairs += static_cast<int64_t>(block.target.size());
    });
}

void KneserNey::weights(const double* discounts, float* out) {
    evaluate_root(discounts);
    std::vector<int64_t> free(order_, 0);
    for (int depth = 2; depth < order_; ++depth)
        free[depth] = free[depth - 1] + n_contexts_[depth - 1];
    first_.assign(order_, std::vector<int64_t>(n_words_ + 1, 0));
    blocks_.each([&](int32_t newest, const Block& block) {
        for (int depth = 1; depth < order_; ++depth) first_[depth][newest] = free[depth];
        evaluate(block, discounts);
        for (int64_t c = 0; c < block.size(); ++c)
            out[free[block.depth[c]]++] =
                static_cast<float>(std::log10(std::max(gamma_[c], kLeast)));
    });
}

void KneserNey::write_lines(const double* discounts, const float* weights, int32_t end,
                            const Spellings& words, const std::vector<std::string>& names) {
    evaluate_root(discounts);
    std::vector<LineFile> files;
    for (const auto& name : names) files.emplace_back(name);
    // Contexts of one depth that end with v come in the order of the pairs (context, v) that they
    // are: next[depth][v] is the place of the one that comes next.
    auto next = std::move(first_);
    const auto weight = [&](int depth, int32_t v) {
        return depth == order_ || v == end ? 0.0 : double{weights[next[depth][v]++]};
    };
    const auto log10 = [](double p) { return std::log10(std::max(p, kLeast)); };
    std::vector<uint8_t> seen(n_words_, 0);
    for (int32_t v = 0; v < n_words_; ++v)
        files[0].add(log10(root_prob_[v]), {}, words[v],
                     order_ == 1 || v == end || root_[v] == 0 ? 0.0 : weight(1, v));
    std::vector<std::string> spelled;
    blocks_.each([&](int32_t newest, const Block& block) {
        evaluate(block, discounts);
        if (newest == n_words_)  // the start of sentences
            files[0].add(-99, {}, "<s>", log10(gamma_[0]));
        spelled.resize(block.size());
        for (int64_t c = 0; c < block.size(); ++c) {
            const int32_t word = block.word[c];
            spelled[c].assign(word == n_words_ ? std::string_view("<s>") : words[word]);
            spelled[c] += ' ';
            if (c > 0) spelled[c] += spelled[block.parent[c]];
            const int depth = block.depth[c];
            for (int64_t p = block.ptr[c]; p < block.ptr[c + 1]; ++p)
                files[depth].add(log10(prob_[p]), spelled[c], words[block.target[p]],
                                 weight(depth + 1, block.target[p]));
        }
    });
    for (LineFile& file : files) file.close();
}

}  // namespace laconic::lm
