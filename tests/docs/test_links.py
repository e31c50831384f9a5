"""The check of the links inside the built documentation finds what is broken."""

import runpy
from pathlib import Path

import pytest

CHECK = Path(__file__).parents[2] / "doc" / "check_links.py"
broken_links = runpy.run_path(str(CHECK))["broken_links"]


def test_broken_links_are_found_and_others_are_not(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "_static").mkdir()
    (tmp_path / "_static" / "macro.html").write_text('<a href="{{ no }}"></a>')
    (tmp_path / "sub" / "index.html").write_text('<h1 id="a b">x</h1>')
    links = [
        "sub/",
        "sub/index.html#a%20b",
        "#here",
        "#",
        "https://example.org/no",
        "mailto:a@b",
        "index.html?q=1",
        "sub/index.html#gone",
        "#gone",
        "gone.html",
    ]
    page = '<p id="here"></p>' + "".join(f'<a href="{link}">x</a>' for link in links)
    (tmp_path / "index.html").write_text(page + '<img src="gone.png">')
    found = broken_links(tmp_path)
    assert found == [
        ("index.html", link)
        for link in ("sub/index.html#gone", "#gone", "gone.html", "gone.png")
    ]


def test_what_a_page_loads_from_elsewhere_is_found(tmp_path):
    loaded = ["https://cdn.example.org/a.js", "//cdn.example.org/b.css"]
    (tmp_path / "a.js").write_text("")
    (tmp_path / "index.html").write_text(
        f'<script src="{loaded[0]}"></script><link rel="stylesheet" href="{loaded[1]}">'
        '<script src="a.js"></script><img src="data:image/png;base64,AA==">'
        '<a href="https://example.org">a link may lead out</a>'
    )
    assert broken_links(tmp_path) == [("index.html", link) for link in loaded]


def test_a_folder_without_pages_is_refused(tmp_path):
    with pytest.raises(ValueError, match="no page"):
        broken_links(tmp_path)
