// Tables of n-grams as contexts and pairs: every context that the n-grams need, and every pair that
// the contexts need.
#include "lm/ngrams.hpp"

#include <algorithm>

#include "lm/automaton.hpp"

namespace laconic::lm {

namespace {

// Contexts as a trie: a child of a context has one older word more.
class ContextTrie {
  public:
    ContextTrie() : parents{-1}, words{-1} {}

    // The context with one older word, made if it is not there.
    uint32_t child(uint32_t node, int32_t word) {
        if (const auto* found = children_.find(node, static_cast<uint32_t>(word)))
            return found->next;
        const uint32_t made = size();
        children_.insert({node, static_cast<uint32_t>(word), 0, made});
        parents.push_back(static_cast<int32_t>(node));
        words.push_back(word);
        return made;
    }
    uint32_t size() const { return static_cast<uint32_t>(parents.size()); }
    uint32_t parent(uint32_t node) const { return static_cast<uint32_t>(parents[node]); }

    std::vector<int32_t> parents, words;  // of contexts; -1 for the empty one

  private:
    PairTable children_;
};

// The context of words, oldest first, made with all its suffixes if it is not there. n-grams come
// in some order: what the last ones shared need not be looked up again.
class Path {
  public:
    uint32_t follow(ContextTrie& trie, const int32_t* its_words, int64_t n) {
        size_t known = 0;
        while (known < words_.size() && static_cast<int64_t>(known) < n &&
               words_[known] == its_words[n - 1 - known])
            ++known;
        words_.resize(known);
        nodes_.resize(known);
        for (int64_t t = n - static_cast<int64_t>(known); t-- > 0;) {
            nodes_.push_back(trie.child(nodes_.empty() ? 0 : nodes_.back(), its_words[t]));
            words_.push_back(its_words[t]);
        }
        return nodes_.empty() ? 0 : nodes_.back();
    }

  private:
    std::vector<int32_t> words_;  // newest first
    std::vector<uint32_t> nodes_;
};

// n-grams of all orders with the contexts and pairs that they need.
class Ngrams {
  public:
    Ngrams(const int32_t* words, const int64_t* n_rows, int64_t order, int64_t n_all)
        : words_(words), n_rows_(n_rows), order_(order), row_context(n_all, 0), pairs_(n_all) {}

    // Calls body(row, its words, their number) for all n-grams.
    template <class Body>
    void each_row(Body body) const {
        int64_t row = 0;
        const int32_t* at = words_;
        for (int64_t k = 1; k <= order_; ++k)
            for (int64_t i = 0; i < n_rows_[k - 1]; ++i, ++row, at += k) body(row, at, k);
    }
    // All n-grams as pairs, and those that are needed as contexts.
    void add_rows(const uint8_t* needed) {
        Path before, whole;
        each_row([&](int64_t row, const int32_t* at, int64_t k) {
            const uint32_t context = row_context[row] = before.follow(trie, at, k - 1),
                           word = static_cast<uint32_t>(at[k - 1]);
            if (pairs_.find(context, word))
                twice = row;
            else
                pairs_.insert({context, word, 0, static_cast<uint32_t>(row)});
            if (needed[row] && k < order_) whole.follow(trie, at, k);
        });
    }
    // What is missing: a context without its newest word, the pair that a context is, and the same
    // pair after every suffix.
    void close() {
        std::vector<uint32_t> prefix = {0}, newest = {0};
        for (uint32_t c = 1; c < trie.size(); ++c) {  // grows on the way
            const uint32_t parent = trie.parent(c);
            prefix.push_back(parent == 0 ? 0 : trie.child(prefix[parent], trie.words[c]));
            newest.push_back(parent == 0 ? static_cast<uint32_t>(trie.words[c]) : newest[parent]);
            borrow(prefix[c], newest[c]);
        }
        context_row.assign(1, -1);
        for (uint32_t c = 1; c < trie.size(); ++c) {
            const uint32_t row = pairs_.find(prefix[c], newest[c])->next;
            context_row.push_back(row == PairTable::kNone ? -1 : int64_t{row});
        }
        each_row([&](int64_t row, const int32_t* at, int64_t k) {
            if (k > 2) borrow(trie.parent(row_context[row]), static_cast<uint32_t>(at[k - 1]));
        });
        for (Borrowed& pair : borrowed_) {
            uint32_t context = pair.context;
            do pair.row = pairs_.find(context = trie.parent(context), pair.word)->next;
            while (pair.row == PairTable::kNone);
        }
    }
    // Pairs by contexts and targets.
    void sort() {
        ptr.assign(trie.size() + 1, 0);
        for (const uint32_t context : row_context) ++ptr[context + 1];
        for (const Borrowed& pair : borrowed_) ++ptr[pair.context + 1];
        for (uint32_t c = 0; c < trie.size(); ++c) ptr[c + 1] += ptr[c];
        // Target and n-gram; -1 - n-gram if it is borrowed.
        std::vector<std::pair<int32_t, int64_t>> sorted(ptr.back());
        std::vector<int64_t> free(ptr.begin(), ptr.end() - 1);
        each_row([&](int64_t row, const int32_t* at, int64_t k) {
            sorted[free[row_context[row]]++] = {at[k - 1], row};
        });
        for (const Borrowed& pair : borrowed_)
            sorted[free[pair.context]++] = {static_cast<int32_t>(pair.word),
                                            -1 - int64_t{pair.row}};
        for (uint32_t c = 1; c < trie.size(); ++c)
            std::sort(sorted.begin() + ptr[c], sorted.begin() + ptr[c + 1]);
        for (const auto& [its_target, row] : sorted) {
            target.push_back(its_target);
            source.push_back(row < 0 ? -1 - row : row);
            borrowed.push_back(row < 0);
        }
    }

