// RUN: cheems-opt %s | cheems-opt | FileCheck %s
// RUN: cheems-opt %s --mlir-print-op-generic | cheems-opt | FileCheck %s

// CHECK-LABEL: @best
// CHECK: cheems.top_logits ins(%{{.*}} : tensor<?x100xf32>) outs(%{{.*}}, %{{.*}}, %{{.*}} : tensor<?x8xf32>, tensor<?x8xi32>, tensor<?xf32>) -> tensor<?x8xf32>, tensor<?x8xi32>, tensor<?xf32>
func.func @best(%logits: tensor<?x100xf32>, %v: tensor<?x8xf32>, %t: tensor<?x8xi32>, %s: tensor<?xf32>) -> (tensor<?x8xf32>, tensor<?x8xi32>, tensor<?xf32>) {
  %0:3 = cheems.top_logits ins(%logits : tensor<?x100xf32>) outs(%v, %t, %s : tensor<?x8xf32>, tensor<?x8xi32>, tensor<?xf32>)
      -> tensor<?x8xf32>, tensor<?x8xi32>, tensor<?xf32>
  return %0#0, %0#1, %0#2 : tensor<?x8xf32>, tensor<?x8xi32>, tensor<?xf32>
}
