#!/usr/bin/env python3
"""What cheems-serve sends, byte by byte, as curl gets it: frames of streams, headers, errors, and llama.cpp's endpoints.

    curl.py BIN_DIR MODELS_DIR
"""
import json
import re
import subprocess
import sys
import tempfile
import time
import unittest

from serving import Demo, started

GREEDY = {"temperature": 0, "max_tokens": 12}
CHAT = {"messages": [{"role": "user", "content": "Good night."}], **GREEDY}
SPOKEN = "ROMEO:\nGood night.\n\nJULIET:\n"  # what the demo's template makes of it


class Reply:
    def __init__(self, raw):
        head, _, self.body = raw.partition(b"\r\n\r\n")
        lines = head.decode().split("\r\n")
        self.status = int(lines[0].split()[1])
        self.fields = [tuple(line.split(": ", 1)) for line in lines[1:]]

    def field(self, name):
        values = [value for key, value in self.fields if key.lower() == name.lower()]
        if len(values) > 1:
            raise AssertionError(f"{name} is there {len(values)} times: {values}")
        return values[0] if values else None

    def json(self):
        return json.loads(self.body)


def curl(server, path, body=None, *words):
    command = ["curl", "-sS", "-i", "-N", "--max-time", "60", *words, server.url + path]
    if body is not None:
        command += ["-H", "Content-Type: application/json", "--data-binary", body if isinstance(body, str) else json.dumps(body)]
    return Reply(subprocess.run(command, check=True, capture_output=True, timeout=90).stdout)


class Tests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        states = tempfile.TemporaryDirectory()
        cls.addClassCleanup(states.cleanup)
        cls.server = started(cls, DEMO.serve("--slot-save-path", states.name, "--parallel", 2, "-c", 256))

    def ask(self, path, body=None, *words):
        return curl(self.server, path, body, *words)

    def refused(self, status, path, body=None, *words, param=None, code=None):
        reply = self.ask(path, body, *words)
        self.assertEqual(reply.status, status, reply.body)
        self.assertEqual(reply.field("Content-Type"), "application/json")
        self.assertTrue(reply.field("x-request-id"))
        error = reply.json()["error"]
        self.assertEqual(sorted(error), ["code", "message", "param", "type"])
        self.assertEqual(error["param"], param)
        self.assertEqual(error["code"], code)
        self.assertTrue(error["message"])
        return reply, error

    def events(self, path, body):
        """The data of a stream's frames, which are nothing but `data: ` lines and empty ones."""
        reply = self.ask(path, {**body, "stream": True})
        self.assertEqual(reply.status, 200, reply.body)
        self.assertEqual(reply.field("Content-Type"), "text/event-stream")
        self.assertEqual(reply.field("Cache-Control"), "no-cache")
        self.assertEqual(reply.field("X-Accel-Buffering"), "no")
        self.assertTrue(reply.field("x-request-id"))
        self.assertTrue(reply.body.endswith(b"\n\n"))
        frames = reply.body[:-2].split(b"\n\n")
        for frame in frames:
            self.assertTrue(frame.startswith(b"data: ") and b"\n" not in frame and b"\r" not in frame, frame)
        return [frame[len(b"data: "):].decode() for frame in frames]


