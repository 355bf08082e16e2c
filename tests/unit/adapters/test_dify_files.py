"""The plugin's files, by the fields that Dify's daemon reads and demands."""

from __future__ import annotations

import re
import tomllib
from xml.etree import ElementTree as ET

import pytest

from unit.adapters.dify_plugin import PLUGIN, TOOLS, read_yaml

LANGUAGES = {"en_US", "zh_Hans", "ja_JP", "ru_RU"}
NAME = re.compile(r"[a-z0-9_-]{1,128}")

MANIFEST = {
    "version", "type", "author", "name", "label", "description", "icon", "resource",
    "plugins", "meta", "tags", "created_at", "privacy", "verified",
}  # fmt: skip
PROVIDER = {"author", "name", "label", "description", "icon", "tags"}
TAGS = {
    "search", "image", "videos", "weather", "finance", "design", "travel", "social",
    "news", "medical", "productivity", "education", "business", "entertainment",
    "utilities", "agent", "rag", "other", "trigger",
}  # fmt: skip
PARAMETER = {
    "name", "label", "human_description", "type", "form", "llm_description", "required",
    "default", "min", "max", "options",
}  # fmt: skip
NEEDED = {"name", "label", "human_description", "type", "form"}
TYPES = {"string", "number", "boolean", "select"}
SCHEMAS = {
    "general": "https://dify.ai/schemas/v1/general_structure.json",
    "parent_child": "https://dify.ai/schemas/v1/parent_child_structure.json",
}
SHARED = {"strategy", "oversize", "include_header_path", "enable_hierarchy"}
PARAMETERS = {
    "general": {"input_variable", "max_chunk_length", "chunk_overlap_length"} | SHARED,
    "parent_child": {
        "input_text", "parent_mode", "max_length", "subchunk_max_length",
    } | SHARED,
}  # fmt: skip

EACH_TOOL = pytest.mark.parametrize("name", TOOLS)


def texts(value, at=""):
    """Yield everything that is written in several languages, with its place."""
    if isinstance(value, dict):
        if "en_US" in value:
            yield at, value
            return
        for key, inner in value.items():
            yield from texts(inner, f"{at}/{key}")
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from texts(inner, f"{at}/{number}")


@pytest.mark.parametrize(
    "file",
    ["manifest.yaml", "provider/outcrop.yaml", *(f"tools/{n}.yaml" for n in TOOLS)],
)
def test_everything_people_read_is_in_four_languages(file):
    found = list(texts(read_yaml(file)))
    assert found
    for place, languages in found:
        assert languages.keys() == LANGUAGES, place
        assert all(text.strip() for text in languages.values()), place


def test_the_manifest_has_the_fields_of_the_daemon():
    manifest = read_yaml("manifest.yaml")
    assert manifest.keys() == MANIFEST
    assert manifest["type"] == "plugin"
    assert NAME.fullmatch(manifest["name"])
    assert NAME.fullmatch(manifest["author"])
    assert set(manifest["tags"]) <= TAGS
    assert manifest["resource"]["memory"] > 0
    assert manifest["resource"]["permission"] == {}
    meta = manifest["meta"]
    assert meta.keys() == {"version", "arch", "runner", "minimum_dify_version"}
    assert set(meta["arch"]) == {"amd64", "arm64"}
    assert meta["runner"] == {
        "language": "python", "version": "3.12", "entrypoint": "main",
    }  # fmt: skip


def test_every_file_that_is_named_is_there():
    manifest = read_yaml("manifest.yaml")
    (provider,) = manifest["plugins"]["tools"]
    declared = read_yaml(provider)
    named = [
        provider, declared["extra"]["python"]["source"], *declared["tools"],
        manifest["privacy"], f"_assets/{manifest['icon']}",
        f"_assets/{declared['identity']['icon']}", "main.py", "README.md",
        "requirements.txt",
    ]  # fmt: skip
    named += [
        read_yaml(tool)["extra"]["python"]["source"] for tool in declared["tools"]
    ]
    assert [name for name in named if not (PLUGIN / name).is_file()] == []


def test_the_provider_has_the_fields_of_the_daemon():
    provider = read_yaml("provider/outcrop.yaml")
    assert provider.keys() == {"identity", "tools", "extra"}
    assert provider["identity"].keys() == PROVIDER
    assert set(provider["identity"]["tags"]) <= TAGS
    assert NAME.fullmatch(provider["identity"]["name"])


@EACH_TOOL
def test_a_tool_has_the_fields_of_the_daemon(name):
    tool = read_yaml(f"tools/{name}.yaml")
    assert tool.keys() == {
        "identity", "description", "parameters", "output_schema", "extra",
    }  # fmt: skip
    assert tool["identity"].keys() == {"name", "author", "label"}
    assert NAME.fullmatch(tool["identity"]["name"])
    assert tool["description"].keys() == {"human", "llm"}


@EACH_TOOL
def test_a_parameter_has_the_fields_of_the_daemon(name):
    for parameter in read_yaml(f"tools/{name}.yaml")["parameters"]:
        assert parameter.keys() >= NEEDED
        assert parameter.keys() <= PARAMETER
        assert parameter["type"] in TYPES
        assert parameter["form"] in {"form", "llm"}
        assert ("options" in parameter) == (parameter["type"] == "select")
        if "options" in parameter:
            values = [option["value"] for option in parameter["options"]]
            assert parameter["default"] in values


@EACH_TOOL
def test_the_parameters_are_those_of_the_contract(name):
    parameters = read_yaml(f"tools/{name}.yaml")["parameters"]
    assert {parameter["name"] for parameter in parameters} == PARAMETERS[name]


@EACH_TOOL
def test_the_logic_reads_every_parameter(name):
    source = (PLUGIN / "structures.py").read_text(encoding="utf-8")
    assert [name for name in PARAMETERS[name] if f'"{name}"' not in source] == []


@EACH_TOOL
def test_the_result_has_one_of_the_published_structures(name):
    schema = read_yaml(f"tools/{name}.yaml")["output_schema"]
    assert schema["type"] == "object"
    assert schema["properties"]["result"] == {"$ref": SCHEMAS[name]}
    assert schema["properties"]["hierarchy"]["type"] == "object"


def test_both_lists_of_requirements_are_the_same():
    project = tomllib.loads((PLUGIN / "pyproject.toml").read_text())["project"]
    listed = (PLUGIN / "requirements.txt").read_text().split()
    assert listed == project["dependencies"]
    assert not any("[" in requirement for requirement in listed)  # the core alone
    assert project["version"] == read_yaml("manifest.yaml")["version"]


def test_the_icon_is_a_picture_that_loads_nothing():
    root = ET.parse(PLUGIN / "_assets" / "icon.svg").getroot()  # noqa: S314 - our own
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    allowed = {"svg", "rect", "path", "g"}
    assert {element.tag.rpartition("}")[2] for element in root.iter()} <= allowed
    values = [value for element in root.iter() for value in element.attrib.values()]
    assert not any("url(" in value or "//" in value for value in values)


def test_every_parameter_is_on_the_plugins_page():
    page = (PLUGIN / "README.md").read_text(encoding="utf-8")
    names = set().union(*PARAMETERS.values())
    assert [name for name in names if f"`{name}`" not in page] == []
