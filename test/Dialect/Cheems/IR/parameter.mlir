// parameter, its panel layout and worker print as they parse.
// RUN: cheems-opt %s | cheems-opt | FileCheck %s
// RUN: cheems-opt %s --mlir-print-op-generic | cheems-opt | FileCheck %s

// CHECK-LABEL: @parameters
// CHECK: cheems.parameter ["model.norm.weight"] : tensor<8xf32>
// CHECK: cheems.parameter ["a.weight", "b.weight"] layout(#cheems_cpu.panels<16, 2>) : tensor<2x4x16x2xbf16>
// CHECK: cheems.parameter ["keys"] permute [2, 0, 3, 1] : tensor<2x4x8x32xf32>
// CHECK: cheems.parameter ["keys"] layout(#cheems_cpu.panels<16, 2>) permute [2, 0, 1, 3] : tensor<2x4x2x4x16x2xbf16>
// CHECK: cheems.parameter ["down_embed", "up_embed"] by_columns : tensor<9x8xbf16>
func.func @parameters() -> (tensor<8xf32>, tensor<2x4x16x2xbf16>, tensor<2x4x8x32xf32>, tensor<2x4x2x4x16x2xbf16>, tensor<9x8xbf16>) {
  %w = cheems.parameter ["model.norm.weight"] : tensor<8xf32>
  %p = cheems.parameter ["a.weight", "b.weight"] layout(#cheems_cpu.panels<16, 2>) : tensor<2x4x16x2xbf16>
  %k = cheems.parameter ["keys"] permute [2, 0, 3, 1] : tensor<2x4x8x32xf32>
  %q = cheems.parameter ["keys"] layout(#cheems_cpu.panels<16, 2>) permute [2, 0, 1, 3] : tensor<2x4x2x4x16x2xbf16>
  %e = cheems.parameter ["down_embed", "up_embed"] by_columns : tensor<9x8xbf16>
  return %w, %p, %k, %q, %e : tensor<8xf32>, tensor<2x4x16x2xbf16>, tensor<2x4x8x32xf32>, tensor<2x4x2x4x16x2xbf16>, tensor<9x8xbf16>
}

// CHECK-LABEL: @quantized
// CHECK: cheems.parameter ["w"] quantized <bits = 4, group = 64, part = matrix> : tensor<20x128xbf16>
// CHECK: cheems.parameter ["w"] layout(#cheems_cpu.panels<16, 4>) quantized <bits = 4, group = 64, part = codes> : tensor<2x16x16x4xi8>
// CHECK: cheems.parameter ["w"] layout(#cheems_cpu.panels<16, 4>) quantized <bits = 4, group = 64, part = scales> : tensor<2x2x16xbf16>
// CHECK: cheems.parameter ["down", "up"] by_columns quantized <bits = 8, group = 4, part = codes> : tensor<9x8xi8>
// CHECK: cheems.parameter ["down", "up"] by_columns quantized <bits = 8, group = 4, part = scales> : tensor<9x2xf32>
func.func @quantized() -> (tensor<20x128xbf16>, tensor<2x16x16x4xi8>, tensor<2x2x16xbf16>, tensor<9x8xi8>, tensor<9x2xf32>) {
  %w = cheems.parameter ["w"] quantized <bits = 4, group = 64, part = matrix> : tensor<20x128xbf16>
  %c = cheems.parameter ["w"] layout(#cheems_cpu.panels<16, 4>) quantized <bits = 4, group = 64, part = codes> : tensor<2x16x16x4xi8>
  %s = cheems.parameter ["w"] layout(#cheems_cpu.panels<16, 4>) quantized <bits = 4, group = 64, part = scales> : tensor<2x2x16xbf16>
  %t = cheems.parameter ["down", "up"] by_columns quantized <bits = 8, group = 4, part = codes> : tensor<9x8xi8>
  %u = cheems.parameter ["down", "up"] by_columns quantized <bits = 8, group = 4, part = scales> : tensor<9x2xf32>
  return %w, %c, %s, %t, %u : tensor<20x128xbf16>, tensor<2x16x16x4xi8>, tensor<2x2x16xbf16>, tensor<9x8xi8>, tensor<9x2xf32>
}

// CHECK-LABEL: @layout_attribute
// CHECK-SAME: layout = #cheems_cpu.panels<16, 1>
func.func private @layout_attribute() attributes {layout = #cheems_cpu.panels<16, 1>}

// CHECK-LABEL: @worker
// CHECK: cheems_cpu.worker : index
func.func @worker(%n: index, %b: memref<?xindex>) {
  scf.forall (%i) in (%n) {
    %w = cheems_cpu.worker : index
    memref.store %w, %b[%i] : memref<?xindex>
  }
  return
}

// CHECK: module attributes {cheems.parameter_bytes = 1280 : i64, cheems.parameters = [
// CHECK-SAME: #cheems.stored_parameter<names = ["a", "b"], type = tensor<9x8xi8>, offset = 0, by_columns = true, quantized = <bits = 8, group = 4, part = codes>>,
// CHECK-SAME: #cheems.stored_parameter<names = ["keys"], type = tensor<2x4x2x8xbf16>, offset = 128, layout = #cheems_cpu.panels<16, 2>, permute = [1, 0]>]}
module attributes {cheems.parameter_bytes = 1280 : i64, cheems.parameters = [
    #cheems.stored_parameter<names = ["a", "b"], type = tensor<9x8xi8>, offset = 0, quantized = #cheems.quantized<bits = 8, group = 4, part = codes>,
                             by_columns = true>,
    #cheems.stored_parameter<offset = 128, names = ["keys"], type = tensor<2x4x2x8xbf16>, permute = [1, 0], layout = #cheems_cpu.panels<16, 2>>]} {
}
