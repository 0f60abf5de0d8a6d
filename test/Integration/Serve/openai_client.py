#!/usr/bin/env python3
"""cheems-serve asked by openai-python: each parameter that docs/serve.md lists has its effect or is refused by name.

    openai_client.py BIN_DIR MODELS_DIR
"""
import json
import math
import sys
import unittest

import openai

from serving import SHARED, TEMPLATE, Demo, started

PROMPT = "ROMEO:\n"
MESSAGES = [{"role": "user", "content": "Good night, good night!"}]
SPOKEN = "ROMEO:\nGood night, good night!\n\nJULIET:\n"  # what the demo's template makes of MESSAGES
BLANK = "\n\n"  # at which the demo's chat stops


def client_of(server, **options):
    return openai.OpenAI(base_url=server.url + "/v1", api_key=options.pop("api_key", "none"), max_retries=0, timeout=60, **options)


class Asking(unittest.TestCase):
    """What the tests of both interfaces share: `create` of the one that they ask."""

    @classmethod
    def setUpClass(cls):
        cls.client = client_of(started(cls, DEMO.serve("--parallel", 4, "-c", 512)))

    def chat(self, **options):
        return self.client.chat.completions.create(**{"model": "any", "messages": MESSAGES, "max_tokens": 16, "temperature": 0, **options})

    def complete(self, prompt=PROMPT, **options):
        return self.client.completions.create(**{"model": "any", "prompt": prompt, "max_tokens": 16, "temperature": 0, **options})

    def refused(self, ask, param, **options):
        with self.assertRaises(openai.BadRequestError, msg=options) as caught:
            ask(**options)
        self.assertEqual(caught.exception.param, param)
        self.assertEqual(caught.exception.type, "invalid_request_error")
        return caught.exception


class Completions(Asking):
    def test_greedy_text_is_that_of_cheems_run(self):
        alone = DEMO.alone("-p", PROMPT, "-n", 60)
        answer = self.complete(max_tokens=60)
        self.assertEqual(answer.choices[0].text, alone["text"])
        self.assertEqual(answer.choices[0].finish_reason, "length")
        self.assertEqual((answer.usage.prompt_tokens, answer.usage.completion_tokens), (alone["prompt_tokens"], 60))
        self.assertEqual(answer.usage.total_tokens, alone["prompt_tokens"] + 60)
        chunks = list(self.complete(max_tokens=60, stream=True))
        self.assertEqual("".join(chunk.choices[0].text for chunk in chunks), alone["text"])
        self.assertEqual([chunk.choices[0].finish_reason for chunk in chunks if chunk.choices[0].finish_reason], ["length"])

    def test_prompts_are_texts_or_ids_one_or_several(self):
        texts = [PROMPT, "JULIET:\n", "First Citizen:"]
        ids = [[0, *DEMO.ids(text)] for text in texts]
        alone = [DEMO.alone("-p", text, "-n", 16)["text"] for text in texts]
        self.assertEqual(self.complete(ids[0]).choices[0].text, alone[0])
        for prompts in (texts, ids):
            answer = self.complete(prompts)
            self.assertEqual([choice.text for choice in answer.choices], alone)
            self.assertEqual([choice.index for choice in answer.choices], [0, 1, 2])
            pieces = ["", "", ""]
            for chunk in self.complete(prompts, stream=True):
                pieces[chunk.choices[0].index] += chunk.choices[0].text
            self.assertEqual(pieces, alone)
        twice = self.complete(texts[:2], n=2)
        self.assertEqual([choice.text for choice in twice.choices], [alone[0], alone[0], alone[1], alone[1]])

    def test_echo_and_logprobs(self):
        prompt = [0, *DEMO.ids(PROMPT)]
        answer = self.complete(prompt, echo=True, logprobs=3, max_tokens=4).choices[0]
        told, new = answer.logprobs, DEMO.alone("-p", PROMPT, "-n", 4)
        self.assertEqual(answer.text, PROMPT + new["text"])
        for entries in (told.tokens, told.token_logprobs, told.top_logprobs, told.text_offset):
            self.assertEqual(len(entries), len(prompt) + 4)
        self.assertIsNone(told.token_logprobs[0])
        self.assertIsNone(told.top_logprobs[0])
        self.assertEqual("".join(told.tokens[1:]), answer.text)
        self.assertEqual([answer.text[offset:][: len(token)] for offset, token in list(zip(told.text_offset, told.tokens))[1:]], told.tokens[1:])
        for token, logprob, top in list(zip(told.tokens, told.token_logprobs, told.top_logprobs))[1:]:
            self.assertEqual(top[token], logprob)
            self.assertLessEqual(3, len(top))
            self.assertLessEqual(len(top), 4)
        for logprob, top in list(zip(told.token_logprobs, told.top_logprobs))[len(prompt) :]:
            self.assertEqual(logprob, max(top.values()))  # they are greedy
        alone = self.complete(prompt, echo=True, logprobs=3, max_tokens=0)
        self.assertEqual(alone.choices[0].text, PROMPT)
        self.assertEqual(alone.choices[0].logprobs.token_logprobs, told.token_logprobs[: len(prompt)])
        self.assertEqual(alone.usage.completion_tokens, 0)
        streamed = [chunk.choices[0] for chunk in self.complete(prompt, echo=True, logprobs=3, max_tokens=4, stream=True)]
        self.assertEqual("".join(each.text for each in streamed), answer.text)
        for field in ("tokens", "token_logprobs", "top_logprobs", "text_offset"):
            self.assertEqual(sum((getattr(each.logprobs, field) for each in streamed if each.logprobs), []), getattr(told, field))

    def test_what_is_not_implemented_is_refused(self):
        self.refused(self.complete, "suffix", suffix="and")
        self.refused(self.complete, "best_of", best_of=3)
        self.refused(self.complete, "prompt", prompt=[1024])
        self.refused(self.complete, "prompt", prompt=[-1])
        self.refused(self.complete, "logprobs", logprobs=21)
        self.refused(self.complete, "max_tokens", max_tokens=0)


