"""Files of safetensors: read, and written with the same bytes every time.

The package of this name writes metadata in an order that differs from run to run, and numpy has no bf16. The order of tensors is
that of the package: wide types first, then by name.
"""
import json
import struct

import numpy

TYPES = {"F32": numpy.float32, "F64": numpy.float64, "I64": numpy.int64, "BF16": numpy.uint16}


def bf16_bits(values):
    """Rounded to the nearest bf16, to the even one of two."""
    bits = values.astype(numpy.float32).view(numpy.uint32).astype(numpy.uint64)
    return ((bits + 0x7FFF + ((bits >> numpy.uint64(16)) & numpy.uint64(1))) >> numpy.uint64(16)).astype(numpy.uint16)


def from_bf16(bits):
    return (bits.astype(numpy.uint32) << 16).view(numpy.float32)


def stored(values, kind):
    """Doubles as a file of this type has them, again as doubles."""
    return from_bf16(bf16_bits(values)).astype(numpy.float64) if kind == "BF16" else values.astype(numpy.float32).astype(numpy.float64)


def encode(tensors, metadata=None):
    """The bytes of a file. `tensors`: name -> (type, values)."""
    header, data = {"__metadata__": metadata} if metadata else {}, []
    at = 0
    for name, (kind, values) in sorted(tensors.items(), key=lambda item: (-numpy.dtype(TYPES[item[1][0]]).itemsize, item[0])):
        body = (bf16_bits(values) if kind == "BF16" else numpy.asarray(values)).astype(TYPES[kind]).tobytes()
        header[name] = {"dtype": kind, "shape": list(values.shape), "data_offsets": [at, at + len(body)]}
        data.append(body)
        at += len(body)
    head = json.dumps(header, separators=(",", ":")).encode()
    head += b" " * (-len(head) % 8)
    return struct.pack("<Q", len(head)) + head + b"".join(data)


def decode(raw):
    """(name -> (type, values), metadata). Values of bf16 come as f32."""
    (size,) = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8 : 8 + size])
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        values = numpy.frombuffer(raw[8 + size + begin : 8 + size + end], TYPES[entry["dtype"]]).reshape(entry["shape"])
        tensors[name] = entry["dtype"], from_bf16(values) if entry["dtype"] == "BF16" else values
    return tensors, metadata
