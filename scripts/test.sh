#!/usr/bin/env bash
# Every test that each commit gets: installs what is missing, then the release build with its tests, what has no MLIR under
# ASan + UBSan and under TSan, the format, clang-tidy, the words, the messages of commits. It is the same on each commit: nothing is drawn.
# Fails at the end if any part failed.
#
#   test.sh              what CI runs
#   test.sh --long [N]   a numbered part of the large and drawn sets, or all of them, each at most half an hour (testing/long.sh);
#                        test/long.md says when each has passed. CHEEMS_TEST_SEED is the seed, else one is drawn and printed
#   test.sh --due        the parts whose sources have changed since they passed
#   test.sh --fuzz       an hour of each fuzzer (CHEEMS_FUZZ_SECONDS)
set -uo pipefail
cd "$(dirname "$0")/.." || exit
usage() {
  echo "test.sh: $1; there are --long [PART], --due and --fuzz" >&2
  exit 2
}
mode=${1:-} part=${2:-}
case $mode in
  "" | --due | --fuzz) [ $# -le 1 ] || usage "$mode takes nothing more" ;;
  --long) [ $# -le 2 ] || usage "--long takes one part" ;;
  *) usage "'$mode' is not known" ;;
esac
if [ "$mode" = --due ]; then
  exec python3 scripts/testing/ledger.py due
fi
scripts/setup.sh tests || exit 1
. scripts/testing/common.sh
case $mode in
  --long) . scripts/testing/long.sh && run_long "$part"; exit ;;
  --fuzz) . scripts/testing/long.sh && run_fuzzers; exit ;;
esac

# A test that draws its cases has those of this seed in every run.
export CHEEMS_TEST_SEED=1
unset CHEEMS_TEST_LONG

# The software GPU, kernels on it, models on it.
gpu='^(cuda-|gpu-|emulator-|cheems-ptx-run|CUDA|ExecutorCUDA|Emulator|(Attention|Expert|(Merged|Normed|Quantized)?Matmul|SSD|Tile)(Kernel|Window))'
serve='^(serve-|Serve|cheems-serve)'
# Only a change of its sources can break the emulator's own tests, so they run where these are not those that passed (test/long.md). What
# runs our kernels and models on it runs always.
own='|^emulator$' fixed=(cheems-fixed-tests) instrumented=(cheems-sanitized-tests)
if python3 scripts/testing/ledger.py is-due emulator; then
  own='' fixed+=(cheems-emulator-tests) instrumented+=(fuzz_ptx)
fi

if timed builds build release "${fixed[@]}"; then
  timed "CPU tests" check release -LE "^(long|runtime)\$$own" -E "$gpu|$serve" || broken+=(release)
  timed "GPU tests" check release -LE "^(long|runtime)\$$own" -R "$gpu" || broken+=("release on the software GPU")
  timed serve check release -LE "^(long|runtime)\$$own" -R "$serve" || broken+=("release of the server")
else
  broken+=("the release build")
fi

# sanitized PRESET TARGETS CTEST-ARGUMENT...
sanitized() {
  local preset=$1 targets=$2
  shift 2
  if timed builds build "$preset" $targets; then
    timed sanitizers check "$preset" -LE "^(long|compiled)\$$own" "$@" || broken+=("$preset")
  else
    broken+=("the $preset build")
  fi
}
# The emulator is long there. States, terminals and random schemas run in the release build on every commit; here a long part has them.
sanitized asan-runtime "${instrumented[*]}" -E '^(Emulator.*|CUDA)Tests|^(cheems-run-(state|terminal)|grammar-random-schemas)$'
sanitized tsan cheems-sanitized-tests -R '^(ThreadPool|Session|State|Text|Generation|ServeEngine|Race)Tests$'

echo "==== style"
timed style scripts/format.sh --check || broken+=(format)
timed style scripts/tidy.sh || broken+=(tidy)
timed style python3 scripts/words.py || broken+=(words)
timed style scripts/commits.py || broken+=("messages of commits")
summary
