// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-fuse-epilogues),canonicalize,cse)' | FileCheck %s

#row = affine_map<(t, n) -> (t)>

// A gate with a bias and what it gates: one op with two weights.
// CHECK-LABEL: @gate
// CHECK: cheems_cpu.linear ins(%arg0 : tensor<?x8xf32>) weights(%arg1, %arg2 : tensor<2x8x16x1xf32>, tensor<2x8x16x1xf32>) with(%arg3 : tensor<32xf32>)
// CHECK: ^bb0(%[[GATE:.*]]: f32, %[[UP:.*]]: f32, %[[BIAS:.*]]: f32):
// CHECK: %[[SUM:.*]] = arith.addf %[[GATE]], %[[BIAS]] : f32
// CHECK: %[[POSITIVE:.*]] = arith.maximumf %[[SUM]], %{{.*}} : f32
// CHECK: %[[Y:.*]] = arith.mulf %[[POSITIVE]], %[[UP]] : f32
// CHECK: cheems_cpu.yield %[[Y]]
// CHECK-NOT: linalg.generic
// CHECK: return
// doc: func.func(cheems-fuse-epilogues),canonicalize,cse
#all = affine_map<(t, n) -> (t, n)>
#column = affine_map<(t, n) -> (n)>
func.func @gate(%x: tensor<?x8xf32>, %w: tensor<2x8x16x1xf32>, %v: tensor<2x8x16x1xf32>, %b: tensor<32xf32>, %e: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %zero = arith.constant 0.0 : f32
  %g = cheems_cpu.linear ins(%x : tensor<?x8xf32>) weights(%w : tensor<2x8x16x1xf32>) outs(%e : tensor<?x32xf32>) -> tensor<?x32xf32>
  %biased = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]} ins(%g, %b : tensor<?x32xf32>, tensor<32xf32>) outs(%e : tensor<?x32xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %1 = arith.addf %p, %q : f32
    linalg.yield %1 : f32
  } -> tensor<?x32xf32>
  %u = cheems_cpu.linear ins(%x : tensor<?x8xf32>) weights(%v : tensor<2x8x16x1xf32>) outs(%e : tensor<?x32xf32>) -> tensor<?x32xf32>
  %h = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%biased, %u : tensor<?x32xf32>, tensor<?x32xf32>) outs(%e : tensor<?x32xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %1 = arith.maximumf %p, %zero : f32
    %2 = arith.mulf %1, %q : f32
    linalg.yield %2 : f32
  } -> tensor<?x32xf32>
  return %h : tensor<?x32xf32>
}
// doc-end

