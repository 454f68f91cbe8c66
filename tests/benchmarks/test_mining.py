"""The mining page is made whole from a small part of the data."""

from benchmarks import mining


def test_every_section_of_the_page(data):
    page = mining.run(data, quick=True)
    assert "| words, mined to degree 2, lasso |" in page and "* ridge: of the mined, dev prefers degree 2: " in page
    assert "| one round from an SVM |" in page
    assert "| C | order | counted |" in page
    assert "smallest threshold that fits is about" in page
