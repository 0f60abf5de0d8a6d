// One function per op, on buffers of small static shapes; values.py calls them.
// T = 5 rows, H = 4 query heads, G = 2 key heads, M = 2 masks, P = 4, C = 12 entries, W = 6 kept.

func.func @rms_norm(%x: memref<5x4xf32>, %w: memref<4xf32>, %y: memref<5x4xf32>) {
  %tx = bufferization.to_tensor %x restrict : memref<5x4xf32> to tensor<5x4xf32>
  %tw = bufferization.to_tensor %w restrict : memref<4xf32> to tensor<4xf32>
  %ty = bufferization.to_tensor %y restrict writable : memref<5x4xf32> to tensor<5x4xf32>
  %r = cheems.rms_norm epsilon 0.001 ins(%tx, %tw : tensor<5x4xf32>, tensor<4xf32>) outs(%ty : tensor<5x4xf32>) -> tensor<5x4xf32>
  bufferization.materialize_in_destination %r in restrict writable %y : (tensor<5x4xf32>, memref<5x4xf32>) -> ()
  return
}

func.func @rotary_table(%p: memref<5xi32>, %l: memref<5xi32>, %c: memref<5x2xf32>, %s: memref<5x2xf32>) {
  %tp = bufferization.to_tensor %p restrict : memref<5xi32> to tensor<5xi32>
  %tl = bufferization.to_tensor %l restrict : memref<5xi32> to tensor<5xi32>
  %tc = bufferization.to_tensor %c restrict writable : memref<5x2xf32> to tensor<5x2xf32>
  %ts = bufferization.to_tensor %s restrict writable : memref<5x2xf32> to tensor<5x2xf32>
  %r:2 = cheems.rotary_table theta 1.0e+04 ins(%tp, %tl : tensor<5xi32>, tensor<5xi32>) outs(%tc, %ts : tensor<5x2xf32>, tensor<5x2xf32>) -> tensor<5x2xf32>, tensor<5x2xf32>
  bufferization.materialize_in_destination %r#0 in restrict writable %c : (tensor<5x2xf32>, memref<5x2xf32>) -> ()
  bufferization.materialize_in_destination %r#1 in restrict writable %s : (tensor<5x2xf32>, memref<5x2xf32>) -> ()
  return
}

func.func @rotary_table_dynamic(%p: memref<5xi32>, %l: memref<5xi32>, %c: memref<5x2xf32>, %s: memref<5x2xf32>) {
  %tp = bufferization.to_tensor %p restrict : memref<5xi32> to tensor<5xi32>
  %tl = bufferization.to_tensor %l restrict : memref<5xi32> to tensor<5xi32>
  %tc = bufferization.to_tensor %c restrict writable : memref<5x2xf32> to tensor<5x2xf32>
  %ts = bufferization.to_tensor %s restrict writable : memref<5x2xf32> to tensor<5x2xf32>
  %r:2 = cheems.rotary_table theta 1.0e+04 dynamic {factor = 4.0 : f64, trained = 16 : i64} ins(%tp, %tl : tensor<5xi32>, tensor<5xi32>) outs(%tc, %ts : tensor<5x2xf32>, tensor<5x2xf32>) -> tensor<5x2xf32>, tensor<5x2xf32>
  bufferization.materialize_in_destination %r#0 in restrict writable %c : (tensor<5x2xf32>, memref<5x2xf32>) -> ()
  bufferization.materialize_in_destination %r#1 in restrict writable %s : (tensor<5x2xf32>, memref<5x2xf32>) -> ()
  return
}

func.func @rotary(%x: memref<5x4x4xf32>, %c: memref<5x2xf32>, %s: memref<5x2xf32>, %y: memref<5x4x4xf32>) {
  %tx = bufferization.to_tensor %x restrict : memref<5x4x4xf32> to tensor<5x4x4xf32>
  %tc = bufferization.to_tensor %c restrict : memref<5x2xf32> to tensor<5x2xf32>
  %ts = bufferization.to_tensor %s restrict : memref<5x2xf32> to tensor<5x2xf32>
  %ty = bufferization.to_tensor %y restrict writable : memref<5x4x4xf32> to tensor<5x4x4xf32>
  %r = cheems.rotary ins(%tx, %tc, %ts : tensor<5x4x4xf32>, tensor<5x2xf32>, tensor<5x2xf32>) outs(%ty : tensor<5x4x4xf32>) -> tensor<5x4x4xf32>
  bufferization.materialize_in_destination %r in restrict writable %y : (tensor<5x4x4xf32>, memref<5x4x4xf32>) -> ()
  return
}

