#!/usr/bin/env python3
"""Runs steps of all sizes on a model: steps.py LIBCHEEMS ARTEFACT TRACING_DRIVER. The environment names the driver, for the runtime as well.

Each step is a part of the driver's file: prompts of a slot, one token of many slots, and rows whose embeddings are wanted. Prompts without
logits have no rows in their head.
"""
import ctypes as C
import sys

ROWS = (1, 2, 16, 17, 64, 65, 512)
SLOTS, CONTEXT = 65, 8192


class Segment(C.Structure):
    _fields_ = [(name, C.c_int32) for name in ("slot", "start", "length", "position", "rope_length")] + [("reserved", C.c_int32 * 3)]


class ModelOptions(C.Structure):
    _fields_ = [("size", C.c_size_t), ("device", C.c_char_p), ("variant", C.c_char_p), ("user", C.c_void_p), ("warn", C.c_void_p)]


class SessionOptions(C.Structure):
    _fields_ = [("size", C.c_size_t), ("slots", C.c_int64), ("threads", C.c_int64), ("context", C.c_int64), ("prefill_chunk", C.c_int64),
                ("user", C.c_void_p), ("warn", C.c_void_p), ("interrupted", C.c_void_p), ("rows", C.c_int64)]


class Memory(C.Structure):
    _fields_ = [("size", C.c_size_t)] + [(name, C.c_int64) for name in ("weights", "slot", "state", "workspace")]


def main(library, artefact, driver):
    cheems, marks = C.CDLL(library), C.CDLL(driver)
    cheems.cheems_last_error.restype = C.c_char_p
    cheems.cheems_model_vocabulary.restype = cheems.cheems_model_hidden.restype = C.c_int64

    def checked(status):
        if status:
            raise SystemExit(f"steps: {artefact}: {cheems.cheems_last_error().decode()}")

    def mark(text):
        marks.tracing_driver_mark(text.encode())

    model, session = C.c_void_p(), C.c_void_p()
    options = ModelOptions(size=C.sizeof(ModelOptions), device=b"cuda")
    checked(cheems.cheems_model_open_with(artefact.encode(), C.byref(options), C.byref(model)))
    options = SessionOptions(size=C.sizeof(SessionOptions), slots=SLOTS, threads=1, context=CONTEXT, prefill_chunk=max(ROWS), rows=max(ROWS))
    mark("session")
    checked(cheems.cheems_session_create(model, C.byref(options), C.byref(session)))
    memory = Memory(size=C.sizeof(Memory))
    checked(cheems.cheems_session_memory(session, C.byref(memory)))
    mark(f"memory {memory.weights} {memory.state} {memory.workspace}")
    vocabulary, hidden = cheems.cheems_model_vocabulary(model), cheems.cheems_model_hidden(model)
    logits = (C.c_float * (vocabulary * SLOTS))()
    positions = [0] * SLOTS

    def step(name, tokens, lengths, rows):
        """`lengths` of segments, slot by slot."""
        mark(name)
        segments, start = (Segment * max(len(lengths), 1))(), 0
        for slot, length in enumerate(lengths):
            segments[slot] = Segment(slot, start, length, positions[slot], 0)
            start += length
        status = cheems.cheems_session_step(session, (C.c_int32 * max(tokens, 1))(), C.c_int64(tokens), segments, C.c_int64(len(lengths)),
                                            (C.c_int32 * max(len(rows), 1))(*rows), C.c_int64(len(rows)), logits)
        if status:
            mark("refused: " + cheems.cheems_last_error().decode().replace('"', "'"))
            return
        for slot, length in enumerate(lengths):
            positions[slot] += length

    for count in ROWS:
        step(f"prompt of {count}", count, [count], [count - 1])
        step(f"prompt of {count} without logits", count, [count], [])
        if 1 < count <= SLOTS and count % 2 == 0:
            pairs = count // 2
            step(f"{pairs} prompts of 2", 2 * pairs, [2] * pairs, [0, 1])
        if count <= SLOTS:
            step(f"decode of {count}", count, [1] * count, range(count))
            step(f"decode of {count}, again", count, [1] * count, range(count))
        mark(f"embeddings of {count}")
        embedding = (C.c_float * hidden)()
        checked(cheems.cheems_session_reset(session, C.c_int64(SLOTS - 1)))
        checked(cheems.cheems_session_embed(session, C.c_int64(SLOTS - 1), (C.c_int32 * count)(), C.c_int64(count), 0, embedding))
        checked(cheems.cheems_session_reset(session, C.c_int64(SLOTS - 1)))
        positions[SLOTS - 1] = 0
    mark("end")


main(*sys.argv[1:])
