// A miner of kernel spaces: it holds the features found so far, searches for more, and scores
// structures with them.
#pragma once
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "door/checks.hpp"
#include "mining/lists.hpp"
#include "mining/search.hpp"
#include "mining/structures.hpp"

namespace laconic::mining {

// counted, candidates, kept, spilled, seconds
using OrderNumbers = std::tuple<int64_t, int64_t, int64_t, int64_t, double>;

inline OrderNumbers report_of(const OrderReport& order) {
    return {order.counted, order.candidates, order.kept, order.spilled, order.seconds};
}

// Structures that outputs are made of: gold (side 0) or predicted (side 1), under labels.
struct SidedOutputs {
    Vec<int64_t> structure;
    Vec<int32_t> label, side;
};

class Miner {
  public:
    Miner(int log2_bytes, int bits, int n_hashes)
        : log2_bytes_(log2_bytes), bits_(bits), n_hashes_(n_hashes) {
        require(log2_bytes >= 6 && log2_bytes <= 40, "log2_bytes must be from 6 to 40");
        require(bits == 2 || bits == 4, "bits must be 2 or 4");
        require(n_hashes >= 1 && n_hashes <= SpectralFilter::kMostHashes,
                "n_hashes must be from 1 to 8");
    }
    int64_t size() const { return trie.size(); }

