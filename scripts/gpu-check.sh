#!/usr/bin/env bash
# Checks Cheems on a machine with a GPU of NVIDIA. Everything is built and packed beforehand, and nothing is installed there:
#
#   gpu-check.sh --pack FILE [--tiny]     packs programs of build/release, models and counts into FILE, a tar.xz
#   gpu-check.sh FILE [OPTION...]         unpacks it into a temporary folder, and checks the GPU
#   gpu-check.sh [OPTION...]              the same, within an unpacked FILE
#
# The machine needs Linux for x86-64 with glibc 2.34, libstdc++ of GCC 11, Python 3.9, and NVIDIA's driver 525. Options:
#   --out FOLDER      where report.json and report.md go, written after each row; default: gpu-check-report
#   --seconds N       when to stop; default: 540
#   --driver LIBRARY  another CUDA driver, for example the software GPU
#   --call-seconds N  how long a call to the GPU may take; default: 20. After two that do not end the run ends
#   --torch           time PyTorch, too
#   --only SECTION... ladder, conformance, goldens, speed, kernel_times, operations, torch_speed
# The exit code is 1 if anything is wrong. docs/gpu-check.md says how to read the report.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)

fail() {
  echo "gpu-check: $1" >&2
  exit 1
}

if [ "${1:-}" = --pack ]; then
  [ $# -ge 2 ] || fail "--pack needs the name of a file"
  file=$2
  shift 2
  build=${CHEEMS_BUILD:-$root/build/release}
  [ -x "$build/bin/cheems-compile" ] || fail "there is no $build/bin/cheems-compile; build the preset release first"
  "$root/scripts/python-packages.sh" "$build/packages/gpu-check" numpy==2.2.6 nvidia-cuda-nvcc==13.0.88
  PYTHONPATH=$build/packages/gpu-check exec python3 "$root/scripts/gpu_check/pack.py" "$build" "$file" "$@"
fi

if [ -f "${1:-}" ]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  python3 -c 'import sys, tarfile; tarfile.open(sys.argv[1]).extractall(sys.argv[2])' "$1" "$work" 2>/dev/null ||
    fail "$1 is not what gpu-check.sh --pack makes"
  shift
  "$work/gpu-check/scripts/gpu-check.sh" "$@"
  exit
fi
[ -f "$root/data/pack.json" ] || fail "this is no unpacked file of gpu-check.sh --pack; give the file: gpu-check.sh FILE"
exec python3 "$root/scripts/gpu_check/check.py" "$@"
