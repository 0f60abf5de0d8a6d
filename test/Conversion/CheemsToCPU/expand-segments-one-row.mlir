// Loops over segments of one row each.
// RUN: cheems-opt %s --cheems-expand-segments | FileCheck %s --implicit-check-not=cheems.segmented --implicit-check-not=cheems.positions

// CHECK-DAG: #[[MAP_TWICE:.*]] = affine_map<(d0) -> (d0 * 2)>

// The table's length is not read.
// CHECK-LABEL: func.func @positions(
// CHECK: %[[ONE:.*]] = arith.constant 1 : index
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step
// CHECK-NOT: arith.constant 2 : index
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[ONE]] step
func.func @positions(%segments: tensor<?x8xi32>, %p: tensor<?xi32>, %l: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>) {
  %r:2 = cheems.positions one_row ins(%segments : tensor<?x8xi32>) outs(%p, %l : tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>, tensor<?xi32>
  return %r#0, %r#1 : tensor<?xi32>, tensor<?xi32>
}

// One row is static, so that SSD is its recurrence; a row alone shares nothing, so each head goes by itself.
// CHECK-LABEL: func.func @ssd(
// CHECK: scf.forall (%[[S:.*]], %[[HEAD:.*]]) in (%{{.*}}, 16) shared_outs(%[[OUT:.*]] = %{{.*}}, %[[STATE:.*]] = %{{.*}})
// CHECK-NOT: arith.constant 2 : index
// CHECK: tensor.extract_slice %[[STATE]][%[[SLOT:.*]], %[[LAYER:.*]], %[[HEAD]], 0, 0] [1, 1, 1, 6, 8]
// CHECK: %[[BEFORE:.*]] = scf.if
// CHECK: linalg.fill
// CHECK: %[[SSD:.*]]:2 = cheems_cpu.ssd ins({{.*}} : tensor<1x1x8xf32>, tensor<1x1xf32>, tensor<1xf32>, tensor<1x1x6xf32>, tensor<1x1x6xf32>) outs(%{{.*}}, %[[BEFORE]] : tensor<1x1x8xf32>, tensor<1x6x8xf32>)
// CHECK: tensor.parallel_insert_slice %[[SSD]]#0 into %[[OUT]][%{{.*}}, %[[HEAD]], 0] [1, 1, 8]
// CHECK: tensor.parallel_insert_slice %[[SSD]]#1 into %[[STATE]][%[[SLOT]], %[[LAYER]], %[[HEAD]], 0, 0] [1, 1, 1, 6, 8]
func.func @ssd(%x: tensor<?x16x8xf32>, %dt: tensor<?x16xf32>, %a: tensor<16xf32>, %b: tensor<?x2x6xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x16x8xf32>, %pool: tensor<?x7x16x6x8xf32>) -> tensor<?x16x8xf32> {
  %r:2 = cheems.segmented_ssd one_row ins(%x, %dt, %a, %b, %b : tensor<?x16x8xf32>, tensor<?x16xf32>, tensor<16xf32>, tensor<?x2x6xf32>, tensor<?x2x6xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %pool : tensor<?x16x8xf32>, tensor<?x7x16x6x8xf32>) -> tensor<?x16x8xf32>, tensor<?x7x16x6x8xf32>
  return %r#0 : tensor<?x16x8xf32>
}

// The rows are stored first, each slice put back where it was taken. Then threads share segments, heads and splits of the entries:
// a split is a running softmax of its own over blocks of 384. One thread merges the splits in order, and divides.
// CHECK-LABEL: func.func @attention(
// CHECK-SAME: %[[Q:[a-z0-9]*]]: tensor<?x4x16xf32>, %[[K:[a-z0-9]*]]: tensor<?x2x16xf32>, %[[M:[a-z0-9]*]]: tensor<?x2xf32>, %[[SEGMENTS:[a-z0-9]*]]: tensor<?x8xi32>, %[[LAYER:[a-z0-9]*]]: index, %[[Y:[a-z0-9]*]]: tensor<?x4x16xf32>,
// CHECK: %[[STORED:.*]]:4 = scf.for %[[S:[a-z0-9]*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(
// CHECK: scf.for %[[HEAD:[a-z0-9]*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[KS:.*]] = %{{.*}}, %[[VS:.*]] = %{{.*}}, %[[MS:.*]] = %{{.*}}, %[[MOST:.*]] = %{{.*}})
// CHECK: %[[K0:.*]] = tensor.extract_slice %[[KS]][%[[SLOT:.*]], %[[LAYER]], %[[HEAD]], 0, 0] [1, 1, 1, %[[CAPACITY:.*]], 16]
// CHECK: %[[V0:.*]] = tensor.extract_slice %[[VS]][%[[SLOT]], %[[LAYER]], %[[HEAD]], 0, 0] [1, 1, 1, %[[CAPACITY]], 16]
// CHECK: %[[M0:.*]] = tensor.extract_slice %[[MS]][%[[SLOT]], %[[LAYER]], %[[HEAD]], 0] [1, 1, 1, %[[CAPACITY]]]
// CHECK: tensor.extract_slice %[[K]][%[[START:.*]], %[[HEAD]], 0] [1, 1, 16]
// CHECK: %[[K1:.*]] = tensor.insert_slice %{{.*}} into %[[K0]][0, %[[POSITION:.*]], 0] [1, 1, 16]
// CHECK: %[[V1:.*]] = tensor.insert_slice %{{.*}} into %[[V0]][0, %[[POSITION]], 0] [1, 1, 16]
// CHECK: %[[M1:.*]] = tensor.insert_slice %{{.*}} into %[[M0]][0, %[[POSITION]]] [1, 1]
// CHECK: %[[K2:.*]] = tensor.insert_slice %[[K1]] into %[[KS]][%[[SLOT]], %[[LAYER]], %[[HEAD]], 0, 0] [1, 1, 1, %[[CAPACITY]], 16]
// CHECK: %[[V2:.*]] = tensor.insert_slice %[[V1]] into %[[VS]][%[[SLOT]], %[[LAYER]], %[[HEAD]], 0, 0] [1, 1, 1, %[[CAPACITY]], 16]
// CHECK: %[[M2:.*]] = tensor.insert_slice %[[M1]] into %[[MS]][%[[SLOT]], %[[LAYER]], %[[HEAD]], 0] [1, 1, 1, %[[CAPACITY]]]
// CHECK: %[[ENTRIES:.*]] = arith.addi %[[POSITION]], %{{.*}}
// CHECK: %[[NEXT:.*]] = arith.maxui %[[MOST]], %[[ENTRIES]]
// CHECK: scf.yield %[[K2]], %[[V2]], %[[M2]], %[[NEXT]]
// CHECK: %[[LOW:.*]] = arith.constant 0xFF800000 : f32
// CHECK: %[[MAXIMUM:.*]] = linalg.fill ins(%[[LOW]] : f32) outs(%{{.*}} : tensor<?x4xf32>)
// CHECK: %[[SUM:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<?x4xf32>)
// CHECK: %[[ZEROS:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%[[Y]] : tensor<?x4x16xf32>)
// CHECK: %[[BLOCK:.*]] = arith.constant 384 : index
// CHECK: %[[BLOCKS:.*]] = arith.ceildivui %[[STORED]]#3, %[[BLOCK]]
// CHECK: %[[AT_MOST:.*]] = arith.constant 24 : index
// CHECK: %[[SHARES:.*]] = arith.minui %[[BLOCKS]], %[[AT_MOST]]
// CHECK: %[[PARTS:.*]]:3 = scf.forall (%{{.*}}, %{{.*}}, %{{.*}}) in (%{{.*}}, 2, %[[SHARES]]) shared_outs(
// CHECK: tensor.extract_slice %[[STORED]]#0[
// CHECK: tensor.extract_slice %[[STORED]]#1[
// CHECK: tensor.extract_slice %[[STORED]]#2[
// CHECK: scf.for
// CHECK: linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<1x2xf32>)
// CHECK: linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<1x2xf32>)
// CHECK: linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<1x2x16xf32>)
// CHECK: %[[STEP:.*]] = arith.constant 384 : index
// CHECK: scf.for %[[FROM:[a-z0-9]*]] = %{{.*}} to %{{.*}} step %[[STEP]]
// CHECK: cheems_cpu.online_attention scale scale 5.000000e-01 ins(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[FROM]] : tensor<1x2x16xf32>, tensor<1x?x16xf32>, tensor<1x?x16xf32>, tensor<1x?xf32>, index, index)
// CHECK: scf.forall.in_parallel
// CHECK-COUNT-3: tensor.parallel_insert_slice
// CHECK-NOT: scf.forall
// CHECK: %[[MERGED:.*]]:3 = scf.for %{{.*}} iter_args(%{{.*}} = %[[MAXIMUM]], %{{.*}} = %[[SUM]], %{{.*}} = %[[ZEROS]])
// CHECK: scf.for %[[I:[a-z0-9]*]] =
// CHECK: %[[ROW:.*]] = affine.apply #[[MAP_TWICE]](%[[I]])
// CHECK: scf.for %[[PIECE:[a-z0-9]*]] = %{{.*}} iter_args(%[[M0:.*]] = %{{.*}}, %[[S0:.*]] = %{{.*}}, %[[Y0:.*]] = %{{.*}})
// CHECK: %[[PM:.*]] = tensor.extract_slice %[[PARTS]]#0[%{{.*}}, %[[PIECE]], %[[I]], 0]
// CHECK: %[[PS:.*]] = tensor.extract_slice %[[PARTS]]#1[%{{.*}}, %[[PIECE]], %[[I]], 0]
// CHECK: %[[PY:.*]] = tensor.extract_slice %[[PARTS]]#2[%{{.*}}, %[[PIECE]], %[[I]], 0, 0]
// CHECK: cheems_cpu.merge_attention ins(%[[PM]], %[[PS]], %[[PY]] : {{.*}}) outs(%[[M0]], %[[S0]], %[[Y0]] :
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[%{{.*}}, %[[ROW]], 0] [1, 2, 16]
// CHECK: %[[DONE:.*]] = linalg.generic {{.*}} ins(%[[MERGED]]#1 : tensor<?x4xf32>) outs(%[[MERGED]]#2 : tensor<?x4x16xf32>)
// CHECK: arith.divf
// CHECK: return %[[DONE]], %[[STORED]]#0, %[[STORED]]#1, %[[STORED]]#2
func.func @attention(%q: tensor<?x4x16xf32>, %k: tensor<?x2x16xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x16xf32>, %keys: tensor<?x3x2x?x16xf32>, %values: tensor<?x3x2x?x16xf32>, %masks: tensor<?x3x2x?xf32>) -> (tensor<?x4x16xf32>, tensor<?x3x2x?x16xf32>, tensor<?x3x2x?x16xf32>, tensor<?x3x2x?xf32>) {
  %r:4 = cheems.segmented_attention scale scale 0.5 block 8 one_row ins(%q, %k, %k : tensor<?x4x16xf32>, tensor<?x2x16xf32>, tensor<?x2x16xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x16xf32>, tensor<?x3x2x?x16xf32>, tensor<?x3x2x?x16xf32>, tensor<?x3x2x?xf32>) -> tensor<?x4x16xf32>, tensor<?x3x2x?x16xf32>, tensor<?x3x2x?x16xf32>, tensor<?x3x2x?xf32>
  return %r#0, %r#1, %r#2, %r#3 : tensor<?x4x16xf32>, tensor<?x3x2x?x16xf32>, tensor<?x3x2x?x16xf32>, tensor<?x3x2x?xf32>
}

// With a window the row goes after what is kept; once all have attended it takes the place that was found for it. Of a window of
// 24 there is one split.
// CHECK-LABEL: func.func @window(
// CHECK: scf.for
// CHECK: scf.for
// CHECK: %[[PLACE:.*]] = arith.minui %{{.*}}, %{{.*}}
// CHECK-COUNT-4: tensor.insert_slice %{{.*}} into %{{.*}}[0, %[[PLACE]]
// CHECK: cheems_cpu.keep_threshold keep 24 ins(%{{.*}}, %{{.*}}, %[[PLACE]] : {{.*}}) outs(%{{.*}}, %{{.*}} : tensor<1x1xf32>, tensor<1x1xi32>) moves_to(
// CHECK-NOT: cheems_cpu.keep_update
// CHECK: tensor.empty(%{{.*}}) : tensor<?x1x2x1x16xf32>
// CHECK: scf.forall
// CHECK: cheems_cpu.online_attention bias {{.*}} kept(
// CHECK: cheems_cpu.merge_attention
// CHECK: scf.for
// CHECK: scf.for
// CHECK: cheems_cpu.keep_update keep 24 {{.*}} moves_to(
// CHECK-COUNT-4: tensor.insert_slice
// CHECK: arith.divf
func.func @window(%q: tensor<?x2x16xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %keys: tensor<?x3x2x?x16xf32>, %masks: tensor<?x3x2x?xf32>, %positions: tensor<?x3x2x?xi32>) -> tensor<?x2x16xf32> {
  %r:5 = cheems.segmented_attention bias scale 0.5 keep 24 block 8 one_row ins(%q, %q, %q : tensor<?x2x16xf32>, tensor<?x2x16xf32>, tensor<?x2x16xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%q, %keys, %keys, %masks : tensor<?x2x16xf32>, tensor<?x3x2x?x16xf32>, tensor<?x3x2x?x16xf32>, tensor<?x3x2x?xf32>) positions(%positions : tensor<?x3x2x?xi32>) -> tensor<?x2x16xf32>, tensor<?x3x2x?x16xf32>, tensor<?x3x2x?x16xf32>, tensor<?x3x2x?xf32>, tensor<?x3x2x?xi32>
  return %r#0 : tensor<?x2x16xf32>
}

// Counted, with quantized keys and values: append_visible stores one row or none, and the new count goes back to the pool. How many the row
// sees is handed to those that attend; scales go with their quantized values.
// CHECK-LABEL: func.func @counted(
// CHECK: scf.for
// CHECK: scf.for %{{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %[[KSCALES:.*]] = %{{.*}}, %[[VSCALES:.*]] = %{{.*}}, %[[CS:.*]] = %{{.*}}, %[[SEEN:.*]] = %{{.*}}, %{{.*}} = %{{.*}})
// CHECK: %[[COUNTS:.*]] = tensor.extract_slice %[[CS]]
// CHECK: %[[COUNT:.*]] = arith.select
// CHECK: %[[SEEN_ONE:.*]] = tensor.extract_slice %[[SEEN]]
// CHECK: %[[KEPT:.*]]:6 = cheems_cpu.append_visible hide_below 2.500000e-01 ins(%{{.*}}, %{{.*}}, %{{.*}}, %[[COUNT]] : tensor<1x16xf32>, tensor<1x16xf32>, tensor<1x1xf32>, index) outs(%{{.*}}, %{{.*}}, %{{.*}}, %[[SEEN_ONE]] : {{.*}}) scales(
// CHECK: %[[NEW_COUNTS:.*]] = tensor.insert %{{.*}} into %[[COUNTS]]
// CHECK: tensor.insert_slice %[[KEPT]]#4 into %[[KSCALES]]
// CHECK: tensor.insert_slice %[[KEPT]]#5 into %[[VSCALES]]
// CHECK: tensor.insert_slice %[[NEW_COUNTS]] into %[[CS]]
// CHECK: tensor.insert_slice %[[KEPT]]#3 into %[[SEEN]]
// CHECK: scf.forall
// CHECK: cheems_cpu.online_attention threshold scale 5.000000e-01 hide_below 2.500000e-01 allow_bf16 {{.*}} seen(%{{.*}} : tensor<1xi32>) scales(
// CHECK: cheems_cpu.merge_attention
func.func @counted(%q: tensor<?x2x16xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %keys: tensor<?x3x2x?x16xi8>, %masks: tensor<?x3x2x?xf32>, %counts: tensor<?x3x2xi32>) -> tensor<?x2x16xf32> {
  %r:7 = cheems.segmented_attention threshold scale 0.5 hide_below 0.25 block 8 allow_bf16 one_row ins(%q, %q, %q : tensor<?x2x16xf32>, tensor<?x2x16xf32>, tensor<?x2x16xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%q, %keys, %keys, %masks : tensor<?x2x16xf32>, tensor<?x3x2x?x16xi8>, tensor<?x3x2x?x16xi8>, tensor<?x3x2x?xf32>) scales(%masks, %masks : tensor<?x3x2x?xf32>, tensor<?x3x2x?xf32>) counts(%counts : tensor<?x3x2xi32>) -> tensor<?x2x16xf32>, tensor<?x3x2x?x16xi8>, tensor<?x3x2x?x16xi8>, tensor<?x3x2x?xf32>, tensor<?x3x2x?xf32>, tensor<?x3x2x?xf32>, tensor<?x3x2xi32>
  return %r#0 : tensor<?x2x16xf32>
}

// Heads that see nothing are neither stored nor asked; their output is the zero that y begins with.
// CHECK-LABEL: func.func @visible(
// CHECK: scf.for
// CHECK: %[[BOUND:.*]] = arith.constant 1 : index
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[BOUND]] step
// CHECK: %[[ZEROS:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<?x4x16xf32>)
// CHECK: scf.forall ({{.*}}) in (%{{.*}}, 1, %{{.*}})
// CHECK: cheems_cpu.online_attention threshold
// CHECK: scf.for %{{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %[[ZEROS]])
// CHECK: cheems_cpu.merge_attention
func.func @visible(%q: tensor<?x4x16xf32>, %k: tensor<?x2x16xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x16xf32>, %keys: tensor<?x3x2x?x16xf32>, %masks: tensor<?x3x2x?xf32>) -> tensor<?x4x16xf32> {
  %r:4 = cheems.segmented_attention threshold scale 0.5 hide_below 1.0 visible [true, false] block 8 one_row ins(%q, %k, %k : tensor<?x4x16xf32>, tensor<?x2x16xf32>, tensor<?x2x16xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %keys, %masks : tensor<?x4x16xf32>, tensor<?x3x2x?x16xf32>, tensor<?x3x2x?x16xf32>, tensor<?x3x2x?xf32>) -> tensor<?x4x16xf32>, tensor<?x3x2x?x16xf32>, tensor<?x3x2x?x16xf32>, tensor<?x3x2x?xf32>
  return %r#0 : tensor<?x4x16xf32>
}

