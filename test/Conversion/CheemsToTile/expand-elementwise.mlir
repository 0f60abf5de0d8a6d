// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-expand-elementwise))' | FileCheck %s

// exp(A softplus(step)), where no exponential overflows.
// CHECK-LABEL: func.func @mask
// CHECK: linalg.generic {{.*}}ins(%arg0, %arg1 : {{.*}}) outs(%arg2 :
// CHECK: %[[SMALL:.*]] = math.exp
// CHECK: arith.addf %[[SMALL]]
// CHECK: %[[REST:.*]] = math.log
// CHECK: arith.maximumf
// CHECK: %[[STEP:.*]] = arith.addf %{{.*}}, %[[REST]]
// CHECK: %[[BOTH:.*]] = arith.mulf %{{.*}}, %[[STEP]]
// CHECK: math.exp %[[BOTH]]
// doc: func.func(cheems-expand-elementwise)
func.func @mask(%step: tensor<?x2xf32>, %a: tensor<2xf32>, %mask: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %0 = cheems.dynamic_mask ins(%step, %a : tensor<?x2xf32>, tensor<2xf32>) outs(%mask : tensor<?x2xf32>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}
// doc-end
