#!/usr/bin/env python3
"""packaging's unit for systemd, and the block for nginx of docs/serve.md, with a server behind them.

    packaging_files.py BIN_DIR MODELS_DIR

systemd-analyze reads the unit, and its command runs here with its settings, folders and keys. nginx runs with the page's block and a certificate
of its own. Where a program is not installed its part is skipped.
"""
import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import unittest

from serving import Demo, started

ROOT = pathlib.Path(__file__).resolve().parents[3]
UNIT, SETTINGS = ROOT / "packaging/cheems-serve.service", ROOT / "packaging/cheems-serve.conf"
PLACES = os.environ["PATH"] + ":/usr/local/sbin:/usr/sbin:/sbin"


def program(case, name):
    path = shutil.which(name, path=PLACES)
    if not path:
        print(f"skipped: {case}: no {name}")
        raise unittest.SkipTest(f"no {name}")
    return path


def replaced(text, old, new):
    if text.count(old) != 1:
        raise AssertionError(f"'{old}' is there {text.count(old)} times")
    return text.replace(old, new)


def assignments(path):
    lines = [line for line in path.read_text().splitlines() if "=" in line and not line.startswith("#")]
    return [tuple(line.split("=", 1)) for line in lines]


class Service(unittest.TestCase):
    def test_systemd_takes_the_unit(self):
        analyze = program("whether systemd takes the unit", "systemd-analyze")
        with tempfile.TemporaryDirectory() as folder:
            unit = pathlib.Path(folder) / UNIT.name
            unit.write_text(replaced(UNIT.read_text(), "/usr/local/bin", str(DEMO.bins.resolve())))
            result = subprocess.run([analyze, "verify", "--man=no", unit], capture_output=True, text=True, timeout=60)
        told = [line for line in result.stderr.splitlines() if UNIT.name in line]
        self.assertEqual((result.returncode, told), (0, []))

    def test_its_command_serves_with_its_settings_and_tells_systemd(self):
        unit, settings = dict(assignments(UNIT)), dict(assignments(SETTINGS))
        self.assertEqual(unit["Type"], "notify")
        self.assertEqual(unit["EnvironmentFile"], "/etc/cheems/" + SETTINGS.name)
        credential, _ = unit["LoadCredential"].split(":")
        with tempfile.TemporaryDirectory() as name, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            folder = pathlib.Path(name)
            for state in unit["StateDirectory"].split():
                (folder / "lib" / state).mkdir(parents=True)
            shutil.copy(DEMO.artefact, folder / "lib/cheems/model.cheems")
            (folder / "keys").mkdir()
            (folder / "keys" / credential).write_text("opens\n")
            settings["CHEEMS_PORT"] = "0"
            words = []
            for word in unit["ExecStart"].split():  # as systemd does: a word of its own that is a variable is split
                words += settings[word[1:]].split() if word.startswith("$") else [word.replace("%d", str(folder / "keys"))]
            words = [word.replace("/var/lib/", f"{folder}/lib/") for word in words]
            words[0] = str(DEMO.bins / pathlib.Path(words[0]).name)
            manager.bind(str(folder / "notify"))
            manager.settimeout(0.1)
            environment = {"PATH": PLACES, "NOTIFY_SOCKET": str(folder / "notify"), "HOME": str(folder / "lib/cheems"), "XDG_CACHE_HOME": str(folder / "cache")}
            with open(folder / "log", "w") as log:
                server = subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL, stderr=log, stdin=subprocess.DEVNULL)
            try:
                port = int(self.told(manager, "READY=1", server, folder / "log").rsplit(":", 1)[1])
                self.assertEqual(self.ask(port, "GET", "/v1/models", None, "wrong")[0], 401)
                self.assertEqual(self.ask(port, "POST", "/completion", {"prompt": "ROMEO:", "n_predict": 4, "id_slot": 0})[0], 200)
                self.assertEqual(self.ask(port, "POST", "/slots/0?action=save", {"filename": "one"})[0], 200)
                self.assertTrue((folder / "lib/cheems/slots/one").exists())
                server.send_signal(getattr(signal, unit["KillSignal"]))
                self.told(manager, "STOPPING=1", server, folder / "log")
                self.assertEqual(server.wait(timeout=60), 0, (folder / "log").read_text())
            finally:
                server.kill()
                server.wait()

    def test_a_wrong_option_ends_with_the_status_that_is_not_tried_again(self):
        result = subprocess.run([DEMO.bins / "cheems-serve", DEMO.artefact, "--no-such-option"], capture_output=True, timeout=60)
        self.assertEqual(str(result.returncode), dict(assignments(UNIT))["RestartPreventExitStatus"])

    def told(self, manager, what, server, log):
        """What the server tells systemd with this line."""
        end, ended = time.monotonic() + 60, False
        while time.monotonic() < end and not ended:
            ended = server.poll() is not None  # what it told before is still there
            try:
                while True:
                    message = manager.recv(1000).decode()
                    if what in message.splitlines():
                        return message
            except socket.timeout:
                pass
        raise AssertionError(f"{what} is not told: {log.read_text()}")

    def ask(self, port, method, path, body, key="opens"):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request(method, path, body and json.dumps(body), {"Authorization": "Bearer " + key, "Content-Type": "application/json"})
        response = connection.getresponse()
        told = response.status, response.read()
        connection.close()
        return told


