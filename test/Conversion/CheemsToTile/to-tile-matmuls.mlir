// RUN: cheems-opt %s --split-input-file --cheems-gpu-kernels --canonicalize --cse | FileCheck %s

// A gate and what it gates: one kernel with two matmuls, whose result is rounded. Its outputs are many, so its tile is large.
// CHECK-LABEL: func.func @gate
// CHECK: launch @matmul grid[%c24{{.*}}, %{{.*}}, %{{.*}}] ins(%arg0, %arg1, %arg2 : {{.*}}) outs(%arg3 :
// CHECK-LABEL: kernel @matmul(
// CHECK-SAME: %arg3: memref<?x1536xbf16>) warps(4)
// CHECK: cheems_tile.alloc : {{.*}}<2x128x64xbf16, swizzled>
// CHECK-COUNT-2: cheems_tile.alloc : {{.*}}<2x64x64xbf16, swizzled>
// CHECK: scf.for
// CHECK: cheems_tile.wait pending 0
// CHECK-NEXT: cheems_tile.barrier
// CHECK-COUNT-8: cheems_tile.mma
// CHECK: scf.yield
// CHECK: cheems_tile.wait pending 0
// CHECK: arith.truncf
// CHECK: cheems_tile.store
#all = affine_map<(t, n) -> (t, n)>
#x = affine_map<(t, n, k) -> (t, k)>
#w = affine_map<(t, n, k) -> (n, k)>
#y = affine_map<(t, n, k) -> (t, n)>
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 66560, l2 = 41943040, bandwidth = 1555>} {
  func.func @gate(%x: tensor<?x768xbf16>, %g: tensor<1536x768xbf16>, %u: tensor<1536x768xbf16>, %r: tensor<?x1536xbf16>, %e: tensor<?x1536xf32>) -> tensor<?x1536xbf16> {
    %zero = arith.constant 0.0 : f32
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x1536xf32>) -> tensor<?x1536xf32>
    %p = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %g : tensor<?x768xbf16>, tensor<1536x768xbf16>) outs(%f : tensor<?x1536xf32>) -> tensor<?x1536xf32>
    %q = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %u : tensor<?x768xbf16>, tensor<1536x768xbf16>) outs(%f : tensor<?x1536xf32>) -> tensor<?x1536xf32>
    %h = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%p, %q : tensor<?x1536xf32>, tensor<?x1536xf32>) outs(%r : tensor<?x1536xbf16>) {
    ^bb0(%a: f32, %b: f32, %c: bf16):
      %1 = arith.maximumf %a, %zero : f32
      %2 = arith.mulf %1, %b : f32
      %3 = arith.truncf %2 : f32 to bf16
      linalg.yield %3 : bf16
    } -> tensor<?x1536xbf16>
    return %h : tensor<?x1536xbf16>
  }
}

// -----

