// RUN: cheems-opt %s --split-input-file --cheems-gpu-kernels --canonicalize --cse --verify-diagnostics | FileCheck %s

// Rows of 10000 logits are three pieces. A block finds the best of one, then another the best of all of a row's.
// CHECK-LABEL: func.func @best
// CHECK: %[[FOUND:.*]]:4 = cheems_tile.launch @top_logits grid[%[[ROWS:.*]], %c3, %c1] ins(%arg0 : {{.*}}) outs({{.*}} : tensor<?x24xf32>, tensor<?x24xf32>, tensor<?x3xf32>, tensor<?x3xf32>)
// CHECK: launch @merge_logits grid[{{.*}}] ins(%[[FOUND]]#0, %[[FOUND]]#1, %[[FOUND]]#2, %[[FOUND]]#3 : {{.*}}) outs(%arg1, %arg2, %arg3 :
// CHECK-LABEL: kernel @top_logits({{.*}}) warps(4)
// CHECK: cheems_tile.load %arg0{{.*}} tensor<1x4096xf32
// CHECK: cheems_tile.reduce maximum
// CHECK: math.exp2
// CHECK: cheems_tile.reduce add
// CHECK: scf.for
// CHECK: cheems_tile.reduce maximum
// CHECK: cheems_tile.reduce maximum
// CHECK-LABEL: kernel @merge_logits
// CHECK: math.log
// CHECK: scf.for
// CHECK: arith.fptosi
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @best(%logits: tensor<?x10000xf32>, %v: tensor<?x8xf32>, %t: tensor<?x8xi32>, %s: tensor<?xf32>) -> (tensor<?x8xf32>, tensor<?x8xi32>, tensor<?xf32>) {
    %0:3 = cheems.top_logits ins(%logits : tensor<?x10000xf32>) outs(%v, %t, %s : tensor<?x8xf32>, tensor<?x8xi32>, tensor<?xf32>)
        -> tensor<?x8xf32>, tensor<?x8xi32>, tensor<?xf32>
    return %0#0, %0#1, %0#2 : tensor<?x8xf32>, tensor<?x8xi32>, tensor<?xf32>
  }
}

// -----

module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @many(%logits: tensor<?x100000xf32>, %v: tensor<?x1000xf32>, %t: tensor<?x1000xi32>, %s: tensor<?xf32>) -> tensor<?x1000xi32> {
    // expected-error@below {{wants too many of each row's logits: GPUs have no kernel for it yet; compile for cpu}}
    %0:3 = cheems.top_logits ins(%logits : tensor<?x100000xf32>) outs(%v, %t, %s : tensor<?x1000xf32>, tensor<?x1000xi32>, tensor<?xf32>)
        -> tensor<?x1000xf32>, tensor<?x1000xi32>, tensor<?xf32>
    return %0#1 : tensor<?x1000xi32>
  }
}

// -----

// Nothing that computes is left without a word.
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @turned(%x: tensor<?x64xf32>, %y: tensor<64x?xf32>) -> tensor<64x?xf32> {
    // expected-error@below {{is of a kind or shape that is left: GPUs have no kernel for it yet; compile for cpu}}
    %0 = linalg.transpose ins(%x : tensor<?x64xf32>) outs(%y : tensor<64x?xf32>) permutation = [1, 0]
    return %0 : tensor<64x?xf32>
  }
}
