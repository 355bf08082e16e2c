"""The four views, driven as people drive them."""

from __future__ import annotations

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from integration.http.served import make_project, remove_project, serving, write_files

# The first test also waits for the browser and the server.
pytestmark = pytest.mark.timeout(180)

VIEWS = [
    "/",
    "/?q=berth",
    "/documents",
    "/documents/docs/guide.md",
    "/documents/docs/guide.md?view=read",
    "/documents/docs/guide.md?size=60",
    "/documents/src/harbour/berths.py",
    "/paste",
    "/code",
    "/code/reserve_berth",
    "/runs",
    "/docs",
    "/nothing",
]


def test_results_come_as_one_types_and_open_by_key(browser, served):
    browser.open(f"{served.url}/runs")
    browser.press("1")
    browser.until_there(".empty", "Ask something")
    browser.press(Keys.ESCAPE)
    browser.press("/")
    browser.press("when does the basin fall dry")
    browser.until_there(".hits mark", "basin")
    assert "q=when+does" in browser.driver.current_url
    browser.press(Keys.ARROW_DOWN)
    assert browser.run("return document.activeElement.matches('.where')")
    browser.press(Keys.ENTER)
    chosen = browser.until_there(".chunk.on")
    assert "falls dry" in chosen.text.replace("\n", " ")


def test_enter_in_the_field_opens_the_best_result(browser, served):
    browser.open(f"{served.url}/")
    browser.find("#q").send_keys("crane lifts")
    browser.until_there(".hits mark")
    browser.press(Keys.ENTER)
    browser.until(lambda: "/documents/docs/notes.txt" in browser.driver.current_url)


def test_filters_change_the_results(browser, served):
    browser.open(f"{served.url}/?q=berth")
    assert browser.all(".hit .snippet:not(.code)")
    browser.find("[name=source][value=code] + span").click()
    browser.until(lambda: not browser.all(".hit .snippet:not(.code)"))
    assert browser.all(".hit .snippet.code")
    browser.find("[name=path]").send_keys("nowhere/**")
    browser.until_there(".empty", "without the filters")


def test_the_budget_packs_more_or_less_and_is_copied(browser, served):
    origin = {"origin": served.url, "permissions": ["clipboardReadWrite"]}
    browser.driver.execute_cdp_cmd("Browser.grantPermissions", origin)
    browser.open(f"{served.url}/?q=berth+fee+tide")
    many = len(browser.all(".pieces section"))
    browser.slide("#tokens", 200)
    browser.until_there("#tokens-shown", "200 tokens")
    browser.until(lambda: len(browser.all(".pieces section")) < many)
    browser.find("#copy").click()
    browser.until_there("#copy", "Copied")
    copied = browser.run("return navigator.clipboard.readText()")
    assert copied == browser.run("return document.getElementById('plain').value")
    assert browser.find(".pieces .label").text in str(copied)


def test_sliders_cut_a_document_again(browser, served):
    browser.open(f"{served.url}/documents/docs/guide.md")
    browser.slide("[name=size]", 4000)
    browser.until(lambda: len(browser.all(".chunk")) == 1)
    assert browser.run("return document.querySelector('[value=again]').checked")
    browser.slide("[name=size]", 30)
    browser.until(lambda: len(browser.all(".chunk")) > 4)
    assert not browser.all(".quoted")
    browser.slide("[name=overlap]", 15)
    browser.until(lambda: browser.all(".quoted"))
    reasons = {reason.text for reason in browser.all(".reason")}
    assert "the document begins" in reasons
    browser.find("[name=strategy] [value=fallback]").click()
    browser.until_there(".sizes dd", "fallback")
    browser.find("[value=indexed] + span").click()
    browser.until_there(".sizes .unit", "tokens")


def test_the_tree_and_the_chart_lead_to_the_chunk(browser, served):
    browser.open(f"{served.url}/documents/docs/guide.md")
    link = browser.until_there(".tree a", "Tides")
    link.click()
    chosen = browser.until_there(".chunk.on")
    assert "## Tides" in chosen.text
    bars = browser.all(".chart a")
    browser.run(
        "arguments[0].dispatchEvent(new MouseEvent('click', {bubbles: true}))", bars[0]
    )
    assert "# Harbour guide" in browser.find(".chunk.on").text
    browser.press("j")
    assert browser.find(".chunk.on").get_attribute("id") == "c2"