// Few rows: weights go straight to registers, warps share k, and rows of a tile are outputs. One launch is for one row, the other
// one for more.
// CHECK-LABEL: func.func @few
// CHECK: %[[ROWS:.*]] = tensor.dim %arg0, %c0
// CHECK: %[[ONE:.*]] = arith.cmpi ult, %[[ROWS]], %c2
// CHECK: %[[MORE:.*]] = arith.cmpi uge, %[[ROWS]], %c2
// CHECK: %[[FIRST:.*]] = cheems_tile.launch @matmul_of_one_row when %[[ONE]] grid[%c16, %{{.*}}, %{{.*}}] {{.*}} outs(%arg3 :
// CHECK: launch @matmul_few_rows when %[[MORE]] grid[%c16, %{{.*}}, %{{.*}}] {{.*}} outs(%[[FIRST]] :
// CHECK-LABEL: kernel @matmul_of_one_row(
// CHECK: cheems_tile.mma {{.*}} tensor<16x8xf32
// CHECK-LABEL: kernel @matmul_few_rows(
// CHECK-NOT: alloc
// CHECK: scf.for
// CHECK: cheems_tile.load %arg1[{{.*}}] dims [0, 1] aligned 16
// CHECK: cheems_tile.load %arg0[{{.*}}] dims [0, 1] aligned 16
// CHECK: cheems_tile.mma
// CHECK: cheems_tile.sum_partials
// CHECK: cheems_tile.load %arg2[%{{.*}}] dims [0]
// CHECK: cheems_tile.broadcast
// CHECK: cheems_tile.store %{{.*}}, %arg3[{{.*}}] dims [1, 0] :
#all = affine_map<(t, n) -> (t, n)>
#column = affine_map<(t, n) -> (n)>
#x = affine_map<(t, n, k) -> (t, k)>
#w = affine_map<(t, n, k) -> (n, k)>
#y = affine_map<(t, n, k) -> (t, n)>
module attributes {cheems.target = #cheems_tile.target<arch = sm_90a, multiprocessors = 132, shared = 232448, l2 = 52428800, bandwidth = 3350>} {
  func.func @few(%x: tensor<?x768xf16>, %a: tensor<256x768xf16>, %b: tensor<256xf32>, %e: tensor<?x256xf32>) -> tensor<?x256xf32> attributes {cheems.most_rows = 64 : i64} {
    %zero = arith.constant 0.0 : f32
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x256xf32>) -> tensor<?x256xf32>
    %p = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %a : tensor<?x768xf16>, tensor<256x768xf16>) outs(%f : tensor<?x256xf32>) -> tensor<?x256xf32>
    %h = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]} ins(%p, %b : tensor<?x256xf32>, tensor<256xf32>) outs(%e : tensor<?x256xf32>) {
    ^bb0(%s: f32, %t: f32, %c: f32):
      %1 = arith.addf %s, %t : f32
      linalg.yield %1 : f32
    } -> tensor<?x256xf32>
    return %h : tensor<?x256xf32>
  }
}

// -----

// f32 is multiplied without tensor cores. Rows of an odd number of bf16 go element by element.
// CHECK-LABEL: func.func @others
// CHECK: launch @matmul_f32
// CHECK: launch @matmul grid
// CHECK: kernel @matmul_f32({{.*}}) warps(8)
// CHECK: cheems_tile.async_copy {{.*}} aligned 16
// CHECK: cheems_tile.fma
// CHECK: kernel @matmul({{.*}}) warps(4)
// CHECK-NOT: async_copy
// CHECK: cheems_tile.write
// CHECK: cheems_tile.mma
#x = affine_map<(t, n, k) -> (t, k)>
#w = affine_map<(t, n, k) -> (n, k)>
#y = affine_map<(t, n, k) -> (t, n)>
module attributes {cheems.target = #cheems_tile.target<arch = sm_90a, multiprocessors = 132, shared = 232448, l2 = 52428800, bandwidth = 3350>} {
  func.func @others(%x: tensor<?x36xf32>, %a: tensor<20x36xf32>, %z: tensor<?x33xbf16>, %b: tensor<20x33xbf16>, %e: tensor<?x20xf32>) -> (tensor<?x20xf32>, tensor<?x20xf32>) {
    %zero = arith.constant 0.0 : f32
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x20xf32>) -> tensor<?x20xf32>
    %p = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %a : tensor<?x36xf32>, tensor<20x36xf32>) outs(%f : tensor<?x20xf32>) -> tensor<?x20xf32>
    %q = linalg.matmul indexing_maps = [#x, #w, #y] ins(%z, %b : tensor<?x33xbf16>, tensor<20x33xbf16>) outs(%f : tensor<?x20xf32>) -> tensor<?x20xf32>
    return %p, %q : tensor<?x20xf32>, tensor<?x20xf32>
  }
}

// -----

