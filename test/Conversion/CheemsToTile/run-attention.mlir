// From the op to PTX, and that on the software GPU. Where all queries are zero and all masks zero, weights are one, so values that
// are all 3 give 3. The counts: no bank conflicts, and no more instructions per mma than the attention that Triton compiles.
// REQUIRES: cheems-translate, cheems-ptx-run
// RUN: cheems-opt %s --cheems-gpu-kernels --canonicalize --cse --cheems-tile-plan-shared --cheems-tile-to-nvvm -o %t.mlir
// RUN: cheems-translate %t.mlir --to-ptx --cuda-arch sm_80 -o %t.80.ptx
// RUN: cheems-translate %t.mlir --to-ptx -o %t.90.ptx
// RUN: not grep -F .local %t.90.ptx

// DEFINE: %{launch} = --shared 33280 --grid 8,2,1 --block 256
// DEFINE: %{q} = --arg s32:512 --buffer segments:i32[1x8]=0,0,512,0,0,0,0,0 --arg s32:1 --arg s32:0
// DEFINE: %{extents} = --arg s32:1 --arg s32:512
// DEFINE: %{y} = --buffer y:f32[512x4x64]=none --arg s32:512
// RUN: cheems-ptx-run %t.90.ptx --kernel attention %{launch} --mode late --buffer q:f32[512x4x64]=0 %{q} \
// RUN:   --buffer k:bf16[1x3x2x512x64]=random:-1:1 %{extents} --buffer v:bf16[1x3x2x512x64]=3 %{extents} \
// RUN:   --buffer m:f32[1x3x2x512]=0 %{extents} %{y} --expect y=3 --tolerance 1e-6
// RUN: cheems-ptx-run %t.80.ptx --arch 80 --kernel attention %{launch} --buffer q:f32[512x4x64]=random:-1:1 %{q} \
// RUN:   --buffer k:bf16[1x3x2x512x64]=random:-1:1 %{extents} --buffer v:bf16[1x3x2x512x64]=random:-1:1 %{extents} \
// RUN:   --buffer m:f32[1x3x2x512]=random:0:1 %{extents} %{y} --counts %t.json
// RUN: FileCheck %s --check-prefix=COUNTS < %t.json
// COUNTS: "bank_conflicts": 0,

// DEFINE: %{x} = bf16[2x512x64]=random:-1:1
// RUN: cheems-ptx-run %S/../../../emulator/test/conformance/ptx/attn_causal_bf16.sm_80.ptx --arch 80 --kernel attn --shared 24576 --grid 8,2 --block 128 \
// RUN:   --buffer q:%{x} --buffer k:%{x} --buffer v:%{x} --buffer o:bf16[2x512x64]=none --arg s32:512 --arg f32:0.125 \
// RUN:   --memory none:f32[4]=zeros --arg '&none' --arg '&none' --counts %t.triton.json
// RUN: python3 %S/Inputs/instructions_per_mma.py %t.json %t.triton.json
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
func.func @prompt(%q: tensor<?x4x64xf32>, %key: tensor<?x2x64xf32>, %value: tensor<?x2x64xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index,
    %y: tensor<?x4x64xf32>, %keys: tensor<?x3x2x?x64xbf16>, %values: tensor<?x3x2x?x64xbf16>, %masks: tensor<?x3x2x?xf32>) -> (tensor<?x4x64xf32>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?xf32>) {
  %o:4 = cheems.segmented_attention bias scale 0.125 block 64
        ins(%q, %key, %value : tensor<?x4x64xf32>, tensor<?x2x64xf32>, tensor<?x2x64xf32>) mask(%mask : tensor<?x2xf32>)
        segments(%segments : tensor<?x8xi32>) layer(%layer)
        outs(%y, %keys, %values, %masks : tensor<?x4x64xf32>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?xf32>)
        -> tensor<?x4x64xf32>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?xf32>
  return %o#0, %o#1, %o#2, %o#3 : tensor<?x4x64xf32>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?xf32>
}
}
