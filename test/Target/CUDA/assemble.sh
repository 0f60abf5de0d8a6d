#!/usr/bin/env bash
# assemble.sh BIN MODELS FILE...: the ptxas of PyPI's nvidia-cuda-nvcc assembles the kernels of each file and of one layer of Doge 160M in bf16
# for both GPUs, and a kernel that needs too many registers is refused by name. With CHEEMS_TEST_LONG it assembles other models, types and
# sizes of heads, too. PYTHONPATH is where the package is.
set -euo pipefail
translate=$1/cheems-translate compile=$1/cheems-compile models=$2
shift 2
export CHEEMS_PTXAS=$PYTHONPATH/nvidia/cu13/bin/ptxas XDG_CACHE_HOME
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
XDG_CACHE_HOME=$work
for file in "$@"; do
  for gpu in sm_80 sm_90a; do
    echo "$(basename "$file") for $gpu"
    "$translate" --to-cubin --resources --cuda-arch $gpu "$file" -o "$work/k.cubin"
    [ "$(head -c 4 "$work/k.cubin" | tail -c 3)" = ELF ]
  done
done
# What spills depends on the sizes of heads, rows and vocabularies.
PYTHONPATH=$(dirname "$0")/../../../benchmarks:$PYTHONPATH python3 - "$work" <<'END'
import dataclasses, pathlib, sys
import models, random_model
for name, heads in (("doge-160M", 6), ("heads-96", 8), ("heads-64", 12)):
    model = dataclasses.replace(models.MODELS["doge-160M"], layers=1, heads=heads, key_heads=heads // 2)
    random_model.save(pathlib.Path(sys.argv[1]) / name, model, "bf16", None)
END
types=(bf16) assembled=("$work"/doge-160M)
if [ -n "${CHEEMS_TEST_LONG:-}" ]; then
  types+=(f32)
  assembled+=("$models"/doge-author "$models"/doge-untied-bf16)
fi
for heads in ${CHEEMS_TEST_LONG:+"$work"/heads-*}; do
  echo "$(basename "$heads") for sm_90a"
  "$compile" "$heads" --target cuda --cuda-arch sm_90a --emit cubin -o "$work/m.cubin"
done
for gpu in sm_80 sm_90a; do
  for model in "${assembled[@]}"; do
    for weights in "${types[@]}"; do
      echo "$(basename "$model") with $weights for $gpu"
      "$compile" "$model" --weights $weights --target cuda --cuda-arch $gpu --emit cubin -o "$work/m.cubin"
      [ "$(head -c 4 "$work/m.cubin" | tail -c 3)" = ELF ]
    done
  done
  [ -n "${CHEEMS_TEST_LONG:-}" ] || continue
  echo "doge-moe with int8 for $gpu"
  "$compile" "$models/doge-moe" --weights int8 --target cuda --cuda-arch $gpu --emit cubin -o "$work/m.cubin"
done

# Whose experts ptxas would spill for the sake of more blocks.
for gpu in ${CHEEMS_TEST_LONG:+sm_80 sm_90a}; do
  echo "cheems-shakespeare for $gpu"
  "$compile" "$models/../../../models/cheems-shakespeare" --target cuda --cuda-arch $gpu --emit cubin -o "$work/m.cubin"
done

# 64 numbers that live at once, with 16 registers for each thread
python3 - >"$work/spill.mlir" <<'END'
count = 64
print("gpu.module @kernels { llvm.func @spill(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.maxnreg = 16 : i32} {")
for i in range(count):
    print(f"%p{i} = llvm.getelementptr %x[{i}] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32")
    print(f"%v{i} = llvm.load volatile %p{i} : !llvm.ptr<1> -> f32")
for i in range(count):
    print(f"%q{i} = llvm.getelementptr %y[{i}] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32")
    print(f"llvm.store volatile %v{count - 1 - i}, %q{i} : f32, !llvm.ptr<1>")
print("llvm.return } }")
END
if "$translate" --to-cubin "$work/spill.mlir" -o "$work/spill.cubin" 2>"$work/error.txt"; then
  echo "a kernel that spills was accepted"
  exit 1
fi
cat "$work/error.txt"
grep -q '@spill spills registers ([0-9]* bytes stored and [1-9][0-9]* loaded a thread, with [0-9]* registers)' "$work/error.txt"
[ ! -e "$work/spill.cubin" ]