// The unit wgmma: warpgroups begin the matmul of a stage, copy another one meanwhile, and wait for the matmul before. Of two stages copies
// are under way, one is multiplied and one may still be. A matmul of many outputs has the widest tile, whatever its sums become.
// CHECK-LABEL: func.func @together
// CHECK: launch @matmul grid[%c16{{.*}}] ins(%arg0, %arg1 : {{.*}}) outs(%{{.*}} :
// CHECK: launch @matmul_1 when %{{.*}} grid[%c32, {{.*}}] ins(%arg0, %arg2, %arg3 : {{.*}}) outs(%{{.*}} :
// CHECK: launch @matmul_wide when %{{.*}} grid[%c16, {{.*}}] ins(%arg0, %arg2, %arg3 : {{.*}}) outs(%{{.*}} :
// CHECK-LABEL: kernel @matmul(
// CHECK-SAME: warps(8)
// CHECK: alloc : {{.*}}<4x128x64xbf16, swizzled>
// CHECK: alloc : {{.*}}<4x256x64xbf16, swizzled>
// CHECK-COUNT-4: async_copy
// CHECK: scf.for
// CHECK: wait pending 1
// CHECK-NEXT: fence
// CHECK-NEXT: barrier
// CHECK-NEXT: warpgroup_mma {{.*}} tensor<128x256xf32, #fragment_c>
// CHECK-COUNT-2: async_copy
// CHECK: warpgroup_wait pending 1
// CHECK: scf.yield
// CHECK: wait pending 0
// CHECK: warpgroup_wait pending 0
// CHECK-NEXT: store
// CHECK-LABEL: kernel @matmul_1(
// CHECK-SAME: warps(8)
// CHECK: alloc : {{.*}}<3x128x64xbf16, swizzled>
// CHECK-COUNT-2: alloc : {{.*}}<3x64x64xbf16, swizzled>
// CHECK: scf.for
// CHECK: wait pending 0
// CHECK-COUNT-2: warpgroup_mma {{.*}} tensor<128x64xf32, #fragment_c
// CHECK-COUNT-2: warpgroup_wait pending 2
// CHECK: scf.yield
#all = affine_map<(t, n) -> (t, n)>
#x = affine_map<(t, n, k) -> (t, k)>
#w = affine_map<(t, n, k) -> (n, k)>
#y = affine_map<(t, n, k) -> (t, n)>
module attributes {cheems.target = #cheems_tile.target<arch = sm_90a, multiprocessors = 132, shared = 232448, l2 = 52428800, bandwidth = 3350, unit = wgmma>} {
  func.func @together(%x: tensor<?x768xbf16>, %a: tensor<4096x768xbf16>, %b: tensor<2048x768xbf16>, %c: tensor<2048x768xbf16>, %e: tensor<?x4096xf32>, %s: tensor<?x2048xf32>) -> (tensor<?x4096xf32>, tensor<?x2048xf32>) {
    %zero = arith.constant 0.0 : f32
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4096xf32>) -> tensor<?x4096xf32>
    %p = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %a : tensor<?x768xbf16>, tensor<4096x768xbf16>) outs(%f : tensor<?x4096xf32>) -> tensor<?x4096xf32>
    %g = linalg.fill ins(%zero : f32) outs(%s : tensor<?x2048xf32>) -> tensor<?x2048xf32>
    %q = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %b : tensor<?x768xbf16>, tensor<2048x768xbf16>) outs(%g : tensor<?x2048xf32>) -> tensor<?x2048xf32>
    %r = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %c : tensor<?x768xbf16>, tensor<2048x768xbf16>) outs(%g : tensor<?x2048xf32>) -> tensor<?x2048xf32>
    %h = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%q, %r : tensor<?x2048xf32>, tensor<?x2048xf32>) outs(%s : tensor<?x2048xf32>) {
    ^bb0(%i: f32, %j: f32, %k: f32):
      %1 = arith.mulf %i, %j : f32
      linalg.yield %1 : f32
    } -> tensor<?x2048xf32>
    return %p, %h : tensor<?x4096xf32>, tensor<?x2048xf32>
  }
}

