// Loops over any segments. expand-segments-one-row.mlir has those over segments of one row, expand-segments-in-place.mlir holds
// that no pool is copied.
// RUN: cheems-opt %s --cheems-expand-segments | FileCheck %s --implicit-check-not=cheems.segmented --implicit-check-not=cheems.gather_rows --implicit-check-not=cheems.positions

// CHECK-DAG: #[[MAP_ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[MAP_ALL:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[MAP_HALF:.*]] = affine_map<(d0) -> (d0 floordiv 2)>
// CHECK-DAG: #[[MAP_TWICE:.*]] = affine_map<(d0) -> (d0 * 2)>
// CHECK-DAG: #[[MAP_FOUR:.*]] = affine_map<(d0) -> (d0 * 4)>
// CHECK-DAG: #[[MAP_LAST:.*]] = affine_map<(d0) -> (d0 - 1)>
// CHECK-DAG: #[[MAP_BLOCKS:.*]] = affine_map<()[s0] -> (s0 ceildiv 8)>
// CHECK-DAG: #[[MAP_TURNED:.*]] = affine_map<(d0, d1) -> (d1, d0)>

// Row ids[t] of the table, widened where it is bf16.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[TABLE:.*]]: tensor<9x4xbf16>, %[[IDS:.*]]: tensor<?xi32>, %[[Y:.*]]: tensor<?x4xf32>)
// CHECK: %[[X:.*]] = linalg.generic {indexing_maps = [#[[MAP_ROW]], #[[MAP_ALL]]], iterator_types = ["parallel", "parallel"]} ins(%[[IDS]] : tensor<?xi32>) outs(%[[Y]] : tensor<?x4xf32>)
// CHECK-NEXT: ^bb0(%[[ID:.*]]: i32,
// CHECK-NEXT: %[[I:.*]] = arith.index_cast %[[ID]]
// CHECK-NEXT: %[[D:.*]] = linalg.index 1
// CHECK-NEXT: %[[E:.*]] = tensor.extract %[[TABLE]][%[[I]], %[[D]]]
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[E]] : bf16 to f32
// CHECK-NEXT: linalg.yield %[[WIDE]]
// CHECK: linalg.generic
// CHECK: %[[SAME:.*]] = tensor.extract %[[X]][
// CHECK-NEXT: linalg.yield %[[SAME]]
func.func @rows(%table: tensor<9x4xbf16>, %ids: tensor<?xi32>, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %x = cheems.gather_rows ins(%table, %ids : tensor<9x4xbf16>, tensor<?xi32>) outs(%y : tensor<?x4xf32>) -> tensor<?x4xf32>
  %r = cheems.gather_rows ins(%x, %ids : tensor<?x4xf32>, tensor<?xi32>) outs(%y : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// Segments in order, in each its rows: columns 1 to 4 of the table are start, length, position and rope_length.
// CHECK-LABEL: func.func @positions(
// CHECK-SAME: %[[SEGMENTS:.*]]: tensor<?x8xi32>, %[[P0:.*]]: tensor<?xi32>, %[[L0:.*]]: tensor<?xi32>)
// CHECK: %[[ALL:.*]]:2 = scf.for %[[S:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[P1:.*]] = %[[P0]], %[[L1:.*]] = %[[L0]])
// CHECK-NEXT: %[[C1:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[F1:.*]] = tensor.extract %[[SEGMENTS]][%[[S]], %[[C1]]]
// CHECK-NEXT: %[[START:.*]] = arith.index_cast %[[F1]]
// CHECK-NEXT: %[[C2:.*]] = arith.constant 2 : index
// CHECK-NEXT: %[[F2:.*]] = tensor.extract %[[SEGMENTS]][%[[S]], %[[C2]]]
// CHECK-NEXT: %[[LENGTH:.*]] = arith.index_cast %[[F2]]
// CHECK-NEXT: %[[C3:.*]] = arith.constant 3 : index
// CHECK-NEXT: %[[F3:.*]] = tensor.extract %[[SEGMENTS]][%[[S]], %[[C3]]]
// CHECK-NEXT: %[[POSITION:.*]] = arith.index_cast %[[F3]]
// CHECK-NEXT: %[[C4:.*]] = arith.constant 4 : index
// CHECK-NEXT: %[[F4:.*]] = tensor.extract %[[SEGMENTS]][%[[S]], %[[C4]]]
// CHECK-NEXT: %[[ROPE:.*]] = arith.index_cast %[[F4]]
// CHECK-NEXT: %[[REACH:.*]] = arith.index_cast %[[ROPE]] : index to i32
// CHECK-NEXT: %[[ROWS:.*]]:2 = scf.for %[[T:.*]] = %{{.*}} to %[[LENGTH]] step %{{.*}} iter_args(%[[P2:.*]] = %[[P1]], %[[L2:.*]] = %[[L1]])
// CHECK-NEXT: %[[ROW:.*]] = arith.addi %[[START]], %[[T]]
// CHECK-NEXT: %[[SUM:.*]] = arith.addi %[[POSITION]], %[[T]]
// CHECK-NEXT: %[[AT:.*]] = arith.index_cast %[[SUM]] : index to i32
// CHECK-NEXT: %[[P3:.*]] = tensor.insert %[[AT]] into %[[P2]][%[[ROW]]]
// CHECK-NEXT: %[[L3:.*]] = tensor.insert %[[REACH]] into %[[L2]][%[[ROW]]]
// CHECK-NEXT: scf.yield %[[P3]], %[[L3]]
// CHECK: return %[[ALL]]#0, %[[ALL]]#1
func.func @positions(%segments: tensor<?x8xi32>, %p: tensor<?xi32>, %l: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>) {
  %r:2 = cheems.positions ins(%segments : tensor<?x8xi32>) outs(%p, %l : tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>, tensor<?xi32>
  return %r#0, %r#1 : tensor<?xi32>, tensor<?xi32>
}

// Threads share segments and heads. A slot's state is taken from the loop's own pool and put back at the same place; it is zeros
// for a sequence that begins. A head reads its group.
// CHECK-LABEL: func.func @ssd(
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<?x2x8xf32>, %[[DT:[a-z0-9]*]]: tensor<?x2xf32>, %[[A:[a-z0-9]*]]: tensor<2xf32>, %[[B:[a-z0-9]*]]: tensor<?x1x6xf32>, %[[C:[a-z0-9]*]]: tensor<?x1x6xf32>, %[[SEGMENTS:[a-z0-9]*]]: tensor<?x8xi32>, %[[LAYER:[a-z0-9]*]]: index, %[[Y:[a-z0-9]*]]: tensor<?x2x8xf32>, %[[POOL:[a-z0-9]*]]: tensor<?x7x2x6x8xf32>)
// CHECK: %[[COUNT:.*]] = tensor.dim %[[SEGMENTS]], %{{.*}}
// CHECK: %[[DONE:.*]]:2 = scf.forall (%[[S:.*]], %[[HEAD:.*]]) in (%[[COUNT]], 2) shared_outs(%[[OUT:.*]] = %[[Y]], %[[STATE:.*]] = %[[POOL]])
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[F0:.*]] = tensor.extract %[[SEGMENTS]][%[[S]], %[[C0]]]
// CHECK-NEXT: %[[SLOT:.*]] = arith.index_cast %[[F0]]
// CHECK-NEXT: %[[C1:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[F1:.*]] = tensor.extract %[[SEGMENTS]][%[[S]], %[[C1]]]
// CHECK-NEXT: %[[START:.*]] = arith.index_cast %[[F1]]
// CHECK-NEXT: %[[C3:.*]] = arith.constant 3 : index
// CHECK-NEXT: %[[F3:.*]] = tensor.extract %[[SEGMENTS]][%[[S]], %[[C3]]]
// CHECK-NEXT: %[[POSITION:.*]] = arith.index_cast %[[F3]]
// CHECK-NEXT: %[[C2:.*]] = arith.constant 2 : index
// CHECK-NEXT: %[[F2:.*]] = tensor.extract %[[SEGMENTS]][%[[S]], %[[C2]]]
// CHECK-NEXT: %[[LENGTH:.*]] = arith.index_cast %[[F2]]
// CHECK-NEXT: %[[GROUP:.*]] = affine.apply #[[MAP_HALF]](%[[HEAD]])
// CHECK-NEXT: %[[OLD:.*]] = tensor.extract_slice %[[STATE]][%[[SLOT]], %[[LAYER]], %[[HEAD]], 0, 0] [1, 1, 1, 6, 8] [1, 1, 1, 1, 1]
// CHECK: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[FIRST:.*]] = arith.cmpi eq, %[[POSITION]], %[[ZERO]]
// CHECK-NEXT: %[[BEFORE:.*]] = scf.if %[[FIRST]]
// CHECK: %[[ZEROS:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%[[OLD]]
// CHECK-NEXT: scf.yield %[[ZEROS]]
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[OLD]]
// CHECK: %[[XS:.*]] = tensor.extract_slice %[[X]][%[[START]], %[[HEAD]], 0] [%[[LENGTH]], 1, 8]
// CHECK-NEXT: %[[STEPS:.*]] = tensor.extract_slice %[[DT]][%[[START]], %[[HEAD]]] [%[[LENGTH]], 1]
// CHECK-NEXT: %[[AS:.*]] = tensor.extract_slice %[[A]][%[[HEAD]]] [1]
// CHECK-NEXT: %[[BS:.*]] = tensor.extract_slice %[[B]][%[[START]], %[[GROUP]], 0] [%[[LENGTH]], 1, 6]
// CHECK-NEXT: %[[CS:.*]] = tensor.extract_slice %[[C]][%[[START]], %[[GROUP]], 0] [%[[LENGTH]], 1, 6]
// CHECK-NEXT: %[[YS:.*]] = tensor.extract_slice %[[OUT]][%[[START]], %[[HEAD]], 0] [%[[LENGTH]], 1, 8]
// CHECK-NEXT: %[[SSD:.*]]:2 = cheems_cpu.ssd ins(%[[XS]], %[[STEPS]], %[[AS]], %[[BS]], %[[CS]] : {{.*}}) outs(%[[YS]], %[[BEFORE]] : tensor<?x1x8xf32>, tensor<1x6x8xf32>)
// CHECK-NEXT: scf.forall.in_parallel {
// CHECK-NEXT: tensor.parallel_insert_slice %[[SSD]]#0 into %[[OUT]][%[[START]], %[[HEAD]], 0] [%[[LENGTH]], 1, 8]
// CHECK-NEXT: tensor.parallel_insert_slice %[[SSD]]#1 into %[[STATE]][%[[SLOT]], %[[LAYER]], %[[HEAD]], 0, 0] [1, 1, 1, 6, 8]
// CHECK: return %[[DONE]]#0, %[[DONE]]#1
func.func @ssd(%x: tensor<?x2x8xf32>, %dt: tensor<?x2xf32>, %a: tensor<2xf32>, %b: tensor<?x1x6xf32>, %c: tensor<?x1x6xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x2x8xf32>, %pool: tensor<?x7x2x6x8xf32>) -> (tensor<?x2x8xf32>, tensor<?x7x2x6x8xf32>) {
  %r:2 = cheems.segmented_ssd ins(%x, %dt, %a, %b, %c : tensor<?x2x8xf32>, tensor<?x2xf32>, tensor<2xf32>, tensor<?x1x6xf32>, tensor<?x1x6xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %pool : tensor<?x2x8xf32>, tensor<?x7x2x6x8xf32>) -> tensor<?x2x8xf32>, tensor<?x7x2x6x8xf32>
  return %r#0, %r#1 : tensor<?x2x8xf32>, tensor<?x7x2x6x8xf32>
}