// The greatest window has as many splits as positions can have.
// CHECK-LABEL: func.func @window_without_end(
// CHECK: tensor.empty(%{{.*}}) : tensor<?x310x2x1x16xf32>
func.func @window_without_end(%q: tensor<?x2x16xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %keys: tensor<?x3x2x?x16xf32>, %masks: tensor<?x3x2x?xf32>, %positions: tensor<?x3x2x?xi32>) -> tensor<?x2x16xf32> {
  %r:5 = cheems.segmented_attention bias scale 0.5 keep 9223372036854775807 block 8 one_row ins(%q, %q, %q : tensor<?x2x16xf32>, tensor<?x2x16xf32>, tensor<?x2x16xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%q, %keys, %keys, %masks : tensor<?x2x16xf32>, tensor<?x3x2x?x16xf32>, tensor<?x3x2x?x16xf32>, tensor<?x3x2x?xf32>) positions(%positions : tensor<?x3x2x?xi32>) -> tensor<?x2x16xf32>, tensor<?x3x2x?x16xf32>, tensor<?x3x2x?x16xf32>, tensor<?x3x2x?xf32>, tensor<?x3x2x?xi32>
  return %r#0 : tensor<?x2x16xf32>
}

// Without masks, with int8: scales are the pools after keys and values.
// CHECK-LABEL: func.func @none(
// CHECK: cheems.quantize_entries
// CHECK: cheems.quantize_entries
// CHECK: cheems_cpu.online_attention none scale 2.500000e-01 ins(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<1x2x16xf32>, tensor<1x?x16xi8>, tensor<1x?x16xi8>, index, index) scales(
func.func @none(%q: tensor<?x4x16xf32>, %k: tensor<?x2x16xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x16xf32>, %keys: tensor<?x3x2x?x16xi8>, %values: tensor<?x3x2x?x16xi8>, %ks: tensor<?x3x2x?xf32>, %vs: tensor<?x3x2x?xf32>) -> tensor<?x4x16xf32> {
  %r:5 = cheems.segmented_attention none scale 0.25 block 8 one_row ins(%q, %k, %k : tensor<?x4x16xf32>, tensor<?x2x16xf32>, tensor<?x2x16xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values : tensor<?x4x16xf32>, tensor<?x3x2x?x16xi8>, tensor<?x3x2x?x16xi8>) scales(%ks, %vs : tensor<?x3x2x?xf32>, tensor<?x3x2x?xf32>) -> tensor<?x4x16xf32>, tensor<?x3x2x?x16xi8>, tensor<?x3x2x?x16xi8>, tensor<?x3x2x?xf32>, tensor<?x3x2x?xf32>
  return %r#0 : tensor<?x4x16xf32>
}
