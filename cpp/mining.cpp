// The door of the search of kernel spaces: structures checked once, a miner that holds the features found so far.
#include "kernels.hpp"
#include "mining_search.hpp"

namespace {

using mining::Sets;
using mining::Trees;

// Sets of numbers in rising order.
class SetStructures {
  public:
    SetStructures(Vec<int64_t> ptr, Vec<int32_t> member, int64_t n_basic)
        : ptr_(ptr.data(), ptr.data() + ptr.size()), member_(member.data(), member.data() + member.size()) {
        check_ptr(ptr, static_cast<int64_t>(member.size()), "ptr");
        require(n_basic >= 0 && n_basic < UINT32_MAX, "n_basic must be from 0 to 2^32 - 2");
        check_range(member, 0, n_basic, "member");
        for (size_t s = 0; s + 1 < ptr_.size(); ++s)
            for (int64_t i = ptr_[s] + 1; i < ptr_[s + 1]; ++i)
                require(member_[i - 1] < member_[i], "the members of a set must rise");
    }
    int64_t size() const { return static_cast<int64_t>(ptr_.size()) - 1; }
    Sets space() const { return {ptr_.data(), member_.data(), size()}; }

  private:
    std::vector<int64_t> ptr_;
    std::vector<int32_t> member_;
};

// Dependency trees, with the basic features of every arc.
class TreeStructures {
  public:
    TreeStructures(Vec<int64_t> ptr, Vec<int32_t> head, Vec<int64_t> basic_ptr, Vec<int32_t> basic, int64_t n_basic)
        : ptr_(ptr.data(), ptr.data() + ptr.size()),
          head_(head.data(), head.data() + head.size()),
          basic_ptr_(basic_ptr.data(), basic_ptr.data() + basic_ptr.size()),
          basic_(basic.data(), basic.data() + basic.size()),
          n_basic_(n_basic) {
        check_ptr(ptr, static_cast<int64_t>(head.size()), "ptr");
        require(basic_ptr.size() == head.size() + 1, "basic_ptr must have an entry a token and one more");
        check_ptr(basic_ptr, static_cast<int64_t>(basic.size()), "basic_ptr");
        require(n_basic >= 1 && n_basic < UINT32_MAX, "n_basic must be from 1 to 2^32 - 2");
        check_range(basic, 0, n_basic, "basic");
        for (size_t t = 0; t + 1 < basic_ptr_.size(); ++t)
            for (int64_t i = basic_ptr_[t] + 1; i < basic_ptr_[t + 1]; ++i)
                require(basic_[i - 1] < basic_[i], "the basic features of an arc must rise");
        for (int64_t s = 0; s < size(); ++s) link(s);
        require((deepest_ + 1) * n_basic < UINT32_MAX, "there are too many basic features for trees this deep");
    }
    int64_t size() const { return static_cast<int64_t>(ptr_.size()) - 1; }
    Trees space() const {
        return {ptr_.data(),
                head_.data(),
                basic_ptr_.data(),
                basic_.data(),
                first_.data(),
                next_sibling_.data(),
                size(),
                static_cast<uint32_t>(n_basic_)};
    }

  private:
    void link(int64_t s) {
        const int64_t begin = ptr_[s], n = ptr_[s + 1] - begin, words = begin + s;
        first_.resize(words + n + 1, -1);
        next_sibling_.resize(words + n + 1, -1);
        std::vector<int64_t> depth(n + 1, -1);
        depth[0] = 0;
        for (int64_t m = n; m >= 1; --m) {
            const int32_t h = head_[begin + m - 1];
            require(h >= 0 && h <= n && h != m, "a head lies outside its sentence");
            next_sibling_[words + m] = first_[words + h];
            first_[words + h] = static_cast<int32_t>(m);
        }
        std::vector<int32_t> path;
        for (int64_t m = 1; m <= n; ++m) {
            path.clear();
            int32_t at = static_cast<int32_t>(m);
            for (; depth[at] < 0; at = head_[begin + at - 1]) {
                require(static_cast<int64_t>(path.size()) < n, "the heads form a cycle");
                path.push_back(at);
            }
            for (int64_t d = depth[at]; !path.empty(); path.pop_back()) depth[path.back()] = ++d;
            deepest_ = std::max(deepest_, depth[m]);
        }
    }