// Heads of a group go together where there are many; skip and bf16 are handed on.
// CHECK-LABEL: func.func @ssd_together(
// CHECK: scf.forall (%{{.*}}, %[[FOUR_HEADS:.*]]) in (%{{.*}}, 4)
// CHECK-DAG: %[[HEAD:.*]] = affine.apply #[[MAP_FOUR]](%[[FOUR_HEADS]])
// CHECK-DAG: %[[GROUP:.*]] = affine.apply #[[MAP_HALF]](%[[FOUR_HEADS]])
// CHECK: tensor.extract_slice %{{.*}}[%{{.*}}, %{{.*}}, %[[HEAD]], 0, 0] [1, 1, 4, 6, 8]
// CHECK: tensor.extract_slice %{{.*}}[%{{.*}}, %[[GROUP]], 0] [%{{.*}}, 1, 6]
// CHECK: cheems_cpu.ssd allow_bf16 ins({{.*}}) skip(%{{.*}} : tensor<4xf32>) outs(%{{.*}}, %{{.*}} : tensor<?x4x8xf32>, tensor<4x6x8xf32>)
func.func @ssd_together(%x: tensor<?x16x8xf32>, %dt: tensor<?x16xf32>, %a: tensor<16xf32>, %b: tensor<?x2x6xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x16x8xf32>, %pool: tensor<?x7x16x6x8xf32>) -> tensor<?x16x8xf32> {
  %r:2 = cheems.segmented_ssd allow_bf16 ins(%x, %dt, %a, %b, %b : tensor<?x16x8xf32>, tensor<?x16xf32>, tensor<16xf32>, tensor<?x2x6xf32>, tensor<?x2x6xf32>) skip(%a : tensor<16xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %pool : tensor<?x16x8xf32>, tensor<?x7x16x6x8xf32>) -> tensor<?x16x8xf32>, tensor<?x7x16x6x8xf32>
  return %r#0 : tensor<?x16x8xf32>
}

