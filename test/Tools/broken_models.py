"""Ways to break a model folder: each function takes a fresh copy of a good one and damages it."""
import json
import os
import struct


def edit_config(**fields):
    """Sets fields of config.json; None removes one."""
    return edit_json("config.json", **fields)


def edit_json(file, **fields):
    def apply(model):
        path = model / file
        config = json.loads(path.read_text())
        for name, value in fields.items():
            config[name] = value
            if value is None:
                del config[name]
        path.write_text(json.dumps(config))

    return apply


def write(name, data):
    return lambda model: (model / name).write_bytes(data)


def pipe(name):
    """A named pipe in the file's place: opening it would wait for a writer."""

    def apply(model):
        (model / name).unlink(missing_ok=True)
        os.mkfifo(model / name)

    return apply


def link(name, target):
    """A link in the file's place, which need not lead anywhere."""

    def apply(model):
        (model / name).unlink(missing_ok=True)
        (model / name).symlink_to(target)

    return apply


def remove(name):
    return lambda model: (model / name).unlink()


def truncate(name, size):
    return lambda model: (model / name).write_bytes((model / name).read_bytes()[:size])


def edit_header(change):
    """Rewrites the header of model.safetensors after change(header), tensor data untouched."""

    def apply(model):
        path = model / "model.safetensors"
        raw = path.read_bytes()
        size = struct.unpack("<Q", raw[:8])[0]
        header = json.loads(raw[8 : 8 + size])
        change(header)
        text = json.dumps(header).encode()
        path.write_bytes(struct.pack("<Q", len(text)) + text + raw[8 + size :])

    return apply


def rename_tensor(old, new):
    def apply(header):
        header[new] = header.pop(old)

    return edit_header(apply)


def reshape(name, shape):
    """The same bytes under another shape."""

    def apply(header):
        header[name]["shape"] = shape

    return edit_header(apply)


def header_size(size):
    """Makes the safetensors header claim another length."""

    def apply(model):
        path = model / "model.safetensors"
        path.write_bytes(struct.pack("<Q", size) + path.read_bytes()[8:])

    return apply


def shard_index(weight_map):
    """Replaces the single weight file by an index that names these shards."""

    def apply(model):
        (model / "model.safetensors").unlink()
        (model / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": weight_map}))

    return apply
