#!/usr/bin/env bash
# Writes the tables of runtime/Tokenizer/UnicodeData.h (--check: compares them), with packages of PyPI in a folder of a build:
# scripts/generate-unicode.sh [--check] [BUILD_DIR]. Ends with 77 where they cannot be installed.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
check=()
if [ "${1:-}" = --check ]; then
  check=(--check)
  shift
fi
packages=${1:-$root/build/release}/unicode-packages
export PYTHONPATH=$packages

# install: these two alone, since what tokenizers depends on is for downloads; a venv only where there is no pip
install() {
  local pip=(python3 -m pip)
  "${pip[@]}" --version >/dev/null 2>&1 || { python3 -m venv "$packages.venv" && pip=("$packages.venv/bin/pip"); } || return
  "${pip[@]}" -q --disable-pip-version-check install --no-deps --no-compile --upgrade --target "$packages" \
    tokenizers==0.23.3 unicodedata2==16.0.0
}

if ! python3 -c 'import tokenizers, unicodedata2' 2>/dev/null; then
  install >&2 || {
    echo "generate-unicode: tokenizers and unicodedata2 cannot be installed from PyPI" >&2
    exit 77
  }
fi
exec python3 "$root/scripts/generate_unicode.py" "${check[@]}"