// One loop stores the rows of each segment and head at the sequence's position; the next attends in blocks to what is stored then.
// CHECK-LABEL: func.func @attention(
// CHECK-SAME: %[[Q:[a-z0-9]*]]: tensor<?x4x16xf32>, %[[K:[a-z0-9]*]]: tensor<?x1x16xf32>, %[[V:[a-z0-9]*]]: tensor<?x1x16xf32>, %[[M:[a-z0-9]*]]: tensor<?x2xf32>, %[[SEGMENTS:[a-z0-9]*]]: tensor<?x8xi32>, %[[LAYER:[a-z0-9]*]]: index, %[[Y:[a-z0-9]*]]: tensor<?x4x16xf32>, %[[KEYS:[a-z0-9]*]]: tensor<?x3x1x?x16xf32>, %[[VALUES:[a-z0-9]*]]: tensor<?x3x1x?x16xf32>, %[[MASKS:[a-z0-9]*]]: tensor<?x3x2x?xf32>)
// CHECK: %[[STORED:.*]]:3 = scf.forall (%[[S:.*]], %[[HEAD:.*]]) in (%{{.*}}, 1) shared_outs(%[[KS:.*]] = %[[KEYS]], %[[VS:.*]] = %[[VALUES]], %[[MS:.*]] = %[[MASKS]])
// CHECK: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[F0:.*]] = tensor.extract %[[SEGMENTS]][%[[S]], %[[C0]]]
// CHECK-NEXT: %[[SLOT:.*]] = arith.index_cast %[[F0]]
// CHECK: %[[C1:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[F1:.*]] = tensor.extract %[[SEGMENTS]][%[[S]], %[[C1]]]
// CHECK-NEXT: %[[START:.*]] = arith.index_cast %[[F1]]
// CHECK: %[[C3:.*]] = arith.constant 3 : index
// CHECK-NEXT: %[[F3:.*]] = tensor.extract %[[SEGMENTS]][%[[S]], %[[C3]]]
// CHECK-NEXT: %[[POSITION:.*]] = arith.index_cast %[[F3]]
// CHECK: %[[C2:.*]] = arith.constant 2 : index
// CHECK-NEXT: %[[F2:.*]] = tensor.extract %[[SEGMENTS]][%[[S]], %[[C2]]]
// CHECK-NEXT: %[[LENGTH:.*]] = arith.index_cast %[[F2]]
// CHECK: %[[CAPACITY:.*]] = tensor.dim %[[KS]], %{{.*}}
// CHECK-NEXT: %[[K0:.*]] = tensor.extract_slice %[[KS]][%[[SLOT]], %[[LAYER]], %[[HEAD]], 0, 0] [1, 1, 1, %[[CAPACITY]], 16]
// CHECK-NEXT: %[[V0:.*]] = tensor.extract_slice %[[VS]][%[[SLOT]], %[[LAYER]], %[[HEAD]], 0, 0] [1, 1, 1, %[[CAPACITY]], 16]
// CHECK-NEXT: %[[FIRST_MASK:.*]] = affine.apply #[[MAP_TWICE]](%[[HEAD]])
// CHECK-NEXT: %[[M0:.*]] = tensor.extract_slice %[[MS]][%[[SLOT]], %[[LAYER]], %[[FIRST_MASK]], 0] [1, 1, 2, %[[CAPACITY]]]
// CHECK: %[[NEW:.*]] = tensor.extract_slice %[[K]][%[[START]], %[[HEAD]], 0] [%[[LENGTH]], 1, 16]
// CHECK-NEXT: %[[PLACE:.*]] = tensor.extract_slice %[[K0]][0, %[[POSITION]], 0] [1, %[[LENGTH]], 16]
// CHECK-NEXT: %[[COPY:.*]] = linalg.copy ins(%[[NEW]] : {{.*}}) outs(%[[PLACE]]
// CHECK-NEXT: %[[K1:.*]] = tensor.insert_slice %[[COPY]] into %[[K0]][0, %[[POSITION]], 0] [1, %[[LENGTH]], 16]
// CHECK: %[[V1:.*]] = tensor.insert_slice %{{.*}} into %[[V0]][0, %[[POSITION]], 0] [1, %[[LENGTH]], 16]
// CHECK: linalg.generic {indexing_maps = [#[[MAP_TURNED]], #[[MAP_ALL]]]
// CHECK: %[[M1:.*]] = tensor.insert_slice %{{.*}} into %[[M0]][0, %[[POSITION]]] [2, %[[LENGTH]]]
// CHECK: scf.forall.in_parallel {
// CHECK-NEXT: tensor.parallel_insert_slice %[[K1]] into %[[KS]][%[[SLOT]], %[[LAYER]], %[[HEAD]], 0, 0] [1, 1, 1, %[[CAPACITY]], 16]
// CHECK-NEXT: tensor.parallel_insert_slice %[[V1]] into %[[VS]][%[[SLOT]], %[[LAYER]], %[[HEAD]], 0, 0] [1, 1, 1, %[[CAPACITY]], 16]
// CHECK-NEXT: tensor.parallel_insert_slice %[[M1]] into %[[MS]][%[[SLOT]], %[[LAYER]], %[[FIRST_MASK]], 0] [1, 1, 2, %[[CAPACITY]]]
// CHECK-NEXT: }
// CHECK: %[[MOST:.*]] = affine.apply #[[MAP_BLOCKS]]()[%{{.*}}]
// CHECK: %[[R:.*]] = scf.forall ({{.*}}) in (%{{.*}}, 1, %[[MOST]]) shared_outs(%[[OUT:.*]] = %[[Y]])
// CHECK: tensor.extract_slice %[[STORED]]#0[
// CHECK: tensor.extract_slice %[[STORED]]#1[
// CHECK: tensor.extract_slice %[[STORED]]#2[
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[OUT]][%[[ROW:.*]], %[[QUERY:.*]], 0] [%[[COUNT:.*]], 4, 16]
// CHECK: %[[SAME:.*]] = affine.apply #[[MAP_FOUR]](
// CHECK-NEXT: %[[QUERIES:.*]] = tensor.extract_slice %[[Q]][%[[ROW]], %[[SAME]], 0] [%[[COUNT]], 4, 16]
// CHECK-NEXT: %[[ATTENDED:.*]] = cheems_cpu.dynamic_mask_attention scale scale 5.000000e-01 ins(%[[QUERIES]], {{.*}} : tensor<?x4x16xf32>, tensor<1x?x16xf32>, tensor<1x?x16xf32>, tensor<2x?xf32>, index) outs(%[[PART]] : tensor<?x4x16xf32>)
// CHECK-NEXT: scf.forall.in_parallel {
// CHECK-NEXT: tensor.parallel_insert_slice %[[ATTENDED]] into %[[OUT]][%[[ROW]], %[[QUERY]], 0] [%[[COUNT]], 4, 16]
// CHECK: return %[[R]], %[[STORED]]#0, %[[STORED]]#1, %[[STORED]]#2
func.func @attention(%q: tensor<?x4x16xf32>, %k: tensor<?x1x16xf32>, %v: tensor<?x1x16xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x16xf32>, %keys: tensor<?x3x1x?x16xf32>, %values: tensor<?x3x1x?x16xf32>, %masks: tensor<?x3x2x?xf32>) -> (tensor<?x4x16xf32>, tensor<?x3x1x?x16xf32>, tensor<?x3x1x?x16xf32>, tensor<?x3x2x?xf32>) {
  %r:4 = cheems.segmented_attention scale scale 0.5 block 8 ins(%q, %k, %v : tensor<?x4x16xf32>, tensor<?x1x16xf32>, tensor<?x1x16xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x16xf32>, tensor<?x3x1x?x16xf32>, tensor<?x3x1x?x16xf32>, tensor<?x3x2x?xf32>) -> tensor<?x4x16xf32>, tensor<?x3x1x?x16xf32>, tensor<?x3x1x?x16xf32>, tensor<?x3x2x?xf32>
  return %r#0, %r#1, %r#2, %r#3 : tensor<?x4x16xf32>, tensor<?x3x1x?x16xf32>, tensor<?x3x1x?x16xf32>, tensor<?x3x2x?xf32>
}

