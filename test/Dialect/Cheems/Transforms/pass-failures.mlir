// A pass that fails is named in the one line of the error, with the op and what it runs on, whether the error is ours or
// upstream's, in threads and out of them.
// RUN: split-file %s %t
// RUN: not cheems-opt %t/ours.mlir --pass-pipeline='builtin.module(func.func(cheems-lower-microkernels))' 2>&1 | FileCheck %s --check-prefix=OURS
// RUN: not cheems-opt %t/ours.mlir --mlir-disable-threading --pass-pipeline='builtin.module(func.func(cheems-lower-microkernels))' 2>&1 | FileCheck %s --check-prefix=OURS
// RUN: not cheems-opt %t/upstream.mlir --allow-unregistered-dialect --cheems-fast="from=tiled to=planned" 2>&1 | FileCheck %s --check-prefix=UPSTREAM
// RUN: not cheems-opt %t/ours.mlir --cheems-check-kernels 2>&1 | FileCheck %s --check-prefix=MODULE
// RUN: not cheems-opt %t/function.mlir --cheems-enter-buffers 2>&1 | FileCheck %s --check-prefix=FUNCTION --implicit-check-not=inside

// A note does not carry a whole function.
// FUNCTION: function.mlir:1:{{[0-9]+}}: error: 'func.func' op returns 1 tensors, and 0 of its arguments are written; each is returned, in order [pass cheems-enter-buffers]
// FUNCTION: note: see current operation: "func.func"() {{.*}} ...
// OURS: ours.mlir:4:{{[0-9]+}}: error: 'cheems.rms_norm' op is lowered after bufferisation, on buffers [pass cheems-lower-microkernels on @second]
// UPSTREAM: upstream.mlir:2:{{[0-9]+}}: error: op was not bufferized [test.unknown, pass one-shot-bufferize]
// MODULE: ours.mlir:4:{{[0-9]+}}: error: 'cheems.rms_norm' op was not lowered: cheems-to-buffers comes before cheems-to-loops [pass cheems-check-kernels on @model]

//--- ours.mlir
module @model {
  func.func @first() { return }
  func.func @second(%x: tensor<4x8xf32>, %w: tensor<8xf32>) -> tensor<4x8xf32> {
    %0 = cheems.rms_norm epsilon 0.5 ins(%x, %w : tensor<4x8xf32>, tensor<8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
}

//--- upstream.mlir
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "test.unknown"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

//--- function.mlir
func.func @step(%tokens: tensor<?xi32> {cheems.field = #cheems.step_field<tokens>}) -> tensor<?xi32> {
  %0 = tensor.empty() {inside} : tensor<1xi32>
  return %tokens : tensor<?xi32>
}
