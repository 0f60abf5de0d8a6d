#!/usr/bin/env python3
"""The page of cheems-serve in headless Chromium, with a demo model that answers.

    page.py TOOLS MODEL [PICTURES]     screenshots go to the folder PICTURES

It takes minutes, so it is skipped (77) unless CHEEMS_TEST_LONG is set, as it is without chromium and chromedriver.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import browser

MENU = "return getComputedStyle(document.getElementById('side')).display"
FOCUSED = "const e = document.activeElement; return e.id || e.name || e.textContent.trim()"
ANSWERS = "return [...document.querySelectorAll('article.assistant .text')].map(e => e.textContent)"
IDLE = "return !document.getElementById('send').hidden"
NOTE = "return [...document.querySelectorAll('article .note')].at(-1)?.textContent ?? ''"


class Server:
    """cheems-serve on a free port; the first line that it prints is where it listens."""

    def __init__(self, *words):
        self.process = subprocess.Popen([SERVE, MODEL, "--port", "0", "-t", "1", *words], stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        self.address = self.process.stdout.readline().removeprefix("listening on ").strip()

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(timeout=60)
        finally:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.addClassCleanup(cls.server.close)

    def setUp(self):
        self.open(self.server)

    def open(self, server):
        self.address = server.address
        self.browser = browser.Browser()
        self.addCleanup(self.browser.close)
        self.browser.go(server.address + "/")
        self.browser.until("return document.getElementById('model').textContent || document.getElementById('problem').textContent",
                           what="the model's name")
        self.limit(30)

    def network(self):
        """Requests that the page has made since this was asked before. None of them may leave the server."""
        made = []
        for entry in self.browser.log("performance"):
            event = json.loads(entry["message"])["message"]
            if event["method"] == "Network.requestWillBeSent":
                request = event["params"]["request"]
                self.assertTrue(request["url"].startswith((self.address + "/", "data:,")), request["url"])
                made.append(request)
        return made

    def bodies(self):
        """Bodies of the chat requests among them."""
        return [json.loads(request["postData"]) for request in self.network() if request["url"].endswith("/chat/completions")]

    def tearDown(self):
        self.network()
        errors = [entry["message"] for entry in self.browser.log("browser") if entry["level"] in ("SEVERE", "WARNING")]
        self.assertEqual(errors, [])

    def picture(self, name):
        if PICTURES:
            self.browser.picture(pathlib.Path(PICTURES) / (name + ".png"))

    def slow(self, bytes_a_second):
        """An answer of the demo would otherwise be there at once. -1 takes the limit away."""
        self.browser.devtools("Network.enable")
        self.browser.devtools("Network.emulateNetworkConditions", offline=False, latency=0, downloadThroughput=bytes_a_second, uploadThroughput=-1)

    def send(self, text):
        self.browser.type("#message", text)
        self.browser.press(browser.ENTER)

    def until_answers(self, count):
        self.browser.until(f"return !document.getElementById('send').hidden && document.querySelectorAll('article.assistant').length === {count}",
                           what=f"answer {count}")
        return self.browser.run(ANSWERS)

    def limit(self, tokens):
        """The longest answer from here on: the model that is served never ends one."""
        self.browser.run("localStorage.setItem('cheems.settings', JSON.stringify({max_tokens: arguments[0]}))", str(tokens))
        self.browser.go(self.address + "/")

    def choose(self, **fields):
        """Fills the settings and saves them."""
        self.browser.click("#settings")
        for name, value in fields.items():
            self.browser.type(f"#controls [name={name}]", value)
        self.browser.click("#controls button[value=save]")

    def test_a_conversation_streams_stops_and_is_kept(self):
        page = self.browser
        self.choose(seed="1", system="Enter ROMEO and JULIET.", temperature="0.7", max_tokens="30")
        self.network()
        self.send("Good night.")
        first = self.until_answers(1)[0]
        self.assertGreater(len(first), 0)
        self.assertRegex(page.run(NOTE), r"^30 tokens, [\d.]+ per second; cut at the longest answer$")
        [body] = self.bodies()
        self.assertEqual(body["messages"], [{"role": "system", "content": "Enter ROMEO and JULIET."}, {"role": "user", "content": "Good night."}])
        self.assertEqual((body["seed"], body["temperature"], body["stream"]), (1, 0.7, True))

        # what is shown grows while it streams, and is a beginning of the answer
        self.choose(max_tokens="2000")
        self.slow(20000)
        self.send("What light through yonder window breaks?")
        grown = page.until("return document.querySelector('article.assistant.busy .text')?.textContent", what="some text")
        self.picture("streaming")
        page.until("return document.querySelectorAll('article.assistant .text')[1].textContent.length > arguments[0]", len(grown),
                   what="more of the answer")
        page.click("#stop")
        page.until(IDLE, what="the end")
        self.slow(-1)
        stopped = page.run(ANSWERS)[1]
        self.assertTrue(stopped.startswith(grown))
        self.assertEqual(page.run(NOTE), "stopped")
        self.assertEqual(page.run(FOCUSED), "message")

        # the same seed gives the same answer, now whole
        page.click("#regenerate")
        answers = self.until_answers(2)
        self.assertTrue(answers[1].startswith(stopped))
        self.assertGreater(len(answers[1]), len(stopped))
        again, whole = self.bodies()
        self.assertEqual(again, whole)
        self.assertEqual([message["role"] for message in whole["messages"]], ["system", "user", "assistant", "user"])

        page.go(self.address + "/")
        self.assertEqual(page.run(ANSWERS), answers)
        self.assertEqual(page.run("return [...document.querySelectorAll('article.user .text')].map(e => e.textContent)"),
                         ["Good night.", "What light through yonder window breaks?"])
        self.picture("wide")

        page.click("#new")
        self.send("Farewell.")
        self.until_answers(1)
        page.click("#conversations li:nth-child(2) .open")
        self.assertEqual(page.run(ANSWERS), answers)
        page.click("#conversations li:nth-child(2) [title=Delete]")
        page.window("POST", "/alert/accept", {})
        self.assertEqual(page.run("return [...document.querySelectorAll('#conversations .open')].map(e => e.textContent)"), ["Farewell."])

    def test_an_answer_that_is_left_is_kept_as_far_as_it_came(self):
        page = self.browser
        self.choose(max_tokens="2000")
        self.slow(20000)
        self.send("Good night.")
        page.until("return document.querySelector('article.assistant .text')?.textContent", what="some text")
        page.go(self.address + "/")
        self.slow(-1)
        self.assertGreater(len(page.run(ANSWERS)[0]), 0)
        self.assertEqual(page.run(NOTE), "incomplete")
        self.choose(max_tokens="30")
        page.click("#regenerate")
        self.assertNotEqual(self.until_answers(1)[0], "")
        self.assertRegex(page.run(NOTE), "^30 tokens")

    def test_a_narrow_window_has_a_menu(self):
        page = self.browser
        self.assertEqual(page.run(MENU), "flex")
        page.devtools("Emulation.setDeviceMetricsOverride", width=360, height=640, deviceScaleFactor=2, mobile=True)
        self.send("Good night.")
        self.until_answers(1)
        self.assertEqual(page.run(MENU), "none")
        self.picture("narrow")
        self.assertEqual(page.run("return document.documentElement.scrollWidth"), 360)
        page.click("#menu")
        self.assertEqual(page.run(MENU), "flex")
        self.assertEqual(page.run("return document.getElementById('menu').getAttribute('aria-expanded')"), "true")
        self.picture("narrow-menu")
        page.press(browser.ESCAPE)
        self.assertEqual(page.run(MENU), "none")
        self.assertEqual(page.run(FOCUSED), "menu")
        page.click("#menu")
        page.click("#settings")
        self.assertEqual(page.run(MENU), "none")
        self.assertTrue(page.run("const b = document.getElementById('dialog').getBoundingClientRect(); return b.left >= 0 && b.right <= 360"))
        self.picture("narrow-settings")

    def test_light_and_dark(self):
        page = self.browser
        back = "return getComputedStyle(document.body).backgroundColor"
        colours = {}
        for scheme in ("light", "dark"):
            page.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            page.go(self.address + "/")
            colours[scheme] = page.run(back)
            self.assertGreater(page.run(CONTRAST), 4.5, scheme)
            self.assertGreater(page.run(EDGES), 3, scheme)
            # the browser's own color for it is paler
            self.assertEqual(page.run("return getComputedStyle(document.getElementById('message'), '::placeholder').color"),
                             page.run("const e = document.querySelector('#model'); return getComputedStyle(e).color"))
        self.assertNotEqual(colours["light"], colours["dark"])
        # the button wins over the system, also after a reload
        self.assertEqual(page.run("return document.getElementById('theme').textContent"), "Light colors")
        page.click("#theme")
        self.assertEqual(page.run(back), colours["light"])
        page.go(self.address + "/")
        self.assertEqual(page.run(back), colours["light"])
        page.click("#theme")
        self.assertEqual(page.run(back), colours["dark"])
        self.send("Good night.")
        self.until_answers(1)
        self.picture("dark")
        page.click("#settings")
        self.picture("dark-settings")

    def test_keys_alone_do_everything(self):
        page = self.browser
        self.assertEqual(page.run(FOCUSED), "message")
        page.press("G", "o")
        page.press(browser.ENTER, held=browser.SHIFT)
        page.press("o", "n")
        self.assertEqual(page.run("return document.getElementById('message').value"), "Go\non")
        page.press(browser.ENTER)
        self.until_answers(1)
        self.assertEqual(page.run(FOCUSED), "message")
        page.run("document.querySelector('.skip').focus()")
        self.picture("skip")
        order = []
        for _ in range(10):
            page.press(browser.TAB)
            order.append(page.run(FOCUSED))
        self.assertEqual(order, ["new", "Go\non", "✕", "settings", "theme", "log", "Copy", "regenerate", "message", "send"])
        page.run("document.querySelector('.skip').focus()")
        page.press(browser.ENTER)
        self.assertEqual(page.run(FOCUSED), "message")

        # the dialog keeps the focus until Escape, which leaves the settings as they were
        page.run("document.getElementById('settings').focus()")
        page.press(browser.ENTER)
        page.until("return document.getElementById('dialog').open", what="the dialog")
        self.assertEqual(page.run(FOCUSED), "system")
        page.press("x")
        page.press(browser.ESCAPE)
        page.until("return !document.getElementById('dialog').open", what="the page")
        self.assertEqual(page.run(FOCUSED), "settings")
        self.assertNotIn("system", page.run("return localStorage.getItem('cheems.settings')"))

        # Escape stops an answer
        self.choose(max_tokens="2000")
        self.slow(20000)
        self.send("Good night.")
        page.until("return [...document.querySelectorAll('article.assistant .text')][1]?.textContent", what="some text")
        page.press(browser.ESCAPE)
        page.until(IDLE, what="the end")
        self.assertEqual(page.run(NOTE), "stopped")

    def test_readers_of_the_screen_find_roles_and_names(self):
        page = self.browser
        self.send("Good night.")
        self.until_answers(1)
        page.click("#settings")
        self.assertTrue({("dialog", "Settings"), ("textbox", "System prompt"), ("spinbutton", "Temperature"), ("spinbutton", "Seed"),
                         ("textbox", "API key, if the server asks for one"), ("button", "Save"), ("button", "Cancel")} <= self.tree())
        page.press(browser.ESCAPE)
        tree = self.tree()
        self.assertTrue({("navigation", "Conversations"), ("main", ""), ("log", "Conversation"), ("textbox", "Message"), ("button", "Send"),
                         ("button", "New conversation"), ("button", "Delete the conversation Good night."), ("heading", "You said"),
                         ("heading", "The model said"), ("button", "Regenerate"), ("link", "Go to the message")} <= tree, tree)
        self.assertFalse([node for node in tree if node[0] in ("button", "textbox", "link", "spinbutton") and not node[1]])
        self.assertEqual(page.run("return document.documentElement.lang"), "en")
        # what came is said once, whole
        answer = page.run(ANSWERS)[0]
        self.assertEqual(page.run("return document.querySelector('[role=status]').textContent"), "The model said: " + answer)

    def tree(self):
        """(role, name) of what the accessibility tree holds."""
        self.browser.devtools("Accessibility.enable")
        nodes = self.browser.devtools("Accessibility.getFullAXTree")["nodes"]
        return {(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes if not node["ignored"]}

    def test_scripts_that_were_put_in_do_not_run(self):
        page = self.browser
        page.run("const s = document.createElement('script'); s.textContent = 'window.intruder = 1'; document.body.append(s)")
        self.assertIsNone(page.run("return window.intruder ?? null"))
        self.assertEqual(page.run("return fetch('http://127.0.0.2:9/').then(() => 'reached', () => 'refused')"), "refused")
        # HTML in a message stays text
        self.send("<img src=x onerror='window.intruder = 2'><b>bold</b>")
        self.until_answers(1)
        self.assertIsNone(page.run("return document.querySelector('article img, article b')"))
        self.assertIsNone(page.run("return window.intruder ?? null"))
        errors = [entry["message"] for entry in page.log("browser")]
        self.assertTrue(errors and all("Content Security Policy" in error for error in errors), errors)

    def test_a_server_with_keys(self):
        with tempfile.NamedTemporaryFile("w", suffix=".keys") as keys:
            keys.write("open-sesame\n")
            keys.flush()
            server = Server("--api-key-file", keys.name)
            self.addCleanup(server.close)
            self.open(server)
            page = self.browser
            self.assertIn("API key", page.run("return document.getElementById('problem').textContent"))
            self.picture("no-key")
            self.send("Good night.")
            page.until(IDLE, what="the end")
            self.assertEqual(page.run(ANSWERS), [])
            self.choose(key="open-sesame")
            page.until("return document.getElementById('model').textContent", what="the model's name")
            self.assertEqual(page.run("return document.getElementById('problem').textContent"), "")
            self.assertEqual(page.run("return document.getElementById('regenerate').textContent"), "Try again")
            page.click("#regenerate")
            self.assertNotEqual(self.until_answers(1)[0], "")
            errors = [entry["message"] for entry in page.log("browser")]
            self.assertTrue(any("/chat/completions" in error for error in errors), errors)
            self.assertTrue(all("401" in error for error in errors), errors)

    def test_a_server_that_went_away_is_told(self):
        server = Server()
        self.addCleanup(server.close)
        self.open(server)
        server.close()
        self.send("Good night.")
        self.browser.until(IDLE, what="the end")
        self.assertEqual(self.browser.run("return document.getElementById('problem').textContent"), "The server cannot be reached.")
        self.assertIn("ERR_CONNECTION_REFUSED", "".join(entry["message"] for entry in self.browser.log("browser")))


# contrasts as WCAG counts them: the least of texts on the page's two backgrounds, and of the edges of buttons and fields
LIGHT = """
const light = name => {
  const hex = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const parts = (hex.length === 4 ? [...hex.slice(1)].map(c => c + c) : hex.slice(1).match(/../g)).map(c => parseInt(c, 16) / 255);
  const [r, g, b] = parts.map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
const least = pairs => Math.min(...pairs.map(([a, b]) => contrast(light(a), light(b))));
"""
CONTRAST = LIGHT + """
const pairs = ['--text', '--soft', '--bad'].flatMap(text => ['--back', '--side'].map(back => [text, back]));
return least([...pairs, ['--text', '--user'], ['--on-accent', '--accent']]);
"""
EDGES = LIGHT + """
return least([['--edge', '--back'], ['--edge', '--side'], ['--accent', '--back'], ['--accent', '--side']]);
"""

if __name__ == "__main__":
    if not os.environ.get("CHEEMS_TEST_LONG"):
        print("skipped: the page is tested by test.sh --long, or with CHEEMS_TEST_LONG=1")
        sys.exit(77)
    if browser.missing():
        print("skipped: no " + " and no ".join(browser.missing()) + " (Debian's chromium and chromium-driver)")
        sys.exit(77)
    tools, model, *rest = sys.argv[1:]
    SERVE = str(pathlib.Path(tools) / "cheems-serve")
    PICTURES = rest[0] if rest else None
    del sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        # the demo's answers end after a line or two, too soon to stop one: without its end, they are as long as is asked for
        copied = pathlib.Path(folder) / "model"
        shutil.copytree(model, copied)
        (copied / "generation_config.json").write_text(json.dumps({"do_sample": True}))
        MODEL = str(pathlib.Path(folder) / "model.cheems")
        subprocess.run([str(pathlib.Path(tools) / "cheems-compile"), copied, "-o", MODEL], check=True)
        unittest.main()