// bf16 is rounded as it is stored, i8 by quantize_entries, whose scales have pools of their own.
// CHECK-LABEL: func.func @rounded(
// CHECK-COUNT-2: arith.truncf %{{.*}} : f32 to bf16
// CHECK-NOT: arith.truncf
// CHECK: cheems_cpu.dynamic_mask_attention bias
func.func @rounded(%q: tensor<?x2x16xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %keys: tensor<?x3x2x?x16xbf16>, %masks: tensor<?x3x2x?xf32>) -> tensor<?x2x16xf32> {
  %r:4 = cheems.segmented_attention bias scale 0.5 block 8 ins(%q, %q, %q : tensor<?x2x16xf32>, tensor<?x2x16xf32>, tensor<?x2x16xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%q, %keys, %keys, %masks : tensor<?x2x16xf32>, tensor<?x3x2x?x16xbf16>, tensor<?x3x2x?x16xbf16>, tensor<?x3x2x?xf32>) -> tensor<?x2x16xf32>, tensor<?x3x2x?x16xbf16>, tensor<?x3x2x?x16xbf16>, tensor<?x3x2x?xf32>
  return %r#0 : tensor<?x2x16xf32>
}

// CHECK-LABEL: func.func @codes(
// CHECK: scf.forall ({{.*}}) in (%{{.*}}, 2) shared_outs(%[[KS:.*]] = %{{.*}}, %[[VS:.*]] = %{{.*}}, %{{.*}} = %{{.*}}, %[[KEY_SCALES:.*]] = %{{.*}}, %[[VALUE_SCALES:.*]] = %{{.*}}) ->
// CHECK: %[[KEY:.*]]:2 = cheems.quantize_entries
// CHECK-NEXT: %[[K1:.*]] = tensor.insert_slice %[[KEY]]#0
// CHECK-NEXT: %[[K2:.*]] = tensor.insert_slice %[[KEY]]#1
// CHECK: %[[VALUE:.*]]:2 = cheems.quantize_entries
// CHECK-NEXT: %[[V1:.*]] = tensor.insert_slice %[[VALUE]]#0
// CHECK-NEXT: %[[V2:.*]] = tensor.insert_slice %[[VALUE]]#1
// CHECK: tensor.parallel_insert_slice %[[K1]] into %[[KS]]
// CHECK: tensor.parallel_insert_slice %[[V1]] into %[[VS]]
// CHECK: tensor.parallel_insert_slice %[[K2]] into %[[KEY_SCALES]]
// CHECK: tensor.parallel_insert_slice %[[V2]] into %[[VALUE_SCALES]]
// CHECK: cheems_cpu.dynamic_mask_attention bias scale 5.000000e-01 allow_bf16 ins({{.*}}) scales(
func.func @codes(%q: tensor<?x2x16xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %keys: tensor<?x3x2x?x16xi8>, %masks: tensor<?x3x2x?xf32>) -> tensor<?x2x16xf32> {
  %r:6 = cheems.segmented_attention bias scale 0.5 block 8 allow_bf16 ins(%q, %q, %q : tensor<?x2x16xf32>, tensor<?x2x16xf32>, tensor<?x2x16xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%q, %keys, %keys, %masks : tensor<?x2x16xf32>, tensor<?x3x2x?x16xi8>, tensor<?x3x2x?x16xi8>, tensor<?x3x2x?xf32>) scales(%masks, %masks : tensor<?x3x2x?xf32>, tensor<?x3x2x?xf32>) -> tensor<?x2x16xf32>, tensor<?x3x2x?x16xi8>, tensor<?x3x2x?x16xi8>, tensor<?x3x2x?xf32>, tensor<?x3x2x?xf32>, tensor<?x3x2x?xf32>
  return %r#0 : tensor<?x2x16xf32>
}

