// Kernels of attention compute what the op is, on whole tiles: entries in bf16 and f32, segments of many rows and of one.
// RUN: cheems-opt %s --cheems-gpu-kernels --canonicalize --cse -o %t.mlir

// RUN: python3 %S/Inputs/attention.py write %t.prompt.safetensors BF16
// RUN: cheems-opt %s --cheems-interpret='entry=prompt inputs=%t.prompt.safetensors outputs=%t.prompt.op.safetensors' -o /dev/null
// RUN: cheems-opt %t.mlir --cheems-interpret='entry=prompt inputs=%t.prompt.safetensors outputs=%t.prompt.tile.safetensors' -o /dev/null
// RUN: python3 %S/Inputs/attention.py compare %t.prompt.op.safetensors %t.prompt.tile.safetensors 0.02

// Warpgroups give the same results: heads of 96 are three panels.
// RUN: sed -e 's/x24x/x96x/g' -e 's/arch = sm_80,/arch = sm_90a, unit = wgmma,/' %s > %t.wide.mlir
// RUN: cheems-opt %t.wide.mlir --cheems-gpu-kernels --canonicalize --cse -o %t.groups.mlir
// RUN: FileCheck %s --check-prefix=GROUPS < %t.groups.mlir
// RUN: python3 %S/Inputs/attention.py write %t.wide.safetensors BF16 96
// RUN: cheems-opt %t.wide.mlir --cheems-interpret='entry=prompt inputs=%t.wide.safetensors outputs=%t.wide.op.safetensors' -o /dev/null
// RUN: cheems-opt %t.groups.mlir --cheems-interpret='entry=prompt inputs=%t.wide.safetensors outputs=%t.wide.tile.safetensors' -o /dev/null
// RUN: python3 %S/Inputs/attention.py compare %t.wide.op.safetensors %t.wide.tile.safetensors 0.02
// GROUPS: cheems_tile.warpgroup_mma_registers

// Bulk copies give the same results.
// RUN: sed -e 's/x24x/x96x/g' -e 's/arch = sm_80,/arch = sm_90a, unit = wgmma, copy = bulk,/' %s > %t.bulk.mlir
// RUN: cheems-opt %t.bulk.mlir --cheems-gpu-kernels --canonicalize --cse -o %t.filled.mlir
// RUN: FileCheck %s --check-prefix=FILLED < %t.filled.mlir
// RUN: cheems-opt %t.filled.mlir --cheems-interpret='entry=prompt inputs=%t.wide.safetensors outputs=%t.bulk.tile.safetensors' -o /dev/null
// RUN: cmp %t.wide.tile.safetensors %t.bulk.tile.safetensors
// FILLED: cheems_tile.fill_ring

// RUN: python3 %S/Inputs/attention.py write %t.exact.safetensors F32
// RUN: cheems-opt %s --cheems-interpret='entry=exact inputs=%t.exact.safetensors outputs=%t.exact.op.safetensors' -o /dev/null
// RUN: cheems-opt %t.mlir --cheems-interpret='entry=exact inputs=%t.exact.safetensors outputs=%t.exact.tile.safetensors' -o /dev/null
// RUN: python3 %S/Inputs/attention.py compare %t.exact.op.safetensors %t.exact.tile.safetensors 1e-5

// RUN: python3 %S/Inputs/attention.py write %t.decode.safetensors BF16 one_row
// RUN: cheems-opt %s --cheems-interpret='entry=decode inputs=%t.decode.safetensors outputs=%t.decode.op.safetensors' -o /dev/null
// RUN: cheems-opt %t.mlir --cheems-interpret='entry=decode inputs=%t.decode.safetensors outputs=%t.decode.tile.safetensors' -o /dev/null
// RUN: python3 %S/Inputs/attention.py compare %t.decode.op.safetensors %t.decode.tile.safetensors 0.02

// RUN: python3 %S/Inputs/attention.py write %t.decode_exact.safetensors F32 one_row
// RUN: cheems-opt %s --cheems-interpret='entry=decode_exact inputs=%t.decode_exact.safetensors outputs=%t.decode_exact.op.safetensors' -o /dev/null
// RUN: cheems-opt %t.mlir --cheems-interpret='entry=decode_exact inputs=%t.decode_exact.safetensors outputs=%t.decode_exact.tile.safetensors' -o /dev/null
// RUN: python3 %S/Inputs/attention.py compare %t.decode_exact.op.safetensors %t.decode_exact.tile.safetensors 1e-5

