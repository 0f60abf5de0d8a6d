#!/usr/bin/env python3
"""Compiles a small project in several folders with cmake/compile.sh: compiler_cache.py COMPILE_SH CXX

A folder with the same files gets its objects from the compiler's cache. One whose precompiled header has other contents of the same size
does not: each has the objects that its own header makes. Objects name no folder, also with debug information. A header that is made in the build
folder has its own name there among what an object depends on, so ninja makes it first.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

COMPILE, CXX = sys.argv[1], sys.argv[2]
FLAGS = ["-std=c++17", "-O1", "-g1", "-fdebug-compilation-dir=.", "-Winvalid-pch", "-Xclang", "-fno-pch-timestamp"]


def build(source, cache):
    """Object files by name, and how many of them came from the cache."""
    folder = source / "build/release"
    folder.mkdir(parents=True, exist_ok=True)
    header = folder / "all.hxx"
    header.write_text("#include <vector>\n#include <answer.h>\n")
    (folder / "all.hxx.cxx").write_text("")
    (folder / "include").mkdir(exist_ok=True)
    (folder / "include/made.h").write_text("inline int made() { return 1; }\n")
    environment = {**os.environ, "CCACHE_DIR": str(cache)}
    environment.pop("CCACHE_DISABLE", None)
    environment.pop("CCACHE_RECACHE", None)

    def call(*words):
        return subprocess.run([str(word) for word in words], cwd=folder, env=environment, check=True, capture_output=True, text=True).stdout

    def compile(*words):
        call(COMPILE, source, CXX, f"-I{source}/include", f"-I{folder}/include", *FLAGS, *words)

    call("ccache", "-z")
    compile("-Xclang", "-emit-pch", "-Xclang", "-include", "-Xclang", header, "-x", "c++-header", "-MD", "-MT", "all.hxx.pch", "-MF", "all.d",
            "-o", "all.hxx.pch", "-c", folder / "all.hxx.cxx")
    objects = {}
    for name in ("first", "second"):
        compile("-Xclang", "-include-pch", "-Xclang", folder / "all.hxx.pch", "-Xclang", "-include", "-Xclang", header,
                "-MD", "-MT", f"{name}.o", "-MF", f"{name}.d", "-o", f"{name}.o", "-c", source / f"{name}.cpp")
        objects[name] = (folder / f"{name}.o").read_bytes()
    needed = {os.path.normpath(word) for word in (folder / "second.d").read_text().split()}
    assert "include/made.h" in needed, needed
    counted = dict(line.split("\t") for line in call("ccache", "--print-stats").splitlines() if "\t" in line)
    return objects, int(counted["direct_cache_hit"]) + int(counted["preprocessed_cache_hit"])


def main():
    if not shutil.which("ccache"):
        print("skipped: there is no ccache")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        first = root / "first"
        (first / "include").mkdir(parents=True)
        (first / "include/answer.h").write_text("inline int answer() { return 41; }\n")
        (first / "first.cpp").write_text("int first() { return answer(); }\nconst char *here() { return __FILE__; }\n")
        (first / "second.cpp").write_text("#include <made.h>\nint second() { return 2 * answer() * made(); }\n")
        for name in ("same", "other", "moved"):
            shutil.copytree(first, root / name)
        (root / "other/include/answer.h").write_text("inline int answer() { return 43; }\n")
        objects, hits = build(first, root / "cache")
        assert hits == 0, hits
        for content in objects.values():
            assert str(root).encode() not in content, "an object names its folder"
        again, hits = build(root / "same", root / "cache")
        assert hits == 2, f"{hits} of 2 objects came from the cache"
        assert again == objects
        other, hits = build(root / "other", root / "cache")
        assert hits == 0, "another header's object was served"
        assert all(other[name] != objects[name] for name in objects)
        # the first folder is gone: nothing may need it
        shutil.rmtree(first)
        moved, hits = build(root / "moved", root / "cache")
        assert (moved, hits) == (objects, 2)
        # a header that changes in its folder is seen, and one that comes back is served again
        (root / "moved/include/answer.h").write_text("inline int answer() { return 47; }\n")
        changed, hits = build(root / "moved", root / "cache")
        assert hits == 0 and changed["second"] not in (objects["second"], other["second"])


main()
