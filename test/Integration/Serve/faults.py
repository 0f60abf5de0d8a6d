"""What happens to a server: a signal in the middle of its work, a kill, a full disk, nothing at all. Each gives what was wrong."""
import http.client
import json
import signal
import socket
import subprocess
import threading
import time

from load_server import Server, until

RUNNING = 16
# a small file system that this server alone sees
MOUNTED = ["unshare", "-rm", "sh", "-c", 'mount -t tmpfs -o size=8m tmpfs "$0" && exec "$@"']


class Streams:
    """Long greedy texts, read by threads."""

    def __init__(self, server, cases, count):
        self.server, self.cases, self.ends = server, cases, [None] * count
        self.threads = [threading.Thread(target=self.read, args=(i,), daemon=True) for i in range(count)]
        for thread in self.threads:
            thread.start()

    def read(self, i):
        body = dict(prompt=self.cases[i % len(self.cases)]["prompt"], max_tokens=250, ignore_eos=True, temperature=0, stream=True)
        try:
            status, text = self.server.ask("/v1/completions", body, patience=300)
            whole = text.endswith("data: [DONE]\n\n") and '"finish_reason":"length"' in text
            self.ends[i] = "done" if status == 200 and whole else f"status {status}, {text[-200:]!r}"
        except (OSError, http.client.HTTPException) as error:
            self.ends[i] = f"broken: {error!r}"

    def join(self):
        for thread in self.threads:
            thread.join(300)
        return self.ends

    def begun(self, before):
        """Waits until all have come to the engine, which had started so many others; whether some then still wait for a slot."""
        for _ in range(12000):
            # of two pages, as one that starts between two numbers of a page counts twice, and not all would have come
            theirs = started(self.server) - before
            waiting = self.server.metrics()["cheems:num_requests_waiting"]
            if theirs + waiting >= len(self.ends):
                return waiting > 0
            if any(end not in (None, "done") for end in self.ends):
                return False
            time.sleep(0.005)
        return False


def started(server):
    """How many requests have had a slot."""
    return server.metrics()["cheems:request_queue_time_seconds_count"]


def streams_at_work(server, cases):
    """Streams that have all come, some of which wait for a slot: these have a whole text before them, so that what is done to the
    server next finds it at work. On a busy machine that moment may pass unseen, and other streams are begun."""
    for _ in range(5):
        before = started(server)
        streams = Streams(server, cases, RUNNING)
        if streams.begun(before):
            return streams
        wrong = [end for end in streams.join() if end != "done"]
        if wrong:
            raise AssertionError(f"streams of a server that nothing has happened to: {wrong}")
    raise AssertionError("streams were all done before anything could happen to their server")


def held_port():
    """A socket that keeps a port from all who ask for any. Of sockets with SO_REUSEADDR one may listen there meanwhile: a server that
    was killed finds its port free."""
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", 0))
    return held


def greedy(server, case, **more):
    status, text = server.ask("/v1/completions", dict(prompt=case["prompt"], max_tokens=case["tokens"], temperature=0, **more))
    return json.loads(text)["choices"][0]["text"] if status == 200 else f"status {status}: {text}"


def same(server, case, when, **more):
    text = greedy(server, case, **more)
    return [] if text == case["text"] else [f"{when}: {text!r} is not {case['text']!r}"]


def until_idle(server):
    """An answer may come before its slot is free again, and one that is not is refused as busy."""
    until("a slot stays busy", lambda: server.busy_slots() == 0)


def is_open(port):
    try:
        socket.create_connection(("127.0.0.1", port), 20).close()
        return True
    except ConnectionRefusedError:
        return False
    except ConnectionResetError:
        return True  # it closed while this connection waited to be taken: the next one is refused