// Two residuals update one tensor: the first writes its own, the second goes back.
// CHECK-LABEL: @residuals
// CHECK: %[[OWN:.*]] = tensor.empty(%{{.*}}) : tensor<?x32xf32>
// CHECK: %[[FIRST:.*]] = cheems_cpu.linear ins(%arg0 : {{.*}}) weights(%arg1 : {{.*}}) with(%arg2, %arg3 : tensor<32xf32>, tensor<?x32xf32>) outs(%[[OWN]] : tensor<?x32xf32>)
// CHECK: ^bb0(%[[SUM:.*]]: f32, %[[SCALE:.*]]: f32, %[[OLD:.*]]: f32):
// CHECK: %[[SCALED:.*]] = arith.mulf %[[SCALE]], %[[OLD]] : f32
// CHECK: arith.addf %[[SCALED]], %[[SUM]] : f32
// CHECK: cheems_cpu.linear ins(%arg5 : {{.*}}) weights(%arg1 : {{.*}}) with(%arg2, %[[FIRST]] : tensor<32xf32>, tensor<?x32xf32>) outs(%arg3 : tensor<?x32xf32>)
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @residuals(%x: tensor<?x8xf32>, %w: tensor<2x8x16x1xf32>, %s: tensor<32xf32>, %r: tensor<?x32xf32>, %e: tensor<?x32xf32>, %z: tensor<?x8xf32>) -> tensor<?x32xf32> {
  %g = cheems_cpu.linear ins(%x : tensor<?x8xf32>) weights(%w : tensor<2x8x16x1xf32>) outs(%e : tensor<?x32xf32>) -> tensor<?x32xf32>
  %0 = linalg.generic {indexing_maps = [#column, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%s, %g : tensor<32xf32>, tensor<?x32xf32>) outs(%r : tensor<?x32xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %2 = arith.mulf %p, %o : f32
    %3 = arith.addf %2, %q : f32
    linalg.yield %3 : f32
  } -> tensor<?x32xf32>
  %u = cheems_cpu.linear ins(%z : tensor<?x8xf32>) weights(%w : tensor<2x8x16x1xf32>) outs(%e : tensor<?x32xf32>) -> tensor<?x32xf32>
  %1 = linalg.generic {indexing_maps = [#column, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%s, %u : tensor<32xf32>, tensor<?x32xf32>) outs(%0 : tensor<?x32xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %2 = arith.mulf %p, %o : f32
    %3 = arith.addf %2, %q : f32
    linalg.yield %3 : f32
  } -> tensor<?x32xf32>
  return %1 : tensor<?x32xf32>
}

// One of two updates has no matmul: it takes its turn, too.
// CHECK-LABEL: @one_of_two
// CHECK: linalg.generic {{.*}} ins(%arg2, %arg3 : tensor<32xf32>, tensor<?x32xf32>) outs(%[[OWN:.*]] : tensor<?x32xf32>)
// CHECK: cheems_cpu.linear ins(%arg0 : {{.*}}) weights(%arg1 : {{.*}}) with(%{{.*}} : tensor<?x32xf32>) outs(%arg3 : tensor<?x32xf32>)
func.func @one_of_two(%x: tensor<?x8xf32>, %w: tensor<2x8x16x1xf32>, %s: tensor<32xf32>, %r: tensor<?x32xf32>, %e: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %0 = linalg.generic {indexing_maps = [#column, #all], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<32xf32>) outs(%r : tensor<?x32xf32>) {
  ^bb0(%p: f32, %o: f32):
    %2 = arith.mulf %p, %o : f32
    linalg.yield %2 : f32
  } -> tensor<?x32xf32>
  %u = cheems_cpu.linear ins(%x : tensor<?x8xf32>) weights(%w : tensor<2x8x16x1xf32>) outs(%e : tensor<?x32xf32>) -> tensor<?x32xf32>
  %1 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%u : tensor<?x32xf32>) outs(%0 : tensor<?x32xf32>) {
  ^bb0(%q: f32, %o: f32):
    %2 = arith.addf %o, %q : f32
    linalg.yield %2 : f32
  } -> tensor<?x32xf32>
  return %1 : tensor<?x32xf32>
}

// What stays: one update in place, a matmul with another use, an op that broadcasts along a row or asks for its place.
// CHECK-LABEL: @apart
// CHECK-COUNT-4: linalg.generic
// CHECK: return
func.func @apart(%x: tensor<?x8xf32>, %w: tensor<2x8x16x1xf32>, %s: tensor<?xf32>, %r: tensor<?x32xf32>, %e: tensor<?x32xf32>) -> (tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x32xf32>) {
  %g = cheems_cpu.linear ins(%x : tensor<?x8xf32>) weights(%w : tensor<2x8x16x1xf32>) outs(%e : tensor<?x32xf32>) -> tensor<?x32xf32>
  %0 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%g : tensor<?x32xf32>) outs(%r : tensor<?x32xf32>) {
  ^bb0(%q: f32, %o: f32):
    %4 = arith.addf %o, %q : f32
    linalg.yield %4 : f32
  } -> tensor<?x32xf32>
  %h = cheems_cpu.linear ins(%x : tensor<?x8xf32>) weights(%w : tensor<2x8x16x1xf32>) outs(%r : tensor<?x32xf32>) -> tensor<?x32xf32>
  %1 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%h : tensor<?x32xf32>) outs(%e : tensor<?x32xf32>) {
  ^bb0(%q: f32, %o: f32):
    %4 = arith.negf %q : f32
    linalg.yield %4 : f32
  } -> tensor<?x32xf32>
  %i = cheems_cpu.linear ins(%x : tensor<?x8xf32>) weights(%w : tensor<2x8x16x1xf32>) outs(%e : tensor<?x32xf32>) -> tensor<?x32xf32>
  %2 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%i, %s : tensor<?x32xf32>, tensor<?xf32>) outs(%e : tensor<?x32xf32>) {
  ^bb0(%q: f32, %p: f32, %o: f32):
    %4 = arith.mulf %q, %p : f32
    linalg.yield %4 : f32
  } -> tensor<?x32xf32>
  %j = cheems_cpu.linear ins(%x : tensor<?x8xf32>) weights(%w : tensor<2x8x16x1xf32>) outs(%e : tensor<?x32xf32>) -> tensor<?x32xf32>
  %3 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%j : tensor<?x32xf32>) outs(%e : tensor<?x32xf32>) {
  ^bb0(%q: f32, %o: f32):
    %n = linalg.index 1 : index
    %4 = arith.index_cast %n : index to i32
    %5 = arith.sitofp %4 : i32 to f32
    %6 = arith.mulf %q, %5 : f32
    linalg.yield %6 : f32
  } -> tensor<?x32xf32>
  return %0, %h, %1, %2, %3 : tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x32xf32>
}