module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @prompt(%q: tensor<?x4x24xf32> {cheems.name = "query"}, %key: tensor<?x2x24xf32> {cheems.name = "key"},
      %value: tensor<?x2x24xf32> {cheems.name = "value"}, %mask: tensor<?x2xf32> {cheems.name = "mask"},
      %segments: tensor<?x8xi32> {cheems.field = #cheems.step_field<segments>}, %y: tensor<?x4x24xf32> {cheems.name = "y"},
      %keys: tensor<?x2x2x?x24xbf16> {cheems.name = "keys"}, %values: tensor<?x2x2x?x24xbf16> {cheems.name = "values"},
      %masks: tensor<?x2x2x?xf32> {cheems.name = "masks"})
      -> (tensor<?x4x24xf32> {cheems.name = "y"}, tensor<?x2x2x?x24xbf16> {cheems.name = "keys"},
          tensor<?x2x2x?x24xbf16> {cheems.name = "values"}, tensor<?x2x2x?xf32> {cheems.name = "masks"}) {
    %layer = arith.constant 1 : index
    %o:4 = cheems.segmented_attention bias scale 0.2 block 64
        ins(%q, %key, %value : tensor<?x4x24xf32>, tensor<?x2x24xf32>, tensor<?x2x24xf32>) mask(%mask : tensor<?x2xf32>)
        segments(%segments : tensor<?x8xi32>) layer(%layer)
        outs(%y, %keys, %values, %masks : tensor<?x4x24xf32>, tensor<?x2x2x?x24xbf16>, tensor<?x2x2x?x24xbf16>, tensor<?x2x2x?xf32>)
        -> tensor<?x4x24xf32>, tensor<?x2x2x?x24xbf16>, tensor<?x2x2x?x24xbf16>, tensor<?x2x2x?xf32>
    return %o#0, %o#1, %o#2, %o#3 : tensor<?x4x24xf32>, tensor<?x2x2x?x24xbf16>, tensor<?x2x2x?x24xbf16>, tensor<?x2x2x?xf32>
  }
  func.func @exact(%q: tensor<?x4x24xf32> {cheems.name = "query"}, %key: tensor<?x2x24xf32> {cheems.name = "key"},
      %value: tensor<?x2x24xf32> {cheems.name = "value"}, %mask: tensor<?x2xf32> {cheems.name = "mask"},
      %segments: tensor<?x8xi32> {cheems.field = #cheems.step_field<segments>}, %y: tensor<?x4x24xf32> {cheems.name = "y"},
      %keys: tensor<?x2x2x?x24xf32> {cheems.name = "keys"}, %values: tensor<?x2x2x?x24xf32> {cheems.name = "values"},
      %masks: tensor<?x2x2x?xf32> {cheems.name = "masks"})
      -> (tensor<?x4x24xf32> {cheems.name = "y"}, tensor<?x2x2x?x24xf32> {cheems.name = "keys"},
          tensor<?x2x2x?x24xf32> {cheems.name = "values"}, tensor<?x2x2x?xf32> {cheems.name = "masks"}) {
    %layer = arith.constant 1 : index
    %o:4 = cheems.segmented_attention bias scale 0.2 block 64
        ins(%q, %key, %value : tensor<?x4x24xf32>, tensor<?x2x24xf32>, tensor<?x2x24xf32>) mask(%mask : tensor<?x2xf32>)
        segments(%segments : tensor<?x8xi32>) layer(%layer)
        outs(%y, %keys, %values, %masks : tensor<?x4x24xf32>, tensor<?x2x2x?x24xf32>, tensor<?x2x2x?x24xf32>, tensor<?x2x2x?xf32>)
        -> tensor<?x4x24xf32>, tensor<?x2x2x?x24xf32>, tensor<?x2x2x?x24xf32>, tensor<?x2x2x?xf32>
    return %o#0, %o#1, %o#2, %o#3 : tensor<?x4x24xf32>, tensor<?x2x2x?x24xf32>, tensor<?x2x2x?x24xf32>, tensor<?x2x2x?xf32>
  }
  func.func @decode(%q: tensor<?x4x24xf32> {cheems.name = "query"}, %key: tensor<?x2x24xf32> {cheems.name = "key"},
      %value: tensor<?x2x24xf32> {cheems.name = "value"}, %mask: tensor<?x2xf32> {cheems.name = "mask"},
      %segments: tensor<?x8xi32> {cheems.field = #cheems.step_field<segments>}, %y: tensor<?x4x24xf32> {cheems.name = "y"},
      %keys: tensor<?x2x2x?x24xbf16> {cheems.name = "keys"}, %values: tensor<?x2x2x?x24xbf16> {cheems.name = "values"},
      %masks: tensor<?x2x2x?xf32> {cheems.name = "masks"})
      -> (tensor<?x4x24xf32> {cheems.name = "y"}, tensor<?x2x2x?x24xbf16> {cheems.name = "keys"},
          tensor<?x2x2x?x24xbf16> {cheems.name = "values"}, tensor<?x2x2x?xf32> {cheems.name = "masks"}) {
    %layer = arith.constant 1 : index
    %o:4 = cheems.segmented_attention bias scale 0.2 block 64 one_row
        ins(%q, %key, %value : tensor<?x4x24xf32>, tensor<?x2x24xf32>, tensor<?x2x24xf32>) mask(%mask : tensor<?x2xf32>)
        segments(%segments : tensor<?x8xi32>) layer(%layer)
        outs(%y, %keys, %values, %masks : tensor<?x4x24xf32>, tensor<?x2x2x?x24xbf16>, tensor<?x2x2x?x24xbf16>, tensor<?x2x2x?xf32>)
        -> tensor<?x4x24xf32>, tensor<?x2x2x?x24xbf16>, tensor<?x2x2x?x24xbf16>, tensor<?x2x2x?xf32>
    return %o#0, %o#1, %o#2, %o#3 : tensor<?x4x24xf32>, tensor<?x2x2x?x24xbf16>, tensor<?x2x2x?x24xbf16>, tensor<?x2x2x?xf32>
  }
  func.func @decode_exact(%q: tensor<?x4x24xf32> {cheems.name = "query"}, %key: tensor<?x2x24xf32> {cheems.name = "key"},
      %value: tensor<?x2x24xf32> {cheems.name = "value"}, %mask: tensor<?x2xf32> {cheems.name = "mask"},
      %segments: tensor<?x8xi32> {cheems.field = #cheems.step_field<segments>}, %y: tensor<?x4x24xf32> {cheems.name = "y"},
      %keys: tensor<?x2x2x?x24xf32> {cheems.name = "keys"}, %values: tensor<?x2x2x?x24xf32> {cheems.name = "values"},
      %masks: tensor<?x2x2x?xf32> {cheems.name = "masks"})
      -> (tensor<?x4x24xf32> {cheems.name = "y"}, tensor<?x2x2x?x24xf32> {cheems.name = "keys"},
          tensor<?x2x2x?x24xf32> {cheems.name = "values"}, tensor<?x2x2x?xf32> {cheems.name = "masks"}) {
    %layer = arith.constant 1 : index
    %o:4 = cheems.segmented_attention bias scale 0.2 block 64 one_row
        ins(%q, %key, %value : tensor<?x4x24xf32>, tensor<?x2x24xf32>, tensor<?x2x24xf32>) mask(%mask : tensor<?x2xf32>)
        segments(%segments : tensor<?x8xi32>) layer(%layer)
        outs(%y, %keys, %values, %masks : tensor<?x4x24xf32>, tensor<?x2x2x?x24xf32>, tensor<?x2x2x?x24xf32>, tensor<?x2x2x?xf32>)
        -> tensor<?x4x24xf32>, tensor<?x2x2x?x24xf32>, tensor<?x2x2x?x24xf32>, tensor<?x2x2x?xf32>
    return %o#0, %o#1, %o#2, %o#3 : tensor<?x4x24xf32>, tensor<?x2x2x?x24xf32>, tensor<?x2x2x?x24xf32>, tensor<?x2x2x?xf32>
  }
}
