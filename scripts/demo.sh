#!/usr/bin/env bash
# From a bare Debian 12 to generated text: installs what is missing, builds, compiles the demo model and runs it.
# Arguments go to cheems-run: scripts/demo.sh -p "JULIET:" -n 100
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh

# a build folder that exists keeps its settings: the one of the tests can run the demo too
[ -f build/release/build.ninja ] || cmake --preset release -DCHEEMS_BUILD_TESTS=OFF >&2
cmake --build --preset release --target cheems-compile cheems-run cheems-serve >&2

model=build/release/cheems-shakespeare.cheems
build/release/bin/cheems-compile models/cheems-shakespeare -o "$model"
if [ $# -eq 0 ]; then
  set -- -p "ROMEO:" -n 200 -s 1
fi
exec build/release/bin/cheems-run "$model" "$@"
