// Slices and shapes, of extents that are known only as they run.
// RUN: cheems-opt %s --cheems-interpret='entry=main outputs=%t.safetensors' -o /dev/null
// RUN: python3 %S/Inputs/tensors.py show %t.safetensors | FileCheck %s

// CHECK: every_other F32 [2] 2 6
// CHECK: put F32 [2, 4] 1 9 9 4 5 9 9 8
// CHECK: heads F32 [2, 2, 2] 1 2 3 4 5 6 7 8
// CHECK: flat F32 [8] 1 2 3 4 5 6 7 8
// CHECK: extent I64 [2] 2 2
// CHECK: changed F32 [2, 4] 1 2 3 4 5 6 7 0.5
func.func @main() -> (tensor<?xf32> {cheems.name = "every_other"}, tensor<2x4xf32> {cheems.name = "put"}, tensor<?x2x2xf32> {cheems.name = "heads"},
    tensor<?xf32> {cheems.name = "flat"}, tensor<2xindex> {cheems.name = "extent"}, tensor<2x4xf32> {cheems.name = "changed"}) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  %3 = arith.constant 3 : index
  %x = arith.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf32>
  %everyOther = tensor.extract_slice %x[0, %1] [%2, 1] [1, 1] : tensor<2x4xf32> to tensor<?xf32>
  %nine = arith.constant 9.0 : f32
  %empty = tensor.empty(%2) : tensor<?xf32>
  %nines = linalg.fill ins(%nine : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %once = tensor.insert_slice %nines into %x[0, 1] [1, %2] [1, 1] : tensor<?xf32> into tensor<2x4xf32>
  %put = tensor.insert_slice %nines into %once[1, 1] [1, %2] [1, 1] : tensor<?xf32> into tensor<2x4xf32>
  %any = tensor.cast %x : tensor<2x4xf32> to tensor<?x4xf32>
  %rows = tensor.dim %any, %0 : tensor<?x4xf32>
  %heads = tensor.expand_shape %any [[0], [1, 2]] output_shape [%rows, 2, 2] : tensor<?x4xf32> into tensor<?x2x2xf32>
  %flat = tensor.collapse_shape %any [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
  %last = tensor.dim %heads, %2 : tensor<?x2x2xf32>
  %extent = tensor.from_elements %rows, %last : tensor<2xindex>
  %half = arith.constant 0.5 : f32
  %changed = tensor.insert %half into %x[%1, %3] : tensor<2x4xf32>
  return %everyOther, %put, %heads, %flat, %extent, %changed
      : tensor<?xf32>, tensor<2x4xf32>, tensor<?x2x2xf32>, tensor<?xf32>, tensor<2xindex>, tensor<2x4xf32>
}
