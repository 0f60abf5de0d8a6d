// As long as a sequence is not longer than its window, every row stays. So attention without the window computes the same, and the
// module says how long a sequence may be: as long as the smallest window. The pool of positions passes by.
// RUN: cheems-opt %s --cheems-cap-context --split-input-file | FileCheck %s
// Windows up to a length may stay.
// RUN: cheems-opt %s --cheems-cap-context=longest=48 --split-input-file | FileCheck %s --check-prefix=LONG
// LONG: module attributes {cheems.most_tokens = 2048 : i64}
// LONG-NOT: most_tokens
// LONG: keep 16
// LONG: keep 48

// CHECK: module attributes {cheems.most_tokens = 2048 : i64}
// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[POSITIONS:[a-z0-9]+]]: tensor<?x3x2x?xi32>
// CHECK: %[[Y:.*]]:4 = cheems.segmented_attention bias scale 1.250000e-01 block 64 ins(
// CHECK-NOT: positions(
// CHECK: return %[[Y]]#0, %[[Y]]#1, %[[Y]]#2, %[[Y]]#3, %[[POSITIONS]]
// doc: cheems-cap-context
func.func @step(%q: tensor<?x4x64xf32>, %key: tensor<?x2x64xf32>, %value: tensor<?x2x64xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x64xf32>, %keys: tensor<?x3x2x?x64xf32>, %values: tensor<?x3x2x?x64xf32>, %masks: tensor<?x3x2x?xf32>, %positions: tensor<?x3x2x?xi32>) -> (tensor<?x4x64xf32>, tensor<?x3x2x?x64xf32>, tensor<?x3x2x?x64xf32>, tensor<?x3x2x?xf32>, tensor<?x3x2x?xi32>) {
  %o, %k, %v, %m, %p = cheems.segmented_attention bias scale 0.125 keep 2048 block 64
      ins(%q, %key, %value : tensor<?x4x64xf32>, tensor<?x2x64xf32>, tensor<?x2x64xf32>) mask(%mask : tensor<?x2xf32>)
      segments(%segments : tensor<?x8xi32>) layer(%layer)
      outs(%y, %keys, %values, %masks : tensor<?x4x64xf32>, tensor<?x3x2x?x64xf32>, tensor<?x3x2x?x64xf32>, tensor<?x3x2x?xf32>)
      positions(%positions : tensor<?x3x2x?xi32>)
      -> tensor<?x4x64xf32>, tensor<?x3x2x?x64xf32>, tensor<?x3x2x?x64xf32>, tensor<?x3x2x?xf32>, tensor<?x3x2x?xi32>
  return %o, %k, %v, %m, %p : tensor<?x4x64xf32>, tensor<?x3x2x?x64xf32>, tensor<?x3x2x?x64xf32>, tensor<?x3x2x?xf32>, tensor<?x3x2x?xi32>
}
// doc-end

// -----

// Codes keep their scales. The smallest window counts. Without a window nothing changes, and nothing is said.
// CHECK: module attributes {cheems.most_tokens = 16 : i64}
// CHECK: cheems.segmented_attention bias scale 1.250000e-01 block 64 one_row ins({{.*}} scales(
// CHECK: cheems.segmented_attention bias scale 1.250000e-01 block 64 ins(
func.func @step(%q: tensor<?x4x64xf32>, %key: tensor<?x2x64xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x64xf32>, %codes: tensor<?x3x2x?x64xi8>, %scales: tensor<?x3x2x?xf32>, %keys: tensor<?x3x2x?x64xf32>, %masks: tensor<?x3x2x?xf32>, %positions: tensor<?x3x2x?xi32>) -> (tensor<?x4x64xf32>, tensor<?x4x64xf32>) {
  %a:7 = cheems.segmented_attention bias scale 0.125 keep 16 block 64 one_row
      ins(%q, %key, %key : tensor<?x4x64xf32>, tensor<?x2x64xf32>, tensor<?x2x64xf32>) mask(%mask : tensor<?x2xf32>)
      segments(%segments : tensor<?x8xi32>) layer(%layer)
      outs(%y, %codes, %codes, %masks : tensor<?x4x64xf32>, tensor<?x3x2x?x64xi8>, tensor<?x3x2x?x64xi8>, tensor<?x3x2x?xf32>)
      positions(%positions : tensor<?x3x2x?xi32>) scales(%scales, %scales : tensor<?x3x2x?xf32>, tensor<?x3x2x?xf32>)
      -> tensor<?x4x64xf32>, tensor<?x3x2x?x64xi8>, tensor<?x3x2x?x64xi8>, tensor<?x3x2x?xf32>, tensor<?x3x2x?xi32>, tensor<?x3x2x?xf32>, tensor<?x3x2x?xf32>
  %b:5 = cheems.segmented_attention bias scale 0.125 keep 48 block 64
      ins(%q, %key, %key : tensor<?x4x64xf32>, tensor<?x2x64xf32>, tensor<?x2x64xf32>) mask(%mask : tensor<?x2xf32>)
      segments(%segments : tensor<?x8xi32>) layer(%layer)
      outs(%y, %keys, %keys, %masks : tensor<?x4x64xf32>, tensor<?x3x2x?x64xf32>, tensor<?x3x2x?x64xf32>, tensor<?x3x2x?xf32>)
      positions(%positions : tensor<?x3x2x?xi32>)
      -> tensor<?x4x64xf32>, tensor<?x3x2x?x64xf32>, tensor<?x3x2x?x64xf32>, tensor<?x3x2x?xf32>, tensor<?x3x2x?xi32>
  return %a#0, %b#0 : tensor<?x4x64xf32>, tensor<?x4x64xf32>
}

// -----

// CHECK: module {
// CHECK-NEXT: func.func @nothing
func.func @nothing() {
  return
}
