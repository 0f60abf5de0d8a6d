#!/usr/bin/env python3
"""Holds the driver API's declarations against cuda.h: values of enumerations, sizes and offsets of structures, types of functions,
and the list of functions with their versions.

    cuda_header.py EMULATOR_FOLDER COMPILER LIBRARY

cuda.h comes from PyPI's nvidia-cuda-runtime in PYTHONPATH (with_packages.sh). It is a reference for this test alone: no source
includes it.
"""
import ctypes
import os
import pathlib
import re
import subprocess
import sys
import tempfile

source, compiler, library = (pathlib.Path(a) for a in sys.argv[1:4])
headers = source / "lib/Driver"
packages = pathlib.Path(os.environ["PYTHONPATH"])
# what cuda.h renames in its first lines, and what its declarations call otherwise
RENAMED = {"CUdevprop": "CUdevprop_v1"}


def read(name):
    text = re.sub(r"//[^\n]*", "", (headers / name).read_text())
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def enumerators():
    for name in re.findall(r"ERROR\((\w+),", (headers / "Errors.def").read_text().split("// clang-format off")[1]):
        yield name
    for name in re.findall(r"^(?:ATTRIBUTE|OTHER_NAME)\((\w+),", (headers / "DeviceAttributes.def").read_text(), re.M):
        yield "CU_DEVICE_ATTRIBUTE_" + name
    for body in re.findall(r"enum \w+ : unsigned \{(.*?)\};", read("Enumerations.h"), re.S):
        for name in re.findall(r"^\s*(CU\w+)", body, re.M):
            yield name


def structures():
    """Name and members that are not within an unnamed structure."""
    text = read("Types.h")
    for kind, name, body in re.findall(r"^(struct|union)(?: alignas\(\d+\))? (\w+) \{(.*?)^\};", text, re.S | re.M):
        members = re.findall(r"\}\s*(\w+);", body)
        flat = re.sub(r"\{[^{}]*\}", "{}", body)
        flat = re.sub(r"(?:struct|union) \{\}\s*\w*;", "", flat)
        for declaration in re.findall(r"([^;{}]+);", flat):
            first, *more = declaration.split(",")
            members.append(re.search(r"(\w+)(?:\[[^\]]*\])*\s*$", first)[1])
            members += [re.search(r"(\w+)", m)[1] for m in more]
        if not members and "union" in body:
            continue
        yield name, [m for m in members if m not in ("cigParams",)]


def functions():
    for file in sorted((headers / "Functions").glob("*.h")):
        yield from re.findall(r"CHEEMS_DRIVER_API CUresult\s+(\w+)\(", read(f"Functions/{file.name}"))


def entries():
    found = []
    for file in sorted((headers / "Entries").glob("*.def")):
        found += re.findall(r"^(IMPLEMENTED|MISSING)\((\w+), (\w+), (\d+), (\w+)\)", file.read_text(), re.M)
    return found


def cuda_symbols(include, *defines):
    text = subprocess.run([compiler, "-E", "-P", "-x", "c", *defines, "-include", "stddef.h", include / "cuda.h"],
                          capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"CUresult\s+(cu\w+)\s*\([^;]*?\)\s*;", text, re.S))


