"""The image and the composition: linted, and their steps tried without an engine."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from release.environment import ROOT, FreshEnvironment, declared_by

# The first test also waits for the archives and the environment.
pytestmark = pytest.mark.timeout(180)

PORT = "8321"
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")


def _instruction(name: str) -> list[str]:
    """The arguments of the last instruction of a name, in their JSON form."""
    joined = DOCKERFILE.replace("\\\n", " ")
    lines = [line for line in joined.splitlines() if line.startswith(f"{name} ")]
    return json.loads(lines[-1][lines[-1].index("[") :])


def _free_port() -> int:
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        return int(opened.getsockname()[1])


def test_the_linter_has_nothing_to_say():
    linter = shutil.which("hadolint", path=str(Path(sys.executable).parent))
    if linter is None:
        pytest.skip("there is no hadolint here: make setup installs it")
    done = subprocess.run(
        [linter, "Dockerfile"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout + done.stderr == ""
    assert done.returncode == 0


def test_the_image_runs_as_a_user_without_rights_and_keeps_data_in_a_volume():
    users = re.findall(r"^USER (\S+)$", DOCKERFILE, re.MULTILINE)
    assert users == ["10001"]
    assert DOCKERFILE.index("USER") < DOCKERFILE.index("ENTRYPOINT")
    assert "\nVOLUME /data\n" in DOCKERFILE
    assert "-slim" in DOCKERFILE


def test_the_build_copies_only_what_its_context_has():
    kept = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    copied = re.findall(r"^COPY (?!--from)(.*) \S+$", DOCKERFILE, re.MULTILINE)
    names = [name for line in copied for name in line.split()]
    assert names
    assert [name for name in names if f"!{name}" not in kept] == []
    assert [name for name in names if not (ROOT / name).exists()] == []


@pytest.fixture(scope="module")
def installed(archives, tmp_path_factory):
    """Return an environment with what the image installs."""
    folder = tmp_path_factory.mktemp("environment")
    made = FreshEnvironment(folder, declared_by(archives, "all"))
    made.install(archives, "outcrop[all]")
    return made


def test_the_command_of_the_image_serves_and_passes_its_health_check(
    installed, tmp_path
):
    data, port = tmp_path / "data", str(_free_port())
    (data / "docs").mkdir(parents=True)
    (data / "docs" / "tea.md").write_text("# Tea\n\nSteep it for three minutes.\n")
    command = [*_instruction("ENTRYPOINT"), *_instruction("CMD"), "--port", port]
    command[command.index("0.0.0.0")] = "127.0.0.1"  # noqa: S104 - what it replaces
    check = [part.replace(PORT, port) for part in _instruction("HEALTHCHECK")]
    indexed = installed.run("outcrop", "index", "docs", folder=data)
    assert indexed.returncode == 0, indexed.stderr
    variables = {**installed.variables(), "OUTCROP_TOKEN": "a token for this test"}
    with subprocess.Popen(
        command, cwd=data, env=variables, stderr=subprocess.PIPE, text=True
    ) as server:
        try:
            until = time.monotonic() + 60
            while (done := installed.run(*check)).returncode:
                if time.monotonic() > until:
                    break
                time.sleep(0.5)
            assert done.returncode == 0, done.stderr
        finally:
            server.terminate()
            server.communicate(timeout=30)
    assert installed.run(*check).returncode != 0


def test_the_server_of_the_image_does_not_start_without_a_token(installed, tmp_path):
    command = [*_instruction("ENTRYPOINT"), *_instruction("CMD"), "--port", "0"]
    done = installed.run(*command, folder=tmp_path)
    assert done.returncode != 0
    assert "OUTCROP_TOKEN" in done.stderr


def test_the_composition_has_a_database_a_server_and_two_workers():
    composed = yaml.safe_load((ROOT / "deploy/compose.yaml").read_text("utf-8"))
    services = composed["services"]
    assert services["db"]["image"].startswith("pgvector/pgvector:")
    assert services["worker"]["deploy"]["replicas"] == 2
    assert services["worker"]["command"] == ["worker"]
    assert services["serve"]["ports"] == [f"127.0.0.1:{PORT}:{PORT}"]
    for name in ("serve", "worker", "index"):
        service = services[name]
        assert service["cap_drop"] == ["ALL"]
        assert service["depends_on"]["db"]["condition"] == "service_healthy"
        assert "OUTCROP_DATABASE_URL" in service["environment"]
    assert "ports" not in services["db"]
    used = {volume.partition(":")[0] for volume in services["serve"]["volumes"]}
    assert "data" in used
    assert set(composed["volumes"]) == {"data", "database"}
