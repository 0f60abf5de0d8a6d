#!/usr/bin/env bash
# Every test: installs what is missing, then the release build with all of its tests, one build with sanitizers, the format,
# clang-tidy. The build with sanitizers is drawn: lit, the compiler's unit tests and some whole models under ASan + UBSan; or
# the other unit tests and the fuzzers under both; or the runtime, small compiled models and the emulated card under TSan.
# Fails at the end if any part failed.
#
#   test.sh            what CI runs: parts that draw their cases take the fixed ones and some by CHEEMS_TEST_SEED
#   test.sh --long     hours: all shapes of kernels for cards, random models on them and a prompt of 100,000 tokens; all that
#                      runs with sanitizers, compiled kernels, recorded operations and some random models under ASan, all
#                      recorded models with int4, 100,000 mutated modules, an hour of each fuzzer
#                      (CHEEMS_FUZZ_SECONDS), the tutorial step by step, a server under load of 10,000 requests, also under the
#                      sanitizers, its page in a browser (Debian's chromium and chromium-driver), clang-tidy on everything
#
# CHEEMS_TEST_SEED is the commit's number unless it is set, so that it differs from commit to commit and can be repeated.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
long=
case "${1:-}" in
  "") ;;
  --long) long=1 ;;
  *) echo "test.sh: '$1' is not known; there is --long" >&2; exit 2 ;;
esac
scripts/setup.sh tests || exit 1

jobs=$(nproc)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
passed=0 failed=0 broken=() skips=()
commit=$(git rev-parse --short=7 HEAD 2>/dev/null || echo 1)
export CHEEMS_TEST_SEED=${CHEEMS_TEST_SEED:-$((16#$commit))}
if [ -n "$long" ]; then
  export CHEEMS_TEST_LONG=1 CHEEMS_TEST_MUTANTS=100000 CHEEMS_FUZZ_SECONDS=${CHEEMS_FUZZ_SECONDS:-3600}
fi

declare -A seconds=([builds]=0 [CPU tests]=0 [GPU tests]=0 [serve]=0 [sanitizers]=0 [style]=0)
# The card in software, kernels on it, models on it.
gpu='^(cuda-|gpu-|emulator-|cheems-ptx-run|CUDA|ExecutorCUDA|Emulator|(Attention|Coded|Expert|Product|SSD|Tile)(Kernel|Window))'
serve='^(serve-|Serve|cheems-serve)'

# timed PART COMMAND...: adds what the command takes to the part's seconds
timed() {
  local part=$1 begin=$SECONDS status
  shift
  "$@"
  status=$?
  seconds[$part]=$((seconds[$part] + SECONDS - begin))
  return $status
}

# build PRESET TARGET...: with the options in `configure`; a folder that is there stays a unity build or none
configure=()
build() {
  local preset=$1 options=("${configure[@]}")
  shift
  [ -f "build/$preset/build.ninja" ] || options+=(-DCHEEMS_UNITY_BUILD=ON)
  echo "==== $preset: build"
  cmake --preset "$preset" "${options[@]}" && cmake --build --preset "$preset" --target "$@"
}

# check PRESET CTEST-ARGUMENT...: runs the preset's tests, adds up their numbers and keeps what they say they skipped
check() {
  local preset=$1
  shift
  echo "==== $preset: test, seed $CHEEMS_TEST_SEED"
  # a test of a long run has ten times the cases, for which CTest's 25 minutes are too short
  ctest --preset "$preset" -j "$jobs" ${long:+--timeout 14400} "$@" | tee "$log"
  local status=${PIPESTATUS[0]} bad total line
  read -r bad total < <(sed -nE 's/^[0-9]+% tests passed, ([0-9]+) tests failed out of ([0-9]+)$/\1 \2/p' "$log")
  passed=$((passed + ${total:-0} - ${bad:-0})) failed=$((failed + ${bad:-0}))
  while read -r line; do
    skips+=("$preset: $line")
  done < <(sed -nE 's/^skipped: (.*)/\1/p' "build/$preset/Testing/Temporary/LastTest.log" | sort | uniq -c | sed -E 's/^ *([0-9]+) (.*)/\2 (\1 times)/')
  return "$status"
}

# Of the tests with the label `rotates` those that are not of this run: two of three, as a regular expression.
others() {
  [ -z "$long" ] || return 0
  ctest --preset release -N -L '^rotates$' | sed -nE 's/^ *Test +#[0-9]+: (.*)/\1/p' | sort |
    awk -v draw=$((CHEEMS_TEST_SEED % 3)) 'NR % 3 != draw { names = names "|^" $0 "$" } END { print names }'
}

if timed builds build release all; then
  others=$(others)
  timed "CPU tests" check release -E "$gpu|$serve$others" || broken+=(release)
  timed "GPU tests" check release -R "$gpu" ${others:+-E "${others#|}"} || broken+=("release on the card in software")
  timed serve check release -R "$serve" || broken+=("release of the server")
else
  broken+=("the release build")
fi

# What is labelled `compiled` spends its time in instrumented code.
compiler='^(lit$|golden-|interpreter-goldens|cheems-compile-malformed|(Compiler|CPUReference|Dialect|Import|Interpreter|Mutation|Neutral|Reference)Tests)'
# address TARGETS OPTION CTEST-ARGUMENT...: what runs under ASan + UBSan
address() {
  local targets=$1
  configure=("$2")
  shift 2
  # shellcheck disable=SC2086
  if timed builds build asan $targets; then
    timed sanitizers check asan "$@" || broken+=(asan)
  else
    broken+=("the asan build")
  fi
  configure=()
}

threaded=(ThreadPool Session State Text Generation ServeEngine Race EmulatorMachine EmulatorDriver)
served=() load=
if [ -n "$long" ]; then
  served=(cheems-run cheems-serve) load='|^serve-load$'
fi
# What runs under TSan.
thread() {
  if timed builds build tsan "${threaded[@]/%/Tests}" "${served[@]}"; then
    timed sanitizers check tsan -R "^($(IFS='|'; echo "${threaded[*]}"))Tests\$$load" || broken+=(tsan)
  else
    broken+=("the tsan build")
  fi
}

# Each of these builds takes as long as the release build does, so a run has one of the three, as its seed draws.
if [ -n "$long" ]; then
  address "cheems-unit-tests cheems-compile cheems-run cheems-serve" -DCHEEMS_BUILD_COMPILER=ON
  thread
else
  case $((CHEEMS_TEST_SEED % 3)) in
    0) address cheems-sanitized-compiler-tests -DCHEEMS_BUILD_COMPILER=ON -LE compiled -R "$compiler" ;;
    1) address cheems-sanitized-tests -DCHEEMS_BUILD_COMPILER=OFF -LE compiled ;;
    2) thread ;;
  esac
fi

echo "==== style"
timed style scripts/format.sh --check || broken+=(format)
timed style scripts/tidy.sh ${long:+--all} || broken+=(tidy)

echo
for line in "${skips[@]}"; do
  echo "skipped: $line"
done
echo "${#skips[@]} kinds of checks skipped"
for part in builds "CPU tests" "GPU tests" serve sanitizers style; do
  printf '%-10s %5.1f minutes\n' "$part" "$((seconds[$part] * 10 / 60))e-1"
done
echo "$((passed * 100 / (passed + failed > 0 ? passed + failed : 1)))% tests passed, $failed tests failed out of $((passed + failed))"
if [ ${#broken[@]} -gt 0 ]; then
  printf 'failed: %s\n' "$(IFS=,; echo "${broken[*]}")"
  exit 1
fi
