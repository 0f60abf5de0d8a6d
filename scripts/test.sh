#!/usr/bin/env bash
# Every test: installs what is missing, then the release build with all of its tests, lit, unit tests and fuzzers under
# ASan + UBSan with some whole models, the runtime under TSan, and the format. Fails at the end if any part failed.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
scripts/setup.sh tests || exit 1

jobs=$(nproc)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
passed=0 failed=0 broken=()

# build PRESET TARGET...
build() {
  local preset=$1
  shift
  echo "==== $preset: build"
  cmake --preset "$preset" && cmake --build --preset "$preset" --target "$@"
}

# check PRESET CTEST-ARGUMENT...: runs the preset's tests and adds up their numbers
check() {
  local preset=$1
  shift
  echo "==== $preset: test"
  ctest --preset "$preset" -j "$jobs" "$@" | tee "$log"
  local status=${PIPESTATUS[0]} bad total
  read -r bad total < <(sed -nE 's/^[0-9]+% tests passed, ([0-9]+) tests failed out of ([0-9]+)$/\1 \2/p' "$log")
  passed=$((passed + ${total:-0} - ${bad:-0})) failed=$((failed + ${bad:-0}))
  return "$status"
}

build release all && check release || broken+=(release)
build asan cheems-sanitized-tests && check asan -LE compiled || broken+=(asan)
build tsan ThreadPoolTests SessionTests StateTests GenerationTests && check tsan -R "^(ThreadPool|Session|State|Generation)Tests$" || broken+=(tsan)
echo "==== format"
scripts/format.sh --check || broken+=(format)

echo
echo "$((passed * 100 / (passed + failed > 0 ? passed + failed : 1)))% tests passed, $failed tests failed out of $((passed + failed))"
if [ ${#broken[@]} -gt 0 ]; then
  echo "failed: ${broken[*]}"
  exit 1
fi
