#!/usr/bin/env bash
# Installs packages of PyPI for a test into a folder of a build, once: python-packages.sh FOLDER PACKAGE==VERSION... Then a
# command with PYTHONPATH=FOLDER finds them. Fails where they cannot be installed.
set -euo pipefail
folder=$1
shift
installed=$folder/installed.txt
if [ "$(cat "$installed" 2>/dev/null)" = "$*" ]; then
  exit 0
fi
mkdir -p "$folder"
# a venv only where there is no pip
pip=(python3 -m pip)
"${pip[@]}" --version >/dev/null 2>&1 || {
  python3 -m venv "$folder.venv"
  pip=("$folder.venv/bin/pip")
}
"${pip[@]}" -q --disable-pip-version-check install --root-user-action=ignore --no-deps --no-compile --upgrade --target "$folder" "$@" >&2
echo "$*" >"$installed"