// -----

// Bulk copies: x and the weights are arguments once more, as maps, and a warp of its own fills the ring. Rows of 33 numbers are no multiple of
// 16 bytes: threads copy them.
// CHECK-LABEL: func.func @filled
// CHECK: launch @matmul grid[%c16{{.*}}] ins(%arg0, %arg1, %arg0, %arg1 : {{.*}}) outs(%{{.*}} :
// CHECK: launch @matmul_1 grid[{{.*}}] ins(%arg2, %arg3 : {{.*}}) outs(%{{.*}} :
// CHECK-LABEL: kernel @matmul(
// CHECK-SAME: %[[X:[^:]*]]: !cheems_tile.tensor_map<128x64xbf16>, %[[W:[^:]*]]: !cheems_tile.tensor_map<256x64xbf16>,
// CHECK-SAME: warps(8) fillers(4)
// CHECK: cheems_tile.ring %{{.*}} stages 4 carries(%{{.*}}) fill {
// CHECK: bulk_copy %[[X]][{{.*}} to %{{.*}} : {{.*}}<4x128x64xbf16, swizzled>
// CHECK-NEXT: bulk_copy %[[W]][{{.*}} to %{{.*}} : {{.*}}<4x256x64xbf16, swizzled>
// CHECK-NEXT: ring_yield
// CHECK-NEXT: } use {
// CHECK: warpgroup_mma {{.*}} tensor<128x256xf32, #fragment_c
// CHECK-NEXT: warpgroup_wait pending 1
// CHECK-NEXT: ring_yield
// CHECK: warpgroup_wait pending 0
// CHECK-NEXT: store
// CHECK-LABEL: kernel @matmul_1(
// CHECK-SAME: warps(4) {
// CHECK-NOT: bulk_copy
// CHECK: scf.for
#x = affine_map<(t, n, k) -> (t, k)>
#w = affine_map<(t, n, k) -> (n, k)>
#y = affine_map<(t, n, k) -> (t, n)>
module attributes {cheems.target = #cheems_tile.target<arch = sm_90a, multiprocessors = 132, shared = 232448, l2 = 52428800, bandwidth = 3350, unit = wgmma, copy = bulk>} {
  func.func @filled(%x: tensor<?x768xbf16>, %a: tensor<4096x768xbf16>, %z: tensor<?x33xbf16>, %b: tensor<20x33xbf16>, %e: tensor<?x4096xf32>, %s: tensor<?x20xf32>) -> (tensor<?x4096xf32>, tensor<?x20xf32>) {
    %zero = arith.constant 0.0 : f32
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4096xf32>) -> tensor<?x4096xf32>
    %p = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %a : tensor<?x768xbf16>, tensor<4096x768xbf16>) outs(%f : tensor<?x4096xf32>) -> tensor<?x4096xf32>
    %g = linalg.fill ins(%zero : f32) outs(%s : tensor<?x20xf32>) -> tensor<?x20xf32>
    %q = linalg.matmul indexing_maps = [#x, #w, #y] ins(%z, %b : tensor<?x33xbf16>, tensor<20x33xbf16>) outs(%g : tensor<?x20xf32>) -> tensor<?x20xf32>
    return %p, %q : tensor<?x4096xf32>, tensor<?x20xf32>
  }
}

// -----

