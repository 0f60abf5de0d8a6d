// What works on rows: embeddings, norms with what is before and after them, rotary angles, rotation, elements alone.
#all = affine_map<(t, n) -> (t, n)>
#column = affine_map<(t, n) -> (n)>

func.func @embedding(%table: tensor<50x300xbf16>, %ids: tensor<?xi32>, %y: tensor<?x300xf32>) -> tensor<?x300xf32> {
  %r = cheems.gather_rows ins(%table, %ids : tensor<50x300xbf16>, tensor<?xi32>) outs(%y : tensor<?x300xf32>) -> tensor<?x300xf32>
  return %r : tensor<?x300xf32>
}

// A residual, its norm over several warps, and the rounding after it.
func.func @norm(%x: tensor<?x700xf32>, %d: tensor<?x700xf32>, %w: tensor<700xf32>, %n: tensor<?x700xf32>, %y: tensor<?x700xbf16>)
    -> (tensor<?x700xf32>, tensor<?x700xbf16>) {
  %sum = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%d : tensor<?x700xf32>) outs(%x : tensor<?x700xf32>) {
  ^bb0(%p: f32, %q: f32):
    %1 = arith.addf %p, %q : f32
    linalg.yield %1 : f32
  } -> tensor<?x700xf32>
  %normed = cheems.rms_norm epsilon 1.0e-06 ins(%sum, %w : tensor<?x700xf32>, tensor<700xf32>) outs(%n : tensor<?x700xf32>) -> tensor<?x700xf32>
  %rounded = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%normed : tensor<?x700xf32>) outs(%y : tensor<?x700xbf16>) {
  ^bb0(%p: f32, %q: bf16):
    %1 = arith.truncf %p : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<?x700xbf16>
  return %sum, %rounded : tensor<?x700xf32>, tensor<?x700xbf16>
}

// Heads: several rows of a warp, and columns that are no power of two.
func.func @heads(%x: tensor<?x3x36xf32>, %w: tensor<36xf32>, %y: tensor<?x3x36xf32>) -> tensor<?x3x36xf32> {
  %r = cheems.rms_norm epsilon 1.0e-06 ins(%x, %w : tensor<?x3x36xf32>, tensor<36xf32>) outs(%y : tensor<?x3x36xf32>) -> tensor<?x3x36xf32>
  return %r : tensor<?x3x36xf32>
}

func.func @rotate(%segments: tensor<?x8xi32>, %x: tensor<?x3x24xf32>, %p: tensor<?xi32>, %l: tensor<?xi32>, %c: tensor<?x12xf32>, %s: tensor<?x12xf32>,
    %y: tensor<?x3x24xf32>) -> (tensor<?xi32>, tensor<?xi32>, tensor<?x12xf32>, tensor<?x12xf32>, tensor<?x3x24xf32>) {
  %n:2 = cheems.positions ins(%segments : tensor<?x8xi32>) outs(%p, %l : tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>, tensor<?xi32>
  %t:2 = cheems.rotary_table theta 1.0e+04 ins(%n#0, %n#1 : tensor<?xi32>, tensor<?xi32>) outs(%c, %s : tensor<?x12xf32>, tensor<?x12xf32>)
      -> tensor<?x12xf32>, tensor<?x12xf32>
  %r = cheems.rotary ins(%x, %t#0, %t#1 : tensor<?x3x24xf32>, tensor<?x12xf32>, tensor<?x12xf32>) outs(%y : tensor<?x3x24xf32>) -> tensor<?x3x24xf32>
  return %n#0, %n#1, %t#0, %t#1, %r : tensor<?xi32>, tensor<?xi32>, tensor<?x12xf32>, tensor<?x12xf32>, tensor<?x3x24xf32>
}

func.func @elements(%x: tensor<?x300xf32>, %b: tensor<300xf32>, %y: tensor<?x300xbf16>) -> tensor<?x300xbf16> {
  %one = arith.constant 1.0 : f32
  %r = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<?x300xf32>, tensor<300xf32>) outs(%y : tensor<?x300xbf16>) {
  ^bb0(%p: f32, %q: f32, %o: bf16):
    %1 = arith.addf %p, %q : f32
    %2 = arith.negf %1 : f32
    %3 = math.exp %2 : f32
    %4 = arith.addf %3, %one : f32
    %5 = arith.divf %1, %4 : f32
    %6 = arith.truncf %5 : f32 to bf16
    linalg.yield %6 : bf16
  } -> tensor<?x300xbf16>
  return %r : tensor<?x300xbf16>
}