class Parameters(Asking):
    """Checks the parameters of both interfaces."""

    def both(self, **options):
        """The texts of both, with how they ended."""
        chat, text = self.chat(**options), self.complete(**options)
        return [[(choice.message.content, choice.finish_reason) for choice in chat.choices],
                [(choice.text, choice.finish_reason) for choice in text.choices]]

    def test_stop(self):
        for stop in ("night", ["not there", "night"], ["o"]):
            words = [stop] if isinstance(stop, str) else stop
            for (told, reason), prompt, always in zip((each[0] for each in self.both(stop=stop, max_tokens=40)), (SPOKEN, PROMPT), ([BLANK], [])):
                alone = DEMO.alone("-p", prompt, "-n", 40, *[word for each in words + always for word in ("-r", each)])
                self.assertEqual(told, alone["text"])
                self.assertEqual(reason, "length" if alone["stop"] == "length" else "stop")
        streamed = "".join(chunk.choices[0].text for chunk in self.complete(stop=["e t"], max_tokens=60, stream=True))
        self.assertEqual(streamed, DEMO.alone("-p", PROMPT, "-n", 60, "-r", "e t")["text"])

    def test_n_and_seed(self):
        drawn = dict(temperature=1.0, n=4, max_tokens=24)
        for first, again, other in zip(self.both(seed=7, **drawn), self.both(seed=7, **drawn), self.both(seed=8, **drawn)):
            self.assertEqual(len(first), 4)
            self.assertGreater(len(set(first)), 1)
            self.assertEqual(first, again)
            self.assertNotEqual(first, other)

    def test_the_best_token_alone_is_greedy(self):
        greedy = self.both()
        for least in (0, 1e-6):
            self.assertEqual(self.both(temperature=1.5, top_p=least), greedy)
        for name, value in [("top_k", 1), ("min_p", 1.0)]:
            self.assertEqual(self.both(temperature=1.5, extra_body={name: value}), greedy)
        self.assertNotEqual(self.both(temperature=1.5, seed=3), greedy)

    def test_logit_bias(self):
        (comma,) = DEMO.ids(",")
        self.assertEqual({text for (text, _), in self.both(logit_bias={str(comma): 100}, max_tokens=6)}, {",,,,,,"})
        for (text, _), in self.both(logit_bias={str(comma): -100}, max_tokens=60):
            self.assertNotIn(",", text)

    def test_biases_that_leave_no_token_are_refused(self):
        for temperature in (0, 1):
            none = [[token, False] for token in range(1024)]
            self.refused(self.complete, "logit_bias", temperature=temperature, extra_body={"logit_bias": none})
        letters = [[text, False] for text in ("h", "he", "hel", "hello")]
        self.refused(self.complete, "logit_bias", extra_body={"grammar": 'root ::= "hello"', "logit_bias": letters})

    def test_penalties(self):
        plain = self.complete(max_tokens=60).choices[0].text
        for name, flag in [("presence_penalty", "--presence-penalty"), ("frequency_penalty", "--frequency-penalty")]:
            told = self.complete(max_tokens=60, **{name: 1.5}).choices[0].text
            self.assertEqual(told, DEMO.alone("-p", PROMPT, "-n", 60, flag, 1.5)["text"])
            self.assertNotEqual(told, plain)
        told = self.complete(max_tokens=60, extra_body={"repetition_penalty": 1.3}).choices[0].text
        self.assertEqual(told, DEMO.alone("-p", PROMPT, "-n", 60, "--repeat-penalty", 1.3)["text"])
        self.assertNotEqual(told, plain)

    def test_lengths(self):
        for name in ("max_tokens", "max_completion_tokens"):
            answer = self.client.chat.completions.create(model="any", messages=MESSAGES, temperature=0, **{name: 3})
            self.assertEqual((answer.usage.completion_tokens, answer.choices[0].finish_reason), (3, "length"))
        self.assertEqual(self.complete(max_tokens=openai.NOT_GIVEN).usage.completion_tokens, 16)

    def test_ignore_eos(self):
        end = {"1": 100}
        for (text, reason), in self.both(logit_bias=end):
            self.assertEqual((text, reason), ("", "stop"))
        for (text, reason), in self.both(logit_bias=end, extra_body={"ignore_eos": True}):
            self.assertEqual(reason, "length")

    def test_what_changes_no_answer_is_ignored(self):
        told = self.chat(user="someone", store=False, metadata={"a": "b"}).choices[0].message.content
        self.assertEqual(told, self.chat().choices[0].message.content)
        self.assertEqual(self.complete(user="someone").choices[0].text, self.complete().choices[0].text)

    def test_what_adds_to_answers_is_refused_where_it_is_on(self):
        for name in ("timings_per_token", "return_progress", "post_sampling_probs"):
            self.complete(max_tokens=1, extra_body={name: False})
            for ask in (self.chat, self.complete):
                self.refused(ask, name, extra_body={name: True})

    def test_states_are_shared_within_a_cache_salt(self):
        def cached(salt, client):
            answer = client.completions.create(model="any", prompt=prompt, max_tokens=1, extra_body={"cache_salt": salt} if salt else {})
            return answer.usage.prompt_tokens_details.cached_tokens

        prompt = "Good night, good night! Parting is such sweet sorrow. " * 8
        self.assertEqual([cached(salt, self.client) > 0 for salt in ("one", "one", "two", None, "two", None)],
                         [False, True, False, False, True, True])
        for salt in ("", "x" * 257, 5):
            self.refused(self.complete, "cache_salt", extra_body={"cache_salt": salt})
        keys = DEMO.folder / "salted"
        keys.write_text("first\nsecond\n")
        with DEMO.serve("--api-key-file", keys, "--cache-isolate") as server:
            first, second = (client_of(server, api_key=key) for key in ("first", "second"))
            self.assertEqual([cached("one", client) > 0 for client in (first, second, first)], [False, False, True])

    def test_values_out_of_range_are_refused(self):
        for ask in (self.chat, self.complete):
            for name, value in [("temperature", -1), ("top_p", 2), ("n", 17), ("n", 0), ("presence_penalty", "high"), ("stop", ["x" * 300]),
                                ("stop", ["a"] * 17), ("max_tokens", -5), ("logit_bias", {"1024": 1}), ("seed", 1.5), ("stream", "yes")]:
                self.refused(ask, name, **{name: value})
            for name, value in [("top_k", "many"), ("min_p", 2), ("repetition_penalty", 0), ("ignore_eos", 1), ("nothing_known", 1), ("mirostat", 2)]:
                self.refused(ask, name, extra_body={name: value})

    def test_the_context_is_a_limit(self):
        long = "good night " * 600
        for param, ask in [("prompt", lambda: self.complete(long)), ("messages", lambda: self.chat(messages=[{"role": "user", "content": long}])),
                           ("input", lambda: self.client.embeddings.create(model="any", input=long))]:
            with self.assertRaises(openai.BadRequestError) as caught:
                ask()
            self.assertEqual((caught.exception.param, caught.exception.code), (param, "context_length_exceeded"))
        full = self.complete(max_tokens=100000)
        self.assertEqual((full.choices[0].finish_reason, full.usage.total_tokens), ("length", 512))


