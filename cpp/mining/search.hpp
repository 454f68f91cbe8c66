// One round of Algorithm 1 of Qian and Liu (2015): the features of every order whose gradients may
// exceed the threshold C.
//
// With #f+ and #f- the structures under a label that have feature f among what was gold and among
// what was predicted, the gradient of the L1-SVM by its weight is #f+ - #f-. A feature has what it
// extends as a part, so that counts never grow (section 3, the anti-monotone property):
//
//     |#f+ - #f-| <= max(#f+, #f-) <= max(#h+, #h-)     for every part h of f
//
// and a feature need not be looked at unless all its parts h have max(#h+, #h-) > C: candidates of
// order r + 1 extend those kept of order r, and none is missed (lines 6 to 19). Counting all
// candidates would need memory for each: a spectral Bloom filter (section 4.2) first gives upper
// bounds of the counts, and only keys whose bound exceeds C are counted exactly.
#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "door/interrupts.hpp"
#include "mining/spaces.hpp"
#include "mining/tables.hpp"

namespace laconic::mining {

// A structure under a label: gold (side 0) or predicted (side 1).
struct SidedOutput {
    int64_t structure;
    int32_t label, side;
};

struct SearchOptions {
    int n_labels = 1;
    int64_t threshold = 0;
    int most_order = 1;
    // Bytes for the candidates of an order, and as much for where its features occur.
    int64_t memory = 0;
};

// The candidates of an order exceed the memory that they may have; with the larger threshold they
// would not, if the orders before were the same. 0: the counters are too short to tell.
struct TooMany : std::runtime_error {
    TooMany(int order, int64_t larger)
        : std::runtime_error("too many candidates"), order(order), larger(larger) {}
    int order;
    int64_t larger;
};

// What happened at one order.
struct OrderReport {
    int64_t counted = 0, candidates = 0, kept = 0, spilled = 0;
    double seconds = 0;
};

struct Found {
    std::vector<uint32_t> feature;
    std::vector<uint32_t> count;  // of a feature: gold by label, then predicted by label
    std::vector<OrderReport> orders;
};

// The features of the trie that a structure has.
template <class Space>
class Matcher {
    using Occurrence = typename Space::Occurrence;

  public:
    Matcher(const Space& space, const Trie& trie)
        : Matcher(space, trie, std::vector<bool>(trie.size(), true)) {}
    // Of the features that are `wanted` alone, with which their parts must be.
    Matcher(const Space& space, const Trie& trie, const std::vector<bool>& wanted)
        : space_(space), children_(trie, wanted), seen_(trie.size(), 0) {}

    // Calls take(feature) for each of them once.
    template <class Take>
    void each(int64_t structure, Take take) {
        ++now_;
        next_.clear();
        const auto look = [&](const Occurrence& at) {
            if (children_.any(at.feature)) next_.push_back(at);
            if (seen_[at.feature] == now_) return;
            seen_[at.feature] = now_;
            take(at.feature);
        };
        space_.each_first(structure, children_, look);
        while (!next_.empty()) {
            here_.swap(next_);
            next_.clear();
            for (const Occurrence& at : here_) space_.each_next(structure, at, children_, look);
        }
    }

  private:
    const Space& space_;
    const Children children_;
    std::vector<uint32_t> seen_;
    uint32_t now_ = 0;
    std::vector<Occurrence> here_, next_;
};

template <class Space>
class Search {
    using Occurrence = typename Space::Occurrence;

  public:
    Search(const Space& space, Trie& trie, SpectralFilter& filter, const SearchOptions& options)
        : space_(space),
          trie_(trie),
          filter_(filter),
          options_(options),
          spool_(options.memory / 2) {}