class Frames(Tests):
    def test_a_chat_is_a_role_texts_a_reason_the_usage_and_done(self):
        *frames, done = self.events("/v1/chat/completions", {**CHAT, "stream_options": {"include_usage": True}})
        self.assertEqual(done, "[DONE]")
        *chunks, usage = map(json.loads, frames)
        self.assertEqual(chunks[0]["choices"][0]["delta"], {"role": "assistant", "content": ""})
        for chunk in chunks:
            self.assertEqual(chunk["object"], "chat.completion.chunk")
            self.assertEqual(chunk["id"], usage["id"])
            self.assertIsNone(chunk["usage"])
        deltas = [chunk["choices"][0]["delta"] for chunk in chunks[1:]]
        self.assertEqual(deltas[-1], {})
        self.assertTrue(all(list(delta) == ["content"] and delta["content"] for delta in deltas[:-1]), deltas)
        reasons = [chunk["choices"][0]["finish_reason"] for chunk in chunks]
        self.assertEqual([reason for reason in reasons if reason], reasons[-1:])
        self.assertEqual(usage["choices"], [])
        alone = DEMO.alone("-p", SPOKEN, "-n", 12, "-r", "\n\n")
        self.assertEqual("".join(delta.get("content", "") for delta in deltas), alone["text"])
        self.assertEqual(usage["usage"]["completion_tokens"], alone["generated_tokens"])
        self.assertEqual(usage["usage"]["prompt_tokens"], alone["prompt_tokens"])

    def test_without_stream_options_there_is_no_usage(self):
        for path, body in [("/v1/chat/completions", CHAT), ("/v1/completions", {"prompt": "ROMEO:", **GREEDY})]:
            *frames, done = self.events(path, body)
            self.assertEqual(done, "[DONE]")
            for chunk in map(json.loads, frames):
                self.assertEqual(len(chunk["choices"]), 1)
                self.assertNotIn("usage", chunk)

    def test_bytes_of_a_character_come_together(self):
        # tokens of one byte each, of which a stream must make whole characters
        grammar = 'root ::= "é" "漢" "🎭"'
        *frames, _ = self.events("/v1/completions", {"prompt": "x", "grammar": grammar, "temperature": 0, "max_tokens": 30})
        texts = [json.loads(frame)["choices"][0]["text"] for frame in frames]
        self.assertEqual("".join(texts), "é漢🎭")
        self.assertNotIn("�", "".join(texts))

    def test_line_ends_stay_within_a_frame(self):
        *frames, _ = self.events("/v1/completions", {"prompt": "x", "grammar": 'root ::= "a\\n\\ndata: b\\r\\n"', "temperature": 0, "max_tokens": 30})
        self.assertEqual("".join(json.loads(frame)["choices"][0]["text"] for frame in frames), "a\n\ndata: b\r\n")

    def test_what_fails_within_a_stream_is_an_error_event_without_done(self):
        with DEMO.serve("--timeout", 2, "-c", 100000000) as server:
            reply = curl(server, "/v1/completions", {"prompt": "ROMEO:", "max_tokens": 100000000, "ignore_eos": True, "stream": True})
            self.assertEqual(reply.status, 200)
            *frames, last = reply.body.decode().rstrip("\n").split("\n\n")
            self.assertTrue(all(frame.startswith("data: {") for frame in frames))
            self.assertTrue(last.startswith("event: error\ndata: "), last)
            error = json.loads(last.split("data: ", 1)[1])["error"]
            self.assertEqual(sorted(error), ["code", "message", "param", "type"])
            self.assertEqual(error["code"], "timeout")
            self.assertNotIn("[DONE]", reply.body.decode())


class Heads(Tests):
    def test_a_request_id_comes_back(self):
        given = self.ask("/health", None, "-H", "X-Request-Id: mine-17")
        self.assertEqual(given.field("x-request-id"), "mine-17")
        made = {self.ask("/health").field("x-request-id") for _ in range(3)}
        self.assertEqual(len(made), 3)

    def test_errors_have_one_form(self):
        chat = "/v1/chat/completions"
        self.refused(400, chat, "{not json")
        self.refused(400, chat, "[]")
        self.refused(400, chat, {"messages": []}, param="messages")
        self.refused(400, chat, {**CHAT, "tempreature": 1}, param="tempreature")
        self.refused(400, "/v1/completions", {"prompt": "x", "suffix": "y"}, param="suffix")
        self.refused(400, "/v1/completions", {"prompt": "x " * 300}, param="prompt", code="context_length_exceeded")
        self.refused(404, "/v1/nothing")
        self.refused(404, "/v1/models/other", param="model", code="model_not_found")
        reply, _ = self.refused(405, chat)
        self.assertEqual(reply.field("Allow"), "POST, OPTIONS")

    def test_types_of_errors_are_those_of_their_status(self):
        for words, path, body, status, kind in [(("-H", "Origin: http://other.example"), "/v1/models", None, 403, "permission_error"),
                                                ((), "/v1/nothing", None, 404, "not_found_error"),
                                                ((), "/v1/models", {}, 405, "invalid_request_error")]:
            self.assertEqual(self.refused(status, path, body, *words)[1]["type"], kind)
        with DEMO.serve() as server:
            reply = curl(server, "/slots/0?action=erase", {})
            self.assertEqual((reply.status, reply.json()["error"]["type"]), (501, "not_supported_error"))

    def test_a_request_may_have_more_prompts_than_the_queue_takes(self):
        with DEMO.serve("--parallel", 1, "--max-queue", 2) as server:
            ask = lambda count: curl(server, "/v1/embeddings", {"input": [[1 + i % 900] for i in range(count)]})
            told = ask(300).json()["data"]
            self.assertEqual([each["index"] for each in told], list(range(300)))
            self.assertNotEqual(told[0]["embedding"], told[1]["embedding"])
            refused = ask(2049)
            self.assertEqual((refused.status, refused.json()["error"]["param"]), (400, "input"))

    def test_a_body_that_is_too_long_is_refused(self):
        with DEMO.serve("--max-body", "1K") as server:
            reply = curl(server, "/v1/completions", {"prompt": "x" * 2000})
            self.assertEqual(reply.status, 413)
            self.assertEqual(reply.json()["error"]["type"], "invalid_request_error")

    def test_a_head_request_has_a_head_alone(self):
        reply = self.ask("/health", None, "--head")
        self.assertEqual((reply.status, reply.body), (200, b""))

    def test_keys_open_all_but_health(self):
        keys = DEMO.folder / "keys"
        keys.write_text("# of the test\nfirst\nsecond\n")
        with DEMO.serve("--api-key-file", keys) as server:
            self.assertEqual(curl(server, "/health").status, 200)
            for words, status in [((), 401), (("-H", "Authorization: Bearer third"), 401), (("-H", "Authorization: Bearer second"), 200)]:
                for path in ("/v1/models", "/metrics", "/props", "/slots", "/tokenizer_info"):
                    reply = curl(server, path, None, *words)
                    self.assertEqual(reply.status, status, path)
                    if status == 401:
                        self.assertEqual(reply.json()["error"]["type"], "authentication_error")