class Chats(Asking):
    def test_greedy_text_is_that_of_cheems_run(self):
        alone = DEMO.alone("-p", SPOKEN, "-n", 60, "-r", BLANK)
        answer = self.chat(max_tokens=60)
        message, choice = answer.choices[0].message, answer.choices[0]
        self.assertEqual((message.role, message.content, message.tool_calls), ("assistant", alone["text"], None))
        self.assertEqual(choice.finish_reason, "length" if alone["stop"] == "length" else "stop")
        self.assertEqual((answer.usage.prompt_tokens, answer.usage.completion_tokens), (alone["prompt_tokens"], alone["generated_tokens"]))
        self.assertEqual((answer.object, answer.model), ("chat.completion", "cheems-shakespeare"))

    def test_streams(self):
        alone = DEMO.alone("-p", SPOKEN, "-n", 60, "-r", BLANK)
        for choices in (1, 3):
            *chunks, last = self.chat(max_tokens=60, n=choices, stream=True, stream_options={"include_usage": True})
            for index in range(choices):
                mine = [chunk.choices[0] for chunk in chunks if chunk.choices[0].index == index]
                self.assertEqual(mine[0].delta.role, "assistant")
                self.assertTrue(all(each.delta.role is None for each in mine[1:]))
                self.assertEqual("".join(each.delta.content or "" for each in mine), alone["text"])
                self.assertEqual([each.finish_reason for each in mine[:-1]], [None] * (len(mine) - 1))
                self.assertEqual(mine[-1].finish_reason, "length" if alone["stop"] == "length" else "stop")
            self.assertEqual(last.choices, [])
            self.assertEqual(last.usage.completion_tokens, choices * alone["generated_tokens"])
            self.assertEqual(len({chunk.id for chunk in [*chunks, last]}), 1)
        self.assertTrue(all(chunk.usage is None for chunk in self.chat(stream=True)))

    def test_logprobs(self):
        whole = self.chat(logprobs=True, top_logprobs=4).choices[0]
        streamed = []
        for chunk in self.chat(logprobs=True, top_logprobs=4, stream=True):
            streamed += chunk.choices[0].logprobs.content if chunk.choices[0].logprobs else []
        self.assertEqual([entry.model_dump() for entry in streamed], [entry.model_dump() for entry in whole.logprobs.content])
        spelt = b"".join(bytes(entry.bytes) for entry in streamed).decode()
        self.assertTrue(spelt.startswith(whole.message.content))
        for entry in streamed:
            self.assertEqual(bytes(entry.bytes).decode(), entry.token)
            values = [each.logprob for each in entry.top_logprobs]
            self.assertEqual((len(values), values), (4, sorted(values, reverse=True)))
            self.assertEqual(entry.logprob, values[0])
            self.assertLessEqual(sum(map(math.exp, values)), 1 + 1e-9)
        self.assertIsNone(self.chat().choices[0].logprobs)
        self.assertEqual(self.chat(logprobs=True).choices[0].logprobs.content[0].top_logprobs, [])
        self.refused(self.chat, "top_logprobs", logprobs=True, top_logprobs=21)
        self.refused(self.chat, "top_logprobs", top_logprobs=2)

    def test_roles_and_parts_of_messages(self):
        prompt = "A room.\n\nROMEO:\nWho art thou?\n\nJULIET:\nNobody.\n\nROMEO:\nGood night.\n\nJULIET:\n"
        alone = DEMO.alone("-p", prompt, "-n", 16, "-r", BLANK)["text"]
        for system in ("system", "developer"):
            messages = [{"role": system, "content": "A room."}, {"role": "user", "content": "Who art thou?"},
                        {"role": "assistant", "content": "Nobody."},
                        {"role": "user", "content": [{"type": "text", "text": "Good "}, {"type": "text", "text": "night."}]}]
            self.assertEqual(self.chat(messages=messages).choices[0].message.content, alone)
        told = self.chat(messages=MESSAGES, extra_body={"chat_template_kwargs": {"user_name": "NURSE", "model_name": "PETER"}})
        named = DEMO.alone("-p", SPOKEN.replace("ROMEO", "NURSE").replace("JULIET", "PETER"), "-n", 16, "-r", BLANK)["text"]
        self.assertEqual(told.choices[0].message.content, named)

    def test_what_is_not_implemented_is_refused(self):
        image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
        self.refused(self.chat, "messages[0].content[0]", messages=[{"role": "user", "content": [image]}])
        self.refused(self.chat, "messages[0].role", messages=[{"role": "king", "content": "x"}])
        self.refused(self.chat, "messages", messages=[])
        self.refused(self.chat, "audio", audio={"voice": "alloy", "format": "wav"})
        self.refused(self.chat, "modalities", modalities=["text", "audio"])
        self.refused(self.chat, "prediction", prediction={"type": "content", "content": "x"})
        self.chat(messages=[{"role": "user", "content": "x"}], max_tokens=1, reasoning_effort="low")  # for templates that know it

    def test_a_second_turn_computes_what_is_new(self):
        # no other test begins so
        first = [{"role": "user", "content": "Second turn: " + "what light through yonder window breaks? " * 4}]
        answer = self.chat(messages=first, max_tokens=24)
        self.assertLess(answer.usage.prompt_tokens_details.cached_tokens, 32)
        turns = [*first, {"role": "assistant", "content": answer.choices[0].message.content}, {"role": "user", "content": "And then?"}]
        second = self.chat(messages=turns, max_tokens=24)
        self.assertGreaterEqual(second.usage.prompt_tokens_details.cached_tokens, answer.usage.prompt_tokens - 8)
        self.assertLess(second.usage.prompt_tokens_details.cached_tokens, second.usage.prompt_tokens)
        spoken = "".join(f"{'ROMEO' if turn['role'] == 'user' else 'JULIET'}:\n{turn['content'].strip()}\n\n" for turn in turns)
        self.assertEqual(second.choices[0].message.content, DEMO.alone("-p", spoken + "JULIET:\n", "-n", 24, "-r", BLANK)["text"])


