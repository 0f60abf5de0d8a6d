// RUN: cheems-opt %s --split-input-file --verify-diagnostics

func.func @c1(%x: tensor<?x256xf32>, %w: tensor<256xf32>) -> tensor<?x128xf32> {
  // expected-error@below {{C1: yields other types than those of its results}}
  %0 = cheems_tile.group norm -> tensor<?x128xf32> {
    %a = cheems.rms_norm epsilon 1.0e-06 ins(%x, %w : tensor<?x256xf32>, tensor<256xf32>) outs(%x : tensor<?x256xf32>) -> tensor<?x256xf32>
    cheems_tile.group_yield %a : tensor<?x256xf32>
  }
  return %0 : tensor<?x128xf32>
}

// -----

func.func @c2(%x: tensor<?x256xf32>, %w: tensor<256xf32>) -> tensor<?x256xf32> {
  // expected-error@below {{C2: is of kind rotary and has no op of that kind}}
  %0 = cheems_tile.group rotary -> tensor<?x256xf32> {
    %a = cheems.rms_norm epsilon 1.0e-06 ins(%x, %w : tensor<?x256xf32>, tensor<256xf32>) outs(%x : tensor<?x256xf32>) -> tensor<?x256xf32>
    cheems_tile.group_yield %a : tensor<?x256xf32>
  }
  return %0 : tensor<?x256xf32>
}

// -----

func.func @c3(%x: tensor<?x256xf32>, %w: tensor<256xf32>) -> tensor<?x256xf32> {
  %0 = cheems_tile.group norm -> tensor<?x256xf32> {
    %a = cheems.rms_norm epsilon 1.0e-06 ins(%x, %w : tensor<?x256xf32>, tensor<256xf32>) outs(%x : tensor<?x256xf32>) -> tensor<?x256xf32>
    // expected-error@below {{C3: stands in a group}}
    %1 = cheems_tile.group norm -> tensor<?x256xf32> {
      %b = cheems.rms_norm epsilon 1.0e-06 ins(%a, %w : tensor<?x256xf32>, tensor<256xf32>) outs(%x : tensor<?x256xf32>) -> tensor<?x256xf32>
      cheems_tile.group_yield %b : tensor<?x256xf32>
    }
    cheems_tile.group_yield %1 : tensor<?x256xf32>
  }
  return %0 : tensor<?x256xf32>
}

// -----

func.func @c4(%x: tensor<?x256xf32>) -> tensor<?x256xf32> {
  // expected-error@below {{C4: is of kind elementwise, which matmuls do not compute}}
  %0 = cheems_tile.group elementwise in_matmuls -> tensor<?x256xf32> {
    %a = linalg.generic {indexing_maps = [affine_map<(t, n) -> (t, n)>], iterator_types = ["parallel", "parallel"]} outs(%x : tensor<?x256xf32>) {
    ^bb0(%out: f32):
      linalg.yield %out : f32
    } -> tensor<?x256xf32>
    cheems_tile.group_yield %a : tensor<?x256xf32>
  }
  return %0 : tensor<?x256xf32>
}

// -----

func.func @end(%x: tensor<?x256xf32>) {
  // expected-error@below {{expects parent op 'cheems_tile.group'}}
  cheems_tile.group_yield %x : tensor<?x256xf32>
}