// With a window, segments that fit into it are stored as above and attend in the second loop. The others go on in blocks of 8, in
// order: each block is stored after what is kept, attends, and pushes out what is beyond the best. A head of A has entries of
// its own, so two copy one key head here.
// CHECK-LABEL: func.func @window(
// CHECK-SAME: %[[Y:[a-z0-9]*]]: tensor<?x4x16xf32>, %{{[a-z0-9]*}}: tensor<?x3x4x?x16xf32>
// CHECK: %[[STORED:.*]]:5 = scf.forall (%[[S:.*]], %[[HEAD:.*]]) in (%{{.*}}, 4) shared_outs(%[[OUT:.*]] = %[[Y]], %[[KS:.*]] = %{{.*}}, %[[VS:.*]] = %{{.*}}, %[[MS:.*]] = %{{.*}}, %[[PS:.*]] = %{{.*}}) ->
// CHECK: %[[KEY_HEAD:.*]] = affine.apply #[[MAP_HALF]](%[[HEAD]])
// CHECK: %[[AFTER:.*]] = arith.addi %[[POSITION:.*]], %[[LENGTH:.*]] : index
// CHECK-NEXT: %[[W:.*]] = arith.constant 24 : index
// CHECK-NEXT: %[[EVICTS:.*]] = arith.cmpi ugt, %[[AFTER]], %[[W]]
// CHECK: %[[PLAIN:.*]] = arith.select %[[EVICTS]], %{{.*}}, %[[LENGTH]]
// CHECK: tensor.extract_slice %{{.*}}[%[[START:.*]], %[[KEY_HEAD]], 0] [%[[PLAIN]], 1, 16]
// CHECK: %[[LONG:.*]] = arith.select %[[EVICTS]], %[[LENGTH]], %{{.*}}
// CHECK: %[[EIGHT:.*]] = arith.constant 8 : index
// CHECK-NEXT: %[[BLOCKS:.*]]:5 = scf.for %[[AT:.*]] = %{{.*}} to %[[LONG]] step %[[EIGHT]] iter_args(
// CHECK: %[[REST:.*]] = arith.subi %[[LONG]], %[[AT]]
// CHECK: %[[ROWS:.*]] = arith.minui %{{.*}}, %[[REST]]
// CHECK: %[[NOW:.*]] = arith.addi %[[POSITION]], %[[AT]]
// CHECK: tensor.empty() : tensor<8x1xf32>
// CHECK: %[[KEPT:.*]] = arith.minui %[[NOW]], %{{.*}}
// CHECK: %[[K:.*]] = tensor.insert_slice %{{.*}} into %{{.*}}[0, %[[KEPT]], 0] [1, %[[ROWS]], 16]
// CHECK: %[[V:.*]] = tensor.insert_slice %{{.*}} into %{{.*}}[0, %[[KEPT]], 0] [1, %[[ROWS]], 16]
// CHECK: %[[M:.*]] = tensor.insert_slice %{{.*}} into %{{.*}}[0, %[[KEPT]]] [1, %[[ROWS]]]
// CHECK: %[[P:.*]] = tensor.insert_slice %{{.*}} into %{{.*}}[0, %[[KEPT]]] [1, %[[ROWS]]]
// CHECK: %[[SIGHT:.*]]:2 = cheems_cpu.keep_threshold keep 24 ins(%[[M]], %[[P]], %[[KEPT]] :
// CHECK: cheems_cpu.dynamic_mask_attention bias scale 5.000000e-01 ins(%{{.*}}, %[[K]], %[[V]], %[[M]], %{{.*}} : {{.*}}) kept(%[[P]], %[[SIGHT]]#0, %[[SIGHT]]#1
// CHECK: %[[FINAL:.*]] = affine.apply #[[MAP_LAST]](%[[ROWS]])
// CHECK-NEXT: %[[T:.*]] = tensor.extract_slice %[[SIGHT]]#0[%[[FINAL]], 0]
// CHECK-NEXT: %[[L:.*]] = tensor.extract_slice %[[SIGHT]]#1[%[[FINAL]], 0]
// CHECK-NEXT: %[[U:.*]]:4 = cheems_cpu.keep_update keep 24 ins(%[[T]], %[[L]], %{{.*}}, %[[ROWS]] : {{.*}}) outs(%[[K]], %[[V]], %[[M]], %[[P]] :
// CHECK: scf.yield %{{.*}}, %[[U]]#0, %[[U]]#1, %[[U]]#2, %[[U]]#3
// CHECK: scf.forall.in_parallel {
// CHECK-NEXT: tensor.parallel_insert_slice %[[BLOCKS]]#0 into %[[OUT]]
// CHECK-NEXT: tensor.parallel_insert_slice %[[BLOCKS]]#1 into %[[KS]]
// CHECK-NEXT: tensor.parallel_insert_slice %[[BLOCKS]]#2 into %[[VS]]
// CHECK-NEXT: tensor.parallel_insert_slice %[[BLOCKS]]#3 into %[[MS]]
// CHECK-NEXT: tensor.parallel_insert_slice %[[BLOCKS]]#4 into %[[PS]]
// CHECK: scf.forall ({{.*}}) in (%{{.*}}, 4, %{{.*}}) shared_outs(%{{.*}} = %[[STORED]]#0)
// CHECK: %[[EVICTS:.*]] = arith.cmpi ugt
// CHECK: arith.select %[[EVICTS]], %{{.*}}, %{{.*}}
// CHECK: cheems_cpu.dynamic_mask_attention
// CHECK-NOT: kept(
// CHECK: return
func.func @window(%q: tensor<?x4x16xf32>, %k: tensor<?x2x16xf32>, %mask: tensor<?x4xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x16xf32>, %keys: tensor<?x3x4x?x16xf32>, %values: tensor<?x3x4x?x16xf32>, %masks: tensor<?x3x4x?xf32>, %positions: tensor<?x3x4x?xi32>) -> tensor<?x4x16xf32> {
  %r:5 = cheems.segmented_attention bias scale 0.5 keep 24 block 8 ins(%q, %k, %k : tensor<?x4x16xf32>, tensor<?x2x16xf32>, tensor<?x2x16xf32>) mask(%mask : tensor<?x4xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x16xf32>, tensor<?x3x4x?x16xf32>, tensor<?x3x4x?x16xf32>, tensor<?x3x4x?xf32>) positions(%positions : tensor<?x3x4x?xi32>) -> tensor<?x4x16xf32>, tensor<?x3x4x?x16xf32>, tensor<?x3x4x?x16xf32>, tensor<?x3x4x?xf32>, tensor<?x3x4x?xi32>
  return %r#0 : tensor<?x4x16xf32>
}

