// Rows that matmuls quantize themselves, where a step has one.
// RUN: cheems-opt %s --cheems-gpu-kernels --split-input-file --canonicalize --cse | FileCheck %s

// The norm goes with the rounding. The first block stores the norm that others read. Where there are more rows, each of both has its launch.
// CHECK-LABEL: func.func @normed
// CHECK: %[[FIRST:.*]]:2 = cheems_tile.launch @normed_matmul_int8_of_one_row {{.*}} ins(%arg0, %arg1, %arg2, %arg3 : tensor<?x768xf32>, tensor<768xf32>, tensor<256x768xi8>, tensor<256x1xf32>)
// CHECK: %[[NORM:.*]] = cheems_tile.launch @rms_norm {{.*}} ins(%arg0, %arg1 : {{.*}} outs(%[[FIRST]]#1 :
// CHECK: %[[CODES:.*]]:2 = cheems_tile.launch @round_rows {{.*}} ins(%[[NORM]] :
// CHECK: %[[SUMS:.*]] = cheems_tile.launch @matmul_int8_few_rows {{.*}} ins(%[[CODES]]#0, %[[CODES]]#1, %arg2, %arg3 : {{.*}} outs(%[[FIRST]]#0 :
// CHECK: return %[[SUMS]], %[[NORM]]
// CHECK-LABEL: kernel @normed_matmul_int8_of_one_row(
// CHECK: %[[ROW:.*]] = cheems_tile.alloc : !cheems_tile.buffer<1x1x{{[0-9]+}}xi8>
// CHECK: %[[SCALE:.*]] = cheems_tile.alloc : !cheems_tile.buffer<1x1x512xf32>
// CHECK: cheems_tile.load %arg2[
// CHECK-NOT: cheems_tile.mma
// CHECK: cheems_tile.load %arg0[
// CHECK: cheems_tile.reduce add
// CHECK: cheems_tile.load %arg1[
// CHECK: scf.if
// CHECK: cheems_tile.store %{{.*}}, %arg5[
// CHECK: cheems_tile.reduce maximum
// CHECK: cheems_tile.write %{{.*}}, %[[ROW]][
// CHECK: cheems_tile.write %{{.*}}, %[[SCALE]][
// CHECK: cheems_tile.barrier
// CHECK: cheems_tile.read %[[ROW]][{{.*}} -> tensor<256xi8, #columns
// CHECK: cheems_tile.mma
// CHECK: cheems_tile.sum_partials
// CHECK: cheems_tile.read %[[SCALE]][{{.*}} -> tensor<8xf32
// CHECK: cheems_tile.store %{{.*}}, %arg4[
module attributes {cheems.target = #cheems_tile.target<arch = sm_90a, multiprocessors = 132, shared = 232448, l2 = 52428800, bandwidth = 3350>} {
  func.func @normed(%x: tensor<?x768xf32>, %gain: tensor<768xf32>, %a: tensor<256x768xi8>, %s: tensor<256x1xf32>, %n: tensor<?x768xf32>, %e: tensor<?x256xf32>)
      -> (tensor<?x256xf32>, tensor<?x768xf32>) attributes {cheems.most_rows = 64 : i64} {
    %c0 = arith.constant 0 : index
    %rows = tensor.dim %x, %c0 : tensor<?x768xf32>
    %norm = cheems.rms_norm epsilon 1.0e-06 ins(%x, %gain : tensor<?x768xf32>, tensor<768xf32>) outs(%n : tensor<?x768xf32>) -> tensor<?x768xf32>
    %c = tensor.empty(%rows) : tensor<?x768xi8>
    %u = tensor.empty(%rows) : tensor<?xf32>
    %codes, %unit = cheems.quantize_entries ins(%norm : tensor<?x768xf32>) outs(%c, %u : tensor<?x768xi8>, tensor<?xf32>) -> tensor<?x768xi8>, tensor<?xf32>
    %p = cheems_tile.quantized_matmul bits 8 ins(%codes, %unit : tensor<?x768xi8>, tensor<?xf32>) weights(%a, %s : tensor<256x768xi8>, tensor<256x1xf32>) outs(%e : tensor<?x256xf32>) -> tensor<?x256xf32>
    return %p, %norm : tensor<?x256xf32>, tensor<?x768xf32>
  }
}

// -----

