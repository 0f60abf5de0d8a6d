#!/usr/bin/env bash
# Installs the Debian packages that a build needs and the machine lacks; `setup.sh python` adds Python with its packages' installer, and
# `setup.sh tests` those of the tests.
set -euo pipefail

packages=(clang-22 lld-22 liblld-22-dev libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools cmake ninja-build ccache pkg-config
  nlohmann-json3-dev libcli11-dev libfmt-dev libpcre2-dev libxxhash-dev libutf8proc-dev libedit-dev libboost1.81-dev
  libgoogle-perftools-dev)
if [ $# -gt 0 ]; then
  packages+=(python3 python3-venv)
fi
if [ "${1:-}" = tests ]; then
  packages+=(libgtest-dev libgmock-dev libclang-rt-22-dev clang-format-22 clang-tidy-22 curl)
fi

fail() {
  echo "setup: $1" >&2
  exit 1
}

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  exit 0
fi

command -v apt-get >/dev/null || fail "no apt-get here; install these by hand (Debian 12 names): ${missing[*]}"
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || fail "installing needs root: run as root or install sudo; missing: ${missing[*]}"
  as_root=(sudo)
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "setup: installing ${missing[*]}" >&2
apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Acquire::Retries=3 "$@" </dev/null >>"$log" 2>&1; }
# one unreachable source of several is no reason to stop, so what update says counts only where install fails
apt update || true
apt install --no-install-recommends "${missing[@]}" ||
  fail "apt-get failed: $(grep -m1 -E '^(W: Failed|E:)' "$log" || tail -n1 "$log"); are bookworm and bookworm-security (LLVM 22) reachable sources?"
