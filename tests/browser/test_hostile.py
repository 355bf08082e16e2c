"""A document that wants to run something runs nothing, in any view."""

from __future__ import annotations

import pytest

from integration.http.served import HOSTILE

# The first test also waits for the browser and the server.
pytestmark = pytest.mark.timeout(180)

VIEWS = [
    "/documents/docs/hostile.md",
    "/documents/docs/hostile.md?view=read",
    "/?q=hacked+script+onerror",
    "/documents?q=hostile",
    "/?q=%3Cimg+src%3Dx+onerror%3D%22window.hacked%3D1%22%3E",
    "/code?q=%3Cscript%3Ewindow.hacked%3D1%3C/script%3E",
]


def check(browser, served):
    assert browser.run("return window.hacked === undefined")
    assert browser.run(
        "return ![...document.querySelectorAll('*')].some(element =>"
        " [...element.attributes].some(({name, value}) =>"
        " name.startsWith('on') || /^\\s*javascript:/i.test(value)))"
    )
    assert not browser.all("main script, main iframe, main img, main [onload]")
    assert browser.hosts() <= {f"127.0.0.1:{served.port}"}
    assert browser.complaints() == []


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_runs_nothing_of_a_document(browser, served, view):
    browser.open(served.url + view)
    browser.until(lambda: browser.run("return document.readyState") == "complete")
    check(browser, served)


def test_parts_that_are_loaded_later_run_nothing_either(browser, served):
    browser.open(f"{served.url}/documents/docs/hostile.md")
    browser.slide("[name=size]", 40)
    browser.until(lambda: len(browser.all(".chunk")) > 3)
    check(browser, served)
    browser.open(f"{served.url}/paste")
    browser.run(
        "const field = document.getElementById('text'); field.value = arguments[0];"
        "field.dispatchEvent(new Event('input', {bubbles: true}))",
        HOSTILE,
    )
    browser.until_there(".chunk", "window.hacked = 2")
    check(browser, served)
    browser.open(f"{served.url}/")
    browser.find("#q").send_keys("hacked script")
    browser.until_there(".hits", "window.hacked")
    check(browser, served)


def test_the_policy_would_stop_a_script_even_if_it_got_in(browser, served):
    browser.open(f"{served.url}/documents/docs/hostile.md")
    browser.run("document.body.insertAdjacentHTML('beforeend', arguments[0])", HOSTILE)
    browser.run(
        "const script = document.createElement('script');"
        "script.textContent = 'window.hacked = 11'; document.body.append(script)"
    )
    assert browser.run("return window.hacked === undefined")
    assert any("Content Security Policy" in text for text in browser.complaints())
