// RUN: cheems-opt %s --cheems-enter-stage --split-input-file --verify-diagnostics | FileCheck %s

// CHECK: module attributes {cheems.stage = #cheems.stage<expanded>}
// doc: cheems-enter-stage{stage=expanded}
module attributes {cheems.stage = #cheems.stage<imported>} {
  func.func @weight() -> tensor<2xf32> {
    %w = cheems.parameter ["w"] : tensor<2xf32>
    return %w : tensor<2xf32>
  }
}
// doc-end

// -----

// Written by hand, it says nothing.
// CHECK: module attributes {cheems.stage = #cheems.stage<expanded>}
module {
}

// -----

// expected-error@below {{'builtin.module' op is at stage expanded; cheems-to-expanded takes imported}}
module attributes {cheems.stage = #cheems.stage<expanded>} {
}

// -----

// expected-error@below {{is at stage outlined; cheems-to-expanded takes imported}}
module attributes {cheems.stage = #cheems.stage<outlined>} {
}

// -----

// expected-error@below {{is at stage llvm; cheems-to-expanded takes imported}}
module {
  llvm.func @step()
}