func.func @dynamic_mask(%d: memref<5x2xf32>, %a: memref<2xf32>, %o: memref<5x2xf32>) {
  %td = bufferization.to_tensor %d restrict : memref<5x2xf32> to tensor<5x2xf32>
  %ta = bufferization.to_tensor %a restrict : memref<2xf32> to tensor<2xf32>
  %to = bufferization.to_tensor %o restrict writable : memref<5x2xf32> to tensor<5x2xf32>
  %r = cheems.dynamic_mask ins(%td, %ta : tensor<5x2xf32>, tensor<2xf32>) outs(%to : tensor<5x2xf32>) -> tensor<5x2xf32>
  bufferization.materialize_in_destination %r in restrict writable %o : (tensor<5x2xf32>, memref<5x2xf32>) -> ()
  return
}

func.func @keep_threshold(%m: memref<2x12xf32>, %p: memref<2x12xi32>, %first: index, %t: memref<5x2xf32>, %l: memref<5x2xi32>) {
  %tm = bufferization.to_tensor %m restrict : memref<2x12xf32> to tensor<2x12xf32>
  %tp = bufferization.to_tensor %p restrict : memref<2x12xi32> to tensor<2x12xi32>
  %tt = bufferization.to_tensor %t restrict writable : memref<5x2xf32> to tensor<5x2xf32>
  %tl = bufferization.to_tensor %l restrict writable : memref<5x2xi32> to tensor<5x2xi32>
  %r:2 = cheems_cpu.keep_threshold keep 6 ins(%tm, %tp, %first : tensor<2x12xf32>, tensor<2x12xi32>, index) outs(%tt, %tl : tensor<5x2xf32>, tensor<5x2xi32>) -> tensor<5x2xf32>, tensor<5x2xi32>
  bufferization.materialize_in_destination %r#0 in restrict writable %t : (tensor<5x2xf32>, memref<5x2xf32>) -> ()
  bufferization.materialize_in_destination %r#1 in restrict writable %l : (tensor<5x2xi32>, memref<5x2xi32>) -> ()
  return
}

func.func @keep_update(%t: memref<2xf32>, %l: memref<2xi32>, %first: index, %rows: index, %k: memref<2x12x4xbf16>, %v: memref<2x12x4xbf16>, %m: memref<2x12xf32>, %p: memref<2x12xi32>) {
  %tt = bufferization.to_tensor %t restrict : memref<2xf32> to tensor<2xf32>
  %tl = bufferization.to_tensor %l restrict : memref<2xi32> to tensor<2xi32>
  %tk = bufferization.to_tensor %k restrict writable : memref<2x12x4xbf16> to tensor<2x12x4xbf16>
  %tv = bufferization.to_tensor %v restrict writable : memref<2x12x4xbf16> to tensor<2x12x4xbf16>
  %tm = bufferization.to_tensor %m restrict writable : memref<2x12xf32> to tensor<2x12xf32>
  %tp = bufferization.to_tensor %p restrict writable : memref<2x12xi32> to tensor<2x12xi32>
  %r:4 = cheems_cpu.keep_update keep 6 ins(%tt, %tl, %first, %rows : tensor<2xf32>, tensor<2xi32>, index, index) outs(%tk, %tv, %tm, %tp : tensor<2x12x4xbf16>, tensor<2x12x4xbf16>, tensor<2x12xf32>, tensor<2x12xi32>) -> tensor<2x12x4xbf16>, tensor<2x12x4xbf16>, tensor<2x12xf32>, tensor<2x12xi32>
  bufferization.materialize_in_destination %r#0 in restrict writable %k : (tensor<2x12x4xbf16>, memref<2x12x4xbf16>) -> ()
  bufferization.materialize_in_destination %r#1 in restrict writable %v : (tensor<2x12x4xbf16>, memref<2x12x4xbf16>) -> ()
  bufferization.materialize_in_destination %r#2 in restrict writable %m : (tensor<2x12xf32>, memref<2x12xf32>) -> ()
  bufferization.materialize_in_destination %r#3 in restrict writable %p : (tensor<2x12xi32>, memref<2x12xi32>) -> ()
  return
}

func.func @attention_kept(%q: memref<5x4x4xf32>, %k: memref<2x12x4xbf16>, %v: memref<2x12x4xbf16>, %m: memref<2x12xf32>, %first: index, %p: memref<2x12xi32>, %t: memref<5x2xf32>, %l: memref<5x2xi32>, %y: memref<5x4x4xf32>) {
  %tq = bufferization.to_tensor %q restrict : memref<5x4x4xf32> to tensor<5x4x4xf32>
  %tk = bufferization.to_tensor %k restrict : memref<2x12x4xbf16> to tensor<2x12x4xbf16>
  %tv = bufferization.to_tensor %v restrict : memref<2x12x4xbf16> to tensor<2x12x4xbf16>
  %tm = bufferization.to_tensor %m restrict : memref<2x12xf32> to tensor<2x12xf32>
  %tp = bufferization.to_tensor %p restrict : memref<2x12xi32> to tensor<2x12xi32>
  %tt = bufferization.to_tensor %t restrict : memref<5x2xf32> to tensor<5x2xf32>
  %tl = bufferization.to_tensor %l restrict : memref<5x2xi32> to tensor<5x2xi32>
  %ty = bufferization.to_tensor %y restrict writable : memref<5x4x4xf32> to tensor<5x4x4xf32>
  %r = cheems_cpu.dynamic_mask_attention bias scale 0.5 ins(%tq, %tk, %tv, %tm, %first : tensor<5x4x4xf32>, tensor<2x12x4xbf16>, tensor<2x12x4xbf16>, tensor<2x12xf32>, index) kept(%tp, %tt, %tl : tensor<2x12xi32>, tensor<5x2xf32>, tensor<5x2xi32>) outs(%ty : tensor<5x4x4xf32>) -> tensor<5x4x4xf32>
  bufferization.materialize_in_destination %r in restrict writable %y : (tensor<5x4x4xf32>, memref<5x4x4xf32>) -> ()
  return
}