def main():
    include = next(packages.glob("nvidia/cu*/include"))
    mistakes = []

    # ---- every function of cuda.h is in the list, and exported
    listed = {symbol for _, _, symbol, _, _ in entries()}
    declared = set()
    for defines in ([], ["-DCUDA_API_PER_THREAD_DEFAULT_STREAM"], ["-D__CUDA_API_VERSION_INTERNAL"]):
        declared |= cuda_symbols(include, *defines)
    declared.discard("cuGetProcAddress_v2_ptsz")  # an inline function of the header
    mistakes += [f"{name} of cuda.h is not in the list" for name in sorted(declared - listed)]
    mistakes += [f"{name} is not in cuda.h" for name in sorted(listed - declared) if not name.startswith("cuProfiler")]
    driver = ctypes.CDLL(str(library))
    mistakes += [f"{name} is not exported" for name in sorted(listed) if not hasattr(driver, name)]
    missing = set(functions()) - {symbol for kind, _, symbol, _, _ in entries() if kind == "IMPLEMENTED"}
    mistakes += [f"{name} is declared, but not listed as implemented" for name in sorted(missing)]

    # ---- versions are those of cudaTypedefs.h
    versions = {(base, version, variant) for _, base, _, version, variant in entries()}
    typedefs = (include / "cudaTypedefs.h").read_text()
    for base, version, suffix in re.findall(r"\(CUDAAPI \*PFN_(\w+?)_v(\d+)(_pt[sd][sz])?\)", typedefs):
        if (base, version, "perThread" if suffix else "legacy") not in versions:
            mistakes.append(f"{base} of version {version}{suffix} is not in the list")

    # ---- values, layouts and types, by a compiler that sees both
    lines = ["#include <cstddef>", "#include <cstdint>", "#include <type_traits>", "#include <cstdlib>",
             "#define CHEEMS_DRIVER_API", '#include "Driver/Functions.h"', '#include "cuda.h"',
             "namespace ours = cheems::emulator::driver;", COMPARISON]
    for name in sorted(set(enumerators())):
        lines.append(f'static_assert(uint64_t(ours::{name}) == uint64_t(uint32_t(::{name})), "{name}");')
    count = 0
    for name, members in structures():
        theirs = "::" + RENAMED.get(name, name)
        lines.append(f'static_assert(sizeof(ours::{name}) == sizeof({theirs}) && alignof(ours::{name}) == alignof({theirs}), "{name}");')
        for member in members:
            lines.append(f'static_assert(offsetof(ours::{name}, {member}) == offsetof({theirs}, {member}) && '
                         f'sizeof(ours::{name}::{member}) == sizeof({theirs}::{member}), "{name}.{member}");')
            count += 1
    normal = cuda_symbols(include)
    checked = [name for name in functions() if name in normal]
    for name in checked:
        lines.append(f'static_assert(Same<decltype(ours::{name}), decltype(::{name})>::value, "{name}");')
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "comparison.cpp"
        file.write_text("\n".join(lines) + "\n")
        run = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-ferror-limit=0", "-Wno-invalid-offsetof", f"-I{source / 'lib'}",
                              f"-I{include}", file], capture_output=True, text=True)
    if run.returncode:
        mistakes.append(run.stderr)
    if count < 150 or len(checked) < 200:
        mistakes.append(f"only {count} members and {len(checked)} functions were found to compare")
    for mistake in mistakes:
        print(mistake)
    print(f"{len(listed)} functions, {len(checked)} signatures, {len(set(enumerators()))} values, {count} members compared")
    sys.exit(bool(mistakes))


# Two types are alike if a caller cannot tell: numbers and enumerations of one size and sign, pointers to what is alike.
COMPARISON = """
template <typename A, typename B> constexpr bool alike();
template <typename A> constexpr auto number() {
  if constexpr (std::is_enum_v<A>) { return std::underlying_type_t<A>{}; } else { return A{}; }
}
template <typename A, typename B> struct Same : std::bool_constant<alike<A, B>()> {};
template <typename R, typename... A, typename S, typename... B>
struct Same<R(A...), S(B...)> {
  static constexpr bool value = [] {
    if constexpr (sizeof...(A) == sizeof...(B)) { return (alike<R, S>() && ... && alike<A, B>()); } else { return false; }
  }();
};
template <typename A, typename B> constexpr bool alike() {
  if constexpr (std::is_function_v<A> && std::is_function_v<B>) {
    return Same<A, B>::value;
  } else if constexpr (std::is_pointer_v<A> && std::is_pointer_v<B>) {
    using C = std::remove_pointer_t<A>;
    using D = std::remove_pointer_t<B>;
    return std::is_const_v<C> == std::is_const_v<D> && alike<std::remove_cv_t<C>, std::remove_cv_t<D>>();
  } else if constexpr (std::is_void_v<A> || std::is_void_v<B>) {
    return std::is_void_v<A> == std::is_void_v<B>;
  } else if constexpr (std::is_class_v<A> || std::is_union_v<A>) {
    return std::is_class_v<B> == std::is_class_v<A> && std::is_union_v<B> == std::is_union_v<A>;
  } else if constexpr (std::is_class_v<B> || std::is_union_v<B>) {
    return false;
  } else if constexpr (std::is_pointer_v<A> || std::is_pointer_v<B>) {
    return false;
  } else {
    return sizeof(A) == sizeof(B) &&
           std::is_floating_point_v<A> == std::is_floating_point_v<B> &&
           std::is_signed_v<decltype(number<A>())> == std::is_signed_v<decltype(number<B>())>;
  }
}
"""

main()
