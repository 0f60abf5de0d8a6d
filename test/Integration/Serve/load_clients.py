"""Clients of a server under load: each kind asks in another way, or leaves, stalls and errs in another way.

A client returns one Outcome for each request that it sent: "done" or "refused" with the status where the whole answer came, "left" where
the client itself went away, so that the server may have finished or cancelled it, or may never have seen it whole.
"""
import asyncio
import json
import time

import load_hostile
from load_outcomes import PATIENCE, Line, Outcome, request


def texts_of(data):
    """The texts of a stream of events, and whether it came to its end."""
    text, whole = "", False
    for line in data.decode().split("\n"):
        if line == "data: [DONE]":
            whole = True
        elif line.startswith("data: "):
            for choice in json.loads(line[6:]).get("choices", []):
                text += choice["text"]
    return text, whole


class Clients(load_hostile.HostileClients):
    """`cases`: prompts with their number of tokens and the greedy text of cheems-run; `long`: a prompt above the context."""

    def __init__(self, port, cases, long, timings):
        self.port, self.cases, self.long, self.timings = port, cases, long, timings

    def greedy(self, random, **more):
        case = random.choice(self.cases)
        return case, dict(prompt=case["prompt"], max_tokens=case["tokens"], temperature=0, **more)

    @staticmethod
    def judge(id, kind, status, body, text, choices=1):
        """Judges a whole answer: its text must be `text`, where one is known."""
        if status != 200:
            return Outcome(id, kind, "refused", status, wrong="" if status == 429 else f"status {status}: {body[:200]!r}")
        got = json.loads(body)["choices"]
        wrong = f"{got[0]['text']!r} is not {text!r}" if text is not None and got[0]["text"] != text else ""
        if len(got) != choices:
            wrong = f"{len(got)} choices in place of {choices}"
        return Outcome(id, kind, "done", status, choices, wrong=wrong)

    async def asked(self, id, kind, line, data, text, choices=1):
        await line.send(data)
        status, _, body = await line.answer()
        return self.judge(id, kind, status, body, text, choices)

    async def refused(self, id, kind, data, expected, said=""):
        line = await Line.open(self.port)
        try:
            await line.send(data)
            status, _, body = await line.answer()
            sound = status == expected and said in json.dumps(json.loads(body)["error"])
            return [Outcome(id, kind, "refused", status, wrong="" if sound else f"status {status}: {body[:200]!r}")]
        finally:
            line.close()

    # ---- whole answers

    async def plain(self, id, random):
        """Two requests, one after the other on a connection."""
        line, outcomes = await Line.open(self.port), []
        try:
            for part in "ab":
                case, body = self.greedy(random)
                outcomes.append(await self.asked(id + part, "plain", line, request(id + part, "/v1/completions", body), case["text"]))
            return outcomes
        finally:
            line.close()

    async def sampled(self, id, random):
        count = random.randint(1, 3)
        body = dict(prompt=random.choice(self.cases)["prompt"] + str(random.random()), max_tokens=random.randint(1, 20), n=count, temperature=1,
                    seed=random.randrange(1 << 30), logprobs=random.choice([None, 3]))
        line = await Line.open(self.port)
        try:
            return [await self.asked(id, "sampled", line, request(id, "/v1/completions", body), None, count)]
        finally:
            line.close()

    async def embedding(self, id, random):
        line = await Line.open(self.port)
        try:
            await line.send(request(id, "/v1/embeddings", dict(input=random.choice(self.cases)["prompt"])))
            status, _, body = await line.answer()
            if status != 200:
                return [self.judge(id, "embedding", status, body, None)]
            values = json.loads(body)["data"][0]["embedding"]
            sound = len(values) > 1 and all(isinstance(value, float) for value in values)
            return [Outcome(id, "embedding", "done", status, 1, wrong="" if sound else f"no embedding: {body[:200]!r}")]
        finally:
            line.close()

    async def stream(self, id, random, kind="stream", pause=0.0):
        case, body = self.greedy(random, stream=True)
        line = await Line.open(self.port)
        try:
            begin = last = time.monotonic()
            await line.send(request(id, "/v1/completions", body))
            await asyncio.sleep(pause)
            status, fields = await line.head()
            data = b""
            async for part in line.parts(fields):
                data += part
                now = time.monotonic()
                events = part.count(b'"text"')  # a write may have several
                if status == 200 and kind == "stream" and events:
                    (self.timings.first if last == begin else self.timings.between).append(now - last)
                    self.timings.between += [0.0] * (events - 1)
                    last = now
            if status != 200:
                return [self.judge(id, kind, status, data, None)]
            text, whole = texts_of(data)
            wrong = "" if whole and text == case["text"] else f"{text!r} is not {case['text']!r}" if whole else "the stream has no end"
            return [Outcome(id, kind, "done", status, 1, wrong=wrong)]
        finally:
            line.close()

    async def stall(self, id, random):
        """Reads nothing for a while, then all of it."""
        return await self.stream(id, random, "stall", random.uniform(0.1, 0.5))

    async def half_close(self, id, random):
        """Ends its side at once, and waits for the answer."""
        case, body = self.greedy(random)
        line = await Line.open(self.port)
        try:
            await line.send(request(id, "/v1/completions", body))
            line.writer.write_eof()
            status, _, answer = await line.answer()
            return [self.judge(id, "half close", status, answer, case["text"])]
        finally:
            line.close()

    async def slow_body(self, id, random):
        case, body = self.greedy(random)
        data = request(id, "/v1/completions", body, random.choice(["", "Expect: 100-continue\r\n"]))
        cuts = sorted(random.randrange(1, len(data)) for _ in range(4))
        line = await Line.open(self.port)
        try:
            for begin, end in zip([0, *cuts], [*cuts, len(data)]):
                await line.send(data[begin:end])
                await asyncio.sleep(random.uniform(0, 0.05))
            status, _, answer = await line.answer()
            return [self.judge(id, "slow body", status, answer, case["text"])]
        finally:
            line.close()

    async def chunked(self, id, random):
        case, body = self.greedy(random)
        data = json.dumps(body).encode()
        cut = random.randrange(1, len(data))
        text = f"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nx-request-id: {id}\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
        text += b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (data[:cut], data[cut:])) + b"0\r\n\r\n"
        line = await Line.open(self.port)
        try:
            return [await self.asked(id, "chunked", line, text, case["text"])]
        finally:
            line.close()

    async def pipelined(self, id, random):
        """Several requests in one packet; one of them is wrong."""
        sent, data, bad = [], b"", random.randrange(4)
        for i in range(random.randint(2, 4)):
            case, body = self.greedy(random)
            sent.append((f"{id}{'abcd'[i]}", None if i == bad else case["text"]))
            data += request(sent[-1][0], "/v1/completions", dict(body, prompt=17) if i == bad else body)
        line, outcomes = await Line.open(self.port), []
        try:
            await line.send(data)
            for each, text in sent:
                status, fields, body = await line.answer()
                outcome = self.judge(each, "pipelined", status, body, text)
                if text is None:
                    outcome.wrong = "" if status == 400 else f"status {status} in place of 400"
                if fields.get("x-request-id") != each:
                    outcome.wrong = f"the answer of {fields.get('x-request-id')} came in the place of {each}"
                outcomes.append(outcome)
            return outcomes
        finally:
            line.close()

    async def many_choices(self, id, random):
        """More than there are slots."""
        body = dict(prompt=random.choice(self.cases)["prompt"], max_tokens=random.randint(1, 12), n=16, ignore_eos=True)
        line = await Line.open(self.port)
        try:
            return [await self.asked(id, "many choices", line, request(id, "/v1/completions", body), None, 16)]
        finally:
            line.close()

    async def long_text(self, id, random):
        """Takes a thread for long texts for a good while."""
        count = random.randint(50_000, 300_000)
        line = await Line.open(self.port)
        try:
            await line.send(request(id, "/tokenize", dict(content="ab" * count)))
            status, _, body = await line.answer()
            if status != 200:
                return [self.judge(id, "long text", status, body, None)]
            wrong = "" if json.loads(body)["count"] > 0 else f"no tokens: {body[:200]!r}"
            return [Outcome(id, "long text", "done", status, wrong=wrong)]
        finally:
            line.close()

    async def slow_reader(self, id, random):
        """Takes little at a time, but always some."""
        text = random.choice(self.cases)["prompt"] * 20
        line = await Line.open(self.port, small=True)
        try:
            await line.send(request(id, "/tokenize", dict(content=text, with_pieces=True)))
            status, fields = await line.head()
            body, left = b"", int(fields["content-length"])
            while len(body) < left:
                body += await asyncio.wait_for(line.reader.read(4096), PATIENCE)
                await asyncio.sleep(0.02)
            if status != 200:
                return [self.judge(id, "slow reader", status, body, None)]
            answer = json.loads(body)
            wrong = "" if answer["count"] == len(answer["tokens"]) else f"{answer['count']} tokens, of which {len(answer['tokens'])} came"
            return [Outcome(id, "slow reader", "done", status, wrong=wrong)]
        finally:
            line.close()

    async def neighbour(self, id):
        """One who asks for little, from another address; with the seconds to the first token."""
        line = await Line.open(self.port, source="127.0.0.2")
        try:
            begin = time.monotonic()
            outcome = await self.asked(id, "neighbour", line, request(id, "/v1/completions", dict(prompt=id, max_tokens=1)), None)
            outcome.wrong = outcome.wrong or ("" if outcome.status == 200 else f"status {outcome.status}")
            return outcome, time.monotonic() - begin
        finally:
            line.close()

    # ---- clients that leave

    async def leave_long(self, id, random):
        """Leaves while a long text waits or is read."""
        line = await Line.open(self.port)
        try:
            await line.send(request(id, "/tokenize", dict(content="ab" * 300_000)))
            await asyncio.sleep(random.choice([0, 0.02, 0.2]))
            return [Outcome(id, "leave long", "left", seen=False)]
        finally:
            line.close(reset=random.random() < 0.5)

    async def leave_early(self, id, random):
        """Leaves after some tokens of a long text."""
        choices = random.randint(1, 2)
        body = dict(prompt=random.choice(self.cases)["prompt"], max_tokens=300, ignore_eos=True, stream=True, n=choices)
        line = await Line.open(self.port)
        try:
            await line.send(request(id, "/v1/completions", body))
            status, fields = await line.head()
            if status != 200:
                data = b"".join([part async for part in line.parts(fields)])
                return [self.judge(id, "leave early", status, data, None)]
            parts, count = line.parts(fields), random.randint(1, 5)
            async for _ in parts:
                count -= 1
                if count == 0:
                    break
            await parts.aclose()
            return [Outcome(id, "leave early", "left", choices=choices)]
        finally:
            line.close(reset=random.random() < 0.5)

    async def leave_at_once(self, id, random):
        body = dict(prompt=random.choice(self.cases)["prompt"], max_tokens=300, ignore_eos=True, stream=random.random() < 0.5)
        line = await Line.open(self.port)
        try:
            await line.send(request(id, "/v1/completions", body))
            await asyncio.sleep(random.choice([0, 0, 0.02]))
            return [Outcome(id, "leave at once", "left", choices=1, seen=False)]
        finally:
            line.close(reset=random.random() < 0.5)

    async def break_off(self, id, random):
        """Leaves in the middle of the request: there is nothing to accept."""
        data = request(id, "/v1/completions", self.greedy(random)[1])
        line = await Line.open(self.port)
        try:
            await line.send(data[:random.randrange(1, len(data))])
            return [Outcome(id, "break off", "left", seen=False)]
        finally:
            line.close(reset=True)

    async def never_read(self, id, random):
        """Asks for more than the system keeps, and takes nothing of it: the server must give it up, and not wait for ever."""
        line = await Line.open(self.port, small=True)
        try:
            line.writer.transport.pause_reading()
            await line.send(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n" * 1200)
            return [Outcome(id, "never read", "left", seen=False), line]
        except BaseException:
            line.close()
            raise

    # ---- requests that are refused

    async def over_long(self, id, random):
        body = dict(prompt=self.long, max_tokens=1)
        return await self.refused(id, "over-long prompt", request(id, "/v1/completions", body), 400, "context_length_exceeded")

    async def bad_json(self, id, random):
        data = json.dumps(self.greedy(random)[1]).encode()
        bad = random.choice([data[:random.randrange(1, len(data))], data + b"}", b"[" * 200 + data, b"\xff" + data])
        return await self.refused(id, "bad JSON", request(id, "/v1/completions", bad), 400)

    async def bad_field(self, id, random):
        name, value = random.choice([("temperature", -1), ("max_tokens", "many"), ("n", 99), ("logit_bias", {"-5": 1}), ("nonsense", 1)])
        body = dict(self.greedy(random)[1], **{name: value})
        return await self.refused(id, "bad field", request(id, "/v1/completions", body), 400, name)

    async def nowhere(self, id, random):
        path, method, status = random.choice([("/v1/nothing", "POST", 404), ("/v1/completions", "DELETE", 405)])
        return await self.refused(id, "nowhere", request(id, path, {}, method=method), status)

    async def truncated(self, id, random):
        """Ends its side in the middle of the body, and waits."""
        data = request(id, "/v1/completions", self.greedy(random)[1])
        line = await Line.open(self.port)
        try:
            await line.send(data[:-random.randint(1, 20)])
            line.writer.write_eof()
            status, _, body = await line.answer()
            return [Outcome(id, "truncated", "refused", status, wrong="" if status == 400 else f"status {status}: {body[:200]!r}")]
        finally:
            line.close()

    async def late_body(self, id, random):
        """The rest of the body never comes."""
        data = request(id, "/v1/completions", self.greedy(random)[1])
        return await self.refused(id, "late body", data[:-random.randint(1, 20)], 408)


# how often each kind comes, of a hundred; and the costly ones beside them
WEIGHTS = dict(plain=22, stream=18, sampled=6, embedding=2, stall=4, half_close=5, slow_body=4, chunked=3, pipelined=5, leave_early=8, leave_at_once=5,
               break_off=3, over_long=4, bad_json=4, bad_field=3, nowhere=2, truncated=2, many_choices=2, long_text=3, slow_reader=2, leave_long=3,
               **load_hostile.WEIGHTS)