  private:
    struct Borrowed {
        uint32_t context, word, row;
    };
    void borrow(uint32_t context, uint32_t word) {
        for (; !pairs_.find(context, word);
             context = trie.parent(context)) {  // the empty context has all words
            pairs_.insert({context, word, 0, PairTable::kNone});
            borrowed_.push_back({context, word, 0});
        }
    }

    const int32_t* words_;
    const int64_t* n_rows_;
    int64_t order_;

  public:
    ContextTrie trie;
    std::vector<uint32_t> row_context;
    std::vector<int64_t> ptr, source, context_row;
    std::vector<int32_t> target;
    std::vector<uint8_t> borrowed;
    int64_t twice = -1;

  private:
    PairTable pairs_;  // `next` is the n-gram, kNone if the pair is borrowed
    std::vector<Borrowed> borrowed_;
};

}  // namespace

NgramContexts contexts_of_ngrams(Vec<int32_t> words, Vec<int64_t> n_rows, Vec<uint8_t> needed) {
    const int64_t order = static_cast<int64_t>(n_rows.size());
    require(order >= 1 && n_rows.data()[0] >= 1, "there must be a 1-gram");
    int64_t n_all = 0, n_flat = 0;
    for (int64_t k = 0; k < order; ++k) {
        const int64_t n = n_rows.data()[k];
        require(n >= 0 && n <= static_cast<int64_t>(words.size()) / (k + 1),
                "n_rows holds an impossible number");
        n_all += n;
        n_flat += n * (k + 1);
    }
    require(n_flat == static_cast<int64_t>(words.size()),
            "words must have the words of all n-grams");
    require(static_cast<int64_t>(needed.size()) == n_all, "needed must have one entry per n-gram");
    require(n_all < static_cast<int64_t>(PairTable::kNone / 2),
            "there are too many n-grams for one model");
    check_range(words, 0, n_rows.data()[0], "words");
    for (int64_t v = 0; v < n_rows.data()[0]; ++v)
        require(words.data()[v] == v, "the 1-grams must be the words 0, 1, ..");
    Ngrams found(words.data(), n_rows.data(), order, n_all);
    {
        nb::gil_scoped_release release;
        found.add_rows(needed.data());
        found.close();
        found.sort();
    }
    return std::make_tuple(to_numpy(std::move(found.trie.parents)),
                           to_numpy(std::move(found.trie.words)), to_numpy(std::move(found.ptr)),
                           to_numpy(std::move(found.target)), to_numpy(std::move(found.source)),
                           to_numpy(std::move(found.borrowed)),
                           to_numpy(std::move(found.row_context)),
                           to_numpy(std::move(found.context_row)), found.twice);
}

}  // namespace laconic::lm
