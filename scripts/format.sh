#!/usr/bin/env bash
# Formats our C and C++ sources in place; `format.sh --check` names the files that differ and fails if there are any.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t files < <(find include lib runtime server tools emulator test examples -path 'examples/*/build' -prune -o \( -name '*.h' -o -name '*.c' -o -name '*.cpp' \) -print | sort)
if [ "${1:-}" != --check ]; then
  exec clang-format-22 -i "${files[@]}"
fi
differing=$(printf '%s\0' "${files[@]}" | xargs -0 -P "$(nproc)" -n 50 clang-format-22 --dry-run 2>&1 | sed -nE 's/^([^ :]+):[0-9]+:.*warning.*/\1/p' | sort -u)
for file in $differing; do
  echo "format: $file differs; run scripts/format.sh" >&2
done
[ -z "$differing" ]