// Where entries are counted, rows go in order, in blocks: of each block those are stored that are seen, after as many as were
// counted, and none at position 0.
// CHECK-LABEL: func.func @counted(
// CHECK: %[[DONE:.*]]:5 = scf.forall ({{.*}}) in (%{{.*}}, 1) shared_outs(%[[OUT:.*]] = %{{.*}}, %[[KS:.*]] = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %[[CS:.*]] = %{{.*}}) ->
// CHECK: %[[COUNTS:.*]] = tensor.extract_slice %[[CS]][%[[SLOT:.*]], %[[LAYER:.*]], %[[HEAD:.*]]] [1, 1, 1] [1, 1, 1] : tensor<?x3x1xi32> to tensor<1xi32>
// CHECK: %[[BEGINS:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : index
// CHECK: %[[OLD:.*]] = tensor.extract %[[COUNTS]]
// CHECK-NEXT: %[[OLD_INDEX:.*]] = arith.index_cast %[[OLD]]
// CHECK: %[[COUNT:.*]] = arith.select %[[BEGINS]], %{{.*}}, %[[OLD_INDEX]]
// CHECK: %[[BLOCKS:.*]]:5 = scf.for {{.*}} iter_args({{.*}}, %[[BEFORE:.*]] = %[[COUNT]]) -> (tensor<?x4x16xf32>, tensor<1x?x16xf32>, tensor<1x?x16xf32>, tensor<2x?xf32>, index)
// CHECK: %[[KEPT:.*]]:4 = cheems_cpu.append_visible hide_below 2.500000e-01 ins(%{{.*}}, %{{.*}}, %{{.*}}, %[[BEFORE]] :
// CHECK: %[[SEEN:.*]] = tensor.extract %[[KEPT]]#3[
// CHECK-NEXT: %[[NEXT:.*]] = arith.index_cast %[[SEEN]]
// CHECK: cheems_cpu.dynamic_mask_attention threshold scale 5.000000e-01 hide_below 2.500000e-01 ins(%{{.*}}, %[[KEPT]]#0, %[[KEPT]]#1, %[[KEPT]]#2, %[[BEFORE]] : {{.*}}) seen(%[[KEPT]]#3
// CHECK: scf.yield %{{.*}}, %[[KEPT]]#0, %[[KEPT]]#1, %[[KEPT]]#2, %[[NEXT]]
// CHECK: %[[AFTER:.*]] = arith.index_cast %[[BLOCKS]]#4 : index to i32
// CHECK: %[[NEW_COUNTS:.*]] = tensor.insert %[[AFTER]] into %[[COUNTS]]
// CHECK: tensor.parallel_insert_slice %[[NEW_COUNTS]] into %[[CS]][%[[SLOT]], %[[LAYER]], %[[HEAD]]] [1, 1, 1] [1, 1, 1]
// CHECK-NOT: scf.forall
// CHECK: return %[[DONE]]#0
func.func @counted(%q: tensor<?x4x16xf32>, %k: tensor<?x1x16xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x16xf32>, %keys: tensor<?x3x1x?x16xf32>, %masks: tensor<?x3x2x?xf32>, %counts: tensor<?x3x1xi32>) -> tensor<?x4x16xf32> {
  %r:5 = cheems.segmented_attention threshold scale 0.5 hide_below 0.25 block 8 ins(%q, %k, %k : tensor<?x4x16xf32>, tensor<?x1x16xf32>, tensor<?x1x16xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %keys, %masks : tensor<?x4x16xf32>, tensor<?x3x1x?x16xf32>, tensor<?x3x1x?x16xf32>, tensor<?x3x2x?xf32>) counts(%counts : tensor<?x3x1xi32>) -> tensor<?x4x16xf32>, tensor<?x3x1x?x16xf32>, tensor<?x3x1x?x16xf32>, tensor<?x3x2x?xf32>, tensor<?x3x1xi32>
  return %r#0 : tensor<?x4x16xf32>
}