def drains(binary, artefact, cases, flags, folder):
    """SIGTERM: what runs or waits ends, others are not taken, the process ends with 0."""
    server = Server(binary, artefact, *flags, "--grace", "300").until_ready()
    try:
        streams = streams_at_work(server, cases)
        server.process.send_signal(signal.SIGTERM)
        until("SIGTERM: the port stayed open", lambda: not is_open(server.port) or server.process.poll() is not None)
        ends = streams.join()
        code = server.process.wait(300)
        print(f"SIGTERM with {RUNNING} requests: {ends.count('done')} done, exit {code}")
        wrong = [f"SIGTERM: {end}" for end in ends if end != "done"]
        wrong += [f"SIGTERM: exit {code}"] if code else []
        return wrong + [f"SIGTERM: the server said: {line}" for line in server.records()[1]]
    finally:
        server.end(signal.SIGKILL)


def starts_again(binary, artefact, cases, flags, folder):
    """kill -9 in the middle of its work: the next server has the same port and gives the same texts."""
    with held_port() as held:
        server = Server(binary, artefact, *flags, port=held.getsockname()[1]).until_ready()
        try:
            streams = streams_at_work(server, cases)
            server.end(signal.SIGKILL)
            broken = sum(str(end).startswith("broken") or "status 200" in str(end) for end in streams.join())
            wrong = [] if broken else ["kill -9: all requests were done"]
            second = Server(binary, artefact, *flags, port=server.port)
            try:
                second.until_ready()
                wrong += same(second, cases[0], "after kill -9")
                print(f"kill -9 with {RUNNING} requests: {broken} broken off, port {server.port} is served again")
            finally:
                code = second.end()
            return wrong + ([f"after kill -9: exit {code}"] if code else [])
        finally:
            server.end(signal.SIGKILL)


def full_disk(binary, artefact, cases, flags, folder):
    """A slot that cannot be saved is told, leaves no file, and works on; with room, it is saved and restored."""
    place = folder / "slots"
    place.mkdir()
    try:
        able = subprocess.run([*MOUNTED, str(place), "true"], capture_output=True).returncode == 0
    except OSError:
        able = False
    if not able:
        print("skipped: a full disk: no file system can be mounted here")
        return []
    server = Server(binary, artefact, *flags, "--slot-save-path", str(place), before=[*MOUNTED, str(place)]).until_ready()
    try:
        inside = f"/proc/{server.pid}/root{place}"
        wrong = same(server, cases[0], "before the disk is full", id_slot=0)
        with open(f"{inside}/ballast", "wb") as ballast:
            try:
                while True:
                    ballast.write(bytes(1 << 16))
                    ballast.flush()
            except OSError:
                pass  # now it is full
        until_idle(server)
        status, text = server.ask("/slots/0?action=save", {"filename": "kept"})
        if status != 500 or "No space left" not in text:
            wrong.append(f"a full disk: status {status}: {text}")
        names = subprocess.run(["ls", "-A", inside], check=True, capture_output=True, text=True).stdout.split()
        wrong += [] if names == ["ballast"] else [f"a full disk: {names} are there"]
        wrong += same(server, cases[0], "after the disk was full", id_slot=0)
        until_idle(server)
        print(f"a full disk: {text.strip()}")
        subprocess.run(["rm", f"{inside}/ballast"], check=True)
        for action in ("save", "restore"):
            status, text = server.ask(f"/slots/0?action={action}", {"filename": "kept"})
            wrong += [] if status == 200 else [f"{action} with room: status {status}: {text}"]
        return wrong + same(server, cases[0], "after restoring", id_slot=0)
    finally:
        server.end(signal.SIGKILL)


def idles(binary, artefact, cases, flags, folder):
    """A server that nobody asks, with a connection that nobody uses, does not spin."""
    server = Server(binary, artefact, *flags).until_ready()
    try:
        wrong = same(server, cases[0], "before a pause")
        with socket.create_connection(("127.0.0.1", server.port), 20):
            time.sleep(0.5)
            before = server.cpu_seconds()
            time.sleep(3)
            took = server.cpu_seconds() - before
        print(f"idle: {took:.2f} s of CPU time in 3 s")
        # not speed: a thread that waits takes none, one that spins takes them all
        return wrong + ([f"idle: {took:.2f} s of CPU time in 3 s"] if took >= 0.5 else [])
    finally:
        server.end(signal.SIGKILL)
