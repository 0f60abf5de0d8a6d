// Calls, loops and branches.
// RUN: cheems-opt %s --cheems-interpret='entry=main outputs=%t.safetensors' -o /dev/null
// RUN: python3 %S/Inputs/tensors.py show %t.safetensors | FileCheck %s

// CHECK: sum I64 [1] 12
// CHECK: doubled I64 [1] 112
// CHECK: chosen F32 [2] 1 -1
// Each iteration sees the tensor as it was before the loop.
// CHECK: parallel F32 [2, 3] 10 20 30 10 20 30
func.func @main() -> (tensor<1xindex> {cheems.name = "sum"}, tensor<1xindex> {cheems.name = "doubled"}, tensor<2xf32> {cheems.name = "chosen"}, tensor<2x3xf32> {cheems.name = "parallel"}) {
  %0 = arith.constant 0 : index
  %2 = arith.constant 2 : index
  %7 = arith.constant 7 : index
  %total = scf.for %i = %0 to %7 step %2 iter_args(%sum = %0) -> (index) {
    %more = arith.addi %sum, %i : index
    scf.yield %more : index
  }
  %sum = tensor.from_elements %total : tensor<1xindex>
  %doubled = scf.while (%at = %7) : (index) -> index {
    %hundred = arith.constant 100 : index
    %below = arith.cmpi slt, %at, %hundred : index
    scf.condition(%below) %at : index
  } do {
  ^bb0(%at: index):
    %twice = arith.addi %at, %at : index
    scf.yield %twice : index
  }
  %last = tensor.from_elements %doubled : tensor<1xindex>
  %true = arith.constant true
  %false = arith.constant false
  %a = call @sign(%true) : (i1) -> f32
  %b = call @sign(%false) : (i1) -> f32
  %chosen = tensor.from_elements %a, %b : tensor<2xf32>
  %x = arith.constant dense<[[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]> : tensor<2x3xf32>
  %parallel = scf.forall (%i, %j) in (2, 3) shared_outs(%all = %x) -> (tensor<2x3xf32>) {
    %first = tensor.extract_slice %all[0, %j] [1, 1] [1, 1] : tensor<2x3xf32> to tensor<1x1xf32>
    %init = tensor.empty() : tensor<1x1xf32>
    %ten = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%first : tensor<1x1xf32>) outs(%init : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %factor = arith.constant 10.0 : f32
      %times = arith.mulf %in, %factor : f32
      linalg.yield %times : f32
    } -> tensor<1x1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %ten into %all[%i, %j] [1, 1] [1, 1] : tensor<1x1xf32> into tensor<2x3xf32>
    }
  }
  return %sum, %last, %chosen, %parallel : tensor<1xindex>, tensor<1xindex>, tensor<2xf32>, tensor<2x3xf32>
}

func.func private @sign(%positive: i1) -> f32 {
  %sign = scf.if %positive -> (f32) {
    %one = arith.constant 1.0 : f32
    scf.yield %one : f32
  } else {
    %minusOne = arith.constant -1.0 : f32
    scf.yield %minusOne : f32
  }
  return %sign : f32
}
