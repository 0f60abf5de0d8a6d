#!/usr/bin/env bash
# Installs a build into an empty folder, builds example.c against it, by way of CMake and of pkg-config, and runs both on the demo
# model: run.sh BUILD_DIR MODEL_DIR
set -euo pipefail
build=$1 model=$2 here=$(dirname "$(realpath "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix

cmake --install "$build" --prefix "$work/installed" >/dev/null
mv "$work/installed" "$prefix" # nothing in it may know where it was
cmake -G Ninja -S "$here" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER=clang-22 >/dev/null
cmake --build "$work/build"
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name cheems.pc)")
export PKG_CONFIG_PATH
read -ra flags <<<"$(pkg-config --cflags --libs cheems)"
clang-22 -std=c11 -pedantic-errors -Wall -Wextra -Werror "$here/example.c" "${flags[@]}" "-Wl,-rpath,$(pkg-config --variable=libdir cheems)" \
  -o "$work/by-pkg-config"
"$prefix/bin/cheems-compile" "$model" --cpu native -o "$work/model.cheems"

# the same greedy tokens from the C program as from the tool, and an error that says why
prompt=(0 331 42 17)
"$prefix/bin/cheems-run" "$work/model.cheems" --prompt-ids "$(IFS=,; echo "${prompt[*]}")" -n 8 --temp 0 --ignore-eos --print-ids |
  tr -s ', \n' '\n' >"$work/want"
for example in build/example ./by-pkg-config; do
  (cd "$work" && "$example" model.cheems "${prompt[@]}" >got)
  diff "$work/want" "$work/got"
done
if "$work/build/example" "$work/no-such-file" 0 2>"$work/error"; then exit 1; fi
grep 'no-such-file' "$work/error"
