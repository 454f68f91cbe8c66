// The automaton of a model of contexts: how it is made, and how it scores, completes and samples.
// Look-ups miss the cache; sentences are scored several at a time, so that the misses overlap.
#include "lm/automaton.hpp"

#include "door/checks.hpp"

namespace laconic::lm {

void check_contexts(const ModelArrays& given) {
    const int64_t n_words = given.ptr[1];
    require(given.n_contexts < static_cast<int64_t>(PairTable::kNone / 2),
            "there are too many contexts for one model");
    require(given.parent[0] == -1, "the first context must be the empty one, with parent -1");
    require(n_words >= 1, "the empty context must have a pair for every word");
    for (int64_t v = 0; v < n_words; ++v)
        require(given.target[v] == v, "the empty context must have a pair for every word");
    for (int64_t c = 1; c < given.n_contexts; ++c) {
        require(given.parent[c] >= 0 && given.parent[c] < c,
                "parents must come before their contexts");
        require(given.word[c] >= 0 && given.word[c] <= n_words,
                "the word of a context is not one of the vocabulary");
        require(given.parent[c] == 0 || given.word[given.parent[c]] != n_words,
                "no word comes before the start of a sentence");
        for (int64_t p = given.ptr[c]; p < given.ptr[c + 1]; ++p) {
            require(given.target[p] >= 0 && given.target[p] < n_words,
                    "the target of a pair is not a word of the vocabulary");
            require(p == given.ptr[c] || given.target[p - 1] < given.target[p],
                    "the targets of a context must rise");
        }
    }
}

std::vector<int64_t> pairs_of_contexts(const ModelArrays& given) {
    PairTable children(given.n_contexts);  // (context, older word) -> context
    std::vector<uint32_t> prefix(given.n_contexts, 0), newest(given.n_contexts, 0);
    std::vector<int64_t> pair(given.n_contexts, -1);
    for (int64_t c = 1; c < given.n_contexts; ++c) {
        const uint32_t parent = given.parent[c], word = given.word[c];
        require(!children.find(parent, word), "a context is there twice");
        children.insert({parent, word, 0, static_cast<uint32_t>(c)});
    }
    for (int64_t c = 1; c < given.n_contexts; ++c) {
        const uint32_t parent = given.parent[c];
        // The start of sentences is never predicted.
        if (parent == 0 && given.word[c] == given.ptr[1]) continue;
        newest[c] = parent == 0 ? given.word[c] : newest[parent];
        if (parent != 0) {
            const auto* found = children.find(prefix[parent], given.word[c]);
            if (!found)
                throw std::invalid_argument("context " + std::to_string(c) +
                                            " is there, but not without its newest word");
            prefix[c] = found->next;
        }
        const int32_t *begin = given.target + given.ptr[prefix[c]],
                      *end = given.target + given.ptr[prefix[c] + 1];
        const int32_t* at = std::lower_bound(begin, end, static_cast<int32_t>(newest[c]));
        if (at == end || *at != static_cast<int32_t>(newest[c]))
            throw std::invalid_argument("context " + std::to_string(c) +
                                        " ends with a pair that is not there");
        pair[c] = at - given.target;
    }
    return pair;
}

void Automaton::check_numbers(const ModelArrays& given) {
    // Gains and bases are kept in single precision.
    const auto fits = [](double x) { return std::isfinite(static_cast<float>(x)); };
    for (int64_t p = 0; p < given.n_pairs; ++p)
        require(fits(given.gain[p]), "gains must be finite");
    for (int64_t c = 0; c < given.n_contexts; ++c)
        require(fits(given.base[c]), "bases must be finite");
}

Automaton::Automaton(const ModelArrays& given) {
    check_contexts(given);
    check_numbers(given);
    const int64_t n_words = given.ptr[1];
    // The context made of a pair's context and its word.
    std::vector<uint32_t> longer(given.n_pairs, PairTable::kNone);
    {
        const auto pair = pairs_of_contexts(given);
        for (int64_t c = 1; c < given.n_contexts; ++c)
            (pair[c] < 0 ? start_ : longer[pair[c]]) = static_cast<uint32_t>(c);
    }
    ptr_.assign(given.ptr, given.ptr + given.n_contexts + 1);
    target_.assign(given.target, given.target + given.n_pairs);
    gain_.assign(given.gain, given.gain + given.n_pairs);
    contexts_.resize(given.n_contexts);
    depth_.assign(given.n_contexts, 0);
    contexts_[0] = {0, static_cast<float>(given.base[0])};
    for (int64_t c = 1; c < given.n_contexts; ++c) {
        contexts_[c] = {static_cast<uint32_t>(given.parent[c]), static_cast<float>(given.base[c])};
        require(depth_[given.parent[c]] < UINT16_MAX - 1, "a context has too many words");
        depth_[c] = static_cast<uint16_t>(depth_[given.parent[c]] + 1);
    }
    for (int64_t v = 0; v < n_words; ++v)
        root_next_.push_back(longer[v] == PairTable::kNone ? 0 : longer[v]);
    pairs_ = PairTable(given.n_pairs - n_words);
    for (uint32_t c = 1; c < n_contexts(); ++c)
        for (int64_t p = ptr_[c]; p < ptr_[c + 1]; ++p) {
            uint32_t next = longer[p];
            // The longest context that ends c v is c v itself, or that of a shorter suffix of c.
            if (next == PairTable::kNone) next = step(contexts_[c].parent, target_[p]).next;
            pairs_.insert({c, static_cast<uint32_t>(target_[p]), gain_[p], next});
        }
    by_gain_.assign(target_.begin(), target_.begin() + n_words);
    std::stable_sort(by_gain_.begin(), by_gain_.end(),
                     [&](int32_t a, int32_t b) { return gain_[a] > gain_[b]; });
    for (int64_t v = 0; v < n_words; ++v)
        root_total_ += root_weight_.emplace_back(std::exp(double{gain_[v]}));
}

void Automaton::score(const int32_t* tokens, const int64_t* ptr, int64_t first, int64_t last,
                      uint32_t start, double* log_prob, uint16_t* length) const {
    constexpr size_t kLanes = 16;
    struct Lane {
        int64_t at, end;
        uint32_t state, context;  // context: the suffix of the state that is looked up next
        size_t home;
    };
    std::vector<Lane> lanes;
    int64_t sentence = first;
    const auto look_ahead = [&](Lane& lane, uint32_t context) {
        lane.context = context;
        if (context == 0) return;
        lane.home = pairs_.home(context, tokens[lane.at]);
        pairs_.prefetch(lane.home);
        __builtin_prefetch(&contexts_[context]);
    };
    // Gives a lane the next sentence that has words; false if there is none.
    const auto begin_sentence = [&](Lane& lane) {
        while (sentence < last && ptr[sentence] == ptr[sentence + 1]) ++sentence;
        if (sentence >= last) return false;
        lane = {ptr[sentence], ptr[sentence + 1], start, start, 0};
        ++sentence;
        look_ahead(lane, start);
        return true;
    };
    for (Lane lane; lanes.size() < kLanes && begin_sentence(lane);) lanes.push_back(lane);
    while (!lanes.empty())
        for (size_t l = 0; l < lanes.size();) {
            Lane& lane = lanes[l];
            const uint32_t word = tokens[lane.at];
            Step step;
            if (lane.context == 0) {
                step = {root_next_[word], gain_[word] + double{contexts_[lane.state].base}, 1};
            } else if (const auto* pair = pairs_.find(lane.context, word, lane.home)) {
                step = stepped(lane.state, lane.context, *pair);
            } else {
                look_ahead(lane, contexts_[lane.context].parent);
                ++l;
                continue;
            }
            log_prob[lane.at] = step.log_prob;
            length[lane.at] = static_cast<uint16_t>(step.length);
            lane.state = step.next;
            if (++lane.at < lane.end) {
                look_ahead(lane, step.next);
                ++l;
            } else if (begin_sentence(lane)) {
                ++l;
            } else {
                lane = lanes.back();
                lanes.pop_back();
            }
        }
}

void Automaton::distribution(uint32_t state, double* out) const {
    const double base = contexts_[state].base;
    for (uint32_t v = 0; v < n_words(); ++v) out[v] = gain_[v] + base;
    std::vector<uint8_t> seen(n_words(), 0);
    each_following(state, seen, [&](int32_t word, float gain) { out[word] = gain + base; });
}

void Automaton::best(uint32_t state, size_t k, std::vector<int32_t>& words,
                     std::vector<double>& log_probs) const {
    std::vector<std::pair<float, int32_t>> found;
    std::vector<uint8_t> seen(n_words(), 0);
    each_following(state, seen, [&](int32_t word, float gain) { found.push_back({-gain, word}); });
    size_t from_root = 0;
    for (size_t at = 0; at < by_gain_.size() && from_root < k; ++at)
        if (!seen[by_gain_[at]]) {
            found.push_back({-gain_[by_gain_[at]], by_gain_[at]});
            ++from_root;
        }
    k = std::min(k, found.size());
    std::partial_sort(found.begin(), found.begin() + k, found.end());
    for (size_t i = 0; i < k; ++i) {
        words.push_back(found[i].second);
        log_probs.push_back(double{contexts_[state].base} - found[i].first);
    }
}

int32_t Automaton::draw(uint32_t state, double uniform, std::vector<uint8_t>& seen) const {
    std::fill(seen.begin(), seen.end(), 0);
    double total = root_total_;
    each_following(state, seen, [&](int32_t word, float gain) {
        total += std::exp(double{gain}) - root_weight_[word];
    });
    require(std::isfinite(total) && total > 0,
            "words cannot be drawn: the probabilities of this model are out of range");
    double left = uniform * total;
    int32_t drawn = -1;
    std::fill(seen.begin(), seen.end(), 0);
    each_following(state, seen, [&](int32_t word, float gain) {
        if (left < 0) return;
        left -= std::exp(double{gain});
        drawn = word;
    });
    for (uint32_t v = 0; left >= 0 && v < n_words(); ++v) {
        if (seen[v] || root_weight_[v] == 0) continue;
        left -= root_weight_[v];
        drawn = static_cast<int32_t>(v);
    }
    return drawn;
}

void Automaton::sample(uint64_t seed, uint32_t start, uint32_t end, int64_t most,
                       std::vector<int32_t>& words) const {
    std::vector<uint8_t> seen(n_words(), 0);
    uint32_t state = start;
    for (int64_t n = 0; n < most; ++n) {
        const int32_t word =
            draw(state, static_cast<double>(next_random(seed) >> 11) * 0x1p-53, seen);
        if (word == static_cast<int32_t>(end)) return;
        words.push_back(word);
        state = step(state, word).next;
    }
}

}  // namespace laconic::lm
