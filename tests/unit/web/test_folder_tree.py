"""Documents by folder: counted, joined, and as many as a page can hold."""

from __future__ import annotations

from outcrop.model.stored import Document
from outcrop.web.list_pages import ListForm, make_tree


def documents(*paths):
    return [Document(path=path, kind="markdown", fingerprint="") for path in paths]


def shape(folder):
    inside = {f"{inner.name}/": shape(inner) for inner in folder.folders}
    return inside | {each.path.rpartition("/")[2]: "" for each in folder.documents}


def shown(folder):
    below = sum(shown(inner) for inner in folder.folders)
    own = len(folder.documents) + len(folder.folders)
    return below + (own if folder.is_shown else 0)


def test_documents_are_in_their_folders_and_dot_folders_are_last():
    paths = [".github/a.md", "docs/b.md", "docs/deep/c.md", "Zoo/d.md", "top.md"]
    tree = make_tree(documents(*paths))
    assert shape(tree) == {
        "docs/": {"deep/": {"c.md": ""}, "b.md": ""},
        "Zoo/": {"d.md": ""},
        ".github/": {"a.md": ""},
        "top.md": "",
    }
    assert [folder.name for folder in tree.folders] == ["docs", "Zoo", ".github"]
    assert (tree.count, tree.folders[0].count) == (5, 2)


def test_a_folder_with_one_folder_alone_is_shown_with_it():
    tree = make_tree(documents("src/main/java/a.md", "src/main/java/b/c.md"))
    assert shape(tree) == {"src/main/java/": {"b/": {"c.md": ""}, "a.md": ""}}
    assert tree.folders[0].path == "src/main/java/"


def test_a_folder_can_be_the_whole_tree():
    tree = make_tree(documents("a/b/c.md", "a/d.md", "e.md"), "a/")
    assert shape(tree) == {"b/": {"c.md": ""}, "d.md": ""}


def test_a_page_of_a_large_tree_is_bounded_and_nothing_is_lost():
    paths = [
        f"{a:02}/{b:02}/{c:02}.md" for a in range(20) for b in range(20) for c in "12"
    ]
    tree = make_tree(documents(*paths))
    assert tree.count == 800
    assert shown(tree) <= 1_000
    assert all(folder.is_shown for folder in tree.folders)
    large = make_tree(documents(*(f"{n:04}/{m}.md" for n in range(900) for m in "123")))
    assert shown(large) <= 1_000
    hidden = [folder for folder in large.folders if not folder.is_shown]
    assert hidden
    assert all(folder.count == 3 for folder in hidden)


def test_a_folder_with_too_many_documents_says_how_many_are_left_out():
    tree = make_tree(documents(*(f"{n:05}.md" for n in range(1_500))))
    assert (len(tree.documents), tree.left_out) == (1_000, 500)


def test_a_deep_tree_is_cut_off():
    nested, at = [], ""
    for depth in range(200):
        at += f"{depth}/"
        nested.append(f"{at}x.md")
    tree, depth = make_tree(documents(*nested)), 0
    while tree.folders and tree.is_shown:
        tree, depth = tree.folders[0], depth + 1
    assert depth < 30


def test_words_kinds_and_folders_restrict_a_list():
    listed = documents("docs/guide.md", "docs/deep/guide.md", "src/guide.py")
    form = ListForm(q="GUIDE docs")
    assert [each.path for each in form.choose(listed)] == [
        "docs/deep/guide.md",
        "docs/guide.md",
    ]
    assert [e.path for e in ListForm(folder="docs/deep/").choose(listed)] == [
        "docs/deep/guide.md"
    ]
    assert ListForm(kind="python").choose(listed) == []
    assert ListForm().is_tree
    assert not ListForm(sort="size").is_tree


def test_a_kind_is_the_language_of_code_but_not_that_of_a_text():
    listed = [
        Document(path="a.md", kind="markdown", lang="en", fingerprint=""),
        Document(path="b.py", kind="code", lang="python", fingerprint=""),
    ]
    assert [e.path for e in ListForm(kind="markdown").choose(listed)] == ["a.md"]
    assert [e.path for e in ListForm(kind="python").choose(listed)] == ["b.py"]


def test_lists_are_sorted():
    listed = [
        Document(path="a", kind="text", fingerprint="", size_bytes=1, chunk_count=9),
        Document(path="b", kind="text", fingerprint="", size_bytes=5, title="A"),
        Document(path="c", kind="text", fingerprint="", size_bytes=3, title="0"),
    ]

    def order(sort):
        return "".join(each.path for each in ListForm(sort=sort).choose(listed))

    assert [order(sort) for sort in ("path", "size", "title", "chunks")] == [
        *("abc", "bca", "cab", "abc")
    ]
