"""Headless Chromium, driven through chromedriver's HTTP interface: needs nothing but Debian's chromium and chromium-driver."""
import base64
import http.client
import json
import pathlib
import shutil
import subprocess
import time

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the key of an element's id in WebDriver
TAB, ENTER, ESCAPE, SHIFT = "\ue004", "\ue007", "\ue00c", "\ue008"


def missing():
    """What of the browser this machine lacks."""
    return [name for name in ("chromium", "chromedriver") if not shutil.which(name)]


class Browser:
    """One window of a browser whose settings are fresh."""

    def __init__(self, width=1100, height=800):
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.session = None
        try:
            for line in self.driver.stdout:
                if "successfully on port" in line:
                    self.port = int(line.rstrip(".\n").rsplit(" ", 1)[1])
                    break
            words = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
                     "--no-proxy-server", f"--window-size={width},{height}"]
            wanted = {"browserName": "chrome", "goog:chromeOptions": {"binary": shutil.which("chromium"), "args": words},
                      "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
            self.session = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]
        except BaseException:
            self.close()
            raise

    def close(self):
        try:
            if self.session:
                self.ask("DELETE", f"/session/{self.session}")
        finally:
            self.driver.terminate()
            self.driver.wait(timeout=30)
            self.driver.stdout.close()

    def ask(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            connection.request(method, path, None if body is None else json.dumps(body), {"Content-Type": "application/json"})
            value = json.loads(connection.getresponse().read())["value"]
        finally:
            connection.close()
        if isinstance(value, dict) and "error" in value:
            raise AssertionError(f"{method} {path}: {value['error']}: {value['message']}")
        return value

    def window(self, method, path, body=None):
        return self.ask(method, f"/session/{self.session}{path}", body)

    def devtools(self, command, **parameters):
        return self.window("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def go(self, address):
        self.window("POST", "/url", {"url": address})

    def run(self, script, *arguments):
        """What a function with this body gives."""
        return self.window("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def find(self, selector):
        return self.window("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        self.window("POST", f"/element/{self.find(selector)}/click", {})

    def type(self, selector, text):
        """Puts the text in the place of what stands there."""
        element = self.find(selector)
        self.window("POST", f"/element/{element}/clear", {})
        self.window("POST", f"/element/{element}/value", {"text": text})

    def press(self, *keys, held=None):
        """Keys one after the other, for whatever has the focus."""
        steps = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        if held:
            steps = [{"type": "keyDown", "value": held}, *steps, {"type": "keyUp", "value": held}]
        self.window("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": steps}]})

    def until(self, script, *arguments, what="it"):
        """Waits for what a function with this body gives to be true."""
        for _ in range(600):
            value = self.run(script, *arguments)
            if value:
                return value
            time.sleep(0.05)
        raise AssertionError(f"{what} never came; the page shows:\n" + self.run("return document.body.innerText"))

    def log(self, kind):
        """What has come since this was asked before: `browser` has the console, `performance` the network."""
        return self.window("POST", "/se/log", {"type": kind})

    def picture(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self.window("GET", "/screenshot")))