def test_sections_fold_also_after_the_document_was_cut_again(browser, served):
    folded = "return document.querySelector('.tree [role=group]').hidden"
    browser.open(f"{served.url}/documents/docs/guide.md")
    browser.until_there(".tree a", "Tides")
    browser.find(".tree .fold").click()
    assert browser.run(folded)
    browser.slide("[name=size]", 35)
    browser.until(lambda: len(browser.all(".chunk")) > 4)
    browser.until(lambda: not browser.run(folded))
    browser.find(".tree .fold").click()
    assert browser.run(folded)


def test_a_pasted_text_is_cut_at_once(browser, served):
    browser.open(f"{served.url}/paste")
    browser.find("#text").send_keys("# One\n\nFirst.\n\n# Two\n\nSecond.\n")
    browser.until_there(".chunk", "Second.")
    browser.slide("[name=size]", 100)
    assert browser.until_there(".tree a", "Two")


def test_the_graph_is_panned_zoomed_and_walked(browser, served):
    browser.open(f"{served.url}/code")
    browser.find("#symbol").send_keys("reserve_ber")
    browser.until_there("#symbols a", "reserve_berth")
    browser.press(Keys.ENTER)
    drawing = browser.until_there("#graph .wide")

    def view():
        return [float(part) for part in drawing.get_dom_attribute("viewBox").split()]

    whole = view()
    browser.find("[data-zoom=in]").click()
    assert view()[2] < whole[2]
    browser.find("[data-zoom=fit]").click()
    assert view() == whole
    pull = ActionChains(browser.driver)
    pull.move_to_element_with_offset(drawing, -200, -150).click_and_hold()
    pull.move_by_offset(80, 40).release().perform()
    assert view()[0] < whole[0]
    assert view()[1] < whole[1]
    assert browser.all(".edge.exact, .edge.flow")
    browser.find("[data-zoom=fit]").click()
    boxes = browser.all("#graph a .box")
    named = next(box for box in boxes if "main" in box.text)
    named.click()
    browser.until_there("h1", "main")


def test_the_address_and_the_tab_say_what_is_shown(browser, served):
    def address():
        return browser.driver.current_url.removeprefix(served.url)

    browser.open(f"{served.url}/")
    browser.find("#q").send_keys("low tide")
    browser.until(lambda: browser.driver.title == "low tide · Outcrop")
    browser.open(f"{served.url}/code")
    browser.find("#symbol").send_keys("reserve")
    browser.until(lambda: address() == "/code?q=reserve")
    assert browser.driver.title == "reserve · Code · Outcrop"
    browser.open(f"{served.url}/documents/docs/guide.md")
    browser.press("j")
    stored = browser.find(".chunk.on").get_attribute("data-id")
    assert address() == f"/documents/docs/guide.md#{stored}"
    browser.slide("[name=size]", 40)
    browser.until(lambda: "?size=40&overlap=0" in address())
    browser.until(lambda: not browser.all(".chunk[data-id]"))
    many = len(browser.all(".chunk"))
    browser.open(browser.driver.current_url)
    assert len(browser.all(".chunk")) == many
    assert browser.find("[name=which]:checked").get_attribute("value") == "again"


def test_a_wide_table_keeps_its_words_whole_on_a_phone(browser, served):
    browser.open(f"{served.url}/documents/docs/guide.md?view=read")
    browser.resize(390, 800)
    cells = '<td class="cell">breakwater</td>' * 20
    table = f'<div class="table"><table><tr>{cells}</tr></table></div>'
    browser.run("document.getElementById('text').innerHTML += arguments[0]", table)
    line = browser.run("return parseFloat(getComputedStyle(document.body).lineHeight)")
    cell = browser.all("#text .cell")[-1]
    assert cell.size["height"] < 2 * line
    across = "return document.documentElement.scrollWidth - innerWidth"
    assert browser.run(across) <= 0


