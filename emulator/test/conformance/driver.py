"""A CUDA driver, opened by name: a GPU's libcuda.so.1, or a library with the same entry points."""
import ctypes as C
import json
import re

ELEMENT_TYPES = {1: 0, 2: 1, 4: 2, 8: 4}  # bytes -> CU_TENSOR_MAP_DATA_TYPE_UINT8, 16, 32, 64
MAX_DYNAMIC_SHARED_SIZE_BYTES = 8  # CUfunction_attribute
COMPUTE_CAPABILITY = (75, 76)  # CUdevice_attribute: major, minor


class DriverError(RuntimeError):
    def __init__(self, entry, code, text):
        super().__init__(f"{entry}: {code} {text}")
        self.code = code


def is_emulator(path):
    return hasattr(C.CDLL(str(path)), "cheems_emulator_counts_json")


class Driver:
    def __init__(self, path):
        self.driver = C.CDLL(str(path))
        self.device = C.c_int()
        self.call("cuInit", 0)
        self.call("cuDeviceGet", C.byref(self.device), 0)
        self.blocks = []
        self._use()
        version = C.c_int()
        self.call("cuDriverGetVersion", C.byref(version))
        major, minor = version.value // 1000, version.value % 1000 // 10
        # CUDA 13.0 takes PTX 9.0, 12.8 8.7, 12.4 8.4
        self.ptx = (major - 4, minor if major > 12 or minor < 6 else minor - 1)
        capability = []
        for attribute in COMPUTE_CAPABILITY:
            value = C.c_int()
            self.call("cuDeviceGetAttribute", C.byref(value), attribute, self.device)
            capability.append(value.value)
        self.capability = 10 * capability[0] + capability[1]

    def counts(self):
        """What the software GPU has counted since the last call; None if it counts nothing (cheems/emulator.h)."""
        self.driver.cheems_emulator_counts_json.restype = C.c_char_p
        text = self.driver.cheems_emulator_counts_json()
        return json.loads(text) if text else None

    def _use(self):
        context = C.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", C.byref(context), self.device)
        self.call("cuCtxSetCurrent", context)

    def renew(self):
        """A sticky error ends with its context."""
        self.blocks = []
        self.driver.cuDevicePrimaryCtxReset_v2(self.device)
        self._use()

    def call(self, entry, *arguments):
        code = getattr(self.driver, entry)(*arguments)
        if code:
            text = C.c_char_p()
            self.driver.cuGetErrorString(code, C.byref(text))
            raise DriverError(entry, code, (text.value or b"").decode())

    def runs(self, target):
        wanted = int("".join(c for c in target[3:] if c.isdigit()))
        return wanted == self.capability if target.endswith("a") else wanted <= self.capability

    def allocate(self, data, bytes_=0):
        """Memory with `data` in it; without data it is not initialised."""
        address = C.c_uint64()
        self.call("cuMemAlloc_v2", C.byref(address), C.c_size_t(max(len(data), bytes_, 1)))
        self.blocks.append(address)
        if data:
            self.call("cuMemcpyHtoD_v2", address, C.c_char_p(bytes(data)), C.c_size_t(len(data)))
        return address.value

    def read(self, address, size):
        out = C.create_string_buffer(size)
        self.call("cuMemcpyDtoH_v2", out, C.c_uint64(address), C.c_size_t(size))
        return out.raw

    def free(self, address=None):
        """One block, or all that are left."""
        for block in [one for one in self.blocks if address in (None, one.value)]:
            self.call("cuMemFree_v2", block)
            self.blocks.remove(block)

    def tensor_map(self, address, dimensions, strides, bytes_, box, element_strides, swizzle, interleave=0):
        """Innermost dimension first; strides in bytes of all dimensions but the innermost."""
        room = (C.c_uint64 * 32)()  # more than 128 bytes, for the alignment of 64
        begin = (C.addressof(room) + 63) // 64 * 64
        n = len(dimensions)
        self.call("cuTensorMapEncodeTiled", C.c_void_p(begin), ELEMENT_TYPES[bytes_], n, C.c_void_p(address),
                  (C.c_uint64 * n)(*dimensions), (C.c_uint64 * max(n - 1, 1))(*strides), (C.c_uint32 * n)(*box),
                  (C.c_uint32 * n)(*element_strides), interleave, swizzle, 0, 0)
        return C.string_at(begin, 128)

    def load(self, ptx, entry, shared):
        """(module, function) of a text, with the version lowered to what the driver takes."""
        found = re.search(rb"^\.version (\d+)\.(\d+)", ptx, re.M)
        if (int(found[1]), int(found[2])) > self.ptx:
            ptx = ptx[: found.start()] + b".version %d.%d" % self.ptx + ptx[found.end():]
        module, function = C.c_void_p(), C.c_void_p()
        log = C.create_string_buffer(4096)
        options = (C.c_int * 2)(5, 6)  # ERROR_LOG_BUFFER, ERROR_LOG_BUFFER_SIZE_BYTES
        values = (C.c_void_p * 2)(C.addressof(log), len(log))
        try:
            self.call("cuModuleLoadDataEx", C.byref(module), C.c_char_p(ptx + b"\0"), 2, options, values)
        except DriverError as error:
            raise DriverError("cuModuleLoadDataEx", error.code, log.value.decode() or "without a log") from None
        self.call("cuModuleGetFunction", C.byref(function), module, entry.encode())
        if shared > 48 * 1024:
            self.call("cuFuncSetAttribute", function, MAX_DYNAMIC_SHARED_SIZE_BYTES, shared)
        return module, function

    def start(self, function, grid, block, shared, arguments, stream=None):
        kept = []
        for argument in arguments:  # tensor maps want an alignment of 128
            room = C.create_string_buffer(len(argument) + 128)
            begin = (C.addressof(room) + 127) // 128 * 128
            C.memmove(begin, argument, len(argument))
            kept.append((room, begin))
        pointers = (C.c_void_p * len(kept))(*[begin for _, begin in kept])
        self.call("cuLaunchKernel", function, *grid, *block, shared, stream, pointers, None)

    def launch(self, ptx, entry, grid, block, shared, arguments):
        """`ptx` is loaded, and unloaded after the kernel."""
        module, function = self.load(ptx, entry, shared)
        self.start(function, grid, block, shared, arguments)
        self.call("cuCtxSynchronize")
        self.call("cuModuleUnload", module)
