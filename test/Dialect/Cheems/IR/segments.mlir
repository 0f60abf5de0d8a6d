// Ops of a step print as they parse: each optional operand, attribute and mark at least once.
// RUN: cheems-opt %s | cheems-opt | FileCheck %s
// RUN: cheems-opt %s --mlir-print-op-generic | cheems-opt | FileCheck %s

// CHECK-LABEL: @gather
// CHECK: cheems.gather_rows ins(%{{.*}}, %{{.*}} : tensor<512x64xbf16>, tensor<?xi32>) outs(%{{.*}} : tensor<?x64xf32>) -> tensor<?x64xf32>
// CHECK: cheems.gather_rows ins(%{{.*}}, %{{.*}} : tensor<?x64xf32>, tensor<?xi32>) outs(%{{.*}} : tensor<?x64xf32>) -> tensor<?x64xf32>
// CHECK: cheems.gather_rows ins(%{{.*}}, %{{.*}} : tensor<9x64xf16>, tensor<?xi32>) outs(%{{.*}} : tensor<?x64xf32>) -> tensor<?x64xf32>
func.func @gather(%table: tensor<512x64xbf16>, %halves: tensor<9x64xf16>, %ids: tensor<?xi32>, %y: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %x = cheems.gather_rows ins(%table, %ids : tensor<512x64xbf16>, tensor<?xi32>) outs(%y : tensor<?x64xf32>) -> tensor<?x64xf32>
  %r = cheems.gather_rows ins(%x, %ids : tensor<?x64xf32>, tensor<?xi32>) outs(%y : tensor<?x64xf32>) -> tensor<?x64xf32>
  %h = cheems.gather_rows ins(%halves, %ids : tensor<9x64xf16>, tensor<?xi32>) outs(%r : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %h : tensor<?x64xf32>
}

// CHECK-LABEL: @positions
// CHECK: cheems.positions ins(%{{.*}} : tensor<?x8xi32>) outs(%{{.*}}, %{{.*}} : tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>, tensor<?xi32>
// CHECK: cheems.positions one_row ins(%{{.*}} : tensor<3x8xi32>) outs(%{{.*}}, %{{.*}} : tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>, tensor<?xi32>
func.func @positions(%any: tensor<?x8xi32>, %three: tensor<3x8xi32>, %p: tensor<?xi32>, %l: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>) {
  %0:2 = cheems.positions ins(%any : tensor<?x8xi32>) outs(%p, %l : tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>, tensor<?xi32>
  %1:2 = cheems.positions one_row ins(%three : tensor<3x8xi32>) outs(%0#0, %0#1 : tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>, tensor<?xi32>
  return %1#0, %1#1 : tensor<?xi32>, tensor<?xi32>
}

// CHECK-LABEL: @ssd
// CHECK: cheems.segmented_ssd allow_pairs ins(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<?x4x8xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x2x6xf32>, tensor<?x2x6xf32>) segments(%{{.*}} : tensor<?x8xi32>) layer(%{{.*}}) outs(%{{.*}}, %{{.*}} : tensor<?x4x8xf32>, tensor<?x7x4x6x8xf32>) -> tensor<?x4x8xf32>, tensor<?x7x4x6x8xf32>
// CHECK: cheems.segmented_ssd allow_bf16 one_row ins({{.*}}) skip(%{{.*}} : tensor<4xf32>) segments(%{{.*}} : tensor<?x8xi32>) layer(%{{.*}}) outs(%{{.*}}, %{{.*}} : tensor<?x4x8xf32>, tensor<?x7x4x6x8xf32>) -> tensor<?x4x8xf32>, tensor<?x7x4x6x8xf32>
func.func @ssd(%x: tensor<?x4x8xf32>, %dt: tensor<?x4xf32>, %a: tensor<4xf32>, %b: tensor<?x2x6xf32>, %d: tensor<4xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %pool: tensor<?x7x4x6x8xf32>) -> (tensor<?x4x8xf32>, tensor<?x7x4x6x8xf32>) {
  %0:2 = cheems.segmented_ssd allow_pairs ins(%x, %dt, %a, %b, %b : tensor<?x4x8xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x2x6xf32>, tensor<?x2x6xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %pool : tensor<?x4x8xf32>, tensor<?x7x4x6x8xf32>) -> tensor<?x4x8xf32>, tensor<?x7x4x6x8xf32>
  %1:2 = cheems.segmented_ssd allow_bf16 one_row ins(%x, %dt, %a, %b, %b : tensor<?x4x8xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x2x6xf32>, tensor<?x2x6xf32>) skip(%d : tensor<4xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%0#0, %0#1 : tensor<?x4x8xf32>, tensor<?x7x4x6x8xf32>) -> tensor<?x4x8xf32>, tensor<?x7x4x6x8xf32>
  return %1#0, %1#1 : tensor<?x4x8xf32>, tensor<?x7x4x6x8xf32>
}

// CHECK-LABEL: @window
// CHECK: cheems.segmented_attention bias scale 5.000000e-01 keep 24 block 8 ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<?x4x16xf32>, tensor<?x2x16xf32>, tensor<?x2x16xf32>) mask(%{{.*}} : tensor<?x4xf32>) segments(%{{.*}} : tensor<?x8xi32>) layer(%{{.*}}) outs(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<?x4x16xf32>, tensor<?x2x4x?x16xbf16>, tensor<?x2x4x?x16xbf16>, tensor<?x2x4x?xf32>) positions(%{{.*}} : tensor<?x2x4x?xi32>) -> tensor<?x4x16xf32>, tensor<?x2x4x?x16xbf16>, tensor<?x2x4x?x16xbf16>, tensor<?x2x4x?xf32>, tensor<?x2x4x?xi32>
func.func @window(%q: tensor<?x4x16xf32>, %k: tensor<?x2x16xf32>, %v: tensor<?x2x16xf32>, %mask: tensor<?x4xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x16xf32>, %keys: tensor<?x2x4x?x16xbf16>, %values: tensor<?x2x4x?x16xbf16>, %masks: tensor<?x2x4x?xf32>, %positions: tensor<?x2x4x?xi32>) -> tensor<?x4x16xf32> {
  %r:5 = cheems.segmented_attention bias scale 0.5 keep 24 block 8 ins(%q, %k, %v : tensor<?x4x16xf32>, tensor<?x2x16xf32>, tensor<?x2x16xf32>) mask(%mask : tensor<?x4xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x16xf32>, tensor<?x2x4x?x16xbf16>, tensor<?x2x4x?x16xbf16>, tensor<?x2x4x?xf32>) positions(%positions : tensor<?x2x4x?xi32>) -> tensor<?x4x16xf32>, tensor<?x2x4x?x16xbf16>, tensor<?x2x4x?x16xbf16>, tensor<?x2x4x?xf32>, tensor<?x2x4x?xi32>
  return %r#0 : tensor<?x4x16xf32>
}

// CHECK-LABEL: @visible
// CHECK: cheems.segmented_attention threshold scale 5.000000e-01 hide_below 1.000000e+00 visible [true, false] block 64 ins({{.*}} : tensor<?x4x16xf32>, tensor<?x2x16xf32>, tensor<?x2x16xf32>) segments({{.*}}) layer({{.*}}) outs({{.*}}) -> tensor<?x4x16xf32>, tensor<?x2x2x?x16xf32>, tensor<?x2x2x?x16xf32>, tensor<?x2x2x?xf32>
func.func @visible(%q: tensor<?x4x16xf32>, %k: tensor<?x2x16xf32>, %v: tensor<?x2x16xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x16xf32>, %keys: tensor<?x2x2x?x16xf32>, %values: tensor<?x2x2x?x16xf32>, %masks: tensor<?x2x2x?xf32>) -> tensor<?x4x16xf32> {
  %r:4 = cheems.segmented_attention threshold scale 0.5 hide_below 1.0 visible [true, false] block 64 ins(%q, %k, %v : tensor<?x4x16xf32>, tensor<?x2x16xf32>, tensor<?x2x16xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x16xf32>, tensor<?x2x2x?x16xf32>, tensor<?x2x2x?x16xf32>, tensor<?x2x2x?xf32>) -> tensor<?x4x16xf32>, tensor<?x2x2x?x16xf32>, tensor<?x2x2x?x16xf32>, tensor<?x2x2x?xf32>
  return %r#0 : tensor<?x4x16xf32>
}

// CHECK-LABEL: @counted
// CHECK: cheems.segmented_attention threshold scale 5.000000e-01 hide_below 2.500000e-01 block 64 allow_bf16 one_row ins({{.*}}) mask({{.*}}) segments({{.*}}) layer({{.*}}) outs({{.*}}) scales(%{{.*}}, %{{.*}} : tensor<?x2x2x?xf32>, tensor<?x2x2x?xf32>) counts(%{{.*}} : tensor<?x2x2xi32>) -> tensor<?x4x16xf32>, tensor<?x2x2x?x16xi8>, tensor<?x2x2x?x16xi8>, tensor<?x2x2x?xf32>, tensor<?x2x2x?xf32>, tensor<?x2x2x?xf32>, tensor<?x2x2xi32>
func.func @counted(%q: tensor<?x4x16xf32>, %k: tensor<?x2x16xf32>, %v: tensor<?x2x16xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x16xf32>, %keys: tensor<?x2x2x?x16xi8>, %values: tensor<?x2x2x?x16xi8>, %masks: tensor<?x2x2x?xf32>, %ks: tensor<?x2x2x?xf32>, %vs: tensor<?x2x2x?xf32>, %counts: tensor<?x2x2xi32>) -> tensor<?x4x16xf32> {
  %r:7 = cheems.segmented_attention threshold scale 0.5 hide_below 0.25 block 64 allow_bf16 one_row ins(%q, %k, %v : tensor<?x4x16xf32>, tensor<?x2x16xf32>, tensor<?x2x16xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x16xf32>, tensor<?x2x2x?x16xi8>, tensor<?x2x2x?x16xi8>, tensor<?x2x2x?xf32>) scales(%ks, %vs : tensor<?x2x2x?xf32>, tensor<?x2x2x?xf32>) counts(%counts : tensor<?x2x2xi32>) -> tensor<?x4x16xf32>, tensor<?x2x2x?x16xi8>, tensor<?x2x2x?x16xi8>, tensor<?x2x2x?xf32>, tensor<?x2x2x?xf32>, tensor<?x2x2x?xf32>, tensor<?x2x2xi32>
  return %r#0 : tensor<?x4x16xf32>
}

// CHECK-LABEL: @scale
// CHECK: cheems.segmented_attention scale scale 5.000000e-01 block 1 ins({{.*}}) mask({{.*}}) segments({{.*}}) layer({{.*}}) outs({{.*}}) -> tensor<3x4x16xf32>, tensor<2x1x1x9x16xf32>, tensor<2x1x1x9x16xf32>, tensor<2x1x4x9xf32>
func.func @scale(%q: tensor<3x4x16xf32>, %k: tensor<3x1x16xf32>, %v: tensor<3x1x16xf32>, %mask: tensor<3x4xf32>, %segments: tensor<2x8xi32>, %layer: index, %y: tensor<3x4x16xf32>, %keys: tensor<2x1x1x9x16xf32>, %values: tensor<2x1x1x9x16xf32>, %masks: tensor<2x1x4x9xf32>) -> tensor<3x4x16xf32> {
  %r:4 = cheems.segmented_attention scale scale 0.5 block 1 ins(%q, %k, %v : tensor<3x4x16xf32>, tensor<3x1x16xf32>, tensor<3x1x16xf32>) mask(%mask : tensor<3x4xf32>) segments(%segments : tensor<2x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<3x4x16xf32>, tensor<2x1x1x9x16xf32>, tensor<2x1x1x9x16xf32>, tensor<2x1x4x9xf32>) -> tensor<3x4x16xf32>, tensor<2x1x1x9x16xf32>, tensor<2x1x1x9x16xf32>, tensor<2x1x4x9xf32>
  return %r#0 : tensor<3x4x16xf32>
}

// CHECK-LABEL: @none
// CHECK: cheems.segmented_attention none scale 5.000000e-01 block 64 ins(%arg0, %arg1, %arg1 : tensor<?x4x16xf32>, tensor<?x2x16xf32>, tensor<?x2x16xf32>) segments(%arg2 : tensor<?x8xi32>) layer(%arg3) outs(%arg4, %arg5, %arg6 : tensor<?x4x16xf32>, tensor<?x2x2x?x16xbf16>, tensor<?x2x2x?x16xbf16>) -> tensor<?x4x16xf32>, tensor<?x2x2x?x16xbf16>, tensor<?x2x2x?x16xbf16>
// CHECK: cheems.segmented_attention none scale 5.000000e-01 block 64 one_row ins({{.*}}) segments({{.*}}) layer({{.*}}) outs(%{{.*}}, %{{.*}}, %{{.*}} : {{.*}}) scales(%{{.*}}, %{{.*}} : tensor<?x2x2x?xf32>, tensor<?x2x2x?xf32>) ->
func.func @none(%q: tensor<?x4x16xf32>, %k: tensor<?x2x16xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x16xf32>, %keys: tensor<?x2x2x?x16xbf16>, %values: tensor<?x2x2x?x16xbf16>, %codes: tensor<?x2x2x?x16xi8>, %scales: tensor<?x2x2x?xf32>) -> tensor<?x4x16xf32> {
  %r:3 = cheems.segmented_attention none scale 0.5 block 64 ins(%q, %k, %k : tensor<?x4x16xf32>, tensor<?x2x16xf32>, tensor<?x2x16xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values : tensor<?x4x16xf32>, tensor<?x2x2x?x16xbf16>, tensor<?x2x2x?x16xbf16>) -> tensor<?x4x16xf32>, tensor<?x2x2x?x16xbf16>, tensor<?x2x2x?x16xbf16>
  %s:5 = cheems.segmented_attention none scale 0.5 block 64 one_row ins(%r#0, %k, %k : tensor<?x4x16xf32>, tensor<?x2x16xf32>, tensor<?x2x16xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %codes, %codes : tensor<?x4x16xf32>, tensor<?x2x2x?x16xi8>, tensor<?x2x2x?x16xi8>) scales(%scales, %scales : tensor<?x2x2x?xf32>, tensor<?x2x2x?xf32>) -> tensor<?x4x16xf32>, tensor<?x2x2x?x16xi8>, tensor<?x2x2x?x16xi8>, tensor<?x2x2x?xf32>, tensor<?x2x2x?xf32>
  return %s#0 : tensor<?x4x16xf32>
}

// CHECK-LABEL: @recent
// CHECK: cheems.segmented_attention none scale 5.000000e-01 window 4096 block 64 ins(
func.func @recent(%q: tensor<?x4x16xf32>, %k: tensor<?x2x16xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x16xf32>, %keys: tensor<?x2x2x?x16xbf16>, %values: tensor<?x2x2x?x16xbf16>) -> tensor<?x4x16xf32> {
  %r:3 = cheems.segmented_attention none scale 0.5 window 4096 block 64 ins(%q, %k, %k : tensor<?x4x16xf32>, tensor<?x2x16xf32>, tensor<?x2x16xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values : tensor<?x4x16xf32>, tensor<?x2x2x?x16xbf16>, tensor<?x2x2x?x16xbf16>) -> tensor<?x4x16xf32>, tensor<?x2x2x?x16xbf16>, tensor<?x2x2x?x16xbf16>
  return %r#0 : tensor<?x4x16xf32>
}