    std::vector<int64_t> ptr_;
    std::vector<int32_t> head_;
    std::vector<int64_t> basic_ptr_;
    std::vector<int32_t> basic_, first_, next_sibling_;
    int64_t n_basic_, deepest_ = 0;
};

class Miner {
  public:
    Miner(int log2_bytes, int bits, int n_hashes) : log2_bytes_(log2_bytes), bits_(bits), n_hashes_(n_hashes) {
        require(log2_bytes >= 6 && log2_bytes <= 40, "log2_bytes must be from 6 to 40");
        require(bits == 2 || bits == 4, "bits must be 2 or 4");
        require(n_hashes >= 1 && n_hashes <= mining::SpectralFilter::kMostHashes, "n_hashes must be from 1 to 8");
    }
    int64_t size() const { return trie.size(); }

    // One round; see Search. Gives features, their counts and what happened at each order.
    template <class Structures>
    nb::tuple mine(const Structures& structures, Vec<int64_t> structure, Vec<int32_t> label, Vec<int32_t> side,
                   Vec<double> weights, int n_labels, int64_t threshold, int most_order, int64_t memory) {
        require(structure.size() == label.size() && label.size() == side.size(),
                "structure, label and side must be of one length");
        require(n_labels >= 1, "n_labels must be at least 1");
        check_range(structure, 0, structures.size(), "structure");
        check_range(label, 0, n_labels, "label");
        check_range(side, 0, 2, "side");
        require(weights.size() == size_t{trie.size()} * n_labels, "weights must have n_labels entries a feature");
        require(threshold >= 0 && threshold <= UINT32_MAX, "threshold must not be negative");
        require(most_order >= 1 && most_order <= 255, "most_order must be from 1 to 255");
        require(memory > 0, "memory must be positive");
        std::vector<mining::Shown> shown;
        for (size_t k = 0; k < structure.size(); ++k) shown.push_back({structure.data()[k], label.data()[k], side.data()[k]});
        const auto space = structures.space();
        mining::Found found;
        try {
            nb::gil_scoped_release release;
            mining::SpectralFilter filter(log2_bytes_, bits_, n_hashes_);
            const mining::Wishes wishes{threshold, most_order, n_labels, static_cast<size_t>(memory)};
            found = mining::Search(space, trie, filter, wishes).run(shown, weights.data());
        } catch (const mining::TooMany& error) {
            PyErr_SetString(PyExc_MemoryError, error.what());
            throw nb::python_error();
        }
        nb::list orders;
        for (const mining::OrderReport& order : found.orders)
            orders.append(nb::make_tuple(order.counted, order.candidates, order.kept, order.spilled));
        return nb::make_tuple(to_numpy(std::move(found.feature)), to_numpy(std::move(found.count)), orders);
    }
    // out[s * n_labels + y] += the weights of the features that structure s has.
    template <class Structures>
    void score(const Structures& structures, Vec<double> weights, int n_labels, MutVec<double> out) const {
        require(n_labels >= 1 && weights.size() == size_t{trie.size()} * n_labels,
                "weights must have n_labels entries a feature");
        require(out.size() == static_cast<size_t>(structures.size()) * n_labels, "out must have n_labels entries a structure");
        const auto space = structures.space();
        nb::gil_scoped_release release;
        mining::Matcher matcher(space, trie);
        Interrupts interrupts;
        for (int64_t s = 0; s < structures.size(); ++s) {
            double* row = out.data() + s * n_labels;
            matcher.each(s, [&](uint32_t feature) {
                for (int y = 0; y < n_labels; ++y) row[y] += weights.data()[size_t{feature} * n_labels + y];
            });
            interrupts.poll();
        }
    }
    // The features that each structure has, in rising order: ptr and numbers.
    template <class Structures>
    nb::tuple fired(const Structures& structures) const {
        std::vector<int64_t> ptr = {0};
        std::vector<int32_t> feature;
        const auto space = structures.space();
        {
            nb::gil_scoped_release release;
            mining::Matcher matcher(space, trie);
            Interrupts interrupts;
            for (int64_t s = 0; s < structures.size(); ++s) {
                matcher.each(s, [&](uint32_t found) { feature.push_back(static_cast<int32_t>(found)); });
                std::sort(feature.begin() + ptr.back(), feature.end());
                ptr.push_back(static_cast<int64_t>(feature.size()));
                interrupts.poll();
            }
        }
        return nb::make_tuple(to_numpy(std::move(ptr)), to_numpy(std::move(feature)));
    }
    // What each feature extends, and its extension; the root, feature 0, extends itself.
    nb::tuple features() const {
        std::vector<uint32_t> part = {0}, extension = {0};
        for (uint32_t f = 1; f < trie.size(); ++f) {
            part.push_back(static_cast<uint32_t>(trie.key(f) >> 32));
            extension.push_back(static_cast<uint32_t>(trie.key(f)));
        }
        return nb::make_tuple(to_numpy(std::move(part)), to_numpy(std::move(extension)));
    }
    // Adds features by what they extend, parts first; gives their numbers.
    nb::object add(Vec<uint32_t> part, Vec<uint32_t> extension) {
        require(part.size() == extension.size(), "part and extension must be of one length");
        std::vector<uint32_t> number;
        for (size_t k = 0; k < part.size(); ++k) {
            require(part.data()[k] < trie.size(), "a feature extends one that is not there yet");
            number.push_back(trie.insert(mining::key_of(part.data()[k], extension.data()[k])));
        }
        return to_numpy(std::move(number));
    }

