// Experts in groups of rows, read in the order of their ids: where the option says so, else nothing changes.
// RUN: cheems-opt %s --cheems-select-strategy="group-experts=64" | FileCheck %s
// RUN: cheems-opt %s --cheems-select-strategy | FileCheck %s --check-prefix=SINGLY --implicit-check-not=ascending
// SINGLY-NOT: by_group, rows = 64
// RUN: not cheems-opt %s --cheems-select-strategy="group-experts=-1" 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: group-experts must be the rows of a group, or 0, not -1
// Kernels are told: what is between leaves the attribute where it is.
// RUN: cheems-opt %s --cheems-fast="to=planned group-experts=64" --mlir-disable-threading --mlir-print-ir-before=cheems-lower-microkernels 2>&1 >/dev/null | FileCheck %s --check-prefix=BUFFERS

// CHECK-LABEL: @prompt
// CHECK: cheems.retrieve_experts ascending {cheems_cpu.strategy = #cheems_cpu.rows_strategy<rows = 1>}
// CHECK: cheems.mix_experts softmax silu {cheems_cpu.strategy = #cheems_cpu.experts_strategy<order = by_group, rows = 64>}
// BUFFERS-LABEL: func.func @prompt
// BUFFERS: cheems.retrieve_experts ascending ins(%{{.*}} : memref
// BUFFERS: cheems.mix_experts softmax silu {cheems_cpu.strategy = #cheems_cpu.experts_strategy<order = by_group, rows = 64>} ins(%{{.*}} : memref
func.func @prompt(%g: tensor<?x2x1x8xf32>, %x: tensor<?x32xf32>, %t: tensor<64x32xf32>, %s0: tensor<?x1x4xf32>, %e0: tensor<?x1x4xi32>, %y: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %s, %e = cheems.retrieve_experts ins(%g : tensor<?x2x1x8xf32>) outs(%s0, %e0 : tensor<?x1x4xf32>, tensor<?x1x4xi32>) -> tensor<?x1x4xf32>, tensor<?x1x4xi32>
  %r = cheems.mix_experts softmax silu ins(%x, %s, %e, %t, %t : tensor<?x32xf32>, tensor<?x1x4xf32>, tensor<?x1x4xi32>, tensor<64x32xf32>, tensor<64x32xf32>) outs(%y : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %r : tensor<?x32xf32>
}

// More experts than 64 rows find: a row is read for one token, in a group as without.
// CHECK-LABEL: @many
// CHECK: cheems.retrieve_experts {cheems_cpu.strategy = #cheems_cpu.rows_strategy<rows = 1>} ins
// CHECK: cheems.mix_experts softmax silu {cheems_cpu.strategy = #cheems_cpu.experts_strategy<order = by_row, rows = {{[18]}}>} ins
func.func @many(%g: tensor<?x2x1x17xf32>, %x: tensor<?x32xf32>, %t: tensor<257x32xf32>, %s0: tensor<?x1x4xf32>, %e0: tensor<?x1x4xi32>, %y: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %s, %e = cheems.retrieve_experts ins(%g : tensor<?x2x1x17xf32>) outs(%s0, %e0 : tensor<?x1x4xf32>, tensor<?x1x4xi32>) -> tensor<?x1x4xf32>, tensor<?x1x4xi32>
  %r = cheems.mix_experts softmax silu ins(%x, %s, %e, %t, %t : tensor<?x32xf32>, tensor<?x1x4xf32>, tensor<?x1x4xi32>, tensor<257x32xf32>, tensor<257x32xf32>) outs(%y : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %r : tensor<?x32xf32>
}

// A decode step has no groups, and adds in their order.
// CHECK-LABEL: @decode
// CHECK: cheems.retrieve_experts ascending ins
// CHECK: cheems.mix_experts softmax silu {cheems_cpu.strategy = #cheems_cpu.experts_strategy<order = by_row, rows = {{[18]}}>} ins
// BUFFERS-LABEL: func.func @decode
// BUFFERS: cheems.retrieve_experts ascending ins(%{{.*}} : memref
// BUFFERS: cheems.mix_experts softmax silu {cheems_cpu.strategy = #cheems_cpu.experts_strategy<order = by_row, rows = {{[18]}}>} ins(%{{.*}} : memref
func.func @decode(%g: tensor<?x2x1x8xf32>, %x: tensor<?x32xf32>, %t: tensor<64x32xf32>, %s0: tensor<?x1x4xf32>, %e0: tensor<?x1x4xi32>, %y: tensor<?x32xf32>) -> tensor<?x32xf32> attributes {cheems.most_rows = 64 : i64} {
  %s, %e = cheems.retrieve_experts ins(%g : tensor<?x2x1x8xf32>) outs(%s0, %e0 : tensor<?x1x4xf32>, tensor<?x1x4xi32>) -> tensor<?x1x4xf32>, tensor<?x1x4xi32>
  %r = cheems.mix_experts softmax silu ins(%x, %s, %e, %t, %t : tensor<?x32xf32>, tensor<?x1x4xf32>, tensor<?x1x4xi32>, tensor<64x32xf32>, tensor<64x32xf32>) outs(%y : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %r : tensor<?x32xf32>
}

// Whoever else takes the experts may want the best first.
// CHECK-LABEL: @returned
// CHECK: cheems.retrieve_experts {cheems_cpu.strategy = #cheems_cpu.rows_strategy<rows = 1>} ins
// CHECK: cheems.mix_experts softmax silu {cheems_cpu.strategy = #cheems_cpu.experts_strategy<order = by_row, rows = {{[18]}}>} ins
func.func @returned(%g: tensor<?x2x1x8xf32>, %x: tensor<?x32xf32>, %t: tensor<64x32xf32>, %s0: tensor<?x1x4xf32>, %e0: tensor<?x1x4xi32>, %y: tensor<?x32xf32>) -> (tensor<?x1x4xi32>, tensor<?x32xf32>) {
  %s, %e = cheems.retrieve_experts ins(%g : tensor<?x2x1x8xf32>) outs(%s0, %e0 : tensor<?x1x4xf32>, tensor<?x1x4xi32>) -> tensor<?x1x4xf32>, tensor<?x1x4xi32>
  %r = cheems.mix_experts softmax silu ins(%x, %s, %e, %t, %t : tensor<?x32xf32>, tensor<?x1x4xf32>, tensor<?x1x4xi32>, tensor<64x32xf32>, tensor<64x32xf32>) outs(%y : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %e, %r : tensor<?x1x4xi32>, tensor<?x32xf32>
}

// Scores of one retrieval with experts of another: their order is all that pairs them.
// CHECK-LABEL: @crossed
// CHECK: cheems.retrieve_experts {cheems_cpu.strategy = #cheems_cpu.rows_strategy<rows = 1>} ins
// CHECK: cheems.retrieve_experts {cheems_cpu.strategy = #cheems_cpu.rows_strategy<rows = 1>} ins
// CHECK: cheems.mix_experts softmax silu {cheems_cpu.strategy = #cheems_cpu.experts_strategy<order = by_row, rows = {{[18]}}>} ins
func.func @crossed(%g: tensor<?x2x1x8xf32>, %k: tensor<?x2x1x8xf32>, %x: tensor<?x32xf32>, %t: tensor<64x32xf32>, %s0: tensor<?x1x4xf32>, %e0: tensor<?x1x4xi32>, %y: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %s, %f = cheems.retrieve_experts ins(%g : tensor<?x2x1x8xf32>) outs(%s0, %e0 : tensor<?x1x4xf32>, tensor<?x1x4xi32>) -> tensor<?x1x4xf32>, tensor<?x1x4xi32>
  %q, %e = cheems.retrieve_experts ins(%k : tensor<?x2x1x8xf32>) outs(%s0, %e0 : tensor<?x1x4xf32>, tensor<?x1x4xi32>) -> tensor<?x1x4xf32>, tensor<?x1x4xi32>
  %r = cheems.mix_experts softmax silu ins(%x, %s, %e, %t, %t : tensor<?x32xf32>, tensor<?x1x4xf32>, tensor<?x1x4xi32>, tensor<64x32xf32>, tensor<64x32xf32>) outs(%y : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %r : tensor<?x32xf32>
}

// What an op says already stays; experts that are given are in order by whoever gives them.
// CHECK-LABEL: @given
// CHECK: cheems.mix_experts softmax silu {cheems_cpu.strategy = #cheems_cpu.experts_strategy<order = by_group, rows = 16>}
// CHECK: cheems.mix_experts softmax silu {cheems_cpu.strategy = #cheems_cpu.experts_strategy<order = by_group, rows = 64>}
// SINGLY-LABEL: @given
// SINGLY: cheems.mix_experts softmax silu {cheems_cpu.strategy = #cheems_cpu.experts_strategy<order = by_group, rows = 16>}
// SINGLY: cheems.mix_experts softmax silu {cheems_cpu.strategy = #cheems_cpu.experts_strategy<order = by_row, rows = {{[18]}}>} ins
func.func @given(%x: tensor<?x32xf32>, %t: tensor<64x32xf32>, %s: tensor<?x1x4xf32>, %e: tensor<?x1x4xi32>, %y: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %r = cheems.mix_experts softmax silu {cheems_cpu.strategy = #cheems_cpu.experts_strategy<order = by_group, rows = 16>} ins(%x, %s, %e, %t, %t : tensor<?x32xf32>, tensor<?x1x4xf32>, tensor<?x1x4xi32>, tensor<64x32xf32>, tensor<64x32xf32>) outs(%y : tensor<?x32xf32>) -> tensor<?x32xf32>
  %q = cheems.mix_experts softmax silu ins(%x, %s, %e, %t, %t : tensor<?x32xf32>, tensor<?x1x4xf32>, tensor<?x1x4xi32>, tensor<64x32xf32>, tensor<64x32xf32>) outs(%r : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %q : tensor<?x32xf32>
}

// A row at a time, in a loop that is parallel already.
// CHECK-LABEL: @parallel
// CHECK: scf.forall
// CHECK: cheems.mix_experts softmax silu {cheems_cpu.strategy = #cheems_cpu.experts_strategy<order = by_row, rows = {{[18]}}>} ins
func.func @parallel(%x: tensor<8x32xf32>, %t: tensor<64x32xf32>, %s: tensor<8x1x4xf32>, %e: tensor<8x1x4xi32>, %y: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %r = scf.forall (%i) in (8) shared_outs(%o = %y) -> tensor<8x32xf32> {
    %a = tensor.extract_slice %x[%i, 0] [1, 32] [1, 1] : tensor<8x32xf32> to tensor<1x32xf32>
    %b = tensor.extract_slice %s[%i, 0, 0] [1, 1, 4] [1, 1, 1] : tensor<8x1x4xf32> to tensor<1x1x4xf32>
    %c = tensor.extract_slice %e[%i, 0, 0] [1, 1, 4] [1, 1, 1] : tensor<8x1x4xi32> to tensor<1x1x4xi32>
    %d = tensor.extract_slice %o[%i, 0] [1, 32] [1, 1] : tensor<8x32xf32> to tensor<1x32xf32>
    %m = cheems.mix_experts softmax silu ins(%a, %b, %c, %t, %t : tensor<1x32xf32>, tensor<1x1x4xf32>, tensor<1x1x4xi32>, tensor<64x32xf32>, tensor<64x32xf32>) outs(%d : tensor<1x32xf32>) -> tensor<1x32xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %m into %o[%i, 0] [1, 32] [1, 1] : tensor<1x32xf32> into tensor<8x32xf32>
    }
  }
  return %r : tensor<8x32xf32>
}
