"""Words and sentences in fourteen languages; marks stay with their letters."""

from __future__ import annotations

import unicodedata
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.text.documents import DocumentEncoder
from laconic.text.scripts import UNSEGMENTED, has_own_rules
from laconic.text.tokens import sentences, word_spans, words

# Language: a text of two or more sentences, the words of the first one, the number of sentences.
LANGUAGES = {
    "English": ("The plot isn’t new. We liked it!", "the plot isn new", 2),
    "German": ("Größe zählt für Müller. Ja.", "größe zählt für müller", 2),
    "Russian": ("Это хороший фильм. Он мне нравится.", "это хороший фильм", 2),
    "Greek": ("Είναι καλή ταινία. Μου αρέσει.", "είναι καλή ταινία", 2),
    "Vietnamese": (
        unicodedata.normalize("NFD", "Tiếng Việt rất đẹp. Tôi thích."),
        "tiếng việt rất đẹp",
        2,
    ),
    "Hindi": ("मैं हिन्दी में लिखता हूँ। यह अच्छा है।", "मैं हिन्दी में लिखता हूँ", 2),
    "Tamil": ("தமிழ் மொழி அழகானது. நல்லது.", "தமிழ் மொழி அழகானது", 2),
    "Arabic": ("هل كَتَبَ الوَلَدُ رِسالةً؟ نعم.", "هل كَتَبَ الوَلَدُ رِسالةً", 2),
    "Persian": ("می\u200cخواهم بخوانم. خوب است.", "می\u200cخواهم بخوانم", 2),
    "Urdu": ("یہ اچھی کتاب ہے۔ مجھے پسند ہے۔", "یہ اچھی کتاب ہے", 2),
    "Hebrew": ("זֶה סֵפֶר טוֹב. אני אוהב.", "זֶה סֵפֶר טוֹב", 2),
    "Amharic": ("ይህ ጥሩ መጽሐፍ ነው። እወደዋለሁ።", "ይህ ጥሩ መጽሐፍ ነው", 2),
    "Korean": ("나는 책을 좋아한다. 아주 좋다!", "나는 책을 좋아한다", 2),
    "Chinese": ("我喜欢这本书。你呢？很好！", "我喜 喜欢 欢这 这本 本书", 3),
    "Japanese": ("「良い」映画です。Pythonも好き！", "良い 映画 画で です", 2),
    "Thai": ("ไม่มีช่องว่าง", "ไม่ ม่มี มีช่ ช่อ อง งว่ ว่า าง", 1),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_and_sentences(language: str) -> None:
    text, expected, n_sentences = LANGUAGES[language]
    spans = sentences(text)
    assert len(spans) == n_sentences
    first = text[slice(*spans[0])]
    found = words(first)
    assert found == [unicodedata.normalize("NFC", word) for word in expected.split(" ")]
    assert len(word_spans(first)) == len(found)
    assert words(text, lowercase=False) != []


ALPHABET = "aB1_ é\u0301\u200cक\u093f\u094dกุ我かﾞ한\u1112\u1161ب\u064e。？।.\n"


@given(st.text(ALPHABET, max_size=30) | st.text(max_size=30))
def test_no_mark_is_cut_off_and_no_word_is_lost(text: str) -> None:
    for start, end in word_spans(text):
        assert text[start:end] and (
            end == len(text) or not unicodedata.category(text[end]).startswith("M")
        )
    lengths = [len(words(text[start:end])) for start, end in sentences(text)]
    assert sum(lengths) == len(words(text))
    assert all(word == unicodedata.normalize("NFC", word) for word in words(text))
    assert words(unicodedata.normalize("NFD", text), False) == words(text, False)


def test_composed_and_decomposed_letters_are_the_same_words() -> None:
    assert words("cafe\u0301") == words("café") == ["café"]
    assert not has_own_rules("Müller’s “naïve” café – 5 € Привет") and has_own_rules("cafe\u0301")
    assert "我" not in UNSEGMENTED  # ranges


def test_one_sentence_says_that_a_segmenter_is_missing() -> None:
    with pytest.warns(UserWarning, match="without blanks between words"):
        DocumentEncoder().grow([LANGUAGES["Japanese"][0], LANGUAGES["Thai"][0]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        DocumentEncoder().grow([text for text, _, _ in list(LANGUAGES.values())[:-3]])
        DocumentEncoder().grow([[["我", "喜欢", "这", "本", "书"]]])  # a segmenter was there
