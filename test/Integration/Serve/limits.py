"""What a server promises however it is used: when it ends, what memory it has, whom it answers in which time, by which names it is asked.

usage: limits.py BIN_DIR MODELS_DIR
"""
import json
import os
import pathlib
import re
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import load_hostile
from serving import Demo

MEBIBYTE = 1 << 20
SLACK = 3  # seconds that a busy machine may need beyond what is promised
HOSTILE_GRAMMAR = load_hostile.GRAMMARS[0]
WORD = "ab" * (3 * MEBIBYTE)  # one word, so that its tokens are found all at once


class Server:
    """Nobody reads what it writes, unless `log` is a file. `data` bytes are all that the system gives it for what it writes to."""

    def __init__(self, *words, log=subprocess.PIPE, data=resource.RLIM_INFINITY):
        command = [str(word) for word in (DEMO.bins / "cheems-serve", DEMO.artefact, "--port", 0, "-t", 2, *words)]

        def limit():
            stack = 8 * MEBIBYTE  # which each thread gets, and the limit counts
            resource.setrlimit(resource.RLIMIT_STACK, (stack, stack))
            resource.setrlimit(resource.RLIMIT_DATA, (data, data))

        limited = data != resource.RLIM_INFINITY
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, stdin=subprocess.DEVNULL,
                                        preexec_fn=limit if limited else None)
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1])
        while self.ask("GET", "/health")[0] != 200:
            time.sleep(0.02)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdout, self.process.stderr):
            if stream:
                stream.close()

    def send(self, method, path, body=None, host="localhost", key="", small=False):
        """The connection of a request, whose answer is to be read. `small`: the client's system keeps little of it."""
        data = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        line = socket.socket()
        line.settimeout(60)
        if small:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.connect(("127.0.0.1", self.port))
        fields = f"Host: {host}\r\nConnection: close\r\n" + (f"Authorization: Bearer {key}\r\n" if key else "")
        line.sendall(f"{method} {path} HTTP/1.1\r\n{fields}Content-Length: {len(data)}\r\n\r\n".encode() + data)
        return line

    @staticmethod
    def answer(line):
        """Status and text of it."""
        parts = []
        while part := line.recv(MEBIBYTE):
            parts.append(part)
        line.close()
        head, _, body = b"".join(parts).partition(b"\r\n\r\n")
        return int(head.split()[1]), body.decode()

    def ask(self, method, path, body=None, **more):
        return self.answer(self.send(method, path, body, **more))

    def health(self):
        return json.loads(self.ask("GET", "/health")[1])

    def until(self, what, check, patience=20):
        end = time.monotonic() + patience
        while not check():
            if time.monotonic() > end:
                raise AssertionError(what)
            time.sleep(0.02)

    def peak(self):
        """The most memory that it has had, in bytes."""
        return int(re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{self.process.pid}/status").read_text())[1]) << 10

    def ends(self):
        """Sends SIGTERM; seconds until the process has ended, and with what."""
        begin = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(120)
        return time.monotonic() - begin, code


class Ending(unittest.TestCase):
    def fill_log(self, server):
        for _ in range(300):  # a pipe has 64 KiB
            server.ask("POST", "/tokenize", {"content": "x"})

    def test_a_server_whose_log_nobody_reads_ends_when_it_is_idle(self):
        with Server("--grace", 60) as server:
            self.fill_log(server)
            seconds, code = server.ends()
        self.assertEqual(code, 0)
        self.assertLess(seconds, 1 + SLACK)

    def test_a_server_ends_within_its_grace_and_a_second_whatever_runs(self):
        with Server("--grace", 1, "-c", 300000, "--prefill-chunk", 65536) as server:
            self.fill_log(server)
            stream = {"prompt": "a", "max_tokens": 200000, "ignore_eos": True, "stream": True}
            lines = [server.send("POST", "/v1/completions", stream, small=True)]  # read by nobody
            lines += [server.send("POST", "/v1/completions", {"prompt": list(range(250)) * 1000, "max_tokens": 1})]  # a long prompt
            lines += [server.send("POST", "/tokenize", {"content": WORD}) for _ in range(8)]  # longer than the threads for them need
            time.sleep(0.5)
            seconds, code = server.ends()
            for line in lines:
                line.close()
        self.assertEqual(code, 0)
        self.assertLess(seconds, 2 + SLACK)


    def test_a_server_ends_while_it_loads_whatever_it_waits_for(self):
        with tempfile.TemporaryDirectory() as folder:
            pipe = pathlib.Path(folder) / "pipe"
            os.mkfifo(pipe)  # nobody ever writes into it
            command = [DEMO.bins / "cheems-serve", DEMO.artefact, "--port", "0", "--chat-template-file", pipe]
            with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
                self.assertIn(b"listening", process.stdout.readline())
                time.sleep(0.2)
                self.assertIsNone(process.poll())
                begin = time.monotonic()
                process.terminate()
                self.assertEqual(process.wait(60), 128 + signal.SIGTERM)
                self.assertLess(time.monotonic() - begin, 1 + SLACK)


class Turns(unittest.TestCase):
    def test_short_requests_do_not_wait_for_long_ones_and_those_of_clients_that_left_go(self):
        with Server(log=subprocess.DEVNULL) as server:
            lines = [server.send("POST", "/tokenize", {"content": WORD}) for _ in range(12)]
            server.until("nothing waits", lambda: server.health().get("waiting", 0) > 3)
            begin = time.monotonic()
            for _ in range(10):
                self.assertEqual(server.ask("POST", "/tokenize", {"content": "short"})[0], 200)
            self.assertLess(time.monotonic() - begin, 1 + SLACK)
            self.assertGreater(server.health()["oldest_wait_seconds"], 0)
            for line in lines:
                line.close()
            server.until("what clients have left still waits", lambda: "waiting" not in server.health(), 2 + SLACK)
            self.assertEqual(server.health(), {"status": "ok"})

    def test_requests_of_one_key_do_not_wait_for_all_of_another(self):
        with tempfile.NamedTemporaryFile("w") as keys:
            keys.write("one\ntwo\n")
            keys.flush()
            with Server("--parallel", 1, "--api-key-file", keys.name, log=subprocess.DEVNULL) as server:
                body = {"prompt": "ROMEO:", "max_tokens": 200, "ignore_eos": True}
                done = []
                lines = [server.send("POST", "/v1/completions", body, key="one") for _ in range(12)]
                threads = [threading.Thread(target=lambda line=line: done.append(server.answer(line)[0])) for line in lines]
                for thread in threads:
                    thread.start()
                server.until("they do not wait", lambda: server.health().get("waiting", 0) > 5)
                self.assertEqual(server.ask("POST", "/v1/completions", body, key="two")[0], 200)
                before = len(done)
                for thread in threads:
                    thread.join()
                self.assertEqual(done, [200] * 12)
                self.assertLess(before, 10)

    def test_choices_of_one_request_do_not_block_the_first_token_of_another(self):
        with Server("--parallel", 2, "-c", 100000, log=subprocess.DEVNULL) as server:
            many = server.send("POST", "/v1/completions", {"prompt": "a", "max_tokens": 90000, "n": 16, "ignore_eos": True, "stream": True})
            self.assertTrue(many.recv(100).startswith(b"HTTP/1.1 200"))
            server.until("not all slots run", lambda: all(slot["is_processing"] for slot in json.loads(server.ask("GET", "/slots")[1])))
            for _ in range(5):
                begin = time.monotonic()
                self.assertEqual(server.ask("POST", "/v1/completions", {"prompt": "ROMEO:", "max_tokens": 1})[0], 200)
                self.assertLess(time.monotonic() - begin, 1 + SLACK)
            many.close()


class Memory(unittest.TestCase):
    """Memory of a server at its limits: as /proc tells it, and under a limit of the system (ulimit -d)."""

    FIGURE = 300  # of which requests have some 100
    STACKS = 16 * 8  # of threads; the limit counts them whole, and they use little

    def test_stays_below_the_stated_figure(self):
        text = "What light through yonder window breaks? " * (MEBIBYTE // 80)
        bias = b",".join(b'["%s", 1]' % text[41 * i:41 * i + 40].encode() for i in range(400))
        requests = [
            ("/tokenize", {"content": text, "with_pieces": True, "return_token_strs": True}, 6),
            ("/tokenize", {"content": "ab" * (3 * MEBIBYTE)}, 2),
            ("/detokenize", b'{"tokens": [' + b"1," * (4 * MEBIBYTE) + b"1]}", 2),
            ("/v1/completions", {"prompt": text, "max_tokens": 1}, 4),
            ("/v1/completions", b'{"prompt": [' + b'"",' * (3 * MEBIBYTE) + b'""]}', 2),
            ("/v1/completions", b'{"prompt": [' + b"[]," * (3 * MEBIBYTE) + b'""]}', 2),
            ("/v1/completions", b'{"max_tokens": 1, "n": 4, "prompt": [' + b",".join([b'"a"'] * 100) + b'], "logit_bias": [' + bias + b"]}", 1),
            ("/v1/completions", {"prompt": [text[:3000]] * 4, "echo": True, "logprobs": 20, "max_tokens": 1, "n": 16}, 2),
            ("/v1/chat/completions", {"messages": [{"role": "user", "content": "Who?"}], "logprobs": True, "top_logprobs": 20, "n": 16,
                                      "max_tokens": 300}, 2),
            # what a grammar keeps for each text
            ("/v1/completions", {"prompt": "a", "max_tokens": 4, "n": 16, "grammar": HOSTILE_GRAMMAR}, 4),
        ]
        with Server("--memory", f"{self.FIGURE}M", "--cache-ram", "16M", "--max-connections", 100, "-c", 8192, log=subprocess.DEVNULL,
                    data=(self.FIGURE + self.STACKS) * MEBIBYTE) as server:
            for path, body, count in requests:
                lines = [server.send("POST", path, body) for _ in range(count)]
                for line in lines:
                    status, answer = server.answer(line)
                    self.assertIn(status, (200, 400, 503), answer[:300])
                    if status != 200:
                        self.assertNotIn("\n", json.loads(answer)["error"]["message"])
            # clients that read slowly
            lines = [server.send("POST", "/tokenize", requests[0][1], small=True) for _ in range(16)]
            server.until("long requests still wait", lambda: "waiting" not in server.health(), 60)
            self.assertEqual(server.ask("POST", "/v1/completions", {"prompt": "a", "max_tokens": 3})[0], 200)
            for line in lines:
                line.close()
            peak = server.peak()
            self.assertEqual(server.ask("POST", "/v1/completions", {"prompt": "a", "max_tokens": 3})[0], 200)
        self.assertLess(peak, self.FIGURE * MEBIBYTE)

    def test_requests_end_and_the_server_stays_where_the_system_has_less_than_the_figure(self):
        echoed = {"prompt": ["What light through yonder window breaks? " * 75] * 4, "echo": True, "logprobs": 20, "max_tokens": 1, "n": 16}
        with Server("--memory", "1G", "--cache-ram", "16M", "--max-connections", 100, "-c", 8192, log=subprocess.DEVNULL,
                    data=(100 + self.STACKS) * MEBIBYTE) as server:
            lines = [server.send("POST", "/v1/completions", echoed) for _ in range(3)]
            answers = [self.answer(server, line) for line in lines]
            self.assertNotEqual([status for status, _ in answers], [200] * 3, "it had enough")
            for status, answer in answers:
                self.assertTrue(status in (200, None) or json.loads(answer)["error"]["code"] == "memory", answer[:300])
            small = {"prompt": "a", "max_tokens": 3}
            server.until("no answer", lambda: self.answer(server, server.send("POST", "/v1/completions", small))[0] == 200)

    @staticmethod
    def answer(server, line):
        """Status and text; none where there was not even memory to refuse."""
        try:
            return server.answer(line)
        except (IndexError, ConnectionError):
            line.close()
            return None, ""

    def test_a_figure_that_is_too_small_is_refused_with_what_is_needed(self):
        words = [DEMO.bins / "cheems-serve", DEMO.artefact, "--port", "0", "--memory"]
        for cache in (["--cache-ram", "16M"], []):
            refused = subprocess.run([*words, "200M", *cache], capture_output=True, text=True, timeout=60)
            self.assertEqual(refused.returncode, 2)
            self.assertEqual(refused.stderr.count("\n"), 1)
            needed = re.search(r"give at least (\d+M)", refused.stderr)[1]
            with Server("--memory", needed, *cache, log=subprocess.DEVNULL) as server:
                self.assertEqual(server.ask("POST", "/tokenize", {"content": "x"})[0], 200)


class Names(unittest.TestCase):
    def statuses(self, server, *hosts, key=""):
        return [server.ask("GET", "/v1/models", host=host, key=key)[0] for host in hosts]

    def test_a_server_without_keys_is_asked_by_its_own_names_alone(self):
        with Server("--allowed-host", "models.example.org", log=subprocess.DEVNULL) as server:
            own = [f"localhost:{server.port}", "127.0.0.1", "[::1]:1", "Models.example.org:443"]
            self.assertEqual(self.statuses(server, *own), [200] * 4)
            self.assertEqual(self.statuses(server, "evil.example", f"evil.example:{server.port}", "localhost.evil.example"), [403] * 3)
            refused = json.loads(server.ask("GET", "/v1/models", host="evil.example")[1])["error"]
            self.assertIn("--allowed-host", refused["message"])

    def test_a_server_with_keys_is_asked_by_any_name(self):
        with tempfile.NamedTemporaryFile("w") as keys:
            keys.write("opens\n")
            keys.flush()
            with Server("--api-key-file", keys.name, log=subprocess.DEVNULL) as server:
                self.assertEqual(self.statuses(server, "any.example", key="opens"), [200])


if __name__ == "__main__":
    models, bins = sys.argv.pop(), sys.argv.pop()
    with Demo(bins, models, "cheems-shakespeare") as DEMO:
        unittest.main(exit=False).result.wasSuccessful() or sys.exit(1)