class Llama(Tests):
    def test_completion(self):
        alone = DEMO.alone("-p", "ROMEO:", "-n", 12)
        body = {"prompt": "ROMEO:", "n_predict": 12, "temperature": 0, "return_tokens": True, "n_probs": 3}
        answer = self.ask("/completion", body).json()
        self.assertEqual(answer["content"], alone["text"])
        self.assertEqual(answer["tokens"], alone["ids"])
        self.assertEqual((answer["stop"], answer["stop_type"], answer["tokens_predicted"]), (True, "limit", 12))
        self.assertEqual(answer["tokens_evaluated"], alone["prompt_tokens"])
        self.assertEqual(len(answer["completion_probabilities"]), len(alone["ids"]))
        for token, entry in zip(alone["ids"], answer["completion_probabilities"]):
            self.assertEqual(entry["id"], token)
            self.assertEqual([entry["id"], entry["logprob"]], [entry["top_logprobs"][0][key] for key in ("id", "logprob")])
            self.assertEqual(len(entry["top_logprobs"]), 3)
        ids = self.ask("/completion", {**body, "prompt": [0, *DEMO.ids("ROMEO:")]}).json()
        self.assertEqual(ids["tokens"], alone["ids"])
        drawn = {**body, "temperature": 1}
        first = self.ask("/completion", drawn).json()
        seed = first["generation_settings"]["seed"]
        self.assertLess(seed, 2**53)
        self.assertEqual(self.ask("/completion", {**drawn, "seed": seed}).json()["tokens"], first["tokens"])
        word = alone["text"].split()[2]
        stopped = self.ask("/completion", {**body, "stop": [word]}).json()
        self.assertEqual((stopped["content"], stopped["stop_type"], stopped["stopping_word"]), (alone["text"].split(word)[0], "word", word))
        told = [entry["token"] for entry in stopped["completion_probabilities"]]
        self.assertTrue("".join(told[:-1]) in stopped["content"] and stopped["content"] in "".join(told), told)
        frames = [json.loads(frame) for frame in self.events("/completion", body)]
        self.assertEqual("".join(frame["content"] for frame in frames), alone["text"])
        self.assertEqual([frame["stop"] for frame in frames], [False] * (len(frames) - 1) + [True])

    def test_embedding(self):
        told = self.ask("/v1/embeddings", {"input": ["ROMEO:", "JULIET:"]}).json()["data"]
        for path, field in [("/embedding", "content"), ("/embeddings", "input")]:
            self.assertEqual(self.ask(path, {field: ["ROMEO:", "JULIET:"]}).json(),
                             [{"index": each["index"], "embedding": [each["embedding"]]} for each in told])

    def test_tokens_and_back(self):
        text = "Good night, good night! naïve 漢\n"
        ids = DEMO.ids(text)
        self.assertEqual(self.ask("/tokenize", {"content": text}).json()["tokens"], ids)
        self.assertEqual(self.ask("/tokenize", {"content": text, "add_special": True}).json()["tokens"], [0, *ids])
        vllm = self.ask("/tokenize", {"prompt": text}).json()
        self.assertEqual((vllm["tokens"], vllm["count"], vllm["max_model_len"]), ([0, *ids], len(ids) + 1, 256))
        self.assertEqual(self.ask("/tokenize", {"prompt": text, "add_special_tokens": False}).json()["tokens"], ids)
        pieces = self.ask("/tokenize", {"content": text, "with_pieces": True}).json()["tokens"]
        spelt = b"".join(bytes(each["piece"]) if isinstance(each["piece"], list) else each["piece"].encode() for each in pieces)
        self.assertEqual(spelt.decode(), text)
        self.assertEqual(self.ask("/detokenize", {"tokens": ids}).json(), {"prompt": text, "content": text})
        self.refused(400, "/detokenize", {"tokens": [1024]}, param="tokens")
        self.refused(400, "/tokenize", {}, param="prompt")

    def test_templates(self):
        made = self.ask("/apply-template", {"messages": CHAT["messages"]}).json()
        self.assertEqual(made, {"prompt": "<|begin_of_text|>" + SPOKEN})
        chat = self.ask("/tokenize", {"messages": CHAT["messages"]}).json()["tokens"]
        self.assertEqual(chat, [0, *DEMO.ids(SPOKEN)])
        info = self.ask("/tokenizer_info").json()
        self.assertEqual((info["bos_token"], info["eos_token"]), ("<|begin_of_text|>", "<|end_of_text|>"))
        self.assertEqual(info["chat_template"], (DEMO.source / "chat_template.jinja").read_text())

    def test_props_models_and_health(self):
        self.assertEqual(self.ask("/health").json(), {"status": "ok"})
        props = self.ask("/props").json()
        self.assertEqual((props["total_slots"], props["default_generation_settings"]["n_ctx"]), (2, 256))
        self.assertEqual(props["chat_template"], (DEMO.source / "chat_template.jinja").read_text())
        (model,) = self.ask("/v1/models").json()["data"]
        self.assertEqual((model["id"], model["meta"]["n_vocab"], model["meta"]["n_ctx"]), ("cheems-shakespeare", 1024, 256))

    def test_a_slot_s_state_goes_to_a_file_and_back(self):
        alone = DEMO.alone("-p", "ROMEO:", "-n", 12)
        body = {"prompt": "ROMEO:", "n_predict": 12, "temperature": 0, "return_tokens": True}
        self.assertEqual(self.ask("/completion", {**body, "id_slot": 1}).json()["id_slot"], 1)
        held = self.ask("/slots").json()
        self.assertEqual([slot["id"] for slot in held], [0, 1])
        self.assertFalse(any("prompt" in slot or "content" in slot for slot in held))
        tokens = held[1]["n_tokens"]
        self.assertGreater(tokens, alone["prompt_tokens"])
        saved = self.ask("/slots/1?action=save", {"filename": "one"}).json()
        self.assertEqual((saved["id_slot"], saved["n_saved"], saved["filename"]), (1, tokens, "one"))
        for slot in (0, 1):
            self.assertEqual(self.ask(f"/slots/{slot}?action=erase", {}).json()["id_slot"], slot)
        self.assertEqual([slot["n_tokens"] for slot in self.ask("/slots").json()], [0, 0])
        restored = self.ask("/slots/0?action=restore", {"filename": "one"}).json()
        self.assertEqual((restored["n_restored"], restored["n_read"]), (tokens, saved["n_written"]))
        self.assertEqual(self.ask("/slots").json()[0]["n_tokens"], tokens)
        # what was restored goes on as if it had never been away
        whole = [0, *DEMO.ids("ROMEO:"), *alone["ids"]]
        longer = DEMO.alone("--prompt-ids", ",".join(map(str, whole)), "-n", 8)
        answer = self.ask("/completion", {**body, "prompt": whole, "n_predict": 8, "id_slot": 0}).json()
        self.assertEqual(answer["tokens"], longer["ids"])
        self.assertEqual(answer["timings"]["cache_n"], tokens)
        self.refused(400, "/slots/0?action=save", {"filename": "../one"}, param="filename")
        self.refused(400, "/slots/0?action=burn", {}, param="action")
        self.refused(404, "/slots/0?action=restore", {"filename": "none"})
        self.refused(404, "/slots/7?action=erase", {})

    def test_metrics_count(self):
        def numbers():
            lines = self.ask("/metrics").body.decode().splitlines()
            self.assertTrue(all(re.fullmatch(r'# (HELP|TYPE) .*|[a-z0-9_:]+(\{[^}]*\})? [-+.\dA-Za-z]+', line) for line in lines))
            return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in lines if not line.startswith("#")}

        model = '{model_name="cheems-shakespeare"}'
        before = numbers()
        usage = self.ask("/v1/completions", {"prompt": "JULIET:", **GREEDY}).json()["usage"]
        after = numbers()
        for name, count in [("cheems:prompt_tokens_total", usage["prompt_tokens"]), ("cheems:generation_tokens_total", usage["completion_tokens"]),
                            ("cheems:time_to_first_token_seconds_count", 1), ("cheems:e2e_request_latency_seconds_count", 1)]:
            self.assertEqual(after[name + model] - before[name + model], count, name)
        end = time.monotonic() + 60  # it is counted after the end of the answer
        while numbers()["cheems:num_requests_running" + model] and time.monotonic() < end:
            time.sleep(0.01)
        self.assertEqual(numbers()["cheems:num_requests_running" + model], 0)


if __name__ == "__main__":
    models, bins = sys.argv.pop(), sys.argv.pop()
    with Demo(bins, models, "cheems-shakespeare") as DEMO:
        unittest.main(exit=False).result.wasSuccessful() or sys.exit(1)
