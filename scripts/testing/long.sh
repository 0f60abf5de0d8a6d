# The long parts of the tests: large and drawn sets, each at most half an hour on two cores. Sourced by test.sh --long.
# The table of test/long.md has a row for each, with the same name: what it runs, what it watches, and when it last passed.

# In a function of its part a failure goes into `broken`, as everywhere.
release() { # CTEST-ARGUMENT...
  timed builds build release all && timed tests check release "$@" || broken+=(release)
}
sanitized() { # PRESET CTEST-ARGUMENT...
  local preset=$1
  shift
  timed builds build "$preset" all && timed tests check "$preset" "$@" || broken+=("$preset")
}
compiler_tests='^(lit$|golden-|interpreter-goldens|cheems-compile-(malformed|texts)|(Compiler|Dialect|Import|Interpreter|Mutation|Neutral|Reference)Tests)'
compiled_kernels='^(Kernel|OpGolden)Tests'

# those that record results again
recorders='^golden-(record|mistakes|draws)'

part_cpu-kernels() { release -R '^(KernelTests|OpGoldenTests)'; }
part_cpu-random-models() { release -R '^random-config'; }
part_cpu-recorded() { release -R '^(golden-|interpreter-goldens|stack-access|embeddings|transformers-|real-model)' -E "$recorders"; }
part_cpu-tools() { release -R '^(lit$|sameness|cheems-|manuals|benchmarks|package|backend-toy|unicode-tables)'; }
part_gpu-products() { release -R '^(Matmul|QuantizedMatmul|Expert)KernelTests'; }
part_gpu-mixers() { release -R '^(AttentionKernel|AttentionWindow|SSDKernel|TileKernel)Tests'; }
part_gpu-recorded() { release -R '^gpu-golden'; }
part_gpu-random-models() { release -R '^gpu-random-models'; }
part_emulator() {
  release -L '^emulator$'
  timed builds build asan-runtime fuzz_ptx && timed tests check asan-runtime -R '^fuzz_ptx$' || broken+=("fuzz_ptx")
}
part_emulator-mutants() { release -R '^emulator-(mutant|persistent)'; }
part_gpu-checks() { release -R '^(gpu-(check|table|counts|sameness|profile|page)|cuda-)'; }
part_asan-compiler() { sanitized asan -R "$compiler_tests" -E "$recorders"; }
part_asan-kernels() { sanitized asan -L '^compiled$' -R "$compiled_kernels"; }
part_asan-models() { sanitized asan -L '^compiled$' -E "$compiled_kernels"; }
part_asan-rest() { sanitized asan -E "$compiler_tests|$recorders" -LE '^compiled$'; }
# The interpreter of chat templates has no threads, and takes 23 minutes there.
part_tsan() { sanitized tsan -E '^ChatTemplateTests$'; }
part_server() { release -R '^(serve-|Serve|cheems-serve)'; }
part_mutated-modules() {
  export CHEEMS_TEST_MUTANTS=100000
  release -R '^MutationTests'
}
part_tutorial() { release -R '^tutorial'; }
part_style-and-recorders() {
  release -R "$recorders"
  timed style scripts/tidy.sh --all || broken+=(tidy)
}

# run_long [PART]: by number or name; all of them without
run_long() {
  local wanted=$1 number name title failed=0 found=0 begin minutes text status
  export CHEEMS_TEST_LONG=1 CHEEMS_TEST_SEED=${CHEEMS_TEST_SEED:-$((RANDOM * 32768 + RANDOM))}
  while IFS=$'\t' read -r number name title <&3; do
    [ -z "$wanted" ] || [ "$wanted" = "$number" ] || [ "$wanted" = "$name" ] || continue
    found=1 begin=$SECONDS
    echo "==== part $number, $name: $title; seed $CHEEMS_TEST_SEED"
    mkdir -p build/long
    text=build/long/$name.log
    (
      SECONDS=0
      "part_$name"
      summary
    ) 2>&1 | tee "$text"
    status=${PIPESTATUS[0]}
    minutes=$(((SECONDS - begin + 59) / 60))
    if [ "$status" -eq 0 ]; then
      python3 scripts/testing/ledger.py record "$name" --seed "$CHEEMS_TEST_SEED" --minutes "$minutes" --log "$text"
    else
      failed=1
      echo "part $number, $name, failed; again: CHEEMS_TEST_SEED=$CHEEMS_TEST_SEED scripts/test.sh --long $number"
    fi
  done 3< <(python3 scripts/testing/ledger.py list)
  [ "$found" = 1 ] || {
    echo "test.sh: there is no long part '$wanted'; test/long.md lists them" >&2
    return 2
  }
  return $failed
}

run_fuzzers() {
  export CHEEMS_FUZZ_SECONDS=${CHEEMS_FUZZ_SECONDS:-3600} CHEEMS_TEST_SEED=${CHEEMS_TEST_SEED:-$((RANDOM * 32768 + RANDOM))}
  timed builds build asan cheems-fuzzers && timed fuzzers check asan -R '^fuzz_' || broken+=(fuzzers)
  summary
}
