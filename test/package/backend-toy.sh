#!/usr/bin/env bash
# Builds examples/backend-toy against an installed tree, and compiles and runs its model for its target, for CPUs, and for both in one
# file: backend-toy.sh BUILD_DIR
set -euo pipefail
here=$(realpath "$(dirname "$0")")
build=$1 example=$(realpath "$here/../../examples/backend-toy") golden=$(realpath "$here/../golden/models")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$here/launcher.sh"
cmake --install "$build" --prefix "$work/prefix" >/dev/null
cmake -G Ninja "${launcher[@]}" -S "$example" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22 \
  -DCMAKE_CXX_FLAGS="-Wall -Wextra -Werror -Wno-unused-parameter" -DCMAKE_C_FLAGS="-Wall -Wextra -Werror" >/dev/null
cmake --build "$work/build"
PATH=$work/prefix/bin:$PATH
cd "$work"
python3 "$example/make-model.py" model

compile() { # OUT OPTION...
  cheems-compile model --no-layers -o "$@"
}
toy=(--load-backend build/toy-backend.so --backend-option toy.cc=clang-22)
compile toy.cheems "${toy[@]}" --target toy
compile cpu.cheems --cpu native
compile both.cheems "${toy[@]}" --target toy,cpu --cpu native
python3 - <<'IDS'
import json, struct
ids = [5, 0, 95, 17, 17, 40, 3]
text = json.dumps({"input_ids": {"dtype": "I64", "shape": [1, len(ids)], "data_offsets": [0, 8 * len(ids)]}}).encode()
open("ids.safetensors", "wb").write(struct.pack("<Q", len(text)) + text + struct.pack(f"<{len(ids)}q", *ids))
IDS
run() { # FILE OUT
  cheems-run "$1" --input-ids ids.safetensors --logits "$2"
}

refused() { # STATUS TEXT COMMAND...
  local want=$1 text=$2 status=0
  shift 2
  "$@" >/dev/null 2>error || status=$?
  [ $status -eq "$want" ] && [ "$(wc -l <error)" -eq 1 ] && grep -q -- "$text" error || { cat error && return 1; }
}

# without a plugin for it, a file for the target alone is refused by name, and one for both runs on the CPU
refused 3 'compiled for toy' run toy.cheems none.safetensors
run cpu.cheems cpu.safetensors
run both.cheems both-cpu.safetensors
cmp cpu.safetensors both-cpu.safetensors

export CHEEMS_EXECUTORS=$work/build/toy-executor.so
run toy.cheems toy.safetensors
run both.cheems both-toy.safetensors # the first image that runs is taken
cmp toy.safetensors both-toy.safetensors
python3 "$example/check.py" model ids.safetensors toy.safetensors cpu.safetensors
cheems-run both.cheems --verify
cheems-run toy.cheems --describe | grep -q 'toy (chosen here)'
# tokens from prefill and decoding are the CPU's
for file in toy cpu; do
  cheems-run $file.cheems --prompt-ids 1,2,3 -n 6 --temp 0 --ignore-eos --print-ids >$file.ids
done
cmp toy.ids cpu.ids

# what both store in rows is there once: the embedding and the norm
python3 - <<'SHARED'
import json, subprocess
model = json.loads(subprocess.run(["cheems-run", "both.cheems", "--describe=json"], capture_output=True, check=True).stdout)
shared = {p["name"] for p in model["parameters"] if "targets" not in p}
assert shared >= {"model.embed_tokens.weight", "model.norm.weight"}, shared
assert [image["target"] for image in model["images"]] == ["toy", "cpu"], model["images"]
SHARED

# what is not possible is one line
refused 1 'has layers' cheems-compile "$golden/doge-tiny" "${toy[@]}" --target toy -o none.cheems
refused 1 'f32' cheems-compile model --no-layers "${toy[@]}" --target toy --weights int8 -o none.cheems
refused 3 'no profile' cheems-run toy.cheems --prompt-ids 1,2 -n 2 --ignore-eos --print-ids --profile trace.json
CHEEMS_EXECUTORS=/no/such/executor.so refused 1 '/no/such/executor.so' cheems-run toy.cheems --describe
CHEEMS_EXECUTORS=$(clang-22 -print-file-name=libm.so.6) refused 1 cheems_executor_plugin_get cheems-run toy.cheems --describe
CHEEMS_EXECUTORS=/no/such/executor.so cheems-run cpu.cheems --describe >/dev/null # code for CPUs needs none
