// Basic features of arcs: what templates say of head, modifier and the words near them, numbered as
// they are met.
#pragma once
#include "door/checks.hpp"
#include "mining/tables.hpp"
#include "tree/parsing.hpp"

namespace laconic::mining {

using text::Columns;
using text::Matrix32;
using tree::Candidates;
using tree::check_candidates;
using tree::kArcPart;
using tree::kHead;
using tree::kModifier;
using tree::mixed;
using tree::Part;
using tree::PartKeys;
using tree::PartTemplates;

class ArcFeatures {
  public:
    explicit ArcFeatures(const PartTemplates& templates) : templates_(templates), value_ptr_(1, 0) {
        for (int64_t k = 0; k < templates.size(); ++k)
            require(templates.kind(k) == kArcPart,
                    "basic features are those of arcs: a template is of larger parts");
    }
    size_t size() const { return numbers_.size(); }

    // The features of the arcs from the given heads to each token, in rising order: where they
    // begin, and their numbers. Features that have no number get one if the inventory may `grow`,
    // and are passed over if not.
    std::tuple<Array<int64_t>, Array<int32_t>> number(Matrix32 columns_in, Vec<int64_t> ptr,
                                                      Vec<int64_t> candidate_ptr,
                                                      Vec<int32_t> candidate_head, bool grow) {
        const Columns columns(columns_in, ptr);
        templates_.check(columns);
        require(candidate_ptr.size() > 0,
                "candidate_ptr must have one entry per token and one more");
        const Candidates candidates = check_candidates(columns, candidate_ptr, candidate_head);
        std::vector<int64_t> out_ptr(1, 0);
        std::vector<int32_t> out;
        {
            nb::gil_scoped_release release;
            PartKeys keys(templates_);
            for (int64_t s = 0; s < columns.n_sentences; ++s) {
                const int n = static_cast<int>(columns.ptr[s + 1] - columns.ptr[s]) + 1;
                keys.read(columns, columns.ptr[s], n);
                for (int m = 1; m < n; ++m) {
                    const int64_t t = columns.ptr[s] + m - 1;
                    for (int64_t i = candidate_ptr.data()[t]; i < candidate_ptr.data()[t + 1];
                         ++i) {
                        number_arc(keys, Part{{candidates.head[i], m, n, n, n}}, grow, out);
                        std::sort(out.begin() + out_ptr.back(), out.end());
                        out.erase(std::unique(out.begin() + out_ptr.back(), out.end()), out.end());
                        out_ptr.push_back(static_cast<int64_t>(out.size()));
                    }
                }
            }
        }
        return std::make_tuple(to_numpy(std::move(out_ptr)), to_numpy(std::move(out)));
    }
    // Of every feature its template, and the values that name it.
    std::tuple<Array<int32_t>, Array<int64_t>, Array<int32_t>> names() const {
        return std::make_tuple(to_numpy(std::vector(template_)), to_numpy(std::vector(value_ptr_)),
                               to_numpy(std::vector(value_)));
    }
    // Adds features by template and the values that name them.
    void add(Vec<int32_t> of_template, Vec<int32_t> value) {
        check_range(of_template, 0, templates_.size(), "template");
        int64_t at = 0;
        for (size_t f = 0; f < of_template.size(); ++f)
            at += templates_.n_values(of_template.data()[f]);
        require(at == static_cast<int64_t>(value.size()),
                "value must have as many entries as name the features");
        at = 0;
        for (size_t f = 0; f < of_template.size(); ++f) {
            const int32_t k = of_template.data()[f];
            const int64_t next = at + templates_.n_values(k);
            const size_t before = numbers_.size();
            numbers_.insert(key_of(k, PartKeys::key(templates_, k, value.data() + at)));
            require(numbers_.size() > before, "a feature occurs twice");
            name(k, value.data() + at, value.data() + next);
            at = next;
        }
    }

  private:
    static mining::Key key_of(int64_t k, uint64_t key) {
        return mixed(key + static_cast<uint64_t>(k + 1) * 0x9E3779B97F4A7C15ull);
    }
    void name(int64_t k, const int32_t* begin, const int32_t* end) {
        template_.push_back(static_cast<int32_t>(k));
        value_.insert(value_.end(), begin, end);
        value_ptr_.push_back(static_cast<int64_t>(value_.size()));
    }
    void number_arc(PartKeys& keys, const Part& part, bool grow, std::vector<int32_t>& out) {
        for (int64_t k = 0; k < templates_.size(); ++k) {
            int nth = -1;
            keys.each(k, part, [&](uint64_t hash) {
                ++nth;
                const mining::Key key = key_of(k, hash);
                uint32_t number = numbers_.find(key);
                if (number == mining::KeyTable::kNone) {
                    if (!grow) return;
                    number = numbers_.insert(key);
                    keys.values(k, part, values_);
                    if (const int view = templates_.between(k); view >= 0) {
                        const int h = part.word[kHead], m = part.word[kModifier];
                        keys.between_values(view, std::min(h, m), std::max(h, m), between_);
                        values_.push_back(between_[nth]);
                    }
                    name(k, values_.data(), values_.data() + values_.size());
                }
                out.push_back(static_cast<int32_t>(number));
            });
        }
    }

    const PartTemplates templates_;
    mining::KeyTable numbers_;
    std::vector<int32_t> template_, value_;
    std::vector<int64_t> value_ptr_;
    std::vector<int32_t> values_, between_;
};

}  // namespace laconic::mining
