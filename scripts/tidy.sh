#!/usr/bin/env bash
# clang-tidy by .clang-tidy; fails if it finds anything. Needs a release build: its flags and generated headers are taken.
#
#   tidy.sh            files of the newest commit, and files not committed
#   tidy.sh --all      all files, those together that are compiled together
#   tidy.sh FILE...    these files
#
# CHEEMS_TIDY_BASE names the commit since which a file counts as changed; the newest commit's parent otherwise.
set -euo pipefail
cd "$(dirname "$0")/.."
build=build/release
[ -f $build/compile_commands.json ] || { echo "tidy: $build/compile_commands.json is missing; build the release preset first" >&2; exit 1; }

# A unity build compiles files that include several sources: each of them has that file's flags.
mkdir -p $build/tidy
python3 - $build <<'END'
import json, os, re, sys
build = sys.argv[1]
alone = []
for entry in json.load(open(f"{build}/compile_commands.json")):
    unity = entry["file"]
    if "_together_" not in os.path.basename(unity):
        alone.append(entry)
        continue
    project = "emulator" if os.path.relpath(unity, build).startswith("emulator/") else ""
    for source in re.findall(r'#include "(.*)"', open(unity).read()):
        source = os.path.abspath(os.path.join(project, source))
        alone.append({**entry, "file": source, "command": entry["command"].replace(unity, source)})
json.dump(alone, open(f"{build}/tidy/compile_commands.json", "w"))
END
commands=$build/tidy

# the files of the build; a file that several targets compile is there once
list=$(python3 -c 'import json, os, sys
files = {os.path.relpath(entry["file"]) for entry in json.load(open(sys.argv[1]))}
print("\n".join(sorted(file for file in files if not file.startswith(("build", "..")) and file.endswith(".cpp"))))' $commands/compile_commands.json)
mapfile -t all <<<"$list"
[ -n "$list" ] || { echo "tidy: $build/compile_commands.json names no file" >&2; exit 1; }

options=()
case "${1:-}" in
  --all)
    # The headers of MLIR are most of the time, so files that are compiled together are read together. What is configured for a
    # folder is found above the file that includes them, too.
    while IFS= read -r config; do
      mkdir -p "$build/${config%/*}"
      cp "$config" "$build/$config"
    done < <(git ls-files '*/.clang-tidy')
    commands=$build
    list=$(python3 -c 'import json, sys
print("\n".join(sorted({entry["file"] for entry in json.load(open(sys.argv[1])) if not entry["file"].endswith((".cxx", ".c"))})))' $commands/compile_commands.json)
    mapfile -t chosen <<<"$list"
    options=(--checks=-bugprone-suspicious-include "--header-filter=(include/cheems|lib|runtime|server|tools)/.*|(test|benchmarks|examples)/.*\.cpp")
    ;;
  "")
    base=${CHEEMS_TIDY_BASE:-$(git rev-parse -q --verify HEAD~1 || git rev-parse HEAD)}
    list=$(git diff --name-only --diff-filter=d "$base" && git ls-files --others --exclude-standard)
    mapfile -t changed <<<"$list"
    chosen=()
    for file in "${all[@]}"; do
      if [[ " ${changed[*]} " == *" $file "* ]]; then
        chosen+=("$file")
      fi
    done
    echo "tidy: ${#chosen[@]} of ${#all[@]} files, those that changed since ${base:0:7}" >&2
    ;;
  *) chosen=("$@") ;;
esac
[ ${#chosen[@]} -gt 0 ] || exit 0
# its exit status alone does not tell warnings
findings=$(printf '%s\0' "${chosen[@]}" | xargs -0 -P "$(nproc)" -n 1 clang-tidy-22 -p $commands "${options[@]}" --quiet --warnings-as-errors='*' 2>/dev/null || echo "clang-tidy failed")
if [ -n "$findings" ]; then
  echo "$findings"
  echo "tidy: see above; a finding that is wrong gets NOLINT with its reason" >&2
  exit 1
fi
