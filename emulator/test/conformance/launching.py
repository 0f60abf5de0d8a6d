"""How a kernel of the manifest is launched. Needs nothing but Python."""
import struct


def arguments(driver, parameters, addresses):
    """The bytes of each argument; `addresses` are those of the buffers by name."""
    for p in parameters:
        kind = p["kind"]
        if kind in ("in", "out") and p.get("param") is not False:
            yield struct.pack("<Q", addresses[p["name"]])
        elif kind in ("i32", "i64", "f32"):
            yield struct.pack({"i32": "<i", "i64": "<q", "f32": "<f"}[kind], p["value"])
        elif kind == "scratch":
            yield struct.pack("<Q", driver.allocate(bytes(p["bytes"])) if p["bytes"] else 0)
        elif kind == "tmap":
            size, shape = p["elem_size"], p["shape"]
            yield driver.tensor_map(addresses[p["buf"]], shape[::-1], [s * size for s in p["strides"][:-1][::-1]],
                                    size, p["box"][::-1], [1] * len(shape), p["swizzle"])


def launch(driver, entry, ptx, buffers):
    """Runs a kernel with buffers of these bytes, and returns their addresses by name. The caller frees them."""
    addresses = {name: driver.allocate(data) for name, data in buffers.items()}
    driver.launch(ptx, entry["entry"], three(entry["grid"]), three(entry["block"]), entry["shared"],
                  list(arguments(driver, entry["params"], addresses)))
    return addresses


def three(extents):
    extents = [extents] if isinstance(extents, int) else list(extents)
    return tuple(extents + [1] * (3 - len(extents)))