    // One round; see Search. Gives features, their counts and what happened at each order, which
    // on_order(order, numbers), unless None, gets at once. MemoryError(order, larger threshold
    // or 0): see TooMany.
    template <class Structures>
    std::tuple<Array<uint32_t>, Array<uint32_t>, std::vector<OrderNumbers>> mine(
        const Structures& structures, const SidedOutputs& given, Vec<double> weights,
        const SearchOptions& options, const std::optional<nb::callable>& on_order) {
        const auto& [structure, label, side] = given;
        const int n_labels = options.n_labels;
        require(structure.size() == label.size() && label.size() == side.size(),
                "structure, label and side must be of one length");
        require(n_labels >= 1, "n_labels must be at least 1");
        check_range(structure, 0, structures.size(), "structure");
        check_range(label, 0, n_labels, "label");
        check_range(side, 0, 2, "side");
        require(weights.size() == size_t{trie.size()} * n_labels,
                "weights must have n_labels entries per feature");
        require(options.threshold >= 0 && options.threshold <= UINT32_MAX,
                "threshold must not be negative");
        require(options.most_order >= 1 && options.most_order <= 255,
                "most_order must be from 1 to 255");
        require(options.memory > 0, "memory must be positive");
        std::vector<SidedOutput> outputs;
        for (size_t k = 0; k < structure.size(); ++k)
            outputs.push_back({structure.data()[k], label.data()[k], side.data()[k]});
        const auto space = structures.space();
        Found found;
        const auto on_report = [&](int order, const OrderReport& report) {
            nb::gil_scoped_acquire gil;
            if (on_order) (*on_order)(order, report_of(report));
        };
        try {
            nb::gil_scoped_release release;
            SpectralFilter filter(log2_bytes_, bits_, n_hashes_);
            found = Search(space, trie, filter, options).run(outputs, weights.data(), on_report);
        } catch (const TooMany& error) {
            PyErr_SetObject(PyExc_MemoryError, nb::make_tuple(error.order, error.larger).ptr());
            throw nb::python_error();
        }
        std::vector<OrderNumbers> orders;
        for (const OrderReport& order : found.orders) orders.push_back(report_of(order));
        return std::make_tuple(to_numpy(std::move(found.feature)), to_numpy(std::move(found.count)),
                               orders);
    }
    // out[s * n_labels + y] += the weights of the features that structure s has.
    template <class Structures>
    void score(const Structures& structures, Vec<double> weights, int n_labels,
               MutVec<double> out) const {
        require(n_labels >= 1 && weights.size() == size_t{trie.size()} * n_labels,
                "weights must have n_labels entries per feature");
        require(out.size() == static_cast<size_t>(structures.size()) * n_labels,
                "out must have n_labels entries per structure");
        const auto space = structures.space();
        nb::gil_scoped_release release;
        Matcher matcher(space, trie);
        Interrupts interrupts;
        for (int64_t s = 0; s < structures.size(); ++s) {
            double* row = out.data() + s * n_labels;
            matcher.each(s, [&](uint32_t feature) {
                for (int y = 0; y < n_labels; ++y)
                    row[y] += weights.data()[size_t{feature} * n_labels + y];
            });
            interrupts.poll();
        }
    }
    // The features that each structure has, in rising order: ptr and numbers.
    template <class Structures>
    std::tuple<Array<int64_t>, Array<int32_t>> fired(const Structures& structures) const {
        std::vector<int64_t> ptr = {0};
        std::vector<int32_t> feature;
        const auto space = structures.space();
        {
            nb::gil_scoped_release release;
            Matcher matcher(space, trie);
            Interrupts interrupts;
            for (int64_t s = 0; s < structures.size(); ++s) {
                matcher.each(
                    s, [&](uint32_t found) { feature.push_back(static_cast<int32_t>(found)); });
                std::sort(feature.begin() + ptr.back(), feature.end());
                ptr.push_back(static_cast<int64_t>(feature.size()));
                interrupts.poll();
            }
        }
        return std::make_tuple(to_numpy(std::move(ptr)), to_numpy(std::move(feature)));
    }
    // The features that some structures of a list have and others have not, structure by structure
    // in rising order: ptr and numbers. Lists are rows list_ptr[i] .. list_ptr[i + 1] of
    // structures.
    template <class Structures>
    std::tuple<Array<int64_t>, Array<int32_t>> told_apart(const Structures& structures,
                                                          Vec<int64_t> list_ptr) const {
        check_ptr(list_ptr, structures.size(), "list_ptr");
        std::vector<int64_t> ptr = {0};
        std::vector<int32_t> feature;
        const auto space = structures.space();
        {
            nb::gil_scoped_release release;
            ListMatcher matcher(space, trie);
            std::vector<uint32_t> n_having(trie.size(), 0);
            Interrupts interrupts;
            std::vector<std::vector<uint32_t>> fired;
            for (size_t i = 0; i + 1 < list_ptr.size(); ++i) {
                const int64_t begin = list_ptr.data()[i], n = list_ptr.data()[i + 1] - begin;
                fired.resize(std::max<size_t>(fired.size(), n));
                for (int64_t s = 0; s < n; ++s) fired[s].clear();
                matcher.each(begin, n, [&](int64_t s, uint32_t found) {
                    fired[s].push_back(found);
                    ++n_having[found];
                });
                for (int64_t s = 0; s < n; ++s) {
                    for (uint32_t found : fired[s])
                        if (n_having[found] < n) feature.push_back(static_cast<int32_t>(found));
                    std::sort(feature.begin() + ptr.back(), feature.end());
                    ptr.push_back(static_cast<int64_t>(feature.size()));
                }
                for (int64_t s = 0; s < n; ++s)
                    for (uint32_t found : fired[s]) n_having[found] = 0;
                interrupts.poll();
            }
        }
        return std::make_tuple(to_numpy(std::move(ptr)), to_numpy(std::move(feature)));
    }
    // What each feature extends, and its extension; the root, feature 0, extends itself.
    std::tuple<Array<uint32_t>, Array<uint32_t>> features() const {
        std::vector<uint32_t> part = {0}, extension = {0};
        for (uint32_t f = 1; f < trie.size(); ++f) {
            part.push_back(static_cast<uint32_t>(trie.key(f) >> 32));
            extension.push_back(static_cast<uint32_t>(trie.key(f)));
        }
        return std::make_tuple(to_numpy(std::move(part)), to_numpy(std::move(extension)));
    }
    // Adds features by what they extend, parts first; gives their numbers.
    Array<uint32_t> add(Vec<uint32_t> part, Vec<uint32_t> extension) {
        require(part.size() == extension.size(), "part and extension must be of one length");
        std::vector<uint32_t> number;
        for (size_t k = 0; k < part.size(); ++k) {
            require(part.data()[k] < trie.size(), "a feature extends one that is not there yet");
            number.push_back(trie.insert(key_of(part.data()[k], extension.data()[k])));
        }
        return to_numpy(std::move(number));
    }

    Trie trie;

  private:
    int log2_bytes_, bits_, n_hashes_;
};

}  // namespace laconic::mining
