"""Downloading packages with the clients of their registries."""

from training import fetch


def test_a_package_whose_client_is_not_installed_is_left_out(tmp_path, monkeypatch):
    monkeypatch.setitem(fetch.CLIENTS, "npm", ["no-such-client-of-a-registry"])
    assert not fetch.download("npm", "left-pad", tmp_path / "npm")


def test_a_package_that_the_client_cannot_find_is_left_out(tmp_path, monkeypatch):
    monkeypatch.setitem(fetch.CLIENTS, "npm", ["false"])
    assert not fetch.download("npm", "left-pad", tmp_path / "npm")


def test_the_client_runs_in_the_folder(tmp_path, monkeypatch):
    monkeypatch.setitem(fetch.CLIENTS, "npm", ["touch"])
    assert fetch.download("npm", "left-pad", tmp_path / "npm")
    assert (tmp_path / "npm/left-pad").exists()