func.func @attention_bias(%q: memref<5x4x4xf32>, %k: memref<2x12x4xbf16>, %v: memref<2x12x4xbf16>, %m: memref<2x12xf32>, %first: index, %y: memref<5x4x4xf32>) {
  %tq = bufferization.to_tensor %q restrict : memref<5x4x4xf32> to tensor<5x4x4xf32>
  %tk = bufferization.to_tensor %k restrict : memref<2x12x4xbf16> to tensor<2x12x4xbf16>
  %tv = bufferization.to_tensor %v restrict : memref<2x12x4xbf16> to tensor<2x12x4xbf16>
  %tm = bufferization.to_tensor %m restrict : memref<2x12xf32> to tensor<2x12xf32>
  %ty = bufferization.to_tensor %y restrict writable : memref<5x4x4xf32> to tensor<5x4x4xf32>
  %r = cheems_cpu.dynamic_mask_attention bias scale 0.5 ins(%tq, %tk, %tv, %tm, %first : tensor<5x4x4xf32>, tensor<2x12x4xbf16>, tensor<2x12x4xbf16>, tensor<2x12xf32>, index) outs(%ty : tensor<5x4x4xf32>) -> tensor<5x4x4xf32>
  bufferization.materialize_in_destination %r in restrict writable %y : (tensor<5x4x4xf32>, memref<5x4x4xf32>) -> ()
  return
}

func.func @attention_threshold(%q: memref<5x4x4xf32>, %k: memref<2x12x4xbf16>, %v: memref<2x12x4xbf16>, %m: memref<2x12xf32>, %first: index, %y: memref<5x4x4xf32>) {
  %tq = bufferization.to_tensor %q restrict : memref<5x4x4xf32> to tensor<5x4x4xf32>
  %tk = bufferization.to_tensor %k restrict : memref<2x12x4xbf16> to tensor<2x12x4xbf16>
  %tv = bufferization.to_tensor %v restrict : memref<2x12x4xbf16> to tensor<2x12x4xbf16>
  %tm = bufferization.to_tensor %m restrict : memref<2x12xf32> to tensor<2x12xf32>
  %ty = bufferization.to_tensor %y restrict writable : memref<5x4x4xf32> to tensor<5x4x4xf32>
  %r = cheems_cpu.dynamic_mask_attention threshold scale 0.5 hide_below 1.0 ins(%tq, %tk, %tv, %tm, %first : tensor<5x4x4xf32>, tensor<2x12x4xbf16>, tensor<2x12x4xbf16>, tensor<2x12xf32>, index) outs(%ty : tensor<5x4x4xf32>) -> tensor<5x4x4xf32>
  bufferization.materialize_in_destination %r in restrict writable %y : (tensor<5x4x4xf32>, memref<5x4x4xf32>) -> ()
  return
}

func.func @attention_scale(%q: memref<5x4x4xf32>, %k: memref<2x12x4xbf16>, %v: memref<2x12x4xbf16>, %m: memref<2x12xf32>, %first: index, %y: memref<5x4x4xf32>) {
  %tq = bufferization.to_tensor %q restrict : memref<5x4x4xf32> to tensor<5x4x4xf32>
  %tk = bufferization.to_tensor %k restrict : memref<2x12x4xbf16> to tensor<2x12x4xbf16>
  %tv = bufferization.to_tensor %v restrict : memref<2x12x4xbf16> to tensor<2x12x4xbf16>
  %tm = bufferization.to_tensor %m restrict : memref<2x12xf32> to tensor<2x12xf32>
  %ty = bufferization.to_tensor %y restrict writable : memref<5x4x4xf32> to tensor<5x4x4xf32>
  %r = cheems_cpu.dynamic_mask_attention scale scale 0.5 ins(%tq, %tk, %tv, %tm, %first : tensor<5x4x4xf32>, tensor<2x12x4xbf16>, tensor<2x12x4xbf16>, tensor<2x12xf32>, index) outs(%ty : tensor<5x4x4xf32>) -> tensor<5x4x4xf32>
  bufferization.materialize_in_destination %r in restrict writable %y : (tensor<5x4x4xf32>, memref<5x4x4xf32>) -> ()
  return
}