// Parts of a merged matmul that are read by columns: rotary heads first, a step with its bias and softplus last. They are done in
// place, in a tensor of whole panels.
// CHECK-LABEL: @parts
// CHECK: %[[SUMS:.*]] = cheems_cpu.linear ins(%arg0 : tensor<?x8xf32>) weights(%arg1 : {{.*}}) outs(%{{.*}} : tensor<?x64xf32>) -> tensor<?x64xf32>
// CHECK: %[[ALL:.*]] = cheems_cpu.column_epilogue rotated 32 mapped [40, 52] angles(%arg2, %arg3 : tensor<?x4xf32>, tensor<?x4xf32>) with(%arg4 : tensor<12xf32>) outs(%[[SUMS]] : tensor<?x64xf32>) {
// CHECK: ^bb0(%[[STEP:.*]]: f32, %[[BIAS:.*]]: f32):
// CHECK: %[[BIASED:.*]] = arith.addf %[[STEP]], %[[BIAS]] : f32
// CHECK: %[[EXP:.*]] = math.exp %[[BIASED]] : f32
// CHECK: %[[SOFTPLUS:.*]] = math.log1p %[[EXP]] : f32
// CHECK: cheems_cpu.yield %[[SOFTPLUS]] : f32
// CHECK-DAG: tensor.extract_slice %[[ALL]][0, 0] [%{{.*}}, 16]
// CHECK-DAG: tensor.extract_slice %[[ALL]][0, 16] [%{{.*}}, 16]
// CHECK-DAG: tensor.extract_slice %[[ALL]][0, 32] [%{{.*}}, 8]
// CHECK-DAG: tensor.extract_slice %[[ALL]][0, 40] [%{{.*}}, 12]
// CHECK-NOT: cheems.rotary
// CHECK-NOT: linalg.generic
// CHECK: return
// doc: func.func(cheems-fuse-epilogues),canonicalize,cse
func.func @parts(%x: tensor<?x8xf32>, %w: tensor<4x8x16x1xf32>, %cos: tensor<?x4xf32>, %sin: tensor<?x4xf32>, %b: tensor<12xf32>, %t: index)
    -> (tensor<?x2x8xf32>, tensor<?x2x8xf32>, tensor<?x8xf32>, tensor<?x12xf32>) {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%rows) : tensor<?x52xf32>
  %heads = tensor.empty(%rows) : tensor<?x2x8xf32>
  %steps = tensor.empty(%rows) : tensor<?x12xf32>
  %y = cheems_cpu.linear ins(%x : tensor<?x8xf32>) weights(%w : tensor<4x8x16x1xf32>) outs(%e : tensor<?x52xf32>) -> tensor<?x52xf32>
  %c = tensor.extract_slice %y[0, 0] [%rows, 16] [1, 1] : tensor<?x52xf32> to tensor<?x16xf32>
  %into = tensor.extract_slice %y[0, 16] [%rows, 16] [1, 1] : tensor<?x52xf32> to tensor<?x16xf32>
  %value = tensor.extract_slice %y[0, 32] [%rows, 8] [1, 1] : tensor<?x52xf32> to tensor<?x8xf32>
  %step = tensor.extract_slice %y[0, 40] [%rows, 12] [1, 1] : tensor<?x52xf32> to tensor<?x12xf32>
  %cs = tensor.expand_shape %c [[0], [1, 2]] output_shape [%rows, 2, 8] : tensor<?x16xf32> into tensor<?x2x8xf32>
  %cr = cheems.rotary ins(%cs, %cos, %sin : tensor<?x2x8xf32>, tensor<?x4xf32>, tensor<?x4xf32>) outs(%heads : tensor<?x2x8xf32>) -> tensor<?x2x8xf32>
  %bs = tensor.expand_shape %into [[0], [1, 2]] output_shape [%rows, 2, 8] : tensor<?x16xf32> into tensor<?x2x8xf32>
  %br = cheems.rotary ins(%bs, %cos, %sin : tensor<?x2x8xf32>, tensor<?x4xf32>, tensor<?x4xf32>) outs(%heads : tensor<?x2x8xf32>) -> tensor<?x2x8xf32>
  %biased = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]} ins(%step, %b : tensor<?x12xf32>, tensor<12xf32>) outs(%steps : tensor<?x12xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.addf %p, %q : f32
    linalg.yield %0 : f32
  } -> tensor<?x12xf32>
  %softplus = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%biased : tensor<?x12xf32>) outs(%steps : tensor<?x12xf32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = math.exp %p : f32
    %1 = math.log1p %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x12xf32>
  return %cr, %br, %value, %softplus : tensor<?x2x8xf32>, tensor<?x2x8xf32>, tensor<?x8xf32>, tensor<?x12xf32>
}
// doc-end

