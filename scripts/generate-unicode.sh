#!/usr/bin/env bash
# Writes runtime/Tokenizer/UnicodeData.cpp (--check: compares it), with packages of PyPI in a folder of a build:
# scripts/generate-unicode.sh [--check] [BUILD_DIR]. Ends with 77 where they cannot be installed.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
check=()
if [ "${1:-}" = --check ]; then
  check=(--check)
  shift
fi
venv=${1:-$root/build/release}/unicode-venv
if ! "$venv/bin/python" -c 'import tokenizers, unicodedata2' 2>/dev/null; then
  { python3 -m venv "$venv" && "$venv/bin/pip" -q install tokenizers==0.23.3 unicodedata2==16.0.0; } >&2 || {
    echo "generate-unicode: tokenizers and unicodedata2 cannot be installed from PyPI" >&2
    exit 77
  }
fi
exec "$venv/bin/python" "$root/scripts/generate_unicode.py" "${check[@]}"