    mining::Trie trie;

  private:
    int log2_bytes_, bits_, n_hashes_;
};

template <class Structures>
void bind_search(nb::class_<Miner>& door) {
    door.def("mine", &Miner::mine<Structures>, nb::arg("structures"), nb::arg("structure"), nb::arg("label"), nb::arg("side"),
             nb::arg("weights"), nb::arg("n_labels"), nb::arg("threshold"), nb::arg("most_order"), nb::arg("memory"));
    door.def("score", &Miner::score<Structures>, nb::arg("structures"), nb::arg("weights"), nb::arg("n_labels"), nb::arg("out"));
    door.def("fired", &Miner::fired<Structures>, nb::arg("structures"));
}

}  // namespace

void bind_mining(nb::module_& m) {
    nb::class_<SetStructures>(m, "SetStructures")
        .def(nb::init<Vec<int64_t>, Vec<int32_t>, int64_t>(), nb::arg("ptr"), nb::arg("member"), nb::arg("n_basic"))
        .def("__len__", &SetStructures::size);
    nb::class_<TreeStructures>(m, "TreeStructures")
        .def(nb::init<Vec<int64_t>, Vec<int32_t>, Vec<int64_t>, Vec<int32_t>, int64_t>(), nb::arg("ptr"), nb::arg("head"),
             nb::arg("basic_ptr"), nb::arg("basic"), nb::arg("n_basic"))
        .def("__len__", &TreeStructures::size);
    nb::class_<Miner> door(m, "Miner");
    door.def(nb::init<int, int, int>(), nb::arg("log2_bytes"), nb::arg("bits"), nb::arg("n_hashes"))
        .def("__len__", &Miner::size)
        .def("features", &Miner::features)
        .def("add", &Miner::add, nb::arg("part"), nb::arg("extension"));
    bind_search<SetStructures>(door);
    bind_search<TreeStructures>(door);
}