// Nine warps leave 168 registers to a thread, twelve may share theirs unevenly. So sums of 128 x 128 have one warp that fills the ring, and have
// four if a tile is loaded that is added to them.
// CHECK-LABEL: func.func @added
// CHECK: launch @matmul when %{{.*}} grid
// CHECK: launch @matmul_1 when %{{.*}} grid
// CHECK-LABEL: kernel @matmul(
// CHECK-SAME: warps(8) fillers(1)
// CHECK: warpgroup_mma {{.*}} tensor<128x128xf32, #fragment_c
// CHECK-LABEL: kernel @matmul_1(
// CHECK-SAME: warps(8) fillers(4)
// CHECK: warpgroup_mma {{.*}} tensor<128x128xf32, #fragment_c
// CHECK: warpgroup_wait pending 0
// CHECK: cheems_tile.load {{.*}} -> tensor<128x128xf32, #fragment_c
#all = affine_map<(t, n) -> (t, n)>
#x = affine_map<(t, n, k) -> (t, k)>
#w = affine_map<(t, n, k) -> (n, k)>
#y = affine_map<(t, n, k) -> (t, n)>
module attributes {cheems.target = #cheems_tile.target<arch = sm_90a, multiprocessors = 132, shared = 232448, l2 = 52428800, bandwidth = 3350, unit = wgmma, copy = bulk>} {
  func.func @added(%x: tensor<?x768xbf16>, %z: tensor<?x1536xbf16>, %a: tensor<2048x768xbf16>, %b: tensor<2048x1536xbf16>, %r: tensor<?x2048xf32>, %e: tensor<?x2048xf32>) -> (tensor<?x2048xf32>, tensor<?x2048xf32>) {
    %zero = arith.constant 0.0 : f32
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x2048xf32>) -> tensor<?x2048xf32>
    %p = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %a : tensor<?x768xbf16>, tensor<2048x768xbf16>) outs(%f : tensor<?x2048xf32>) -> tensor<?x2048xf32>
    %q = linalg.matmul indexing_maps = [#x, #w, #y] ins(%z, %b : tensor<?x1536xbf16>, tensor<2048x1536xbf16>) outs(%f : tensor<?x2048xf32>) -> tensor<?x2048xf32>
    %s = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%q : tensor<?x2048xf32>) outs(%r : tensor<?x2048xf32>) {
    ^bb0(%i: f32, %j: f32):
      %1 = arith.addf %j, %i : f32
      linalg.yield %1 : f32
    } -> tensor<?x2048xf32>
    return %p, %s : tensor<?x2048xf32>, tensor<?x2048xf32>
  }
}

// -----

// An op after two matmuls with other shapes is in the launch of one of them, once. The other one has a launch of its own.
// CHECK-LABEL: func.func @taken_once
// CHECK: %[[OTHER:.*]] = cheems_tile.launch @matmul_f32{{.*}} ins(%arg0, %arg1 :
// CHECK: cheems_tile.launch @matmul_f32{{.*}} ins(%arg0, %arg2, %[[OTHER]] :
// CHECK-NOT: cheems_tile.launch
// CHECK: return
#x = affine_map<(t, n, k) -> (t, k)>
#w = affine_map<(t, n, k) -> (n, k)>
#y = affine_map<(t, n, k) -> (t, n)>
#i = affine_map<(t, n) -> (t, n)>
module attributes {cheems.target = #cheems_tile.target<arch = sm_90a, multiprocessors = 132, shared = 232448, l2 = 52428800, bandwidth = 3350>} {
  func.func @taken_once(%x: tensor<?x8xf32>, %a: tensor<4x8xf32>, %b: tensor<33x8xf32>, %e: tensor<?x4xf32>) -> tensor<?x4xf32> {
    %zero = arith.constant 0.0 : f32
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
    %p = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %a : tensor<?x8xf32>, tensor<4x8xf32>) outs(%f : tensor<?x4xf32>) -> tensor<?x4xf32>
    %q = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %b : tensor<?x8xf32>, tensor<33x8xf32>) outs(%f : tensor<?x4xf32>) -> tensor<?x4xf32>
    %r = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel", "parallel"]} ins(%q, %p : tensor<?x4xf32>, tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) {
    ^bb0(%g: f32, %u: f32, %o: f32):
      %m = arith.mulf %g, %u : f32
      linalg.yield %m : f32
    } -> tensor<?x4xf32>
    return %r : tensor<?x4xf32>
  }
}

// -----

