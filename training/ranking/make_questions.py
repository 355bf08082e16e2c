"""Make groups of packages with questions about them.

    python -m training.ranking.make_questions SOURCES --out GROUPS

SOURCES holds source packages of Debian as `apt-get source --download-only` leaves them.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, TextIO

from training.ranking.code_questions import CodeQuestions
from training.ranking.document_questions import DocumentQuestions
from training.ranking.packages import (
    Package,
    archive_licence,
    read_archive,
    read_package,
)
from training.ranking.question import Question, count_definitions, cut_out
from training.ranking.wording import misspell

if TYPE_CHECKING:
    from collections.abc import Iterator

# About 3,000 to 12,000 chunks a group: one large project, or several small ones.
GROUP_BYTES = 2_500_000
MISSPELT_SHARE = 0.06
MIN_PACKAGE_BYTES = 40_000


def group_packages(packages: list[Package], random: Random) -> Iterator[list[Package]]:
    """Yield groups of packages in random order."""
    random.shuffle(packages)
    group: list[Package] = []
    size = 0
    for package in packages:
        group.append(package)
        size += sum(map(len, package.files.values()))
        if size >= GROUP_BYTES * random.choice([0.4, 0.7, 1, 1.3]):
            yield group
            group, size = [], 0
    if group:
        yield group


def ask_about(
    package: Package, counts: dict[str, int], random: Random
) -> tuple[dict[str, str], list[Question]]:
    """Return the files of a package without what is asked, and the questions."""
    code = CodeQuestions(package, counts, random)
    documents = DocumentQuestions(package, code.unique, random)
    questions = [
        *code.comments(12), *code.asked(4), *code.names(10), *code.tests(2),
        *code.inner_comments(4), *code.changes(6), *code.paths(3),
        *code.tracebacks(4), *code.reports(4),
        *documents.quoted(8), *documents.keywords(6), *documents.headings(4),
        *documents.links(12), *documents.mentions(8),
    ]  # fmt: skip
    # In half of the packages no definition has a comment, as in much code.
    more = code.all_comments() if random.random() < 0.5 else ()
    files, asked = cut_out(package.files, questions, more)
    return files, [
        q._replace(kind=f"{q.kind}~", text=misspell(q.text, random))
        if random.random() < MISSPELT_SHARE
        else q
        for q in asked
    ]


def write_group(folder: Path, group: list[Package], random: Random) -> int:
    """Write the files and the questions of a group; return how many there are."""
    counts = count_definitions(group)
    number = 0
    with _open_questions(folder) as out:
        for package in group:
            files, questions = ask_about(package, counts, random)
            for path, text in files.items():
                file = folder / "files" / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(text.encode())
            for question in questions:
                out.write(
                    json.dumps(
                        {
                            "package": package.name,
                            "kind": question.kind,
                            "q": question.text,
                            "answers": question.answers,
                        }
                    )
                    + "\n"
                )
                number += 1
    return number


def _open_questions(folder: Path) -> TextIO:
    folder.mkdir(parents=True, exist_ok=True)
    return (folder / "questions.jsonl").open("w", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sources", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    names = sorted(
        {file.name.partition("_")[0] for file in given.sources.glob("*.dsc")}
    )
    packages = []
    for name in names:
        package = read_package(given.sources, name)
        if package is None:
            print(f"{name}: no permissive licence found")
        elif sum(map(len, package.files.values())) >= MIN_PACKAGE_BYTES:
            packages.append(package)
    for archive in sorted(given.sources.glob("sdist/*.tar.gz")):
        licence = archive_licence(archive)
        if licence is None:
            print(f"{archive.name}: no permissive licence found")
        else:
            packages.append(read_archive(archive, licence))
    random = Random(0)
    for number, group in enumerate(group_packages(packages, random)):
        folder = given.out / f"{number:02}"
        asked = write_group(folder, group, random)
        size = sum(len(text) for package in group for text in package.files.values())
        print(
            f"{folder.name}: {asked} questions, {size / 1e6:.1f} MB: {', '.join(f'{p.name} ({p.licence})' for p in group)}",
            flush=True,
        )


if __name__ == "__main__":
    main()
