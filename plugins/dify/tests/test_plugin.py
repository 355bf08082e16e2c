"""The plugin inside Dify's own kit: its files are accepted, its tools answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from dify_plugin import DifyPluginEnv
from dify_plugin.core.plugin_registration import PluginRegistration
from dify_plugin.core.runtime import Session
from dify_plugin.entities.tool import ToolInvokeMessage, ToolRuntime

TEXT = "# Guide\n\n## Setup\n\nInstall it.\n\n## Usage\n\nRun it.\n"


@pytest.fixture
def registration(monkeypatch):
    monkeypatch.chdir(Path(__file__).parents[1])
    return PluginRegistration(DifyPluginEnv())


def answer(registration, name, parameters):
    """Run a tool and return its variables."""
    _, _, tools = registration.tools_mapping["outcrop"]
    _, tool = tools[name]
    runtime = ToolRuntime(credentials={}, user_id="someone", session_id="one")
    messages = list(
        tool(runtime=runtime, session=Session.empty_session()).invoke(parameters)
    )
    kinds = {message.type for message in messages}
    assert kinds == {ToolInvokeMessage.MessageType.VARIABLE}
    return {
        message.message.variable_name: message.message.variable_value
        for message in messages
    }


def test_the_kit_accepts_every_file(registration):
    assert registration.configuration.name == "outcrop"
    (provider,) = registration.tools_configuration
    assert [tool.identity.name for tool in provider.tools] == [
        "outcrop_general",
        "outcrop_parent_child",
    ]
    assert {asset.filename for asset in registration.files} == {"icon.svg"}


def test_labels_come_through_in_the_languages_the_kit_knows(registration):
    label = registration.configuration.label.to_dict()
    assert label["zh_Hans"] == "Outcrop Markdown 分块器"
    assert label["ja_JP"] == "Outcrop Markdown チャンカー"


def test_the_provider_needs_no_credentials(registration):
    _, provider, _ = registration.tools_mapping["outcrop"]
    provider().validate_credentials({})


def test_general_chunks_are_a_list_of_strings(registration):
    made = answer(
        registration,
        "outcrop_general",
        {"input_variable": TEXT, "max_chunk_length": 30},
    )
    assert made == {
        "result": ["# Guide\n\n## Setup\n\nInstall it.", "## Usage\n\nRun it."]
    }


def test_parents_come_with_their_children(registration):
    made = answer(
        registration,
        "outcrop_parent_child",
        {"input_text": TEXT, "max_length": 100, "subchunk_max_length": 30},
    )
    assert made["result"]["parent_mode"] == "paragraph"
    assert made["result"]["parent_child_chunks"] == [
        {
            "parent_content": "# Guide\n\n## Setup\n\nInstall it.",
            "child_contents": ["# Guide\n\n## Setup\n\nInstall it."],
        },
        {
            "parent_content": "## Usage\n\nRun it.",
            "child_contents": ["## Usage\n\nRun it."],
        },
    ]


@pytest.mark.parametrize(
    ("name", "key"),
    [("outcrop_general", "input_variable"), ("outcrop_parent_child", "input_text")],
)
def test_a_hierarchy_is_an_object_of_its_own(registration, name, key):
    made = answer(registration, name, {key: TEXT, "enable_hierarchy": True})
    assert made.keys() == {"result", "hierarchy"}
    assert made["hierarchy"]["tree"]["id"] == made["hierarchy"]["root_id"]
    assert made["hierarchy"]["outline"] == "- Setup\n- Usage"


def test_a_wrong_parameter_is_an_error_that_names_it(registration):
    with pytest.raises(ValueError, match="max_chunk_length is 0"):
        answer(
            registration,
            "outcrop_general",
            {"input_variable": TEXT, "max_chunk_length": 0},
        )
