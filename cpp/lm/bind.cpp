// Binds language models of contexts.
#include "lm/arpa.hpp"
#include "lm/context_automaton.hpp"
#include "lm/context_tree.hpp"
#include "lm/kneser_ney_arrays.hpp"
#include "lm/mixture.hpp"
#include "lm/ngrams.hpp"
#include "lm/packed_model.hpp"

namespace laconic::lm {

namespace {

void bind_arpa(nb::module_& m) {
    nb::class_<NgramLines>(m, "NgramLines")
        .def(nb::init<>())
        .def("parse", &NgramLines::parse, nb::arg("text"), nb::arg("order"), nb::arg("highest"))
        .def("knows", &NgramLines::knows, nb::arg("word"));
}

void bind_automaton(nb::module_& m) {
    m.def("pairs_of_contexts",
          static_cast<Array<int64_t> (*)(Vec<int32_t>, Vec<int32_t>, Vec<int64_t>, Vec<int32_t>)>(
              &pairs_of_contexts),
          nb::arg("parent"), nb::arg("word"), nb::arg("ptr"), nb::arg("target"));
    m.def("shorter_pairs", &shorter_pairs, nb::arg("parent"), nb::arg("word"), nb::arg("ptr"),
          nb::arg("target"));
    nb::class_<ContextAutomaton>(m, "ContextAutomaton")
        .def(nb::init<Vec<int32_t>, Vec<int32_t>, Vec<int64_t>, Vec<int32_t>, Vec<double>,
                      Vec<double>>(),
             nb::arg("parent"), nb::arg("word"), nb::arg("ptr"), nb::arg("target"), nb::arg("gain"),
             nb::arg("base"))
        .def("start", &ContextAutomaton::start)
        .def("score_word", &ContextAutomaton::score_word, nb::arg("state"), nb::arg("word"),
             nb::arg("numbers"), nb::arg("unknown"))
        .def("score_words", &ContextAutomaton::score_words, nb::arg("state"), nb::arg("tokens"))
        .def("score_sentence", &ContextAutomaton::score_sentence, nb::arg("sentence"),
             nb::arg("words"), nb::arg("unknown"), nb::arg("end"))
        .def("advance", &ContextAutomaton::advance, nb::arg("state"), nb::arg("tokens"))
        .def("score", &ContextAutomaton::score, nb::arg("tokens"), nb::arg("ptr"), nb::arg("start"),
             nb::arg("threads") = 1)
        .def("visits", &ContextAutomaton::visits, nb::arg("tokens"), nb::arg("ptr"))
        .def("distribution", &ContextAutomaton::distribution, nb::arg("state"))
        .def("best", &ContextAutomaton::best, nb::arg("state"), nb::arg("k"))
        .def("sample", &ContextAutomaton::sample, nb::arg("n"), nb::arg("seed"), nb::arg("start"),
             nb::arg("end"), nb::arg("most"));
}

void bind_mixture(nb::module_& m) {
    nb::class_<PackedModel>(m, "PackedModel")
        .def(nb::init<int64_t, Vec<int64_t>, PackedModel::Words, PackedModel::Words,
                      PackedModel::Words, PackedModel::Words, std::vector<Vec<float>>>(),
             nb::arg("n_words"), nb::arg("sizes"), nb::arg("labels"), nb::arg("gains"),
             nb::arg("weights"), nb::arg("children"), nb::arg("values"));
    nb::class_<MixtureAutomaton>(m, "MixtureAutomaton")
        .def(nb::init<int64_t>(), nb::arg("n_words"))
        .def(
            "add",
            [](MixtureAutomaton& mixture, const ContextAutomaton& part, Vec<int32_t> classes,
               Vec<double> log_share,
               double weight) { mixture.add(part.automaton(), classes, log_share, weight); },
            nb::arg("part"), nb::arg("classes"), nb::arg("log_share"), nb::arg("weight"),
            nb::keep_alive<1, 2>())
        .def(
            "add",
            [](MixtureAutomaton& mixture, const PackedModel& part, Vec<int32_t> classes,
               Vec<double> log_share,
               double weight) { mixture.add(part.trie(), classes, log_share, weight); },
            nb::arg("part"), nb::arg("classes"), nb::arg("log_share"), nb::arg("weight"),
            nb::keep_alive<1, 2>())
        .def("start", &MixtureAutomaton::start)
        .def("score_word", &MixtureAutomaton::score_word, nb::arg("state"), nb::arg("word"),
             nb::arg("numbers"), nb::arg("unknown"))
        .def("score_words", &MixtureAutomaton::score_words, nb::arg("state"), nb::arg("tokens"))
        .def("score_sentence", &MixtureAutomaton::score_sentence, nb::arg("sentence"),
             nb::arg("words"), nb::arg("unknown"), nb::arg("end"))
        .def("advance", &MixtureAutomaton::advance, nb::arg("state"), nb::arg("tokens"))
        .def("score", &MixtureAutomaton::score, nb::arg("tokens"), nb::arg("ptr"), nb::arg("start"),
             nb::arg("threads") = 1)
        .def("distribution", &MixtureAutomaton::distribution, nb::arg("state"))
        .def("best", &MixtureAutomaton::best, nb::arg("state"), nb::arg("k"))
        .def("sample", &MixtureAutomaton::sample, nb::arg("n"), nb::arg("seed"), nb::arg("start"),
             nb::arg("end"), nb::arg("most"));
}

void bind_contexts(nb::module_& m) {
    nb::class_<ContextTree>(m, "ContextTree")
        .def(nb::init<Vec<int32_t>, Vec<int64_t>, int32_t, int, bool>(), nb::arg("tokens"),
             nb::arg("sentences"), nb::arg("n_words"), nb::arg("order"), nb::arg("collapse"))
        .def("beside", &ContextTree::beside, nb::arg("ptr"), nb::arg("target"), nb::arg("offset"))
        .def("own", &tree_own)
        .def("loss", &tree_loss, nb::arg("weights"), nb::arg("gradient").noconvert(),
             nb::arg("threads") = 1)
        .def("batch_loss", &tree_batch_loss, nb::arg("tokens"), nb::arg("weights"),
             nb::arg("gradient").noconvert())
        .def("scores", &tree_scores, nb::arg("weights"), nb::arg("score").noconvert(),
             nb::arg("log_z").noconvert(), nb::arg("threads") = 1)
        .def("negative_entropy", &tree_negative_entropy)
        .def("parent", &column<int32_t, &ContextArrays::parent>)
        .def("word", &column<int32_t, &ContextArrays::word>)
        .def("depth", &column<int32_t, &ContextArrays::depth>)
        .def("place", &column<int64_t, &ContextArrays::place>)
        .def("ptr", &column<int64_t, &ContextArrays::ptr>)
        .def("target", &column<int32_t, &ContextArrays::target>)
        .def("shorter", &column<int32_t, &ContextArrays::shorter>)
        .def("count", &column<int32_t, &ContextArrays::count>);
}

void bind_kneser_ney(nb::module_& m) {
    nb::class_<KneserNeyCounts>(m, "KneserNeyCounts")
        .def(nb::init<Vec<int32_t>, Vec<int64_t>, int32_t, int, int64_t, const std::string&>(),
             nb::arg("tokens"), nb::arg("sentences"), nb::arg("n_words"), nb::arg("order"),
             nb::arg("memory") = 0, nb::arg("folder") = "")
        .def("counts", &KneserNeyCounts::counts)
        .def("n_contexts", &KneserNeyCounts::n_contexts)
        .def("n_pairs", &KneserNeyCounts::n_pairs)
        .def("model", &KneserNeyCounts::model, nb::arg("discounts"))
        .def("write_lines", &KneserNeyCounts::write_lines, nb::arg("discounts"),
             nb::arg("weights").noconvert(), nb::arg("words"), nb::arg("word_ptr"),
             nb::arg("names"));
}

void bind_ngrams(nb::module_& m) {
    m.def("contexts_of_ngrams", &contexts_of_ngrams, nb::arg("words"), nb::arg("n_rows"),
          nb::arg("needed"));
}

}  // namespace

void bind(nb::module_& m) {
    bind_arpa(m);
    bind_automaton(m);
    bind_mixture(m);
    bind_contexts(m);
    bind_kneser_ney(m);
    bind_ngrams(m);
}

}  // namespace laconic::lm
