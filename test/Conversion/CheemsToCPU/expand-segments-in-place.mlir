// What cheems-expand-segments makes bufferises in place: no pool is copied, neither in steps of any segments nor in those of one
// row each.
// RUN: cheems-opt %s --split-input-file --cheems-fast=to=planned | FileCheck %s --implicit-check-not=memref.copy --implicit-check-not=memref.alloc

// CHECK-LABEL: func.func @ssd(
// CHECK-LABEL: func.func @ssd_decode(
func.func @ssd(%x: tensor<?x2x8xf32> {cheems.name = "x"}, %dt: tensor<?x2xf32> {cheems.name = "dt"}, %a: tensor<2xf32> {cheems.name = "a"}, %b: tensor<?x1x6xf32> {cheems.name = "b"}, %segments: tensor<?x8xi32> {cheems.field = #cheems.step_field<segments>}, %y: tensor<?x2x8xf32> {cheems.field = #cheems.step_field<logits>}, %pool: tensor<?x7x2x6x8xf32> {cheems.field = #cheems.step_field<pools>, cheems.index = 0 : i64}) -> (tensor<?x2x8xf32>, tensor<?x7x2x6x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:2 = cheems.segmented_ssd ins(%x, %dt, %a, %b, %b : tensor<?x2x8xf32>, tensor<?x2xf32>, tensor<2xf32>, tensor<?x1x6xf32>, tensor<?x1x6xf32>) segments(%segments : tensor<?x8xi32>) layer(%c0) outs(%y, %pool : tensor<?x2x8xf32>, tensor<?x7x2x6x8xf32>) -> tensor<?x2x8xf32>, tensor<?x7x2x6x8xf32>
  %1:2 = cheems.segmented_ssd ins(%x, %dt, %a, %b, %b : tensor<?x2x8xf32>, tensor<?x2xf32>, tensor<2xf32>, tensor<?x1x6xf32>, tensor<?x1x6xf32>) segments(%segments : tensor<?x8xi32>) layer(%c1) outs(%0#0, %0#1 : tensor<?x2x8xf32>, tensor<?x7x2x6x8xf32>) -> tensor<?x2x8xf32>, tensor<?x7x2x6x8xf32>
  return %1#0, %1#1 : tensor<?x2x8xf32>, tensor<?x7x2x6x8xf32>
}

// -----

// CHECK-LABEL: func.func @attention(
// CHECK-LABEL: func.func @attention_decode(
func.func @attention(%q: tensor<?x4x16xf32> {cheems.field = #cheems.step_field<tokens>}, %k: tensor<?x2x16xf32> {cheems.field = #cheems.step_field<rows>}, %mask: tensor<?x2xf32> {cheems.name = "mask"}, %segments: tensor<?x8xi32> {cheems.field = #cheems.step_field<segments>}, %y: tensor<?x4x16xf32> {cheems.field = #cheems.step_field<logits>}, %keys: tensor<?x3x2x?x16xf32> {cheems.field = #cheems.step_field<pools>, cheems.index = 0 : i64}, %values: tensor<?x3x2x?x16xf32> {cheems.field = #cheems.step_field<pools>, cheems.index = 1 : i64}, %masks: tensor<?x3x2x?xf32> {cheems.field = #cheems.step_field<pools>, cheems.index = 2 : i64}) -> (tensor<?x4x16xf32>, tensor<?x3x2x?x16xf32>, tensor<?x3x2x?x16xf32>, tensor<?x3x2x?xf32>) {
  %layer = arith.constant 1 : index
  %r:4 = cheems.segmented_attention scale scale 0.5 block 8 ins(%q, %k, %k : tensor<?x4x16xf32>, tensor<?x2x16xf32>, tensor<?x2x16xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x16xf32>, tensor<?x3x2x?x16xf32>, tensor<?x3x2x?x16xf32>, tensor<?x3x2x?xf32>) -> tensor<?x4x16xf32>, tensor<?x3x2x?x16xf32>, tensor<?x3x2x?x16xf32>, tensor<?x3x2x?xf32>
  return %r#0, %r#1, %r#2, %r#3 : tensor<?x4x16xf32>, tensor<?x3x2x?x16xf32>, tensor<?x3x2x?x16xf32>, tensor<?x3x2x?xf32>
}

// -----

// CHECK-LABEL: func.func @window(
// CHECK-LABEL: func.func @window_decode(
func.func @window(%q: tensor<?x4x16xf32> {cheems.field = #cheems.step_field<tokens>}, %k: tensor<?x2x16xf32> {cheems.field = #cheems.step_field<rows>}, %mask: tensor<?x4xf32> {cheems.name = "mask"}, %segments: tensor<?x8xi32> {cheems.field = #cheems.step_field<segments>}, %y: tensor<?x4x16xf32> {cheems.field = #cheems.step_field<logits>}, %keys: tensor<?x3x4x?x16xbf16> {cheems.field = #cheems.step_field<pools>, cheems.index = 0 : i64}, %values: tensor<?x3x4x?x16xbf16> {cheems.field = #cheems.step_field<pools>, cheems.index = 1 : i64}, %masks: tensor<?x3x4x?xf32> {cheems.field = #cheems.step_field<pools>, cheems.index = 2 : i64}, %positions: tensor<?x3x4x?xi32> {cheems.field = #cheems.step_field<pools>, cheems.index = 3 : i64}) -> (tensor<?x4x16xf32>, tensor<?x3x4x?x16xbf16>, tensor<?x3x4x?x16xbf16>, tensor<?x3x4x?xf32>, tensor<?x3x4x?xi32>) {
  %layer = arith.constant 1 : index
  %r:5 = cheems.segmented_attention bias scale 0.5 keep 24 block 8 ins(%q, %k, %k : tensor<?x4x16xf32>, tensor<?x2x16xf32>, tensor<?x2x16xf32>) mask(%mask : tensor<?x4xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x16xf32>, tensor<?x3x4x?x16xbf16>, tensor<?x3x4x?x16xbf16>, tensor<?x3x4x?xf32>) positions(%positions : tensor<?x3x4x?xi32>) -> tensor<?x4x16xf32>, tensor<?x3x4x?x16xbf16>, tensor<?x3x4x?x16xbf16>, tensor<?x3x4x?xf32>, tensor<?x3x4x?xi32>
  return %r#0, %r#1, %r#2, %r#3, %r#4 : tensor<?x4x16xf32>, tensor<?x3x4x?x16xbf16>, tensor<?x3x4x?x16xbf16>, tensor<?x3x4x?xf32>, tensor<?x3x4x?xi32>
}

// -----

// CHECK-LABEL: func.func @window_codes(
// CHECK-LABEL: func.func @window_codes_decode(
func.func @window_codes(%q: tensor<?x4x16xf32> {cheems.field = #cheems.step_field<tokens>}, %k: tensor<?x2x16xf32> {cheems.field = #cheems.step_field<rows>}, %mask: tensor<?x2xf32> {cheems.name = "mask"}, %segments: tensor<?x8xi32> {cheems.field = #cheems.step_field<segments>}, %y: tensor<?x4x16xf32> {cheems.field = #cheems.step_field<logits>}, %keys: tensor<?x3x2x?x16xi8> {cheems.field = #cheems.step_field<pools>, cheems.index = 0 : i64}, %values: tensor<?x3x2x?x16xi8> {cheems.field = #cheems.step_field<pools>, cheems.index = 1 : i64}, %masks: tensor<?x3x2x?xf32> {cheems.field = #cheems.step_field<pools>, cheems.index = 2 : i64}, %positions: tensor<?x3x2x?xi32> {cheems.field = #cheems.step_field<pools>, cheems.index = 3 : i64}, %ks: tensor<?x3x2x?xf32> {cheems.field = #cheems.step_field<pools>, cheems.index = 4 : i64}, %vs: tensor<?x3x2x?xf32> {cheems.field = #cheems.step_field<pools>, cheems.index = 5 : i64}) -> (tensor<?x4x16xf32>, tensor<?x3x2x?x16xi8>, tensor<?x3x2x?x16xi8>, tensor<?x3x2x?xf32>, tensor<?x3x2x?xi32>, tensor<?x3x2x?xf32>, tensor<?x3x2x?xf32>) {
  %layer = arith.constant 1 : index
  %r:7 = cheems.segmented_attention bias scale 0.5 keep 24 block 8 ins(%q, %k, %k : tensor<?x4x16xf32>, tensor<?x2x16xf32>, tensor<?x2x16xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x16xf32>, tensor<?x3x2x?x16xi8>, tensor<?x3x2x?x16xi8>, tensor<?x3x2x?xf32>) positions(%positions : tensor<?x3x2x?xi32>) scales(%ks, %vs : tensor<?x3x2x?xf32>, tensor<?x3x2x?xf32>) -> tensor<?x4x16xf32>, tensor<?x3x2x?x16xi8>, tensor<?x3x2x?x16xi8>, tensor<?x3x2x?xf32>, tensor<?x3x2x?xi32>, tensor<?x3x2x?xf32>, tensor<?x3x2x?xf32>
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6 : tensor<?x4x16xf32>, tensor<?x3x2x?x16xi8>, tensor<?x3x2x?x16xi8>, tensor<?x3x2x?xf32>, tensor<?x3x2x?xi32>, tensor<?x3x2x?xf32>, tensor<?x3x2x?xf32>
}

// -----

// CHECK-LABEL: func.func @counted(
// CHECK-LABEL: func.func @counted_decode(
func.func @counted(%q: tensor<?x4x16xf32> {cheems.field = #cheems.step_field<tokens>}, %k: tensor<?x1x16xf32> {cheems.field = #cheems.step_field<rows>}, %mask: tensor<?x2xf32> {cheems.name = "mask"}, %segments: tensor<?x8xi32> {cheems.field = #cheems.step_field<segments>}, %y: tensor<?x4x16xf32> {cheems.field = #cheems.step_field<logits>}, %keys: tensor<?x3x1x?x16xf32> {cheems.field = #cheems.step_field<pools>, cheems.index = 0 : i64}, %values: tensor<?x3x1x?x16xf32> {cheems.field = #cheems.step_field<pools>, cheems.index = 1 : i64}, %masks: tensor<?x3x2x?xf32> {cheems.field = #cheems.step_field<pools>, cheems.index = 2 : i64}, %counts: tensor<?x3x1xi32> {cheems.field = #cheems.step_field<pools>, cheems.index = 3 : i64}) -> (tensor<?x4x16xf32>, tensor<?x3x1x?x16xf32>, tensor<?x3x1x?x16xf32>, tensor<?x3x2x?xf32>, tensor<?x3x1xi32>) {
  %layer = arith.constant 1 : index
  %r:5 = cheems.segmented_attention threshold scale 0.5 hide_below 0.25 block 8 ins(%q, %k, %k : tensor<?x4x16xf32>, tensor<?x1x16xf32>, tensor<?x1x16xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x16xf32>, tensor<?x3x1x?x16xf32>, tensor<?x3x1x?x16xf32>, tensor<?x3x2x?xf32>) counts(%counts : tensor<?x3x1xi32>) -> tensor<?x4x16xf32>, tensor<?x3x1x?x16xf32>, tensor<?x3x1x?x16xf32>, tensor<?x3x2x?xf32>, tensor<?x3x1xi32>
  return %r#0, %r#1, %r#2, %r#3, %r#4 : tensor<?x4x16xf32>, tensor<?x3x1x?x16xf32>, tensor<?x3x1x?x16xf32>, tensor<?x3x2x?xf32>, tensor<?x3x1xi32>
}

// -----

// CHECK-LABEL: func.func @counted_codes(
// CHECK-LABEL: func.func @counted_codes_decode(
func.func @counted_codes(%q: tensor<?x4x16xf32> {cheems.field = #cheems.step_field<tokens>}, %k: tensor<?x1x16xf32> {cheems.field = #cheems.step_field<rows>}, %mask: tensor<?x2xf32> {cheems.name = "mask"}, %segments: tensor<?x8xi32> {cheems.field = #cheems.step_field<segments>}, %y: tensor<?x4x16xf32> {cheems.field = #cheems.step_field<logits>}, %keys: tensor<?x3x1x?x16xi8> {cheems.field = #cheems.step_field<pools>, cheems.index = 0 : i64}, %values: tensor<?x3x1x?x16xi8> {cheems.field = #cheems.step_field<pools>, cheems.index = 1 : i64}, %masks: tensor<?x3x2x?xf32> {cheems.field = #cheems.step_field<pools>, cheems.index = 2 : i64}, %ks: tensor<?x3x1x?xf32> {cheems.field = #cheems.step_field<pools>, cheems.index = 3 : i64}, %vs: tensor<?x3x1x?xf32> {cheems.field = #cheems.step_field<pools>, cheems.index = 4 : i64}, %counts: tensor<?x3x1xi32> {cheems.field = #cheems.step_field<pools>, cheems.index = 5 : i64}) -> (tensor<?x4x16xf32>, tensor<?x3x1x?x16xi8>, tensor<?x3x1x?x16xi8>, tensor<?x3x2x?xf32>, tensor<?x3x1x?xf32>, tensor<?x3x1x?xf32>, tensor<?x3x1xi32>) {
  %layer = arith.constant 1 : index
  %r:7 = cheems.segmented_attention threshold scale 0.5 hide_below 0.25 block 8 ins(%q, %k, %k : tensor<?x4x16xf32>, tensor<?x1x16xf32>, tensor<?x1x16xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x16xf32>, tensor<?x3x1x?x16xi8>, tensor<?x3x1x?x16xi8>, tensor<?x3x2x?xf32>) scales(%ks, %vs : tensor<?x3x1x?xf32>, tensor<?x3x1x?xf32>) counts(%counts : tensor<?x3x1xi32>) -> tensor<?x4x16xf32>, tensor<?x3x1x?x16xi8>, tensor<?x3x1x?x16xi8>, tensor<?x3x2x?xf32>, tensor<?x3x1x?xf32>, tensor<?x3x1x?xf32>, tensor<?x3x1xi32>
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6 : tensor<?x4x16xf32>, tensor<?x3x1x?x16xi8>, tensor<?x3x1x?x16xi8>, tensor<?x3x2x?xf32>, tensor<?x3x1x?xf32>, tensor<?x3x1x?xf32>, tensor<?x3x1xi32>
}

// -----

// CHECK-LABEL: func.func @visible(
// CHECK-LABEL: func.func @visible_decode(
func.func @visible(%q: tensor<?x4x16xf32> {cheems.field = #cheems.step_field<tokens>}, %k: tensor<?x2x16xf32> {cheems.field = #cheems.step_field<rows>}, %segments: tensor<?x8xi32> {cheems.field = #cheems.step_field<segments>}, %y: tensor<?x4x16xf32> {cheems.field = #cheems.step_field<logits>}, %keys: tensor<?x3x2x?x16xbf16> {cheems.field = #cheems.step_field<pools>, cheems.index = 0 : i64}, %values: tensor<?x3x2x?x16xbf16> {cheems.field = #cheems.step_field<pools>, cheems.index = 1 : i64}, %masks: tensor<?x3x4x?xf32> {cheems.field = #cheems.step_field<pools>, cheems.index = 2 : i64}) -> (tensor<?x4x16xf32>, tensor<?x3x2x?x16xbf16>, tensor<?x3x2x?x16xbf16>, tensor<?x3x4x?xf32>) {
  %layer = arith.constant 1 : index
  %r:4 = cheems.segmented_attention threshold scale 0.5 hide_below 1.0 visible [false, false, true, false] block 8 ins(%q, %k, %k : tensor<?x4x16xf32>, tensor<?x2x16xf32>, tensor<?x2x16xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x16xf32>, tensor<?x3x2x?x16xbf16>, tensor<?x3x2x?x16xbf16>, tensor<?x3x4x?xf32>) -> tensor<?x4x16xf32>, tensor<?x3x2x?x16xbf16>, tensor<?x3x2x?x16xbf16>, tensor<?x3x4x?xf32>
  return %r#0, %r#1, %r#2, %r#3 : tensor<?x4x16xf32>, tensor<?x3x2x?x16xbf16>, tensor<?x3x2x?x16xbf16>, tensor<?x3x4x?xf32>
}
