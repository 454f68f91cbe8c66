"""Strings come in, integer ids go out: readers, words, sentences, trees and vocabularies."""
