// Structures that kernel spaces are searched in and kernels are computed of, checked when they are
// made.
#pragma once
#include <algorithm>
#include <vector>

#include "door/checks.hpp"
#include "mining/spaces.hpp"

namespace laconic::mining {

// Sets of numbers in rising order.
class SetStructures {
  public:
    SetStructures(Vec<int64_t> ptr, Vec<int32_t> member, int64_t n_basic)
        : ptr_(ptr.data(), ptr.data() + ptr.size()),
          member_(member.data(), member.data() + member.size()) {
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

// Dependency trees: arc[t] has the basic features of the arc to token t, so that trees of one
// sentence share their arcs.
class TreeStructures {
  public:
    TreeStructures(Vec<int64_t> ptr, Vec<int32_t> head, Vec<int64_t> arc, Vec<int64_t> basic_ptr,
                   Vec<int32_t> basic, int64_t n_basic)
        : ptr_(ptr.data(), ptr.data() + ptr.size()),
          head_(head.data(), head.data() + head.size()),
          arc_(arc.data(), arc.data() + arc.size()),
          basic_ptr_(basic_ptr.data(), basic_ptr.data() + basic_ptr.size()),
          basic_(basic.data(), basic.data() + basic.size()),
          n_basic_(n_basic) {
        check_ptr(ptr, static_cast<int64_t>(head.size()), "ptr");
        require(arc.size() == head.size(), "arc must have one entry per token");
        check_ptr(basic_ptr, static_cast<int64_t>(basic.size()), "basic_ptr");
        require(n_basic >= 1 && n_basic < UINT32_MAX, "n_basic must be from 1 to 2^32 - 2");
        check_range(basic, 0, n_basic, "basic");
        check_range(arc, 0, static_cast<int64_t>(basic_ptr_.size()) - 1, "arc");
        for (size_t a = 0; a + 1 < basic_ptr_.size(); ++a)
            for (int64_t i = basic_ptr_[a] + 1; i < basic_ptr_[a + 1]; ++i)
                require(basic_[i - 1] < basic_[i], "the basic features of an arc must rise");
        for (int64_t s = 0; s < size(); ++s) link(s);
        require((deepest_ + 1) * n_basic < UINT32_MAX,
                "there are too many basic features for trees this deep");
    }
    int64_t size() const { return static_cast<int64_t>(ptr_.size()) - 1; }
    Trees space() const {
        const int64_t n_arcs = static_cast<int64_t>(basic_ptr_.size()) - 1;
        return {ptr_.data(),
                head_.data(),
                arc_.data(),
                basic_ptr_.data(),
                basic_.data(),
                first_.data(),
                next_sibling_.data(),
                size(),
                n_arcs,
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
    std::vector<int64_t> arc_, basic_ptr_;
    std::vector<int32_t> basic_, first_, next_sibling_;
    int64_t n_basic_, deepest_ = 0;
};

}  // namespace laconic::mining