// 4-bit integers: a block that makes the row has four warps, of 16 columns each.
// CHECK-LABEL: func.func @rounded
// CHECK: %[[ROUNDED:.*]]:2 = cheems_tile.launch @round_rows
// CHECK: %[[ONE:.*]] = cheems_tile.launch @rounded_matmul_int4_of_one_row {{.*}} ins(%arg0, %arg1, %arg2 :
// CHECK: %[[MORE:.*]] = cheems_tile.launch @matmul_int4_few_rows {{.*}} ins(%[[ROUNDED]]#0, %[[ROUNDED]]#1, %arg1, %arg2 : {{.*}} outs(%[[ONE]] :
// CHECK: return %[[MORE]]
// CHECK-LABEL: kernel @rounded_matmul_int4_of_one_row(
// CHECK-SAME: warps(4)
// CHECK: cheems_tile.load %arg1[{{.*}} -> tensor<64x64xi8
// CHECK: cheems_tile.load %arg0[
// CHECK: cheems_tile.reduce maximum
module attributes {cheems.target = #cheems_tile.target<arch = sm_90a, multiprocessors = 132, shared = 232448, l2 = 52428800, bandwidth = 3350>} {
  func.func @rounded(%x: tensor<?x256xf32>, %a: tensor<64x128xi8>, %s: tensor<64x4xbf16>, %e: tensor<?x64xf32>) -> tensor<?x64xf32>
      attributes {cheems.most_rows = 64 : i64} {
    %c0 = arith.constant 0 : index
    %rows = tensor.dim %x, %c0 : tensor<?x256xf32>
    %c = tensor.empty(%rows) : tensor<?x256xi8>
    %u = tensor.empty(%rows) : tensor<?xf32>
    %codes, %unit = cheems.quantize_entries ins(%x : tensor<?x256xf32>) outs(%c, %u : tensor<?x256xi8>, tensor<?xf32>) -> tensor<?x256xi8>, tensor<?xf32>
    %p = cheems_tile.quantized_matmul bits 4 ins(%codes, %unit : tensor<?x256xi8>, tensor<?xf32>) weights(%a, %s : tensor<64x128xi8>, tensor<64x4xbf16>) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
    return %p : tensor<?x64xf32>
  }
}

// -----

// A row of more than 8192 numbers, quantized values that others read, and rows of a step with many.
// CHECK-LABEL: func.func @long
// CHECK: cheems_tile.launch @round_rows
// CHECK: cheems_tile.launch @matmul_int8_of_one_row
// CHECK-LABEL: func.func @read
// CHECK: cheems_tile.launch @round_rows
// CHECK: cheems_tile.launch @matmul_int8_of_one_row
// CHECK-LABEL: func.func @many
// CHECK: cheems_tile.launch @round_rows
// CHECK: cheems_tile.launch @matmul_int8 
// CHECK-NOT: rounded_matmul
module attributes {cheems.target = #cheems_tile.target<arch = sm_90a, multiprocessors = 132, shared = 232448, l2 = 52428800, bandwidth = 3350>} {
  func.func @long(%x: tensor<?x8196xf32>, %a: tensor<16x8196xi8>, %s: tensor<16x1xf32>, %e: tensor<?x16xf32>) -> tensor<?x16xf32>
      attributes {cheems.most_rows = 64 : i64} {
    %c0 = arith.constant 0 : index
    %rows = tensor.dim %x, %c0 : tensor<?x8196xf32>
    %c = tensor.empty(%rows) : tensor<?x8196xi8>
    %u = tensor.empty(%rows) : tensor<?xf32>
    %codes, %unit = cheems.quantize_entries ins(%x : tensor<?x8196xf32>) outs(%c, %u : tensor<?x8196xi8>, tensor<?xf32>) -> tensor<?x8196xi8>, tensor<?xf32>
    %p = cheems_tile.quantized_matmul bits 8 ins(%codes, %unit : tensor<?x8196xi8>, tensor<?xf32>) weights(%a, %s : tensor<16x8196xi8>, tensor<16x1xf32>) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
    return %p : tensor<?x16xf32>
  }
  func.func @read(%x: tensor<?x64xf32>, %a: tensor<16x64xi8>, %s: tensor<16x1xf32>, %e: tensor<?x16xf32>, %c: tensor<?x64xi8>) -> (tensor<?x16xf32>, tensor<?x64xi8>)
      attributes {cheems.most_rows = 64 : i64} {
    %c0 = arith.constant 0 : index
    %rows = tensor.dim %x, %c0 : tensor<?x64xf32>
    %u = tensor.empty(%rows) : tensor<?xf32>
    %codes, %unit = cheems.quantize_entries ins(%x : tensor<?x64xf32>) outs(%c, %u : tensor<?x64xi8>, tensor<?xf32>) -> tensor<?x64xi8>, tensor<?xf32>
    %p = cheems_tile.quantized_matmul bits 8 ins(%codes, %unit : tensor<?x64xi8>, tensor<?xf32>) weights(%a, %s : tensor<16x64xi8>, tensor<16x1xf32>) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
    return %p, %codes : tensor<?x16xf32>, tensor<?x64xi8>
  }
  func.func @many(%x: tensor<?x64xf32>, %a: tensor<16x64xi8>, %s: tensor<16x1xf32>, %e: tensor<?x16xf32>) -> tensor<?x16xf32> {
    %c0 = arith.constant 0 : index
    %rows = tensor.dim %x, %c0 : tensor<?x64xf32>
    %c = tensor.empty(%rows) : tensor<?x64xi8>
    %u = tensor.empty(%rows) : tensor<?xf32>
    %codes, %unit = cheems.quantize_entries ins(%x : tensor<?x64xf32>) outs(%c, %u : tensor<?x64xi8>, tensor<?xf32>) -> tensor<?x64xi8>, tensor<?xf32>
    %p = cheems_tile.quantized_matmul bits 8 ins(%codes, %unit : tensor<?x64xi8>, tensor<?xf32>) weights(%a, %s : tensor<16x64xi8>, tensor<16x1xf32>) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
    return %p : tensor<?x16xf32>
  }
}
