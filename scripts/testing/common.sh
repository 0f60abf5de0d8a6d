# What the fixed tests and the long parts share: builds, runs of CTest, their times and the sum at the end. Sourced by test.sh.
jobs=$(nproc)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
passed=0 failed=0 broken=() skips=()
parts=() # in the order of their first use
declare -A seconds=()

# timed PART COMMAND...: adds what the command takes to the part's seconds
timed() {
  local part=$1 begin=$SECONDS status
  shift
  "$@"
  status=$?
  [ -n "${seconds[$part]:-}" ] || parts+=("$part")
  seconds[$part]=$((${seconds[$part]:-0} + SECONDS - begin))
  return $status
}

# instruction_sets: those that the emulator's loops are compiled for. What this CPU cannot run would only be compiled, and long
# parts do that.
instruction_sets() {
  if [ -n "${CHEEMS_TEST_LONG:-}" ] || grep -qw avx512vl /proc/cpuinfo; then
    echo 'AVX2;AVX512'
  else
    echo AVX2
  fi
}

# build PRESET TARGET...
build() {
  local preset=$1 options=()
  shift
  if [ "$preset" = release ]; then
    options+=("-DCHEEMS_EMULATOR_INSTRUCTION_SETS=$(instruction_sets)")
  fi
  echo "==== $preset: build"
  cmake --preset "$preset" "${options[@]}" && cmake --build --preset "$preset" --target "$@"
}

# check PRESET CTEST-ARGUMENT...: runs the preset's tests, adds up their numbers and keeps what they say they skipped
check() {
  local preset=$1
  shift
  echo "==== $preset: test, seed $CHEEMS_TEST_SEED"
  ctest --preset "$preset" -j "$jobs" "$@" | tee "$log"
  local status=${PIPESTATUS[0]} bad total line
  read -r bad total < <(sed -nE 's/^[0-9]+% tests passed, ([0-9]+) tests failed out of ([0-9]+)$/\1 \2/p' "$log")
  passed=$((passed + ${total:-0} - ${bad:-0})) failed=$((failed + ${bad:-0}))
  while read -r line; do
    skips+=("$preset: $line")
  done < <(sed -nE 's/^skipped: (.*)/\1/p' "build/$preset/Testing/Temporary/LastTest.log" | sort | uniq -c | sed -E 's/^ *([0-9]+) (.*)/\2 (\1 times)/')
  return "$status"
}

# summary: what was skipped, the minutes of each part, and the sum; fails if anything did
summary() {
  local line part
  echo
  for line in "${skips[@]}"; do
    echo "skipped: $line"
  done
  echo "${#skips[@]} kinds of checks skipped"
  for part in "${parts[@]}"; do
    printf '%-10s %5.1f minutes\n' "$part" "$((seconds[$part] * 10 / 60))e-1"
  done
  printf '%-10s %5.1f minutes\n' all "$((SECONDS * 10 / 60))e-1"
  echo "$((passed * 100 / (passed + failed > 0 ? passed + failed : 1)))% tests passed, $failed tests failed out of $((passed + failed))"
  if [ ${#broken[@]} -gt 0 ]; then
    printf 'failed: %s\n' "$(IFS=,; echo "${broken[*]}")"
    return 1
  fi
}
