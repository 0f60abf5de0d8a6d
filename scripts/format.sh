#!/usr/bin/env bash
# Formats our C and C++ sources in place; `format.sh --check` names the files that differ and fails if there are any.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t files < <(find include lib runtime tools test examples -path 'examples/*/build' -prune -o \( -name '*.h' -o -name '*.c' -o -name '*.cpp' \) -print | sort)
if [ "${1:-}" != --check ]; then
  exec clang-format-22 -i "${files[@]}"
fi
differing=0
for file in "${files[@]}"; do
  if ! clang-format-22 --dry-run -Werror "$file" 2>/dev/null; then
    echo "format: $file differs; run scripts/format.sh" >&2
    differing=1
  fi
done
exit $differing
