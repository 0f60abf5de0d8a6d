// Kernels of experts compute what the ops are, on whole tiles: each function has them once by themselves, because their results are wanted,
// and once as one kernel. Both read a norm that is also rounded.
// RUN: cheems-opt %s --cheems-gpu-kernels --canonicalize --cse -o %t.mlir
// RUN: python3 %S/Inputs/experts.py write %t.BF16.safetensors BF16
// RUN: python3 %S/Inputs/experts.py write %t.F32.safetensors F32

// RUN: cheems-opt %s --cheems-interpret='entry=prompt inputs=%t.BF16.safetensors outputs=%t.prompt.op.safetensors' -o /dev/null
// RUN: cheems-opt %t.mlir --cheems-interpret='entry=prompt inputs=%t.BF16.safetensors outputs=%t.prompt.tile.safetensors' -o /dev/null
// RUN: python3 %S/Inputs/experts.py compare %t.prompt.op.safetensors %t.prompt.tile.safetensors

// RUN: cheems-opt %s --cheems-interpret='entry=decode inputs=%t.BF16.safetensors outputs=%t.decode.op.safetensors' -o /dev/null
// RUN: cheems-opt %t.mlir --cheems-interpret='entry=decode inputs=%t.BF16.safetensors outputs=%t.decode.tile.safetensors' -o /dev/null
// RUN: python3 %S/Inputs/experts.py compare %t.decode.op.safetensors %t.decode.tile.safetensors

// RUN: cheems-opt %s --cheems-interpret='entry=exact inputs=%t.F32.safetensors outputs=%t.exact.op.safetensors' -o /dev/null
// RUN: cheems-opt %t.mlir --cheems-interpret='entry=exact inputs=%t.F32.safetensors outputs=%t.exact.tile.safetensors' -o /dev/null
// RUN: python3 %S/Inputs/experts.py compare %t.exact.op.safetensors %t.exact.tile.safetensors

// RUN: cheems-opt %s --cheems-interpret='entry=inner inputs=%t.F32.safetensors outputs=%t.inner.op.safetensors' -o /dev/null
// RUN: cheems-opt %t.mlir --cheems-interpret='entry=inner inputs=%t.F32.safetensors outputs=%t.inner.tile.safetensors' -o /dev/null
// RUN: python3 %S/Inputs/experts.py compare %t.inner.op.safetensors %t.inner.tile.safetensors

