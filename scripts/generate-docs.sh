#!/usr/bin/env bash
# Writes docs/ops.md and docs/passes.md (--check: compares them), with the cheems-opt of a build:
# scripts/generate-docs.sh [--check] [BUILD_DIR]
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
check=()
if [ "${1:-}" = --check ]; then
  check=(--check)
  shift
fi
build=${1:-$root/build/release}
opt=$build/bin/cheems-opt
[ -x "$opt" ] || { echo "generate-docs: no $opt: build cheems-opt, or name the build folder" >&2; exit 1; }
exec python3 "$root/scripts/generate_docs.py" "${check[@]}" --opt "$opt" --llvm "${CHEEMS_LLVM_BIN:-/usr/lib/llvm-22/bin}"
