"""Clients of a server, ours or llama.cpp's, that take little of the CPU that they measure: a stream of tokens is read as bytes."""
import http.client, json, os, pathlib, selectors, signal, socket, subprocess, tempfile, time
from contenders import Missing

START = 300  # seconds in which a server must be ready
PATIENCE = 1200  # of any answer


class Served:
    """A running server. Its threads, and what each has used of the CPU, are told by the system."""

    def __init__(self, command, port=None):
        self.log = tempfile.TemporaryFile("w+")
        try:
            self.process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE if port is None else self.log,
                                            stderr=self.log, text=True)
        except OSError as error:
            raise Missing(f"cannot run {command[0]}: {error.strerror}")
        line = self.process.stdout.readline() if port is None else ""
        self.port = port or (int(line.rsplit(":", 1)[1]) if ":" in line else 0)
        end = time.monotonic() + START
        while time.monotonic() < end and self.process.poll() is None and self.port:
            try:
                if self.ask("/health")[0] == 200:
                    return
            except (OSError, http.client.HTTPException):
                pass
            time.sleep(0.1)
        self.end()
        raise Missing(f"{pathlib.Path(str(command[0])).name} was never ready: {self.last}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.seek(0)
        self.last = (self.log.read().strip().splitlines() or ["no message"])[-1]
        self.log.close()

    def ask(self, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request("GET" if body is None else "POST", path, None if body is None else json.dumps(body), {"Content-Type": "application/json"})
            response = connection.getresponse()
            return response.status, response.read().decode()
        finally:
            connection.close()

    def metric(self, name, label=""):
        lines = [line for line in self.ask("/metrics")[1].splitlines() if line.startswith(name + "{") and label in line]
        return float(lines[0].rsplit(" ", 1)[1])

    def cpu(self):
        """Seconds of CPU time of each thread."""
        return {task.name: int((task / "schedstat").read_text().split()[0]) / 1e9 for task in pathlib.Path(f"/proc/{self.process.pid}/task").iterdir()}


class Stream:
    """One text: when its request went, and when each of its tokens came."""

    def __init__(self, port, prompt, count, **more):
        body = json.dumps(dict(prompt=prompt, max_tokens=count, ignore_eos=True, temperature=0, stream=True, **more)).encode()
        self.begin = time.monotonic()
        self.socket = socket.create_connection(("127.0.0.1", port), PATIENCE)
        self.socket.sendall(b"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n"
                            b"Connection: close\r\n\r\n" % len(body) + body)
        self.socket.setblocking(False)
        self.times, self.count, self.rest, self.first = [], count, b"", b""

    def read(self):
        """Takes what is there; whether it has ended."""
        data = self.socket.recv(1 << 16)
        now = time.monotonic()
        if len(self.first) < 4096:
            self.first += data[:4096]
        data = self.rest + data
        # each event of a token has a text, which random tokens make of one letter or more; those after the last one have none
        self.times += [now] * (data.count(b'"text":') - data.count(b'"text":""'))
        cut = data.rfind(b"\n")
        self.rest = data[cut + 1 :]
        over = b"[DONE]" in data or not data
        if over:
            self.socket.close()
            # bytes that are no character yet come with the next token's text, or in the end with none
            if len(self.times) < 0.9 * self.count - 1:
                raise Missing(f"a stream had {len(self.times)} of {self.count} tokens: {self.first[:300]!r}")
        return over

    def first_token(self):
        return self.times[0] - self.begin


def read_all(streams, next_stream=lambda: None):
    """Reads the streams to their ends; where one ends, the next one begins."""
    selector, done = selectors.DefaultSelector(), []
    for stream in streams:
        selector.register(stream.socket, selectors.EVENT_READ, stream)
    end = time.monotonic() + PATIENCE
    while selector.get_map():
        if time.monotonic() > end:
            raise Missing(f"the streams took longer than {PATIENCE} s")
        for key, _ in selector.select(10):
            if key.data.read():
                selector.unregister(key.fileobj)
                done.append(key.data)
                following = next_stream()
                if following:
                    selector.register(following.socket, selectors.EVENT_READ, following)
    return done


def rate(streams):
    """Tokens a second while all of them ran."""
    begin, end = max(stream.times[0] for stream in streams), min(stream.times[-1] for stream in streams)
    tokens = sum(begin < moment <= end for stream in streams for moment in stream.times)
    if end <= begin or not tokens:
        raise Missing("the streams did not run at the same time")
    return tokens / (end - begin)


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]