#all = affine_map<(t, n) -> (t, n)>
#queries = affine_map<(t, p, h, d, n) -> (t, p, h, d)>
#keys = affine_map<(t, p, h, d, n) -> (p, h, d, n)>
#scores = affine_map<(t, p, h, d, n) -> (t, p, h, n)>
!x = tensor<?x40xf32>
!q = tensor<?x2x3x16xf32>
!g = tensor<?x2x3x16xf32>
!s = tensor<?x3x5xf32>
!e = tensor<?x3x5xi32>
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @prompt(%x: !x {cheems.name = "x"}, %q: !q {cheems.name = "queries"}, %keys: tensor<2x3x16x16xbf16> {cheems.name = "keys"},
      %down: tensor<256x40xbf16> {cheems.name = "down"}, %up: tensor<256x40xbf16> {cheems.name = "up"}, %y: !x {cheems.name = "y"})
      -> (!x {cheems.name = "y"}, !s {cheems.name = "score"}, !e {cheems.name = "expert"},
          tensor<?x40xbf16> {cheems.name = "rounded"}) {
    %c0 = arith.constant 0 : index
    %rows = tensor.dim %x, %c0 : !x
    %zero = arith.constant 0.0 : f32
    %gain = arith.constant dense<1.5> : tensor<40xf32>
    %n0 = tensor.empty(%rows) : !x
    %n = cheems.rms_norm epsilon 1.0e-06 ins(%x, %gain : !x, tensor<40xf32>) outs(%n0 : !x) -> !x
    %b0 = tensor.empty(%rows) : tensor<?x40xbf16>
    %rounded = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%n : !x) outs(%b0 : tensor<?x40xbf16>) {
    ^bb0(%a: f32, %b: bf16):
      %o = arith.truncf %a : f32 to bf16
      linalg.yield %o : bf16
    } -> tensor<?x40xbf16>
    %g0 = tensor.empty(%rows) : !g
    %s0 = tensor.empty(%rows) : !s
    %e0 = tensor.empty(%rows) : !e
    %f = linalg.fill ins(%zero : f32) outs(%g0 : !g) -> !g
    %g = linalg.generic {indexing_maps = [#queries, #keys, #scores], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]}
        ins(%q, %keys : !q, tensor<2x3x16x16xbf16>) outs(%f : !g) {
    ^bb0(%a: f32, %b: bf16, %c: f32):
      %w = arith.extf %b : bf16 to f32
      %p = arith.mulf %a, %w : f32
      %o = arith.addf %c, %p : f32
      linalg.yield %o : f32
    } -> !g
    %r:2 = cheems.retrieve_experts ins(%g : !g) outs(%s0, %e0 : !s, !e) -> !s, !e
    %m = cheems.mix_experts softmax silu ins(%n, %r#0, %r#1, %down, %up : !x, !s, !e, tensor<256x40xbf16>, tensor<256x40xbf16>) outs(%y : !x) -> !x
    %f2 = linalg.fill ins(%zero : f32) outs(%g0 : !g) -> !g
    %g2 = linalg.generic {indexing_maps = [#queries, #keys, #scores], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]}
        ins(%q, %keys : !q, tensor<2x3x16x16xbf16>) outs(%f2 : !g) {
    ^bb0(%a: f32, %b: bf16, %c: f32):
      %w = arith.extf %b : bf16 to f32
      %p = arith.mulf %a, %w : f32
      %o = arith.addf %c, %p : f32
      linalg.yield %o : f32
    } -> !g
    %r2:2 = cheems.retrieve_experts ins(%g2 : !g) outs(%s0, %e0 : !s, !e) -> !s, !e
    %m2 = cheems.mix_experts softmax silu ins(%n, %r2#0, %r2#1, %down, %up : !x, !s, !e, tensor<256x40xbf16>, tensor<256x40xbf16>) outs(%m : !x) -> !x
    return %m2, %r#0, %r#1, %rounded : !x, !s, !e, tensor<?x40xbf16>
  }
  func.func @decode(%x: !x {cheems.name = "x"}, %q: !q {cheems.name = "queries"}, %keys: tensor<2x3x16x16xbf16> {cheems.name = "keys"},
      %down: tensor<256x40xbf16> {cheems.name = "down"}, %up: tensor<256x40xbf16> {cheems.name = "up"}, %y: !x {cheems.name = "y"})
      -> (!x {cheems.name = "y"}, !s {cheems.name = "score"}, !e {cheems.name = "expert"},
          tensor<?x40xbf16> {cheems.name = "rounded"}) attributes {cheems.most_rows = 64 : i64} {
    %c0 = arith.constant 0 : index
    %rows = tensor.dim %x, %c0 : !x
    %zero = arith.constant 0.0 : f32
    %gain = arith.constant dense<1.5> : tensor<40xf32>
    %n0 = tensor.empty(%rows) : !x
    %n = cheems.rms_norm epsilon 1.0e-06 ins(%x, %gain : !x, tensor<40xf32>) outs(%n0 : !x) -> !x
    %b0 = tensor.empty(%rows) : tensor<?x40xbf16>
    %rounded = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%n : !x) outs(%b0 : tensor<?x40xbf16>) {
    ^bb0(%a: f32, %b: bf16):
      %o = arith.truncf %a : f32 to bf16
      linalg.yield %o : bf16
    } -> tensor<?x40xbf16>
    %g0 = tensor.empty(%rows) : !g
    %s0 = tensor.empty(%rows) : !s
    %e0 = tensor.empty(%rows) : !e
    %f = linalg.fill ins(%zero : f32) outs(%g0 : !g) -> !g
    %g = linalg.generic {indexing_maps = [#queries, #keys, #scores], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]}
        ins(%q, %keys : !q, tensor<2x3x16x16xbf16>) outs(%f : !g) {
    ^bb0(%a: f32, %b: bf16, %c: f32):
      %w = arith.extf %b : bf16 to f32
      %p = arith.mulf %a, %w : f32
      %o = arith.addf %c, %p : f32
      linalg.yield %o : f32
    } -> !g
    %r:2 = cheems.retrieve_experts ins(%g : !g) outs(%s0, %e0 : !s, !e) -> !s, !e
    %m = cheems.mix_experts softmax silu ins(%n, %r#0, %r#1, %down, %up : !x, !s, !e, tensor<256x40xbf16>, tensor<256x40xbf16>) outs(%y : !x) -> !x
    %f2 = linalg.fill ins(%zero : f32) outs(%g0 : !g) -> !g
    %g2 = linalg.generic {indexing_maps = [#queries, #keys, #scores], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]}
        ins(%q, %keys : !q, tensor<2x3x16x16xbf16>) outs(%f2 : !g) {
    ^bb0(%a: f32, %b: bf16, %c: f32):
      %w = arith.extf %b : bf16 to f32
      %p = arith.mulf %a, %w : f32
      %o = arith.addf %c, %p : f32
      linalg.yield %o : f32
    } -> !g
    %r2:2 = cheems.retrieve_experts ins(%g2 : !g) outs(%s0, %e0 : !s, !e) -> !s, !e
    %m2 = cheems.mix_experts softmax silu ins(%n, %r2#0, %r2#1, %down, %up : !x, !s, !e, tensor<256x40xbf16>, tensor<256x40xbf16>) outs(%m : !x) -> !x
    return %m2, %r#0, %r#1, %rounded : !x, !s, !e, tensor<?x40xbf16>
  }
  func.func @exact(%x: !x {cheems.name = "x"}, %q: !q {cheems.name = "queries"}, %keys: tensor<2x3x16x16xf32> {cheems.name = "keys"},
      %down: tensor<256x40xf32> {cheems.name = "down"}, %up: tensor<256x40xf32> {cheems.name = "up"}, %y: !x {cheems.name = "y"})
      -> (!x {cheems.name = "y"}, !s {cheems.name = "score"}, !e {cheems.name = "expert"},
          tensor<?x40xbf16> {cheems.name = "rounded"}) {
    %c0 = arith.constant 0 : index
    %rows = tensor.dim %x, %c0 : !x
    %zero = arith.constant 0.0 : f32
    %gain = arith.constant dense<1.5> : tensor<40xf32>
    %n0 = tensor.empty(%rows) : !x
    %n = cheems.rms_norm epsilon 1.0e-06 ins(%x, %gain : !x, tensor<40xf32>) outs(%n0 : !x) -> !x
    %b0 = tensor.empty(%rows) : tensor<?x40xbf16>
    %rounded = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%n : !x) outs(%b0 : tensor<?x40xbf16>) {
    ^bb0(%a: f32, %b: bf16):
      %o = arith.truncf %a : f32 to bf16
      linalg.yield %o : bf16
    } -> tensor<?x40xbf16>
    %g0 = tensor.empty(%rows) : !g
    %s0 = tensor.empty(%rows) : !s
    %e0 = tensor.empty(%rows) : !e
    %f = linalg.fill ins(%zero : f32) outs(%g0 : !g) -> !g
    %g = linalg.generic {indexing_maps = [#queries, #keys, #scores], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]}
        ins(%q, %keys : !q, tensor<2x3x16x16xf32>) outs(%f : !g) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %p = arith.mulf %a, %b : f32
      %o = arith.addf %c, %p : f32
      linalg.yield %o : f32
    } -> !g
    %r:2 = cheems.retrieve_experts ins(%g : !g) outs(%s0, %e0 : !s, !e) -> !s, !e
    %m = cheems.mix_experts softmax gelu ins(%n, %r#0, %r#1, %down, %up : !x, !s, !e, tensor<256x40xf32>, tensor<256x40xf32>) outs(%y : !x) -> !x
    %f2 = linalg.fill ins(%zero : f32) outs(%g0 : !g) -> !g
    %g2 = linalg.generic {indexing_maps = [#queries, #keys, #scores], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]}
        ins(%q, %keys : !q, tensor<2x3x16x16xf32>) outs(%f2 : !g) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %p = arith.mulf %a, %b : f32
      %o = arith.addf %c, %p : f32
      linalg.yield %o : f32
    } -> !g
    %r2:2 = cheems.retrieve_experts ins(%g2 : !g) outs(%s0, %e0 : !s, !e) -> !s, !e
    %m2 = cheems.mix_experts softmax gelu ins(%n, %r2#0, %r2#1, %down, %up : !x, !s, !e, tensor<256x40xf32>, tensor<256x40xf32>) outs(%m : !x) -> !x
    return %m2, %r#0, %r#1, %rounded : !x, !s, !e, tensor<?x40xbf16>
  }
  func.func @inner(%x: !x {cheems.name = "x"}, %q: !q {cheems.name = "queries"}, %keys: tensor<2x3x16x16xf32> {cheems.name = "keys"},
      %down: tensor<256x40xf32> {cheems.name = "down"}, %up: tensor<256x40xf32> {cheems.name = "up"}, %y: !x {cheems.name = "y"})
      -> (!x {cheems.name = "y"}, !s {cheems.name = "score"}, !e {cheems.name = "expert"},
          tensor<?x40xbf16> {cheems.name = "rounded"}) attributes {cheems.most_rows = 64 : i64} {
    %c0 = arith.constant 0 : index
    %rows = tensor.dim %x, %c0 : !x
    %zero = arith.constant 0.0 : f32
    %gain = arith.constant dense<1.5> : tensor<40xf32>
    %n0 = tensor.empty(%rows) : !x
    %n = cheems.rms_norm epsilon 1.0e-06 ins(%x, %gain : !x, tensor<40xf32>) outs(%n0 : !x) -> !x
    %b0 = tensor.empty(%rows) : tensor<?x40xbf16>
    %rounded = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%n : !x) outs(%b0 : tensor<?x40xbf16>) {
    ^bb0(%a: f32, %b: bf16):
      %o = arith.truncf %a : f32 to bf16
      linalg.yield %o : bf16
    } -> tensor<?x40xbf16>
    %g0 = tensor.empty(%rows) : !g
    %s0 = tensor.empty(%rows) : !s
    %e0 = tensor.empty(%rows) : !e
    %f = linalg.fill ins(%zero : f32) outs(%g0 : !g) -> !g
    %g = linalg.generic {indexing_maps = [#queries, #keys, #scores], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]}
        ins(%q, %keys : !q, tensor<2x3x16x16xf32>) outs(%f : !g) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %p = arith.mulf %a, %b : f32
      %o = arith.addf %c, %p : f32
      linalg.yield %o : f32
    } -> !g
    %r:2 = cheems.retrieve_experts ascending ins(%g : !g) outs(%s0, %e0 : !s, !e) -> !s, !e
    %m = cheems.mix_experts inner relu ins(%n, %r#0, %r#1, %down, %up : !x, !s, !e, tensor<256x40xf32>, tensor<256x40xf32>) outs(%y : !x) -> !x
    %f2 = linalg.fill ins(%zero : f32) outs(%g0 : !g) -> !g
    %g2 = linalg.generic {indexing_maps = [#queries, #keys, #scores], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]}
        ins(%q, %keys : !q, tensor<2x3x16x16xf32>) outs(%f2 : !g) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %p = arith.mulf %a, %b : f32
      %o = arith.addf %c, %p : f32
      linalg.yield %o : f32
    } -> !g
    %r2:2 = cheems.retrieve_experts ascending ins(%g2 : !g) outs(%s0, %e0 : !s, !e) -> !s, !e
    %m2 = cheems.mix_experts inner relu ins(%n, %r2#0, %r2#1, %down, %up : !x, !s, !e, tensor<256x40xf32>, tensor<256x40xf32>) outs(%m : !x) -> !x
    return %m2, %r#0, %r#1, %rounded : !x, !s, !e, tensor<?x40xbf16>
  }
}