// A norm whose rounded rows matmuls alone read: where there is one row, blocks of these compute it. The first block stores
// the norm that others read.
// CHECK-LABEL: func.func @normed
// CHECK: %[[FIRST:.*]]:2 = cheems_tile.launch @normed_matmul_of_one_row {{.*}} ins(%arg0, %arg1, %arg2 : tensor<?x768xf32>, tensor<768xf32>, tensor<256x768xbf16>)
// CHECK: %[[NORM:.*]]:2 = cheems_tile.launch @rms_norm {{.*}} ins(%arg0, %arg1 : {{.*}} outs(%[[FIRST]]#1, %
// CHECK: %[[SUMS:.*]] = cheems_tile.launch @matmul_few_rows {{.*}} ins(%[[NORM]]#1, %arg2 : {{.*}} outs(%[[FIRST]]#0 :
// CHECK: return %[[SUMS]], %[[NORM]]#0
// CHECK-LABEL: kernel @normed_matmul_of_one_row(
// CHECK: %[[ROW:.*]] = cheems_tile.alloc : !cheems_tile.buffer<1x1x1024xbf16>
// CHECK-COUNT-4: cheems_tile.load %arg2[
// CHECK: cheems_tile.load %arg0[
// CHECK: cheems_tile.reduce add
// CHECK: math.rsqrt
// CHECK: cheems_tile.load %arg1[
// CHECK: scf.if
// CHECK: cheems_tile.store %{{.*}}, %arg4[
// CHECK: arith.truncf
// CHECK: cheems_tile.write %{{.*}}, %[[ROW]][
// CHECK: cheems_tile.barrier
// CHECK: cheems_tile.read %[[ROW]][{{.*}} -> tensor<128xbf16, #columns
// CHECK-NEXT: cheems_tile.broadcast {{.*}} tensor<8x128xbf16, #fragment_b>
// CHECK-COUNT-3: cheems_tile.read %[[ROW]][
// CHECK: cheems_tile.mma
// CHECK: scf.for
// CHECK: cheems_tile.sum_partials
// CHECK: cheems_tile.store %{{.*}}, %arg3[
#all = affine_map<(t, n) -> (t, n)>
#x = affine_map<(t, n, k) -> (t, k)>
#w = affine_map<(t, n, k) -> (n, k)>
#y = affine_map<(t, n, k) -> (t, n)>
module attributes {cheems.target = #cheems_tile.target<arch = sm_90a, multiprocessors = 132, shared = 232448, l2 = 52428800, bandwidth = 3350>} {
  func.func @normed(%x: tensor<?x768xf32>, %gain: tensor<768xf32>, %a: tensor<256x768xbf16>, %n: tensor<?x768xf32>, %e: tensor<?x256xf32>)
      -> (tensor<?x256xf32>, tensor<?x768xf32>) attributes {cheems.most_rows = 64 : i64} {
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %rows = tensor.dim %x, %c0 : tensor<?x768xf32>
    %norm = cheems.rms_norm epsilon 1.0e-06 ins(%x, %gain : tensor<?x768xf32>, tensor<768xf32>) outs(%n : tensor<?x768xf32>) -> tensor<?x768xf32>
    %r = tensor.empty(%rows) : tensor<?x768xbf16>
    %rounded = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%norm : tensor<?x768xf32>) outs(%r : tensor<?x768xbf16>) {
    ^bb0(%s: f32, %c: bf16):
      %1 = arith.truncf %s : f32 to bf16
      linalg.yield %1 : bf16
    } -> tensor<?x768xbf16>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x256xf32>) -> tensor<?x256xf32>
    %p = linalg.matmul indexing_maps = [#x, #w, #y] ins(%rounded, %a : tensor<?x768xbf16>, tensor<256x768xbf16>) outs(%f : tensor<?x256xf32>) -> tensor<?x256xf32>
    return %p, %norm : tensor<?x256xf32>, tensor<?x768xf32>
  }
}