    // weights: n_labels for each feature of the trie; those with one that is not zero stay whatever
    // their counts. on_report(order, report) is called as soon as an order is done.
    template <class OnReport>
    Found run(const std::vector<SidedOutput>& outputs, const double* weights, OnReport on_report) {
        Found found;
        count_weighty(outputs, weights);
        for (int order = 1; order <= options_.most_order; ++order) {
            OrderReport report;
            const auto began = std::chrono::steady_clock::now();
            choose_candidates(outputs, order, report);
            report.candidates = static_cast<int64_t>(candidates_.size());
            Spool<Occurrence> seen = count(outputs, order);
            keep(found, report);
            const bool go_on = order < options_.most_order && report.kept > 0;
            if (go_on) {
                if (order == 1) narrow();
                follow(seen, report);
            }
            add_weighty(order, found, report);
            report.seconds =
                std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
            found.orders.push_back(report);
            on_report(order, report);
            if (!go_on) break;
        }
        for (int order = static_cast<int>(found.orders.size()) + 1; order <= options_.most_order;
             ++order) {
            OrderReport report;
            add_weighty(order, found, report);
            if (report.kept > 0) found.orders.push_back(report);
        }
        return found;
    }

  private:
    static constexpr int kBothSides = -1;
    // Calls take(k, key, occurrence) for what extends the features of the order below in the
    // structures of a side; where a structure has it twice, twice.
    template <class Take>
    void each_candidate(const std::vector<SidedOutput>& outputs, int order, int side, Take take) {
        each_structure(
            outputs, order, side,
            [&](size_t k) {
                space_.each_basic(outputs[k].structure,
                                  [&](Key key, const Occurrence& at) { take(k, key, at); });
            },
            [&](size_t k, const Occurrence* begin, const Occurrence* end) {
                space_.each_extension(outputs[k].structure, begin, end,
                                      [&](Key key, const Occurrence& at) { take(k, key, at); });
            });
    }
    int64_t count_candidates(const std::vector<SidedOutput>& outputs, int order, int side) {
        int64_t total = 0;
        each_structure(
            outputs, order, side,
            [&](size_t k) { total += space_.count_basic(outputs[k].structure); },
            [&](size_t k, const Occurrence* begin, const Occurrence* end) {
                total += space_.count_extensions(outputs[k].structure, begin, end);
            });
        return total;
    }
    template <class First, class Next>
    void each_structure(const std::vector<SidedOutput>& outputs, int order, int side, First first,
                        Next next) {
        const auto chosen = [&](size_t k) {
            interrupts_.poll();
            return side == kBothSides || outputs[k].side == side;
        };
        if (order > 1) {
            spool_.each([&](size_t k, const Occurrence* begin, const Occurrence* end) {
                if (chosen(k)) next(k, begin, end);
            });
            return;
        }
        for (size_t k = 0; k < outputs.size(); ++k)
            if (chosen(k)) first(k);
    }

    // min(#f+, C) and min(#f-, C) from above, by the filter: what may exceed the threshold on
    // either side. A key that a structure has twice is added twice, which is an upper bound as
    // well.
    void choose_candidates(const std::vector<SidedOutput>& outputs, int order,
                           OrderReport& report) {
        candidates_.clear();
        std::vector<int64_t> reached(filter_.most() + 1,
                                     0);  // keys by the bound that they had before
        const int threshold =
            static_cast<int>(std::min<int64_t>(options_.threshold, filter_.most()));
        bool full = false;
        for (int side = 0; side < 2; ++side) {
            filter_.clear(count_candidates(outputs, order, side));
            // Some keys at a time wait for their counters, and then for their places among the
            // candidates, to arrive from memory.
            const auto finish = [&] {
                size_t passed = 0;
                for (const Waiting& next : waiting_) {
                    const int bound = filter_.add(next.scattered);
                    ++reached[bound];
                    if (bound < threshold) continue;
                    waiting_[passed++] = {next.key, scattered(next.key)};
                    candidates_.prefetch(waiting_[passed - 1].scattered);
                }
                waiting_.resize(full ? 0 : passed);
                for (const Waiting& next : waiting_) candidates_.insert(next.key, next.scattered);
                full = full || candidates_.size() * bytes_of_candidate() >
                                   static_cast<size_t>(options_.memory);
                waiting_.clear();
            };
            each_candidate(outputs, order, side, [&](size_t k, Key key, const Occurrence&) {
                waiting_.push_back(
                    {key, scattered(key + 0x9e3779b97f4a7c15ull *
                                              static_cast<uint64_t>(outputs[k].label))});
                filter_.prefetch(waiting_.back().scattered);
                ++report.counted;
                if (waiting_.size() == kWaiting) finish();
            });
            finish();
        }
        if (full) refuse(order, reached);
    }
    [[noreturn]] void refuse(int order, const std::vector<int64_t>& reached) const {
        for (size_t c = static_cast<size_t>(options_.threshold) + 1; c + 1 < reached.size(); ++c)
            if (static_cast<size_t>(reached[c]) * bytes_of_candidate() <=
                static_cast<size_t>(options_.memory))
                throw TooMany(order, static_cast<int64_t>(c));
        throw TooMany(order, 0);
    }

