#!/usr/bin/env bash
# Installs a build into an empty folder, builds example.c against it, by way of CMake and of pkg-config, and runs both on the demo
# model. Then the examples of the source tree, as their READMEs say: run.sh BUILD_DIR MODEL_DIR
set -euo pipefail
build=$1 model=$2 here=$(dirname "$(realpath "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$here/launcher.sh"
prefix=$work/prefix

cmake --install "$build" --prefix "$work/installed" >/dev/null
mv "$work/installed" "$prefix" # nothing in it may know where it was
cmake -G Ninja "${launcher[@]}" -S "$here" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER=clang-22 >/dev/null
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

# ---- examples/c prints what cheems-run prints
examples=$here/../../examples
clang-22 -std=c11 -pedantic-errors -Wall -Wextra -Werror "$examples/c/generate.c" "${flags[@]}" \
  "-Wl,-rpath,$(pkg-config --variable=libdir cheems)" -o "$work/generate"
prompts=("ROMEO:" "What light through yonder window breaks?" "O")
for prompt in "${prompts[@]}"; do
  printf '== %s\n' "$prompt"
  "$prefix/bin/cheems-run" "$work/model.cheems" -p "$prompt" -n 40 --temp 0
  echo
done >"$work/want"
for prompt in "${prompts[@]}"; do
  printf '== %s\n' "$prompt"
  "$work/generate" "$work/model.cheems" "$prompt" 40
done >"$work/got"
diff "$work/want" "$work/got"
"$prefix/bin/cheems-run" "$work/model.cheems" -p "ROMEO:" -n 40 --temp 0.8 -s 7 >"$work/want-sampled"
echo >>"$work/want-sampled"
"$work/generate" "$work/model.cheems" "ROMEO:" 40 7 | diff "$work/want-sampled" -
if "$work/generate" "$work/no-such-file" "O" 2>"$work/error"; then exit 1; fi
grep 'no-such-file' "$work/error"
status=0
"$work/generate" "$work/model.cheems" "O" none 2>/dev/null || status=$?
[ $status -eq 2 ]

# ---- examples/cpp prints the same of each prompt, with all of them in one batch
cmake -G Ninja "${launcher[@]}" -S "$examples/cpp" -B "$work/batch" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER=clang++-22 \
  -DCMAKE_CXX_FLAGS="-pedantic-errors -Wall -Wextra -Werror" >/dev/null
cmake --build "$work/batch"
"$work/batch/batch" "$work/model.cheems" 40 "${prompts[@]}" >"$work/got"
diff "$work/want" "$work/got"
# a prompt in pieces, in a step of its own
long=$(head -c 3000 "$here/../../benchmarks/shakespeare.txt")
{ printf '== %s\n' "$long" && "$work/generate" "$work/model.cheems" "$long" 8; } >"$work/want"
"$work/batch/batch" "$work/model.cheems" 8 "$long" >"$work/got"
diff "$work/want" "$work/got"
if "$work/batch/batch" "$work/no-such-file" 8 "O" 2>"$work/error"; then exit 1; fi
grep 'no-such-file' "$work/error"

# ---- examples/pass-plugin: cheems-opt loads it and runs its pass
cmake -G Ninja "${launcher[@]}" -S "$examples/pass-plugin" -B "$work/plugin" -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22 \
  -DCMAKE_CXX_FLAGS="-Wall -Wextra -Werror -Wno-unused-parameter" >/dev/null
cmake --build "$work/plugin"
"$prefix/bin/cheems-opt" "$examples/pass-plugin/example.mlir" --load-pass-plugin="$work/plugin/count-products.so" \
  --pass-pipeline='builtin.module(func.func(count-products))' -o /dev/null 2>"$work/remarks" || { cat "$work/remarks"; exit 1; }
sed -n 's/.*remark: //p' "$work/remarks" | diff <(printf 'matmuls in @%s\n' 'two: 2' 'none: 0') -
