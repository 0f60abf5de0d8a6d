#!/usr/bin/env python3
"""cheems-serve as a process: where it listens, what it says, how it ends. On a stand-in model: needs no compiler.

    serve_process.py CHEEMS_SERVE WRITE_TALKING_ARTIFACT
"""
import base64
import hashlib
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest


class Server:
    """A running server on a free port; its address is the first line that it prints."""

    def __init__(self, *words, **variables):
        self.process = subprocess.Popen([SERVE, *words, "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env={**os.environ, **variables})
        self.line = self.process.stdout.readline()
        self.port = int(self.line.rsplit(":", 1)[1]) if ":" in self.line else 0

    def ask(self, path, method="GET", **fields):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request(method, path, headers={name.replace("_", "-"): value for name, value in fields.items()})
            response = connection.getresponse()
            return response, response.read()
        finally:
            connection.close()

    def until_ready(self):
        for _ in range(400):
            if self.ask("/health")[0].status == 200:
                return
            time.sleep(0.05)
        raise AssertionError("never ready")

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        _, errors = self.process.communicate(timeout=60)
        return self.process.returncode, errors


class Process(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        subprocess.run([WRITER, cls.folder.name], check=True)
        cls.model = str(pathlib.Path(cls.folder.name) / "good.cheems")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def start(self, *words, **variables):
        server = Server(self.model, *words, **variables)
        for last in (server.process.stdout.close, server.process.stderr.close, server.process.wait, server.process.kill):
            self.addCleanup(last)
        server.until_ready()
        return server

    def test_it_says_where_it_listens_and_ends_at_a_signal(self):
        server = self.start()
        self.assertRegex(server.line, r"^listening on http://127\.0\.0\.1:\d+\n$")
        self.assertEqual(json.loads(server.ask("/health")[1]), {"status": "ok"})
        code, errors = server.end()
        self.assertEqual(code, 0)
        for line in errors.splitlines():
            record = json.loads(line)
            self.assertEqual(record["path"], "/health")
            self.assertTrue(record["id"].startswith("req-"))

    def test_texts_that_cannot_be_used_are_said_at_the_start(self):
        folder = pathlib.Path(self.folder.name)
        broken, odd = folder / "broken.jinja", folder / "odd.jinja"
        broken.write_text("{% for m in messages %}{{ m.content }}")
        odd.write_text("{{ conversation.first }}")
        for model, words, said in (("bad-template", [], "chat template, line 1: [^\n]*--chat-template-file"), ("bad-tokenizer", [], "tokenizer.json: "),
                                   ("good", ["--chat-template-file", str(broken)], rf"{broken}: [^\n]*line 1: ")):
            server = Server(str(folder / f"{model}.cheems"), *words)
            _, errors = server.process.communicate(timeout=60)
            self.assertEqual(server.process.returncode, 1)
            self.assertRegex(errors, rf"^cheems-serve: {said}[^\n]*\n$")
        # text without chats works, so what shows only in chats is a warning
        code, errors = self.start("--chat-template-file", str(odd)).end()
        self.assertEqual(code, 0)
        self.assertRegex(errors, r"(?m)^cheems-serve: warning: chat template, line 1: [^\n]*conversation")

    def test_the_page_runs_its_own_scripts_only(self):
        server = self.start()
        response, body = server.ask("/")
        self.assertEqual(response.status, 200)
        policy = response.headers["Content-Security-Policy"]
        self.assertIn("default-src 'none'", policy)
        scripts = re.findall(rb"<script>(.*?)</script>", body, re.DOTALL)
        self.assertTrue(scripts)
        for script in scripts:
            self.assertIn("'sha256-" + base64.b64encode(hashlib.sha256(script).digest()).decode() + "'", policy)
        self.assertNotRegex(body.decode(), r'(src|href)="(https?:)?//')
        response, _ = server.ask("/", If_None_Match=response.headers["ETag"])
        self.assertEqual(response.status, 304)
        self.assertEqual(self.start("--no-page").ask("/")[0].status, 404)

    def test_keys_are_asked_for_and_never_written(self):
        keys = pathlib.Path(self.folder.name) / "keys"
        keys.write_text("# ours\nsecret-key\n")
        server = self.start("--api-key-file", str(keys))
        self.assertEqual(server.ask("/v1/nothing")[0].status, 401)
        self.assertEqual(server.ask("/v1/nothing", Authorization="Bearer other-key")[0].status, 401)
        self.assertEqual(server.ask("/v1/nothing", Authorization="Bearer secret-key")[0].status, 404)
        _, errors = server.end()
        self.assertNotIn("-key", errors)

    def test_long_bodies_are_refused(self):
        server = self.start("--max-body", "1K")
        for length, status in [(1024, 404), (1025, 413)]:
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
            self.addCleanup(connection.close)
            connection.request("POST", "/nothing", body=b"x" * length)
            self.assertEqual(connection.getresponse().status, status)

    def test_other_addresses_without_a_key_are_warned_of(self):
        server = self.start("--host", "0.0.0.0")
        self.assertIn("warning: everybody", server.end()[1])

    def test_a_manager_is_told(self):
        path = pathlib.Path(self.folder.name) / "notify"
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.bind(str(path))
            manager.settimeout(20)
            server = self.start(NOTIFY_SOCKET=str(path))
            server.end()
            heard = b""
            while b"STOPPING=1" not in heard:
                heard += manager.recv(1000) + b"\n"
            self.assertIn(b"READY=1", heard)

    def test_a_taken_port_is_told_in_one_line(self):
        server = self.start()
        result = subprocess.run([SERVE, self.model, "--port", str(server.port)], capture_output=True, text=True, timeout=60)
        self.assertEqual(result.returncode, 1)
        self.assertIn(f"cannot listen on 127.0.0.1:{server.port}", result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1)

    def test_wrong_use_is_told_in_one_line(self):
        for words, said in [([], "no model given"), ([self.model, "--port", "70000"], "--port must be"),
                            ([self.model, "--max-body", "2X"], "--max-body must be a size"),
                            ([self.model, "--cache-ram", "99999999999T"], "--cache-ram must be a size"),
                            ([self.model, "--cors-origin", "example.org"], "is no origin"),
                            ([self.model, "--api-key-file", "/nowhere"], "/nowhere: cannot be read"),
                            ([self.model, "--device", "tpu"], "tpu"), (["/nowhere.cheems", "--port", "0"], "/nowhere.cheems")]:
            result = subprocess.run([SERVE, *words], capture_output=True, text=True, timeout=60)
            self.assertIn(said, result.stderr)
            self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
            self.assertGreater(result.returncode, 0)


if __name__ == "__main__":
    WRITER = sys.argv.pop()
    SERVE = sys.argv.pop()
    unittest.main()