class Forms(Asking):
    SCHEMA = {"type": "object", "properties": {"name": {"type": "string", "maxLength": 12}, "age": {"type": "integer", "minimum": 0, "maximum": 99}},
              "required": ["name", "age"], "additionalProperties": False}

    def test_a_schema(self):
        form = {"type": "json_schema", "json_schema": {"name": "person", "strict": True, "schema": self.SCHEMA}}
        for text in (self.chat(response_format=form, max_tokens=200).choices[0].message.content,
                     self.complete(extra_body={"response_format": form}, max_tokens=200).choices[0].text,
                     "".join(chunk.choices[0].delta.content or "" for chunk in self.chat(response_format=form, max_tokens=200, stream=True))):
            person = json.loads(text)
            self.assertEqual(sorted(person), ["age", "name"])
            self.assertLessEqual(len(person["name"]), 12)
            self.assertIn(person["age"], range(100))

    def test_an_object(self):
        for seed in range(4):
            choice = self.chat(response_format={"type": "json_object"}, max_tokens=200, temperature=1, seed=seed).choices[0]
            self.assertTrue(choice.message.content.lstrip().startswith("{"))
            if choice.finish_reason == "stop":
                self.assertIsInstance(json.loads(choice.message.content), dict)

    def test_a_grammar(self):
        grammar = 'root ::= ("aye" | "nay") ", " [a-z]{3} "!"'
        for choice in self.chat(n=4, temperature=1, seed=1, extra_body={"grammar": grammar}).choices:
            self.assertRegex(choice.message.content, r"^(aye|nay), [a-z]{3}!$")
            self.assertEqual(choice.finish_reason, "stop")
        self.assertRegex(self.complete(extra_body={"grammar": grammar}).choices[0].text, r"^(aye|nay), [a-z]{3}!$")

    def test_plain_text(self):
        self.assertEqual(self.chat(response_format={"type": "text"}).choices[0].message.content, self.chat().choices[0].message.content)

    def test_what_cannot_be_held_is_refused(self):
        def form(schema):
            return {"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}}

        said = self.refused(self.chat, "response_format", **form({"type": "object", "minProperties": 2}))
        self.assertIn("minProperties", str(said))
        self.refused(self.chat, "response_format.type", response_format={"type": "xml"})
        self.refused(self.chat, "response_format.json_schema.schema", response_format={"type": "json_schema", "json_schema": {"name": "x"}})
        self.refused(self.chat, "grammar", extra_body={"grammar": "root ::= ("})
        self.refused(self.chat, "response_format", response_format={"type": "json_object"}, extra_body={"grammar": 'root ::= "a"'})


class Tools(Asking):
    TOOLS = [{"type": "function", "function": {"name": "weather", "description": "The weather of a place.", "parameters": {
                 "type": "object", "properties": {"city": {"type": "string", "enum": ["Verona", "Mantua"]},
                                                  "days": {"type": "integer", "minimum": 1, "maximum": 9}},
                 "required": ["city", "days"], "additionalProperties": False}}},
             {"type": "function", "function": {"name": "hour", "parameters": {"type": "object", "properties": {}, "additionalProperties": False}}}]

    @classmethod
    def setUpClass(cls):
        cls.server = started(cls, DEMO.serve("--parallel", 4, "-c", 2048, "--chat-template-file", TEMPLATE))
        cls.client = client_of(cls.server)

    def called(self, calls):
        for call in calls:
            self.assertEqual(call.type, "function")
            self.assertTrue(call.id)
            arguments = json.loads(call.function.arguments)
            if call.function.name == "hour":
                self.assertEqual(arguments, {})
            else:
                self.assertEqual(call.function.name, "weather")
                self.assertEqual(sorted(arguments), ["city", "days"])
                self.assertIn(arguments["city"], ["Verona", "Mantua"])
                self.assertIn(arguments["days"], range(1, 10))
        return [call.function.name for call in calls]

    def test_a_call_is_required(self):
        options = dict(tools=self.TOOLS, tool_choice="required", max_tokens=300, temperature=1.0, parallel_tool_calls=False)
        names = set()
        for seed in range(6):
            choice = self.chat(seed=seed, **options).choices[0]
            self.assertEqual((choice.finish_reason, choice.message.content), ("tool_calls", None))
            told = self.called(choice.message.tool_calls)
            self.assertEqual(len(told), 1)
            names.update(told)
        self.assertTrue(names)

    def test_a_named_tool_is_called(self):
        for name in ("weather", "hour"):
            choice = self.chat(tools=self.TOOLS, tool_choice={"type": "function", "function": {"name": name}}, max_tokens=300,
                               parallel_tool_calls=False).choices[0]
            self.assertEqual(choice.finish_reason, "tool_calls")
            self.assertEqual(self.called(choice.message.tool_calls), [name])
        self.refused(self.chat, "tool_choice", tools=self.TOOLS, tool_choice={"type": "function", "function": {"name": "other"}})

    def test_a_call_streams_as_deltas(self):
        options = dict(tools=self.TOOLS, tool_choice={"type": "function", "function": {"name": "weather"}}, max_tokens=300, parallel_tool_calls=False)
        whole = self.chat(**options).choices[0].message.tool_calls[0].function
        chunks = [chunk.choices[0] for chunk in self.chat(**options, stream=True)]
        parts = [part for chunk in chunks for part in chunk.delta.tool_calls or []]
        self.assertEqual(parts[0].function.name, whole.name)
        self.assertTrue(parts[0].id)
        self.assertEqual({part.index for part in parts}, {0})
        self.assertTrue(all(part.id is None and part.function.name is None for part in parts[1:]))
        self.assertGreater(len(parts), 2)
        self.assertEqual("".join(part.function.arguments or "" for part in parts), whole.arguments)
        self.assertEqual(chunks[-1].finish_reason, "tool_calls")
        self.assertFalse(any(chunk.delta.content for chunk in chunks))

    def test_none_and_auto_hold_the_model_to_nothing(self):
        text = self.server.post("/apply-template", {"messages": MESSAGES, "tools": self.TOOLS})["prompt"]
        self.assertIn('"name": "weather"', text)
        alone = DEMO.alone("--prompt-ids", ",".join(map(str, self.server.post("/tokenize", {"content": text})["tokens"])), "-n", 16)
        for choice in ("none", "auto"):
            told = self.chat(tools=self.TOOLS, tool_choice=choice).choices[0]
            self.assertEqual((told.message.content, told.message.tool_calls, told.finish_reason), (alone["text"], None, "length"))

    def test_a_tag_in_an_argument_is_a_part_of_it(self):
        tag = {"type": "object", "properties": {"a": {"enum": ["</tool_call>"]}}, "required": ["a"], "additionalProperties": False}
        options = dict(tools=[{"type": "function", "function": {"name": "w", "parameters": tag}}], tool_choice="required", max_tokens=200)
        choice = self.chat(**options).choices[0]
        self.assertEqual(json.loads(choice.message.tool_calls[0].function.arguments), {"a": "</tool_call>"})
        self.assertIsNone(choice.message.content)
        deltas = [chunk.choices[0].delta for chunk in self.chat(**options, stream=True)]
        parts = [part.function.arguments or "" for delta in deltas for part in delta.tool_calls or []]
        self.assertEqual("".join(parts), choice.message.tool_calls[0].function.arguments)
        self.assertFalse(any(delta.content for delta in deltas))

    def test_a_tool_without_parameters_gets_none(self):
        for more in ({}, {"parameters": {"type": "object"}}):
            choice = self.chat(tools=[{"type": "function", "function": {"name": "now", **more}}], tool_choice="required", temperature=1,
                               seed=1, max_tokens=60).choices[0]
            self.assertEqual(choice.message.tool_calls[0].function.arguments, "{}")

    def test_a_parsed_answer_may_be_sent_back(self):
        answer = self.client.chat.completions.parse(model="any", messages=MESSAGES, tools=[{**self.TOOLS[0], "function": {**self.TOOLS[0]["function"],
                                                    "strict": True}}], tool_choice="required", max_tokens=300).choices[0]
        cut = answer.message.model_dump()
        cut["tool_calls"][0]["function"]["arguments"] = '{"city": "Ver'
        for message in (answer.message, answer.message.model_dump(), cut):
            told = self.chat(messages=[*MESSAGES, message, {"role": "tool", "tool_call_id": answer.message.tool_calls[0].id, "content": "rain"}],
                             tools=self.TOOLS, max_tokens=2)
            self.assertEqual(told.choices[0].finish_reason, "length")

    def test_calls_that_the_model_makes_of_itself(self):
        # what a model with more practice would say
        call = r'''"<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"city\": \"" city "\", \"days\": 3}}\n</tool_call>"'''
        grammar = f'root ::= "Let me see. " {call} "\\n" {call}\ncity ::= "Verona" | "Mantua"'
        options = dict(tools=self.TOOLS, max_tokens=400, temperature=1, seed=5, extra_body={"grammar": grammar})
        for parallel, count in ((True, 2), (False, 1)):
            choice = self.chat(**options, parallel_tool_calls=parallel).choices[0]
            self.assertEqual((choice.message.content, choice.finish_reason), ("Let me see.", "tool_calls"))
            self.assertEqual(self.called(choice.message.tool_calls), ["weather"] * count)
            chunks = [chunk.choices[0] for chunk in self.chat(**options, parallel_tool_calls=parallel, stream=True)]
            self.assertEqual("".join(chunk.delta.content or "" for chunk in chunks), "Let me see.")
            spelt = {}
            for part in (part for chunk in chunks for part in chunk.delta.tool_calls or []):
                spelt[part.index] = spelt.get(part.index, "") + (part.function.arguments or "")
            self.assertEqual(list(spelt.values()), [each.function.arguments for each in choice.message.tool_calls])
            self.assertEqual(chunks[-1].finish_reason, "tool_calls")
        text = self.chat(**options, tool_choice="none").choices[0]
        self.assertEqual((text.message.tool_calls, text.finish_reason), (None, "stop"))
        self.assertEqual(text.message.content.count("<tool_call>"), 2)

    def test_calls_and_their_results_go_back_into_the_template(self):
        call = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Verona", "days": 2}'}}
        messages = [*MESSAGES, {"role": "assistant", "content": None, "tool_calls": [call]},
                    {"role": "tool", "tool_call_id": "call_1", "content": "rain"}]
        text = self.server.post("/apply-template", {"messages": messages, "tools": self.TOOLS})["prompt"]
        self.assertIn('<tool_call>\n{"name": "weather", "arguments": {"city": "Verona", "days": 2}}\n</tool_call>', text)
        self.assertIn("<tool_response>\nrain\n</tool_response>", text)
        self.assertEqual(self.chat(messages=messages, tools=self.TOOLS).usage.completion_tokens, 16)

    def test_a_template_without_tools_refuses_them(self):
        with DEMO.serve() as server:
            client = client_of(server)
            self.refused(client.chat.completions.create, "tools", model="any", messages=MESSAGES, tools=self.TOOLS)

    def test_tools_that_are_wrong_are_refused(self):
        self.refused(self.chat, "tool_choice", tool_choice="required")
        self.refused(self.chat, "tools[0].type", tools=[{"type": "magic"}])
        self.refused(self.chat, "tools[1].function.name", tools=[self.TOOLS[0], self.TOOLS[0]])


class Rest(Asking):
    def test_models(self):
        (model,) = self.client.models.list().data
        self.assertEqual((model.id, model.object, model.owned_by), ("cheems-shakespeare", "model", "cheems"))
        self.assertEqual(self.client.models.retrieve(model.id), model)
        with self.assertRaises(openai.NotFoundError) as caught:
            self.client.models.retrieve("other")
        self.assertEqual(caught.exception.code, "model_not_found")
        with DEMO.serve("--alias", "bard") as server:
            client = client_of(server)
            self.assertEqual(client.models.list().data[0].id, "bard")
            answer = client.completions.create(model="whatever", prompt=PROMPT, max_tokens=1)
            self.assertEqual(answer.model, "bard")

    def test_what_is_not_there_is_not_found(self):
        with self.assertRaises(openai.NotFoundError):
            self.client.moderations.create(input="x")

    def test_keys(self):
        keys = DEMO.folder / "keys"
        keys.write_text("the-key\n")
        with DEMO.serve("--api-key-file", keys) as server:
            with self.assertRaises(openai.AuthenticationError) as caught:
                client_of(server, api_key="another").models.list()
            self.assertEqual(caught.exception.type, "authentication_error")
            self.assertEqual(len(client_of(server, api_key="the-key").models.list().data), 1)

    def test_an_id_comes_back(self):
        raw = self.client.completions.with_raw_response.create(model="any", prompt=PROMPT, max_tokens=1, extra_headers={"x-request-id": "mine"})
        self.assertEqual(raw.headers["x-request-id"], "mine")
        self.assertTrue(self.complete(max_tokens=1)._request_id)

    def test_embeddings(self):
        texts = ["Good night.", "What light?"]
        for pooling in ("last", "mean"):
            alone = [json.loads(DEMO.tool("cheems-run", DEMO.artefact, *SHARED, "--embedding", "--pooling", pooling, "-p", text)) for text in texts]
            for options in ({"encoding_format": "float"}, {}):  # the library itself asks for base64 and decodes it
                answer = self.client.embeddings.create(model="any", input=texts, extra_body={"pooling": pooling}, **options)
                self.assertEqual([each.index for each in answer.data], [0, 1])
                for each, want in zip(answer.data, alone):
                    size = math.sqrt(sum(x * x for x in want))
                    self.assertEqual(len(each.embedding), len(want))
                    self.assertLess(max(abs(got - x / size) for got, x in zip(each.embedding, want)), 1e-5)
        self.assertEqual(answer.usage.prompt_tokens, sum(len(DEMO.ids(text)) + 1 for text in texts))
        self.refused(self.client.embeddings.create, "pooling", model="any", input="x", extra_body={"pooling": "most"})
        self.refused(self.client.embeddings.create, "dimensions", model="any", input="x", dimensions=7)


class Doge(Asking):
    """A model without a chat template, and with a context of its own."""

    @classmethod
    def setUpClass(cls):
        demo = Demo(BINS, MODELS, "doge-shakespeare")
        cls.addClassCleanup(demo.__exit__)
        cls.demo = demo.__enter__()
        cls.client = client_of(started(cls, cls.demo.serve("--parallel", 2)))

    def test_greedy_text_is_that_of_cheems_run(self):
        self.assertEqual(self.complete(max_tokens=60).choices[0].text, self.demo.alone("-p", PROMPT, "-n", 60)["text"])

    def test_a_chat_needs_a_template(self):
        said = self.refused(self.chat, "messages")
        self.assertIn("--chat-template-file", str(said))

    def test_the_context_is_filled_to_its_end(self):
        with self.demo.serve("-c", 100) as server:
            client = client_of(server)
            last = client.completions.create(model="any", prompt=[5] * 99, max_tokens=16, temperature=0)
            self.assertEqual((last.usage.completion_tokens, last.choices[0].finish_reason), (1, "length"))
            with self.assertRaises(openai.BadRequestError) as caught:
                client.completions.create(model="any", prompt=[5] * 100, max_tokens=16)
            self.assertEqual((caught.exception.param, caught.exception.code), ("prompt", "context_length_exceeded"))
            read = client.completions.create(model="any", prompt=[5] * 100, max_tokens=0, echo=True, logprobs=0)
            self.assertEqual(len(read.choices[0].logprobs.tokens), 100)


if __name__ == "__main__":
    MODELS, BINS = sys.argv.pop(), sys.argv.pop()
    with Demo(BINS, MODELS, "cheems-shakespeare") as DEMO:
        unittest.main(exit=False).result.wasSuccessful() or sys.exit(1)