def test_reading_and_the_source_stay_at_one_place(browser, served):
    browser.open(f"{served.url}/documents/docs/guide.md")
    browser.until_there(".tree a", "Tides").click()
    stored = browser.until_there(".chunk.on").get_attribute("data-id")
    browser.press("r")
    browser.until_there(".prose h2", "Tides")
    assert browser.driver.current_url.endswith(f"?view=read#{stored}")
    browser.press("r")
    chosen = browser.until_there(".chunk.on")
    assert chosen.get_attribute("data-id") == stored
    browser.press("r")
    browser.until_there(".tree a", "Fees").click()
    browser.until(lambda: browser.driver.current_url.endswith("#s-fees"))


def test_on_a_phone_the_text_is_on_the_first_screen(browser, served):
    def top(selector):
        return browser.find(selector).rect["y"]

    browser.resize(390, 844)
    browser.open(f"{served.url}/?q=berth")
    assert top(".hit") < 300
    assert not browser.find("[name=path]").is_displayed()
    browser.find("#more").click()
    assert browser.find("[name=path]").is_displayed()
    browser.open(f"{served.url}/documents/docs/guide.md")
    assert top(".chunk") < 600
    browser.open(f"{served.url}/documents/docs/guide.md?view=read")
    assert top(".prose p") < 450
    browser.open(f"{served.url}/documents?sort=title")
    first = browser.find("#list .path")
    assert first.rect["width"] > 300


@pytest.mark.timeout(150)
def test_a_run_is_started_and_followed(browser):
    project = make_project()
    write_files(project)
    (project / "docs" / "bad.md").write_bytes(b"\0")
    with serving(project) as started:
        browser.open(f"{started.url}/runs")
        browser.until_there(".empty", "No runs yet")
        field = browser.find("[name=paths]")
        field.clear()
        field.send_keys("docs src")
        browser.find("#start button").click()
        browser.until_there(".run .state", "done")
        card = browser.find(".run")
        assert "docs src" in card.text
        assert browser.all(".stages .done")
        browser.find(".errors summary").click()
        assert "docs/bad.md binary" in browser.find(".errors").text
        field.clear()
        field.send_keys("/etc")
        browser.find("#start button").click()
        browser.until_there("#refused", "leads outside the project")
        browser.open(f"{started.url}/")
        browser.find("#q").send_keys("tide")
        browser.until_there(".hits mark")  # the script is there, and not only the page
        started.process.terminate()
        started.process.wait(timeout=30)
        browser.find("#q").send_keys(" berth")
        browser.until_there("#results .notice", "does not answer")
    remove_project(project)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("width", [390, 1280])
def test_a_view_fits_its_window_and_asks_nobody_else(browser, served, view, width):
    browser.resize(width, 844, dark=width == 390)
    browser.open(served.url + view)
    browser.until(lambda: browser.run("return document.readyState") == "complete")
    size = browser.run("return document.documentElement.scrollWidth")
    assert size <= width
    assert browser.hosts() <= {f"127.0.0.1:{served.port}"}
    allowed = (
        ["the server responded with a status of 404"] if view == "/nothing" else []
    )
    loud = [c for c in browser.complaints() if not any(a in c for a in allowed)]
    assert loud == []


def test_an_operation_of_the_interface_fits_a_phone(browser, served):
    browser.resize(390, 844)
    browser.open(f"{served.url}/docs")
    for summary in browser.all(".api summary")[:6]:
        summary.click()
    assert browser.run("return document.documentElement.scrollWidth") <= 390


def test_dark_or_light_is_remembered(browser, served):
    browser.open(f"{served.url}/")

    def paper():
        return browser.run("return getComputedStyle(document.body).backgroundColor")

    light = paper()
    browser.find("#theme").click()
    dark = paper()
    assert dark != light
    browser.open(f"{served.url}/documents")
    assert paper() == dark
    browser.find("#theme").click()
    assert paper() == light
    browser.run("localStorage.clear()")


def test_the_keys_are_told(browser, served):
    browser.open(f"{served.url}/runs")
    browser.press("?")
    assert browser.find("#keys").is_displayed()
    browser.press(Keys.ESCAPE)
    browser.until(lambda: not browser.find("#keys").is_displayed())
