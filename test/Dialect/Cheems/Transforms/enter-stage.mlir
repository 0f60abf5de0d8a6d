// RUN: cheems-opt %s --cheems-enter-stage --split-input-file --verify-diagnostics | FileCheck %s

// CHECK: module attributes {cheems.stage = #cheems.stage<fused>}
// doc: cheems-enter-stage{stage=fused}
module attributes {cheems.stage = #cheems.stage<imported>} {
  func.func @weight() -> tensor<2xf32> {
    %w = cheems.parameter ["w"] : tensor<2xf32>
    return %w : tensor<2xf32>
  }
}
// doc-end

// -----

// Written by hand, it says nothing.
// CHECK: module attributes {cheems.stage = #cheems.stage<fused>}
module {
}

// -----

// expected-error@below {{'builtin.module' op has been through cheems-fuse; cheems-fuse takes what cheems-compile --emit mlir makes}}
module attributes {cheems.stage = #cheems.stage<fused>} {
}

// -----

// expected-error@below {{has been through cheems-bufferize; cheems-fuse takes}}
module attributes {cheems.stage = #cheems.stage<buffers>} {
}

// -----

// expected-error@below {{has been through cheems-to-llvm; cheems-fuse takes}}
module {
  llvm.func @step()
}

// -----

// expected-error@below {{cheems.stage is no #cheems.stage: "fused"}}
module attributes {cheems.stage = "fused"} {
}
