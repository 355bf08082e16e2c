"""Entries move from `changelog.d` into the section of the version."""

from __future__ import annotations

import pytest
from website.changelog import collect


@pytest.fixture
def project(tmp_path):
    (tmp_path / "changelog.d").mkdir()
    (tmp_path / "changelog.d" / "README.md").write_text("About.\n")
    for name, text in (
        ("pots.added.md", "Pots.\n"),
        ("cups.fixed.md", "Cups hold\ntea.\n"),
    ):
        (tmp_path / "changelog.d" / name).write_text(text)
    return tmp_path


def test_a_new_section_is_put_above_the_older_ones(project):
    page = project / "CHANGELOG.md"
    page.write_text("# Changelog\n\nWhat changed.\n\n## [0.1.0]\n\nFirst.\n")
    assert collect(project, "0.2.0") == 2
    assert page.read_text() == (
        "# Changelog\n\nWhat changed.\n\n## [0.2.0]\n\n"
        "### Added\n\n- Pots.\n\n### Fixed\n\n- Cups hold tea.\n\n"
        "## [0.1.0]\n\nFirst.\n"
    )
    assert [path.name for path in (project / "changelog.d").iterdir()] == ["README.md"]


def test_a_section_that_is_there_gets_the_entries_that_are_new(project):
    page = project / "CHANGELOG.md"
    page.write_text(
        "# Changelog\n\n## [0.2.0] - 2026-01-01\n\nBetter.\n\n### Added\n\n- Tea.\n\n"
        "### Fixed\n\n- Milk.\n\n## [0.1.0]\n\nFirst.\n"
    )
    collect(project, "0.2.0")
    assert page.read_text() == (
        "# Changelog\n\n## [0.2.0] - 2026-01-01\n\nBetter.\n\n"
        "### Added\n\n- Tea.\n- Pots.\n\n### Fixed\n\n- Milk.\n- Cups hold tea.\n\n"
        "## [0.1.0]\n\nFirst.\n"
    )