// What is read as a whole, or rotated after columns that are not, keeps its own ops.
// CHECK-LABEL: @turned_after
// CHECK-NOT: cheems_cpu.column_epilogue
// CHECK: cheems.rotary
// CHECK: return
func.func @turned_after(%x: tensor<?x8xf32>, %w: tensor<3x8x16x1xf32>, %cos: tensor<?x4xf32>, %sin: tensor<?x4xf32>) -> (tensor<?x8xf32>, tensor<?x5x8xf32>) {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%rows) : tensor<?x48xf32>
  %heads = tensor.empty(%rows) : tensor<?x5x8xf32>
  %y = cheems_cpu.linear ins(%x : tensor<?x8xf32>) weights(%w : tensor<3x8x16x1xf32>) outs(%e : tensor<?x48xf32>) -> tensor<?x48xf32>
  %value = tensor.extract_slice %y[0, 0] [%rows, 8] [1, 1] : tensor<?x48xf32> to tensor<?x8xf32>
  %c = tensor.extract_slice %y[0, 8] [%rows, 40] [1, 1] : tensor<?x48xf32> to tensor<?x40xf32>
  %cs = tensor.expand_shape %c [[0], [1, 2]] output_shape [%rows, 5, 8] : tensor<?x40xf32> into tensor<?x5x8xf32>
  %cr = cheems.rotary ins(%cs, %cos, %sin : tensor<?x5x8xf32>, tensor<?x4xf32>, tensor<?x4xf32>) outs(%heads : tensor<?x5x8xf32>) -> tensor<?x5x8xf32>
  return %value, %cr : tensor<?x8xf32>, tensor<?x5x8xf32>
}

// Nothing is turned in place where another part has some of its columns.
// CHECK-LABEL: @overlapping
// CHECK-NOT: cheems_cpu.column_epilogue
// CHECK: cheems.rotary
// CHECK: return
func.func @overlapping(%x: tensor<?x8xf32>, %w: tensor<3x8x16x1xf32>, %cos: tensor<?x4xf32>, %sin: tensor<?x4xf32>) -> (tensor<?x2x8xf32>, tensor<?x40xf32>) {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%rows) : tensor<?x48xf32>
  %heads = tensor.empty(%rows) : tensor<?x2x8xf32>
  %y = cheems_cpu.linear ins(%x : tensor<?x8xf32>) weights(%w : tensor<3x8x16x1xf32>) outs(%e : tensor<?x48xf32>) -> tensor<?x48xf32>
  %c = tensor.extract_slice %y[0, 0] [%rows, 16] [1, 1] : tensor<?x48xf32> to tensor<?x16xf32>
  %value = tensor.extract_slice %y[0, 8] [%rows, 40] [1, 1] : tensor<?x48xf32> to tensor<?x40xf32>
  %cs = tensor.expand_shape %c [[0], [1, 2]] output_shape [%rows, 2, 8] : tensor<?x16xf32> into tensor<?x2x8xf32>
  %cr = cheems.rotary ins(%cs, %cos, %sin : tensor<?x2x8xf32>, tensor<?x4xf32>, tensor<?x4xf32>) outs(%heads : tensor<?x2x8xf32>) -> tensor<?x2x8xf32>
  return %cr, %value : tensor<?x2x8xf32>, tensor<?x40xf32>
}

// Heads that turn in part keep their op.
// CHECK-LABEL: @turned_in_part
// CHECK-NOT: cheems_cpu.column_epilogue
// CHECK: cheems.rotary
// CHECK: return
func.func @turned_in_part(%x: tensor<?x8xf32>, %w: tensor<3x8x16x1xf32>, %cos: tensor<?x3xf32>, %sin: tensor<?x3xf32>) -> (tensor<?x2x8xf32>, tensor<?x32xf32>) {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%rows) : tensor<?x48xf32>
  %heads = tensor.empty(%rows) : tensor<?x2x8xf32>
  %y = cheems_cpu.linear ins(%x : tensor<?x8xf32>) weights(%w : tensor<3x8x16x1xf32>) outs(%e : tensor<?x48xf32>) -> tensor<?x48xf32>
  %c = tensor.extract_slice %y[0, 0] [%rows, 16] [1, 1] : tensor<?x48xf32> to tensor<?x16xf32>
  %value = tensor.extract_slice %y[0, 16] [%rows, 32] [1, 1] : tensor<?x48xf32> to tensor<?x32xf32>
  %cs = tensor.expand_shape %c [[0], [1, 2]] output_shape [%rows, 2, 8] : tensor<?x16xf32> into tensor<?x2x8xf32>
  %cr = cheems.rotary ins(%cs, %cos, %sin : tensor<?x2x8xf32>, tensor<?x3xf32>, tensor<?x3xf32>) outs(%heads : tensor<?x2x8xf32>) -> tensor<?x2x8xf32>
  return %cr, %value : tensor<?x2x8xf32>, tensor<?x32xf32>
}