    // In how many structures the candidates occur, and where: occurrences of candidates, by their
    // numbers.
    Spool<Occurrence> count(const std::vector<SidedOutput>& outputs, int order) {
        Spool<Occurrence> seen(options_.memory / 2);
        const size_t width = row_width();
        rows_.assign(candidates_.size() * width, 0);
        if (candidates_.size() == 0) return seen;
        const bool follows = order < options_.most_order;
        std::vector<Occurrence> here, looked;
        const auto finish = [&](size_t k) {
            size_t found = 0;
            for (size_t i = 0; i < waiting_.size(); ++i) {
                const uint32_t c = candidates_.find(waiting_[i].key, waiting_[i].scattered);
                if (c == KeyTable::kNone) continue;
                __builtin_prefetch(&rows_[c * width], 1);
                looked[found] = looked[i];
                looked[found++].feature = c;
            }
            for (size_t i = 0; i < found; ++i) {
                uint32_t* row = &rows_[looked[i].feature * width];
                if (row[0] == k + 1) continue;
                row[0] = static_cast<uint32_t>(k + 1);
                ++row[1 + outputs[k].side * options_.n_labels + outputs[k].label];
            }
            if (follows)
                here.insert(here.end(), looked.begin(),
                            looked.begin() + static_cast<std::ptrdiff_t>(found));
            waiting_.clear();
            looked.clear();
        };
        size_t at = 0;
        const auto close = [&](size_t k) {
            for (; at < k; ++at) {
                finish(at);
                if (follows) seen.append(here);
                here.clear();
            }
        };
        each_candidate(outputs, order, kBothSides,
                       [&](size_t k, Key key, const Occurrence& occurrence) {
                           close(k);
                           if (waiting_.size() == kWaiting) finish(k);
                           waiting_.push_back({key, scattered(key)});
                           looked.push_back(occurrence);
                           candidates_.prefetch(waiting_.back().scattered);
                       });
        close(outputs.size());
        return seen;
    }
    void keep(Found& found, OrderReport& report) {
        // Line 9: kept if #f+ > C or #f- > C under some label.
        const size_t width = 2 * options_.n_labels;
        kept_.assign(candidates_.size(), Trie::kNone);
        for (size_t c = 0; c < candidates_.size(); ++c) {
            const uint32_t* counts = &rows_[c * row_width() + 1];
            if (std::none_of(counts, counts + width,
                             [&](uint32_t count) { return count > options_.threshold; }))
                continue;
            kept_[c] = trie_.insert(candidates_.key(c));
            add(kept_[c], counts, found, report);
            if (kept_[c] < weighty_number_.size()) weighty_number_[kept_[c]] = kNone;
        }
    }
    void add(uint32_t feature, const uint32_t* counts, Found& found, OrderReport& report) const {
        found.feature.push_back(feature);
        found.count.insert(found.count.end(), counts, counts + 2 * options_.n_labels);
        ++report.kept;
    }

