// The extension module: one bind function a kernel file, arrays in, arrays out.
#include "kernels.hpp"

void bind_arpa(nb::module_& m);
void bind_automaton(nb::module_& m);
void bind_coding(nb::module_& m);
void bind_coding_rows(nb::module_& m);
void bind_coding_weighted(nb::module_& m);
void bind_contexts(nb::module_& m);
void bind_fused(nb::module_& m);
void bind_cooccurrence(nb::module_& m);
void bind_ngrams(nb::module_& m);
void bind_ranking(nb::module_& m);
void bind_trajectories(nb::module_& m);
void bind_stochastic(nb::module_& m);
void bind_tree_pivot(nb::module_& m);
void bind_word_rows(nb::module_& m);
void bind_words(nb::module_& m);

NB_MODULE(_core, m) {
    nb::set_leak_warnings(false);  // objects that live until the interpreter goes are not leaks
    m.doc() = "laconic kernels: arrays in, arrays out";
    bind_rows(m);
    bind_losses(m);
    bind_prox(m);
    bind_tree(m);
    bind_stochastic(m);
    bind_tree_pivot(m);
    bind_coordinate(m);
    bind_copies(m);
    bind_brown(m);
    bind_templates(m);
    bind_tagger(m);
    bind_chain(m);
    bind_crf(m);
    bind_quasi_newton(m);
    bind_parse(m);
    bind_parser(m);
    bind_mining(m);
    bind_mining_arcs(m);
    bind_ranking(m);
    bind_tree_kernel(m);
    bind_compact(m);
    bind_compact_rows(m);
    bind_compact_tagger(m);
    bind_compact_parser(m);
    bind_arpa(m);
    bind_automaton(m);
    bind_coding(m);
    bind_coding_rows(m);
    bind_coding_weighted(m);
    bind_contexts(m);
    bind_cooccurrence(m);
    bind_ngrams(m);
    bind_fused(m);
    bind_trajectories(m);
    bind_word_rows(m);
    bind_words(m);
}
