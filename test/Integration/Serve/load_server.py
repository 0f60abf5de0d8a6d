"""A cheems-serve process under load, and all that can be told of it from outside: its log, its pages, what the system counts."""
import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import threading
import time

TICK = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


def until(what, check, patience=60):
    """Waits for what must come, however slow the machine is."""
    for _ in range(patience * 10):
        if check():
            return
        time.sleep(0.1)
    raise AssertionError(what)


class Server:
    """Runs until end(); `before` are words before the command, such as those that mount a folder for it alone."""

    def __init__(self, binary, model, *flags, port=0, before=()):
        self.process = subprocess.Popen([*before, str(binary), str(model), "--port", str(port), *flags], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.lines = []
        self.reader = threading.Thread(target=self.read_log, daemon=True)
        self.reader.start()
        line = self.process.stdout.readline()
        if ":" not in line:
            self.end(signal.SIGKILL)
            raise AssertionError("the server did not start: " + " ".join(self.lines))
        self.port = int(line.rsplit(":", 1)[1])
        self.pid = self.process.pid

    def read_log(self):
        for line in self.process.stderr:
            self.lines.append(line.rstrip("\n"))

    def ask(self, path, body=None, patience=120):
        """Status and body of a request on a connection of its own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=patience)
        try:
            text = None if body is None else json.dumps(body)
            connection.request("GET" if body is None else "POST", path, text, {"Content-Type": "application/json", "Connection": "close"})
            response = connection.getresponse()
            return response.status, response.read().decode()
        finally:
            connection.close()

    def until_ready(self):
        for _ in range(1200):
            if self.process.poll() is not None:
                break
            if self.ask("/health")[0] == 200:
                return self
            time.sleep(0.05)
        raise AssertionError("the server never became ready: " + " ".join(self.lines[-3:]))

    def metrics(self):
        """Sums over all labels but those that tell kinds of one number apart, which stay in the name."""
        values = {}
        for name, labels, value in re.findall(r"^([a-z_:]+)\{([^}]*)\} (\S+)$", self.ask("/metrics")[1], re.M):
            more = re.sub(r'model_name="[^"]*",?', "", labels)
            values[name + ("{" + more + "}" if more else "")] = float(value)
        return values

    def busy_slots(self):
        return sum(slot["is_processing"] for slot in json.loads(self.ask("/slots")[1]))

    def records(self):
        """Lines of the log that tell of requests, and those that tell anything else."""
        requests, others = [], []
        for line in list(self.lines):
            try:
                requests.append(json.loads(line))
            except ValueError:
                others.append(line)
        return requests, others

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def resident(self):
        return int(pathlib.Path(f"/proc/{self.pid}/statm").read_text().split()[1]) * PAGE

    def peak(self):
        """The most memory that it has had."""
        status = pathlib.Path(f"/proc/{self.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) << 10

    def cpu_seconds(self):
        fields = pathlib.Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    def end(self, number=signal.SIGTERM, patience=120):
        """Sends the signal, and gives what the process ends with."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"the server did not end in {patience} s")
        finally:
            self.reader.join(30)
        self.process.stdout.close()
        self.process.stderr.close()
        return self.process.returncode