    // Features with weights are counted by themselves: they need not be found among what extends
    // the kept ones.
    void count_weighty(const std::vector<SidedOutput>& outputs, const double* weights) {
        std::vector<bool> wanted(trie_.size(), false);
        weighty_number_.assign(trie_.size(), kNone);
        uint32_t n = 0;
        for (uint32_t f = 1; f < trie_.size(); ++f) {
            const double* row = weights + size_t{f} * options_.n_labels;
            if (std::all_of(row, row + options_.n_labels, [](double w) { return w == 0; }))
                continue;
            weighty_number_[f] = n++;
            for (uint32_t part = f; part != 0 && !wanted[part];
                 part = static_cast<uint32_t>(trie_.key(part) >> 32))
                wanted[part] = true;
        }
        weighty_counts_.assign(size_t{n} * 2 * options_.n_labels, 0);
        if (n == 0) return;
        Matcher<Space> matcher(space_, trie_, wanted);
        for (const SidedOutput& at : outputs) {
            matcher.each(at.structure, [&](uint32_t feature) {
                if (weighty_number_[feature] != kNone)
                    ++weighty_counts_[(size_t{weighty_number_[feature]} * 2 + at.side) *
                                          options_.n_labels +
                                      at.label];
            });
            interrupts_.poll();
        }
    }
    // Those of an order that were not kept for their counts.
    void add_weighty(int order, Found& found, OrderReport& report) const {
        for (uint32_t f = 1; f < weighty_number_.size(); ++f)
            if (weighty_number_[f] != kNone && trie_.order(f) == order)
                add(f, weighty_counts_.data() + size_t{weighty_number_[f]} * 2 * options_.n_labels,
                    found, report);
    }
    // Where the kept features occur.
    void follow(Spool<Occurrence>& seen, OrderReport& report) {
        Spool<Occurrence> next(options_.memory / 2);
        std::vector<Occurrence> here;
        seen.each([&](size_t, const Occurrence* begin, const Occurrence* end) {
            here.clear();
            for (const Occurrence* at = begin; at != end; ++at)
                if (kept_[at->feature] != Trie::kNone) {
                    here.push_back(*at);
                    here.back().feature = kept_[at->feature];
                }
            next.append(here);
        });
        report.spilled = static_cast<int64_t>(seen.spilled() + next.spilled());
        spool_ = std::move(next);
    }
    // Basic features that did not survive are in no feature that does.
    void narrow() {
        std::vector<bool> survived;
        for (size_t c = 0; c < candidates_.size(); ++c) {
            if (kept_[c] == Trie::kNone) continue;
            const uint32_t basic = static_cast<uint32_t>(candidates_.key(c));
            if (basic >= survived.size()) survived.resize(size_t{basic} + 1, false);
            survived[basic] = true;
        }
        space_.narrow(survived);
    }

    // A key in its table, its row, and its feature.
    size_t bytes_of_candidate() const { return KeyTable::kBytesOfKey + 4 * row_width() + 4; }
    size_t row_width() const { return 1 + 2 * static_cast<size_t>(options_.n_labels); }

    struct Waiting {
        Key key;
        uint64_t scattered;
    };
    static constexpr size_t kWaiting = 64;
    static constexpr uint32_t kNone = UINT32_MAX;
    Space space_;
    Trie& trie_;
    SpectralFilter& filter_;
    const SearchOptions options_;
    Spool<Occurrence> spool_;
    KeyTable candidates_;
    std::vector<uint32_t> rows_;  // of a candidate: the structure that was counted last, from 1;
                                  // its counts on both sides by label
    std::vector<uint32_t> kept_;  // of a candidate: its feature
    std::vector<uint32_t> weighty_number_, weighty_counts_;  // by feature; by number
    std::vector<Waiting> waiting_;
    Interrupts interrupts_;
};

}  // namespace laconic::mining
