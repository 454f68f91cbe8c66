// Features as numbers: every distinct key of a template gets the next id of the template's slice.
#include "templates.hpp"

#include "kernels.hpp"
#include "threads.hpp"

namespace {

// Numbers the distinct keys of one template as they come. Slots are found a block ahead of their use, so that memory answers
// while keys are computed.
class Numbering {
  public:
    explicit Numbering(int64_t n_keys) {
        size_t capacity = 1024;
        while (capacity < static_cast<size_t>(n_keys) * 3 / 2) capacity *= 2;
        slots_.assign(capacity, {0, 0});
        mask_ = capacity - 1;
    }
    void prefetch(uint64_t key) const { __builtin_prefetch(&slots_[key & mask_]); }
    int32_t number(uint64_t key) {
        for (size_t at = key & mask_;; at = (at + 1) & mask_) {
            Slot& slot = slots_[at];
            if (slot.key == key) return slot.id;
            if (slot.key == 0) {
                slot = {key, count_};
                return count_++;
            }
        }
    }
    int32_t count() const { return count_; }

  private:
    struct Slot {
        uint64_t key;
        int32_t id;
    };
    std::vector<Slot> slots_;
    size_t mask_ = 0;
    int32_t count_ = 0;
};

// Calls body(token, key) for a template at all tokens where it fires.
template <class Body>
void each_key(const Templates& templates, const Columns& columns, int64_t m, Numbering& numbering, Body body) {
    std::vector<int32_t> padded;
    std::vector<uint64_t> keys;
    for (int64_t s = 0; s < columns.n_sentences; ++s) {
        const int64_t begin = columns.ptr[s], n = columns.ptr[s + 1] - begin;
        templates.pad(columns, begin, n, padded);
        keys.resize(n);
        templates.keys(m, padded, n, keys.data());
        for (uint64_t key : keys) numbering.prefetch(key);
        for (int64_t t = 0; t < n; ++t)
            if (keys[t] != 0) body(begin + t, keys[t]);
    }
}

// ids[token * M + m] = feature of template m at the token, or -1; features of template m are the slice [sum of sizes before,
// +size).
nb::tuple number(const Templates& templates, Matrix32 columns_in, Vec<int64_t> ptr, int threads) {
    const Columns columns(columns_in, ptr);
    templates.check(columns);
    const int64_t M = templates.size();
    std::vector<int32_t> ids(static_cast<size_t>(columns.n_tokens * M), -1);
    std::vector<int64_t> sizes(M, 0);
    {
        nb::gil_scoped_release release;
        parallel_ranges(M, threads, 1, [&](int64_t first, int64_t last, int) {
            for (int64_t m = first; m < last; ++m) {
                Numbering numbering(columns.n_tokens);
                each_key(templates, columns, m, numbering,
                         [&](int64_t token, uint64_t key) { ids[token * M + m] = numbering.number(key); });
                sizes[m] = numbering.count();
            }
        });
        std::vector<int64_t> start(M + 1, 0);
        for (int64_t m = 0; m < M; ++m) start[m + 1] = start[m] + sizes[m];
        require(start[M] < INT32_MAX, "there must be fewer than 2^31 features");
        parallel_ranges(columns.n_tokens, threads, 4096, [&](int64_t first, int64_t last, int) {
            for (int64_t i = first * M; i < last * M; ++i)
                if (ids[i] >= 0) ids[i] += static_cast<int32_t>(start[i % M]);
        });
    }
    return nb::make_tuple(to_numpy(std::move(ids)), to_numpy(std::move(sizes)));
}

// The number of distinct features of every template, one template a thread in memory at a time.
nb::object sizes(const Templates& templates, Matrix32 columns_in, Vec<int64_t> ptr, int threads) {
    const Columns columns(columns_in, ptr);
    templates.check(columns);
    std::vector<int64_t> sizes(templates.size(), 0);
    {
        nb::gil_scoped_release release;
        parallel_ranges(templates.size(), threads, 1, [&](int64_t first, int64_t last, int) {
            for (int64_t m = first; m < last; ++m) {
                Numbering numbering(columns.n_tokens);
                each_key(templates, columns, m, numbering, [&](int64_t, uint64_t key) { numbering.number(key); });
                sizes[m] = numbering.count();
            }
        });
    }
    return to_numpy(std::move(sizes));
}

}  // namespace

void bind_templates(nb::module_& m) {
    nb::class_<Templates>(m, "Expander")
        .def(nb::init<Vec<int64_t>, Vec<int32_t>, Vec<int32_t>>(), nb::arg("atom_ptr"), nb::arg("atom_view"),
             nb::arg("atom_offset"))
        .def("number", &number, nb::arg("columns"), nb::arg("ptr"), nb::arg("threads") = 1)
        .def("sizes", &sizes, nb::arg("columns"), nb::arg("ptr"), nb::arg("threads") = 1)
        .def_prop_ro("size", &Templates::size);
}