// Heads that see nothing are not visited: of four key heads two are, the second and the last. What is not visited is zero.
// CHECK-LABEL: func.func @visible(
// CHECK-SAME: %[[Y:[a-z0-9]*]]: tensor<?x8x16xf32>, %{{[a-z0-9]*}}: tensor<?x3x4x?x16xf32>
// CHECK: scf.forall (%{{.*}}, %[[NUMBER:.*]]) in (%{{.*}}, 2)
// CHECK: %[[SECOND:.*]] = arith.constant 1 : index
// CHECK: %[[ONE:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[OTHER:.*]] = arith.cmpi eq, %[[NUMBER]], %[[ONE]]
// CHECK-NEXT: %[[FOURTH:.*]] = arith.constant 3 : index
// CHECK-NEXT: %[[HEAD:.*]] = arith.select %[[OTHER]], %[[FOURTH]], %[[SECOND]]
// CHECK: tensor.extract_slice %{{.*}}[%{{.*}}, %{{.*}}, %[[HEAD]], 0, 0]
// CHECK: linalg.generic {indexing_maps = [#[[MAP_ALL]]], iterator_types = ["parallel", "parallel"]} outs(
// CHECK: %[[SEES:.*]] = arith.constant 1.0
// CHECK-NEXT: linalg.yield %[[SEES]]
// CHECK: %[[ZEROS:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%[[Y]]
// CHECK: scf.forall ({{.*}}) in (%{{.*}}, 2, %{{.*}}) shared_outs(%{{.*}} = %[[ZEROS]])
func.func @visible(%q: tensor<?x8x16xf32>, %k: tensor<?x4x16xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x8x16xf32>, %keys: tensor<?x3x4x?x16xf32>, %masks: tensor<?x3x4x?xf32>) -> tensor<?x8x16xf32> {
  %r:4 = cheems.segmented_attention threshold scale 0.5 hide_below 1.0 visible [false, true, false, true] block 8 ins(%q, %k, %k : tensor<?x8x16xf32>, tensor<?x4x16xf32>, tensor<?x4x16xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %keys, %masks : tensor<?x8x16xf32>, tensor<?x3x4x?x16xf32>, tensor<?x3x4x?x16xf32>, tensor<?x3x4x?xf32>) -> tensor<?x8x16xf32>, tensor<?x3x4x?x16xf32>, tensor<?x3x4x?x16xf32>, tensor<?x3x4x?xf32>
  return %r#0 : tensor<?x8x16xf32>
}

