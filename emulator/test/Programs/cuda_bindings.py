#!/usr/bin/env python3
"""Drives the emulator through cuda-bindings of PyPI, which opens libcuda.so.1: a folder has that name for the library.

    cuda_bindings.py LIBRARY
"""
import ctypes
import os
import pathlib
import sys
import tempfile

PTX = b"""
.version 8.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 words, .param .u32 n) {
  .reg .b32 %r<4>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd0, [words];
  ld.param.u32 %r0, [n];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd1, %r1, 4;
  add.s64 %rd0, %rd0, %rd1;
  ld.global.u32 %r2, [%rd0];
  add.s32 %r2, %r2, %r0;
  st.global.u32 [%rd0], %r2;
  ret;
}
\0"""


def check(result, *wanted):
    """The values after the code, which must be success or one of `wanted`."""
    code, *values = result
    assert int(code) == 0 or int(code) in wanted, result
    return values[0] if len(values) == 1 else values


def fails(result, code):
    assert int(result[0]) == code, (result, code)


def main():
    from cuda.bindings import driver as cu

    check(cu.cuInit(0))
    assert check(cu.cuDriverGetVersion()) == 13000
    device = check(cu.cuDeviceGet(0))
    assert check(cu.cuDeviceGetName(64, device)).startswith(b"Cheems emulator")
    Attribute = cu.CUdevice_attribute
    assert check(cu.cuDeviceGetAttribute(Attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device)) == 9
    context = check(cu.cuDevicePrimaryCtxRetain(device))
    check(cu.cuCtxSetCurrent(context))
    assert check(cu.cuGetErrorName(cu.CUresult.CUDA_ERROR_LAUNCH_FAILED)) == b"CUDA_ERROR_LAUNCH_FAILED"

    # ---- memory, a module, a launch
    count = 64
    host = (ctypes.c_uint32 * count)(*range(count))
    words = check(cu.cuMemAlloc(4 * count))
    check(cu.cuMemcpyHtoD(words, ctypes.addressof(host), 4 * count))
    module = check(cu.cuModuleLoadData(PTX))
    add = check(cu.cuModuleGetFunction(module, b"add"))
    arguments = ((words, 1000), (None, ctypes.c_uint32))
    check(cu.cuLaunchKernel(add, 1, 1, 1, count, 1, 1, 0, 0, arguments, 0))
    check(cu.cuMemcpyDtoH(ctypes.addressof(host), words, 4 * count))
    assert list(host) == [1000 + i for i in range(count)], list(host)

    # ---- a stream that is captured, its graph launched twice
    stream = check(cu.cuStreamCreate(cu.CUstream_flags.CU_STREAM_NON_BLOCKING))
    begin, end = check(cu.cuEventCreate(0)), check(cu.cuEventCreate(0))
    check(cu.cuStreamBeginCapture(stream, cu.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_GLOBAL))
    check(cu.cuLaunchKernel(add, 1, 1, 1, count, 1, 1, 0, stream, arguments, 0))
    graph = check(cu.cuStreamEndCapture(stream))
    executable = check(cu.cuGraphInstantiate(graph, 0))
    check(cu.cuEventRecord(begin, stream))
    for _ in range(2):
        check(cu.cuGraphLaunch(executable, stream))
    check(cu.cuEventRecord(end, stream))
    fails(cu.cuEventElapsedTime(begin, end), 600)
    check(cu.cuStreamSynchronize(stream))
    assert check(cu.cuEventElapsedTime(begin, end)) > 0
    check(cu.cuMemcpyDtoH(ctypes.addressof(host), words, 4 * count))
    assert host[0] == 3000, host[0]

    # ---- mistakes have the codes of a real driver
    fails(cu.cuModuleLoadData(b"no PTX\0"), 218)
    fails(cu.cuMemFree(int(words) + 4), 1)
    fails(cu.cuStreamSynchronize(cu.CUstream(12345)), 400)
    fails(cu.cuMemAllocManaged(16, cu.CUmemAttach_flags.CU_MEM_ATTACH_GLOBAL), 801)

    check(cu.cuMemFree(words))
    check(cu.cuGraphExecDestroy(executable))
    check(cu.cuGraphDestroy(graph))
    check(cu.cuModuleUnload(module))
    check(cu.cuDevicePrimaryCtxRelease(device))
    print("cuda-bindings drives the emulator")


if "--inside" in sys.argv:
    main()
else:
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "libcuda.so.1").symlink_to(pathlib.Path(sys.argv[1]).resolve())
        search = os.pathsep.join(filter(None, [folder, os.environ.get("LD_LIBRARY_PATH")]))
        code = os.spawnve(os.P_WAIT, sys.executable, [sys.executable, __file__, "--inside"], {**os.environ, "LD_LIBRARY_PATH": search})
    sys.exit(code)
