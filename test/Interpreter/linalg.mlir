// Structured ops and what their regions hold.
// RUN: cheems-opt %s --cheems-interpret='entry=main outputs=%t.safetensors' -o /dev/null
// RUN: python3 %S/Inputs/tensors.py show %t.safetensors | FileCheck %s

// CHECK: rows F32 [2, 2] 5 11 11 25
// CHECK: columns F32 [2, 2] 7 10 15 22
// CHECK: added F32 [2, 2] 8 11 16 23
// CHECK: sums F32 [2] 3 7
// CHECK: indices I32 [2, 3] 0 1 2 10 11 12
// CHECK: looked_up F32 [2] 3 1
// CHECK: functions F32 [8] 2.71828 0.693147 2 0.761594 0.842701 3 0.5 8
// CHECK: rounded BF16 [2] 0.100098 3.09375
// CHECK: turned F32 [2, 2] 1 3 2 4
func.func @main() -> (tensor<2x2xf32> {cheems.name = "rows"}, tensor<2x2xf32> {cheems.name = "columns"}, tensor<2x2xf32> {cheems.name = "added"},
    tensor<2xf32> {cheems.name = "sums"}, tensor<2x3xi32> {cheems.name = "indices"}, tensor<2xf32> {cheems.name = "looked_up"},
    tensor<8xf32> {cheems.name = "functions"}, tensor<2xbf16> {cheems.name = "rounded"}, tensor<2x2xf32> {cheems.name = "turned"}) {
  %zero = arith.constant 0.0 : f32
  %x = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %empty = tensor.empty() : tensor<2x2xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x2xf32>) -> tensor<2x2xf32>
  %rows = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%x, %x : tensor<2x2xf32>, tensor<2x2xf32>) outs(%zeros : tensor<2x2xf32>) -> tensor<2x2xf32>
  %columns = linalg.matmul ins(%x, %x : tensor<2x2xf32>, tensor<2x2xf32>) outs(%zeros : tensor<2x2xf32>) -> tensor<2x2xf32>
  %one = arith.constant dense<1.0> : tensor<2x2xf32>
  %added = linalg.matmul ins(%x, %x : tensor<2x2xf32>, tensor<2x2xf32>) outs(%one : tensor<2x2xf32>) -> tensor<2x2xf32>

  %e0 = tensor.empty() : tensor<2xf32>
  %zeroRow = linalg.fill ins(%zero : f32) outs(%e0 : tensor<2xf32>) -> tensor<2xf32>
  %sums = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<2x2xf32>) outs(%zeroRow : tensor<2xf32>) {
  ^bb0(%in: f32, %out: f32):
    %sum = arith.addf %in, %out : f32
    linalg.yield %sum : f32
  } -> tensor<2xf32>

  %e1 = tensor.empty() : tensor<2x3xi32>
  %indices = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e1 : tensor<2x3xi32>) {
  ^bb0(%out: i32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %ten = arith.constant 10 : index
    %tens = arith.muli %i, %ten : index
    %both = arith.addi %tens, %j : index
    %narrow = arith.index_cast %both : index to i32
    linalg.yield %narrow : i32
  } -> tensor<2x3xi32>

  %ids = arith.constant dense<[1, 0]> : tensor<2xi32>
  %lookedUp = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%ids : tensor<2xi32>) outs(%e0 : tensor<2xf32>) {
  ^bb0(%id: i32, %out: f32):
    %c0 = arith.constant 0 : index
    %row = arith.index_cast %id : i32 to index
    %found = tensor.extract %x[%row, %c0] : tensor<2x2xf32>
    linalg.yield %found : f32
  } -> tensor<2xf32>

  %half = arith.constant 0.5 : f32
  %unit = arith.constant 1.0 : f32
  %four = arith.constant 4.0 : f32
  %three = arith.constant -3.0 : f32
  %two = arith.constant 2.0 : f32
  %f0 = math.exp %unit : f32
  %f1 = math.log1p %unit : f32
  %f2 = math.sqrt %four : f32
  %f3 = math.tanh %unit : f32
  %f4 = math.erf %unit : f32
  %f5 = math.absf %three : f32
  %f6 = math.rsqrt %four : f32
  %f7 = math.fma %two, %four, %zero : f32
  %functions = tensor.from_elements %f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7 : tensor<8xf32>

  %wide = arith.constant dense<[0.1, 3.1]> : tensor<2xf32>
  %e2 = tensor.empty() : tensor<2xbf16>
  %rounded = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%wide : tensor<2xf32>) outs(%e2 : tensor<2xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %narrow = arith.truncf %in : f32 to bf16
    linalg.yield %narrow : bf16
  } -> tensor<2xbf16>
  %turned = linalg.transpose ins(%x : tensor<2x2xf32>) outs(%empty : tensor<2x2xf32>) permutation = [1, 0]
  return %rows, %columns, %added, %sums, %indices, %lookedUp, %functions, %rounded, %turned
      : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<2x3xi32>, tensor<2xf32>, tensor<8xf32>, tensor<2xbf16>, tensor<2x2xf32>
}