// A key head of which some head of A sees is visited, and stores who does.
// CHECK-LABEL: func.func @partly_visible(
// CHECK: scf.forall (%{{.*}}, %[[HEAD:.*]]) in (%{{.*}}, 1)
// CHECK: %[[SEES:.*]] = arith.constant 1.0
// CHECK: linalg.index 0
// CHECK: %[[BLIND:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[HERE:.*]] = arith.cmpi eq, %{{.*}}, %[[BLIND]]
// CHECK-NEXT: %[[NOT:.*]] = arith.constant 0.0
// CHECK-NEXT: arith.select %[[HERE]], %[[NOT]], %[[SEES]]
// CHECK-NOT: linalg.fill
// CHECK: return
func.func @partly_visible(%q: tensor<?x4x16xf32>, %k: tensor<?x1x16xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x16xf32>, %keys: tensor<?x3x1x?x16xf32>, %masks: tensor<?x3x2x?xf32>) -> tensor<?x4x16xf32> {
  %r:4 = cheems.segmented_attention threshold scale 0.5 hide_below 1.0 visible [true, false] block 8 ins(%q, %k, %k : tensor<?x4x16xf32>, tensor<?x1x16xf32>, tensor<?x1x16xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %keys, %masks : tensor<?x4x16xf32>, tensor<?x3x1x?x16xf32>, tensor<?x3x1x?x16xf32>, tensor<?x3x2x?xf32>) -> tensor<?x4x16xf32>, tensor<?x3x1x?x16xf32>, tensor<?x3x1x?x16xf32>, tensor<?x3x2x?xf32>
  return %r#0 : tensor<?x4x16xf32>
}

// The example of docs/passes.md.
// CHECK-LABEL: func.func @example(
// CHECK: scf.forall
// CHECK: cheems_cpu.ssd
// doc: cheems-expand-segments,canonicalize,cse
func.func @example(%x: tensor<?x2x8xf32>, %dt: tensor<?x2xf32>, %a: tensor<2xf32>, %b: tensor<?x1x6xf32>, %c: tensor<?x1x6xf32>,
                   %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x2x8xf32>, %pool: tensor<?x7x2x6x8xf32>)
    -> (tensor<?x2x8xf32>, tensor<?x7x2x6x8xf32>) {
  %o, %h = cheems.segmented_ssd
    ins(%x, %dt, %a, %b, %c : tensor<?x2x8xf32>, tensor<?x2xf32>, tensor<2xf32>, tensor<?x1x6xf32>, tensor<?x1x6xf32>)
    segments(%segments : tensor<?x8xi32>) layer(%layer)
    outs(%y, %pool : tensor<?x2x8xf32>, tensor<?x7x2x6x8xf32>) -> tensor<?x2x8xf32>, tensor<?x7x2x6x8xf32>
  return %o, %h : tensor<?x2x8xf32>, tensor<?x7x2x6x8xf32>
}
// doc-end

// Without masks there are two pools, and nothing else is stored.
// CHECK-LABEL: func.func @none(
// CHECK: scf.forall {{.*}} shared_outs(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (tensor<?x3x2x?x16xbf16>, tensor<?x3x2x?x16xbf16>)
// CHECK: cheems_cpu.dynamic_mask_attention none scale 2.500000e-01 ins(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<?x2x16xf32>, tensor<1x?x16xbf16>, tensor<1x?x16xbf16>, index) outs(
func.func @none(%q: tensor<?x4x16xf32>, %k: tensor<?x2x16xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x16xf32>, %keys: tensor<?x3x2x?x16xbf16>, %values: tensor<?x3x2x?x16xbf16>) -> (tensor<?x4x16xf32>, tensor<?x3x2x?x16xbf16>, tensor<?x3x2x?x16xbf16>) {
  %r:3 = cheems.segmented_attention none scale 0.25 block 8 ins(%q, %k, %k : tensor<?x4x16xf32>, tensor<?x2x16xf32>, tensor<?x2x16xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values : tensor<?x4x16xf32>, tensor<?x3x2x?x16xbf16>, tensor<?x3x2x?x16xbf16>) -> tensor<?x4x16xf32>, tensor<?x3x2x?x16xbf16>, tensor<?x3x2x?x16xbf16>
  return %r#0, %r#1, %r#2 : tensor<?x4x16xf32>, tensor<?x3x2x?x16xbf16>, tensor<?x3x2x?x16xbf16>
}
