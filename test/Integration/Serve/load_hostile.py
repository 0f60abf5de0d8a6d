"""Clients of a server under load that ask for what costs much: its memory, its time or its files. Each kind is one that a budget bounds, so
that it is answered or refused, and others go on. docs/serve.md, section 12, has the budgets.
"""
import asyncio
import json

from load_outcomes import Line, Outcome, request

# What a template makes of the content "double" takes 2^40 bytes.
TEMPLATE = """{%- for message in messages %}{% set now = namespace(text=message.content) %}
{%- if now.text == "double" %}{% for i in range(40) %}{% set now.text = now.text + now.text %}{% endfor %}{% endif %}
{{- now.text }}{% endfor %}"""

# A mask of any of them takes much work.
GRAMMARS = [
    'root ::= ((("a" | "b" | "ab")* | "a"+)* "c"){1,200}',
    'root ::= w{1,64}\nw ::= ("a"? "b"? [a-z]?){1,40} | w2\nw2 ::= ("a" | "aa" | "aaa"){0,60} w3?\nw3 ::= "(" (w | "a"){0,30} ")"',
    "root ::= (" + " | ".join(f'w "{word * 7919 % 10007}"' for word in range(200)) + ")+\nw ::= [a-z]{0,12}",
]


def siblings(count):
    """The same large schema, with another keyword beside it each time."""
    big = {"properties": {f"p{i}": {"type": "string"} for i in range(300)}}
    return {"$defs": {"big": big}, "prefixItems": [{"$ref": "#/$defs/big", "maxProperties": i} for i in range(count)]}


class HostileClients:
    """What `Clients` has of them; `random` draws, as there."""

    async def costly(self, id, kind, path, body, choices=0, expected=(200, 400, 429, 503)):
        line = await Line.open(self.port)
        try:
            await line.send(request(id, path, body))
            status, _, answer = await line.answer()
        finally:
            line.close()
        wrong = "" if status in expected else f"status {status}: {answer[:200]!r}"
        # of one that was refused late some choices may have ended
        return [Outcome(id, kind, "done" if status == 200 else "refused", status, choices, wrong=wrong, costly=True)]

    async def hostile_grammar(self, id, random):
        body = dict(prompt=random.choice(self.cases)["prompt"], grammar=random.choice(GRAMMARS), n=random.randint(1, 3), max_tokens=6)
        return await self.costly(id, "hostile grammar", "/v1/completions", body, body["n"])

    async def hostile_schema(self, id, random):
        body = dict(prompt="a", json_schema=siblings(random.choice([20, 2000])), max_tokens=2)
        return await self.costly(id, "hostile schema", "/v1/completions", body, 1)

    async def many_keys(self, id, random):
        bias = {str(random.randrange(1 << 40)): 1 for _ in range(20000)}
        return await self.costly(id, "many keys", "/v1/completions", dict(prompt="a", logit_bias=bias, max_tokens=1), 1, (400, 429, 503))

    async def many_biases(self, id, random):
        text = random.choice(self.cases)["prompt"]
        body = dict(prompt=["a"] * 10, n=4, max_tokens=1, logit_bias=[[text[i % len(text):] + "x", 1] for i in range(300)])
        return await self.costly(id, "many biases", "/v1/completions", body, 40)

    async def echoed(self, id, random):
        prompts = [random.choice(self.cases)["prompt"] for _ in range(2)]
        body = dict(prompt=prompts, echo=True, logprobs=10, n=4, max_tokens=1)
        return await self.costly(id, "echoed", "/v1/completions", body, 8)

    async def doubled(self, id, random):
        body = dict(messages=[{"role": "user", "content": "double"}], max_tokens=1)
        return await self.costly(id, "doubled", "/v1/chat/completions", body, 1, (400, 429, 503))

    async def many_inputs(self, id, random):
        inputs = [f"{i} " + random.choice(self.cases)["prompt"][:40] for i in range(100)]
        return await self.costly(id, "many inputs", "/v1/embeddings", dict(input=inputs), 100, (200, 429, 503))

    async def slot_files(self, id, random):
        """Uses slot files of a few names, so that others write and read the same ones."""
        outcomes, name = [], random.choice(["a", "b", "../c", ""])
        for part, action in zip("abc", ("save", "restore", "erase")):
            body = {} if action == "erase" else dict(filename=name)
            path = f"/slots/{random.randrange(4)}?action={action}"
            outcomes += await self.costly(id + part, "slot files", path, body, 0, (200, 400, 404, 409, 429, 503))
        return outcomes

    async def leave_behind(self, id, random):
        """Leaves, with bytes of a next request after the one that runs."""
        body = dict(prompt=random.choice(self.cases)["prompt"], max_tokens=300, ignore_eos=True)
        line = await Line.open(self.port)
        try:
            await line.send(request(id, "/v1/completions", body) + request(id + "next", "/v1/completions", body)[:-1])
            await asyncio.sleep(random.choice([0, 0.02]))
            return [Outcome(each, "leave behind", "left", choices=1, seen=False) for each in (id, id + "next")]
        finally:
            line.close(reset=random.random() < 0.5)


# how often each kind comes, beside a hundred of the others
WEIGHTS = dict(hostile_grammar=2, hostile_schema=1, many_keys=1, many_biases=1, echoed=1, doubled=2, many_inputs=1, slot_files=2, leave_behind=2)
