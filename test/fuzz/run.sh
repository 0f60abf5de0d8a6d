#!/usr/bin/env bash
# Runs a fuzzer as a test: over its seeds, then over mutations that CHEEMS_TEST_SEED draws, for CHEEMS_FUZZ_SECONDS (2, or 5
# where CHEEMS_TEST_LONG is set).
#
#   run.sh FUZZER SEEDS FOUND     new inputs that reach new code go to FOUND/corpus, what fails to FOUND/failures
set -euo pipefail
fuzzer=$1 seeds=$2 found=$3
otherwise=${CHEEMS_TEST_LONG:+5}
seconds=${CHEEMS_FUZZ_SECONDS:-${otherwise:-2}}
mkdir -p "$found/corpus" "$found/failures"
# -runs=0 reads every seed, however little time is left for more
"$fuzzer" -runs=0 -timeout=5 -artifact_prefix="$found/failures/" "$found/corpus" "$seeds"
# 0 would let the fuzzer draw a seed of its own
exec "$fuzzer" -seed=$((${CHEEMS_TEST_SEED:-1} % 4294967295 + 1)) -max_total_time="$seconds" -timeout=5 \
  -artifact_prefix="$found/failures/" -print_final_stats=1 "$found/corpus" "$seeds"
