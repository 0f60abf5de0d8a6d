// Products in all their forms, with remainders of rows, columns and k. Those of prompts have more steps than rings have stages.
#all = affine_map<(t, n) -> (t, n)>
#column = affine_map<(t, n) -> (n)>
#x = affine_map<(t, n, k) -> (t, k)>
#w = affine_map<(t, n, k) -> (n, k)>
#y = affine_map<(t, n, k) -> (t, n)>

func.func @biased(%x: tensor<?x520xbf16>, %w: tensor<72x520xbf16>, %b: tensor<72xf32>, %y: tensor<?x72xf32>) -> tensor<?x72xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%y : tensor<?x72xf32>) -> tensor<?x72xf32>
  %p = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<?x520xbf16>, tensor<72x520xbf16>) outs(%f : tensor<?x72xf32>) -> tensor<?x72xf32>
  %r = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%p, %b : tensor<?x72xf32>, tensor<72xf32>) outs(%y : tensor<?x72xf32>) {
  ^bb0(%s: f32, %t: f32, %o: f32):
    %1 = arith.addf %s, %t : f32
    linalg.yield %1 : f32
  } -> tensor<?x72xf32>
  return %r : tensor<?x72xf32>
}

// So many columns that tiles are large, and few multiply-adds.
func.func @wide(%x: tensor<?x264xf16>, %w: tensor<1032x264xf16>, %y: tensor<?x1032xf32>) -> tensor<?x1032xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%y : tensor<?x1032xf32>) -> tensor<?x1032xf32>
  %p = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<?x264xf16>, tensor<1032x264xf16>) outs(%f : tensor<?x1032xf32>) -> tensor<?x1032xf32>
  return %p : tensor<?x1032xf32>
}

// Two matmuls read one input, and the result is rounded.
func.func @gate(%x: tensor<?x520xbf16>, %g: tensor<72x520xbf16>, %u: tensor<72x520xbf16>, %y: tensor<?x72xbf16>, %e: tensor<?x72xf32>) -> tensor<?x72xbf16> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x72xf32>) -> tensor<?x72xf32>
  %p = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %g : tensor<?x520xbf16>, tensor<72x520xbf16>) outs(%f : tensor<?x72xf32>) -> tensor<?x72xf32>
  %q = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %u : tensor<?x520xbf16>, tensor<72x520xbf16>) outs(%f : tensor<?x72xf32>) -> tensor<?x72xf32>
  %r = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%p, %q : tensor<?x72xf32>, tensor<?x72xf32>) outs(%y : tensor<?x72xbf16>) {
  ^bb0(%a: f32, %b: f32, %o: bf16):
    %1 = arith.maximumf %a, %zero : f32
    %2 = arith.mulf %1, %b : f32
    %3 = arith.truncf %2 : f32 to bf16
    linalg.yield %3 : bf16
  } -> tensor<?x72xbf16>
  return %r : tensor<?x72xbf16>
}

// So few columns that a block has them all.
func.func @narrow(%x: tensor<?x520xbf16>, %w: tensor<3x520xbf16>, %y: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%y : tensor<?x3xf32>) -> tensor<?x3xf32>
  %p = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<?x520xbf16>, tensor<3x520xbf16>) outs(%f : tensor<?x3xf32>) -> tensor<?x3xf32>
  return %p : tensor<?x3xf32>
}

// Rows of an odd number of elements: no asynchronous copies.
func.func @odd(%x: tensor<?x133xbf16>, %w: tensor<37x133xbf16>, %y: tensor<?x37xf32>) -> tensor<?x37xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%y : tensor<?x37xf32>) -> tensor<?x37xf32>
  %p = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<?x133xbf16>, tensor<37x133xbf16>) outs(%f : tensor<?x37xf32>) -> tensor<?x37xf32>
  return %p : tensor<?x37xf32>
}

func.func @exact(%x: tensor<?x76xf32>, %w: tensor<70x76xf32>, %y: tensor<?x70xf32>) -> tensor<?x70xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%y : tensor<?x70xf32>) -> tensor<?x70xf32>
  %p = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<?x76xf32>, tensor<70x76xf32>) outs(%f : tensor<?x70xf32>) -> tensor<?x70xf32>
  return %p : tensor<?x70xf32>
}

// Few rows, with a residual and a scale per column.
func.func @few(%x: tensor<?x712xbf16>, %w: tensor<40x712xbf16>, %s: tensor<40xf32>, %y: tensor<?x40xf32>, %e: tensor<?x40xf32>) -> tensor<?x40xf32>
    attributes {cheems.most_rows = 16 : i64} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x40xf32>) -> tensor<?x40xf32>
  %p = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<?x712xbf16>, tensor<40x712xbf16>) outs(%f : tensor<?x40xf32>) -> tensor<?x40xf32>
  %r = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%p, %s : tensor<?x40xf32>, tensor<40xf32>) outs(%y : tensor<?x40xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.mulf %b, %o : f32
    %2 = arith.addf %a, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?x40xf32>
  return %r : tensor<?x40xf32>
}

// The values of a dynamic mask, which their matmul computes where it ends.
func.func @mask(%x: tensor<?x96xf32>, %w: tensor<3x96xf32>, %a: tensor<3xf32>, %e: tensor<?x3xf32>, %y: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x3xf32>) -> tensor<?x3xf32>
  %p = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<?x96xf32>, tensor<3x96xf32>) outs(%f : tensor<?x3xf32>) -> tensor<?x3xf32>
  %m = cheems.dynamic_mask ins(%p, %a : tensor<?x3xf32>, tensor<3xf32>) outs(%y : tensor<?x3xf32>) -> tensor<?x3xf32>
  return %m : tensor<?x3xf32>
}