def block_of_the_page():
    """The lines of code of the section on nginx."""
    section = (ROOT / "docs/serve.md").read_text().split("### nginx with TLS\n")[1].split("\n## ")[0]
    return "".join(line[4:] + "\n" for line in section.splitlines() if line.startswith("    "))


class Proxy(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        nginx, openssl = (program("the page's block for nginx", name) for name in ("nginx", "openssl"))
        kept = tempfile.TemporaryDirectory()
        cls.addClassCleanup(kept.cleanup)
        folder = pathlib.Path(kept.name)
        cls.server = started(cls, DEMO.serve("--parallel", 2, "-c", 1000000, "--allowed-host", "models.example.org"))
        subprocess.run([openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=models.example.org", "-keyout",
                        folder / "models.key", "-out", folder / "models.pem"], check=True, capture_output=True)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            cls.port = free.getsockname()[1]
        block = block_of_the_page()
        for old, new in [("listen 443 ssl", f"listen 127.0.0.1:{cls.port} ssl"), ("/etc/ssl/models.pem", str(folder / "models.pem")),
                         ("/etc/ssl/models.key", str(folder / "models.key")), ("http://127.0.0.1:8080", cls.server.url)]:
            block = replaced(block, old, new)
        paths = "".join(f"{name}_temp_path {folder}/{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        user = "user root;\n" if os.geteuid() == 0 else ""
        (folder / "nginx.conf").write_text(f"{user}daemon off;\npid {folder}/pid;\nerror_log {folder}/errors;\nevents {{}}\n"
                                           f"http {{\naccess_log off;\n{paths}{block}}}\n")
        words = [nginx, "-p", folder, "-c", folder / "nginx.conf", "-e", folder / "errors"]
        checked = subprocess.run([*words, "-t"], capture_output=True, text=True, timeout=60)
        if checked.returncode:
            raise AssertionError(checked.stderr)
        proxy = subprocess.Popen(words, stdin=subprocess.DEVNULL)
        cls.addClassCleanup(proxy.wait)
        cls.addClassCleanup(proxy.terminate)
        end = time.monotonic() + 30
        while time.monotonic() < end:
            try:
                socket.create_connection(("127.0.0.1", cls.port), timeout=1).close()
                return
            except OSError:
                time.sleep(0.05)
        raise AssertionError((folder / "errors").read_text())

    def ask(self, method, path, body=None, **fields):
        """The connection and its response, of which the head is read."""
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=60, context=ssl._create_unverified_context())
        self.addCleanup(connection.close)
        connection.request(method, path, body and json.dumps(body), {"Host": "models.example.org", "Content-Type": "application/json", **fields})
        return connection, connection.getresponse()

    def test_answers_and_refusals_come_through(self):
        body = {"prompt": "ROMEO:", "max_tokens": 8, "temperature": 0}
        status = lambda **fields: self.ask("POST", "/v1/completions", body, **fields)[1].status
        self.assertEqual(json.load(self.ask("POST", "/v1/completions", body)[1])["choices"], self.server.post("/v1/completions", body)["choices"])
        self.assertEqual(self.ask("GET", "/")[1].status, 200)
        self.assertEqual(status(Origin="https://models.example.org"), 200)  # the server's own page
        self.assertEqual(status(Origin="https://other.example"), 403)
        long = {**body, "max_tokens": 1, "user": "x" * (32 * 2**20 - 200)}
        self.assertEqual(self.ask("POST", "/v1/completions", long)[1].status, 200)

    def test_a_stream_comes_while_it_is_made_and_ends_with_its_client(self):
        body = {"prompt": "ROMEO:", "max_tokens": 900000, "ignore_eos": True, "stream": True}
        connection, response = self.ask("POST", "/v1/completions", body)
        self.assertTrue(response.readline().startswith(b"data: {"))
        self.assertTrue(self.busy())
        response.close()
        connection.close()
        end = time.monotonic() + 20
        while self.busy() and time.monotonic() < end:
            time.sleep(0.02)
        self.assertFalse(self.busy())

    def busy(self):
        return any(slot["is_processing"] for slot in json.loads(self.server.get("/slots")))


if __name__ == "__main__":
    models, bins = sys.argv.pop(), sys.argv.pop()
    with Demo(bins, models, "cheems-shakespeare") as DEMO:
        unittest.main(exit=False).result.wasSuccessful() or sys.exit(1)
