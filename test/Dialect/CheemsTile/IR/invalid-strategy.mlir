// RUN: cheems-opt %s --split-input-file --verify-diagnostics

// expected-error@below {{needs rows of at least 1, not 0}}
func.func private @f() attributes {sizes = #cheems_tile.row_tile<rows = 0, threads = 32, width = 4, columns = 128>}

// -----

// expected-error@below {{needs times of at least 1, not 0}}
func.func private @f() attributes {sizes = #cheems_tile.row_tile<rows = 1, threads = 32, width = 4, columns = 128, times = 0>}

// -----

// expected-error@below {{needs powers of 2 as rows, threads and width}}
func.func private @f() attributes {sizes = #cheems_tile.row_tile<rows = 1, threads = 96, width = 4, columns = 384>}

// -----

// expected-error@below {{needs threads of at most 1048576, not 4294967296}}
func.func private @f() attributes {sizes = #cheems_tile.row_tile<rows = 32, threads = 4294967296, width = 4294967296, columns = 64>}

// -----

// expected-error@below {{needs at most 1024 threads, not 2048}}
func.func private @f() attributes {sizes = #cheems_tile.row_tile<rows = 64, threads = 32, width = 4, columns = 128>}

// -----

// expected-error@below {{needs at most 1024 columns of a thread, not 2048}}
func.func private @f() attributes {sizes = #cheems_tile.row_tile<rows = 1, threads = 32, width = 4, columns = 65536>}

// -----

// expected-error@below {{needs most of at most 1048576, not 9223372036854775807}}
func.func private @f() attributes {sizes = #cheems_tile.ssd_spans<rows = 64, columns = 32, stages = 2, piece_states = 32, piece_columns = 32, piece_stages = 3, spans = 8, most = 9223372036854775807>}

// -----

// expected-error@below {{needs wide tiles of the unit that many has: a sum is the same one in both}}
func.func private @f() attributes {sizes = #cheems_tile.matmul_strategy<many = <rows = 64, columns = 64, depth = 64, stages = 3, warps_m = 4, warps_n = 1, unit = wgmma>, wide = <rows = 64, columns = 64, depth = 64, stages = 3, warps_m = 2, warps_n = 2>, wide_from = 512>}

// -----

// expected-error@below {{needs whole warps, not 16 threads}}
func.func private @f() attributes {sizes = #cheems_tile.row_tile<rows = 2, threads = 8, width = 4, columns = 128>}

// -----

// expected-error@below {{needs columns in multiples of 128, which a row's threads have at once, not 96}}
func.func private @f() attributes {sizes = #cheems_tile.row_tile<rows = 1, threads = 32, width = 4, columns = 96>}

// -----

// expected-error@below {{needs stages of at least 1, not 0}}
func.func private @f() attributes {sizes = #cheems_tile.matmul_tile<rows = 64, columns = 64, depth = 64, stages = 0, warps_m = 2, warps_n = 2>}

// -----

// expected-error@below {{bulk copies are for the unit wgmma, not for mma}}
func.func private @f() attributes {sizes = #cheems_tile.matmul_tile<rows = 64, columns = 64, depth = 64, stages = 3, warps_m = 2, warps_n = 2, copy = bulk>}

// -----

// expected-error@below {{needs ahead of at least 1, not 0}}
func.func private @f() attributes {sizes = #cheems_tile.few_rows_tile<rows = 8, columns = 16, depth = 128, ahead = 0, warps = 4>}

// -----

// expected-error@below {{needs entries of at least 1, not 0}}
func.func private @f() attributes {sizes = #cheems_tile.attention_tile<rows = 64, entries = 0, stages = 2, warps_m = 4, warps_n = 1>}

// -----

// expected-error@below {{needs panels for the unit wgmma alone}}
func.func private @f() attributes {sizes = #cheems_tile.attention_tile<rows = 64, entries = 64, stages = 2, warps_m = 4, warps_n = 1, panel = 64>}

// -----

// expected-error@below {{needs panels for the unit wgmma alone}}
func.func private @f() attributes {sizes = #cheems_tile.attention_tile<rows = 64, entries = 64, stages = 2, warps_m = 4, warps_n = 1, unit = wgmma>}

// -----

// expected-error@below {{bulk copies are for the unit wgmma, not for mma}}
func.func private @f() attributes {sizes = #cheems_tile.attention_tile<rows = 64, entries = 64, stages = 2, warps_m = 4, warps_n = 1, copy = bulk>}

// -----

// expected-error@below {{needs most of at least 1, not 0}}
func.func private @f() attributes {sizes = #cheems_tile.merge_tile<most = 0, ahead = 4, warps = 4>}

// -----

// expected-error@below {{needs warps of at least 1, not 0}}
func.func private @f() attributes {sizes = #cheems_tile.visible_tile<rows = 64, warps = 0>}

// -----

// expected-error@below {{needs ranked of at least 1, not 0}}
func.func private @f() attributes {sizes = #cheems_tile.window_tile<threads = 128, columns = 1024, ranked = 0, leaving = 16, chained = 1024, chain_threads = 256>}

// -----

// expected-error@below {{needs depth of at least 1, not 0}}
func.func private @f() attributes {sizes = #cheems_tile.ssd_tile<rows = 64, states = 64, columns = 64, depth = 0, warps = 4>}

// -----

// expected-error@below {{needs spans of at least 1, not 0}}
func.func private @f() attributes {sizes = #cheems_tile.ssd_spans<rows = 64, columns = 32, stages = 2, piece_states = 32, piece_columns = 32, piece_stages = 3, spans = 0, most = 16>}

// -----

// expected-error@below {{needs columns of at least 1, not 0}}
func.func private @f() attributes {sizes = #cheems_tile.key_tile<rows = 64, columns = 0, warps = 4>}

// -----

// expected-error@below {{needs many or few, and not both}}
func.func private @f() attributes {sizes = #cheems_tile.matmul_strategy<>}

// -----

// expected-error@below {{needs many or few, and not both}}
func.func private @f() attributes {sizes = #cheems_tile.matmul_strategy<many = <rows = 64, columns = 64, depth = 64, stages = 3, warps_m = 2, warps_n = 2>, few = <rows = 8, columns = 16, depth = 128, ahead = 4, warps = 4>, one = <rows = 8, columns = 16, depth = 128, ahead = 4, warps = 4>>}

// -----

// expected-error@below {{needs one beside few}}
func.func private @f() attributes {sizes = #cheems_tile.matmul_strategy<few = <rows = 8, columns = 16, depth = 128, ahead = 4, warps = 4>>}

// -----

// expected-error@below {{needs one beside few, and there row beside making}}
func.func private @f() attributes {sizes = #cheems_tile.matmul_strategy<few = <rows = 8, columns = 16, depth = 128, ahead = 4, warps = 4>, one = <rows = 8, columns = 16, depth = 128, ahead = 4, warps = 4>, making = <rows = 8, columns = 16, depth = 128, ahead = 4, warps = 4>>}

// -----

// expected-error@below {{and merge with these alone}}
func.func private @f() attributes {sizes = #cheems_tile.matmul_strategy<few = <rows = 8, columns = 16, depth = 128, ahead = 4, warps = 4>, one = <rows = 8, columns = 16, depth = 128, ahead = 4, warps = 4>, merge = <most = 32, ahead = 4, warps = 4>>}

// -----

// expected-error@below {{needs wide and a wide_from of at least 2 beside many, or neither}}
func.func private @f() attributes {sizes = #cheems_tile.matmul_strategy<many = <rows = 64, columns = 64, depth = 64, stages = 3, warps_m = 2, warps_n = 2>, wide = <rows = 64, columns = 64, depth = 64, stages = 3, warps_m = 2, warps_n = 2>>}

// -----

// expected-error@below {{needs wide and a wide_from of at least 2 beside many, or neither}}
func.func private @f() attributes {sizes = #cheems_tile.matmul_strategy<many = <rows = 64, columns = 64, depth = 64, stages = 3, warps_m = 2, warps_n = 2>, wide_from = 100>}

// -----

// expected-error@below {{needs window, choice and moved together}}
func.func private @f() attributes {sizes = #cheems_tile.attention_strategy<attend = <rows = 64, entries = 64, stages = 2, warps_m = 4, warps_n = 1>, store = <rows = 1, threads = 32, width = 4, columns = 128>, store_placed = <rows = 1, threads = 32, width = 4, columns = 128>, half = <rows = 1, threads = 32, width = 4, columns = 128>, visible = <rows = 64, warps = 4>, choice = <threads = 128, columns = 1024, ranked = 16, leaving = 16, chained = 1024, chain_threads = 256>, moved = 16, merged = <rows = 1, threads = 32, width = 4, columns = 128>>}

// -----

// expected-error@below {{needs window, choice and moved together}}
func.func private @f() attributes {sizes = #cheems_tile.attention_strategy<attend = <rows = 64, entries = 64, stages = 2, warps_m = 4, warps_n = 1>, store = <rows = 1, threads = 32, width = 4, columns = 128>, store_placed = <rows = 1, threads = 32, width = 4, columns = 128>, half = <rows = 1, threads = 32, width = 4, columns = 128>, visible = <rows = 64, warps = 4>, window = <rows = 1, threads = 32, width = 4, columns = 128>, choice = <threads = 128, columns = 1024, ranked = 16, leaving = 16, chained = 1024, chain_threads = 256>, merged = <rows = 1, threads = 32, width = 4, columns = 128>>}

// -----

// expected-error@below {{needs one of one_row, spans, and chunks with carried}}
func.func private @f() attributes {sizes = #cheems_tile.ssd_strategy<>}

// -----

// expected-error@below {{needs one of one_row, spans, and chunks with carried}}
func.func private @f() attributes {sizes = #cheems_tile.ssd_strategy<chunks = <rows = 64, states = 64, columns = 64, depth = 32, warps = 4>>}

// -----

// expected-error@below {{needs one of one_row, spans, and chunks with carried}}
func.func private @f() attributes {sizes = #cheems_tile.ssd_strategy<one_row = <rows = 1, threads = 32, width = 4, columns = 128>, chunks = <rows = 64, states = 64, columns = 64, depth = 32, warps = 4>, carried = <rows = 1, threads = 32, width = 4, columns = 128>>}

// -----

// expected-error@below {{needs tiles or numbers, and not both}}
func.func private @f() attributes {sizes = #cheems_tile.key_scores_strategy<>}

// -----

// expected-error@below {{needs heads of at least 1, not 0}}
func.func private @f() attributes {sizes = #cheems_tile.experts_strategy<warps = 4, scores = <rows = 1, threads = 32, width = 4, columns = 128>, keys = <rows = 1, threads = 32, width = 4, columns = 128>, pairs = <rows = 1, threads = 32, width = 4, columns = 128>, tables = <rows = 1, threads = 32, width = 4, columns = 128>, sums = <rows = 1, threads = 32, width = 4, columns = 128>, heads = 0>}

// -----

// expected-error@below {{needs ahead of at least 0, not -1}}
func.func private @f() attributes {sizes = #cheems_tile.experts_strategy<warps = 4, scores = <rows = 1, threads = 32, width = 4, columns = 128>, keys = <rows = 1, threads = 32, width = 4, columns = 128>, pairs = <rows = 1, threads = 32, width = 4, columns = 128>, tables = <rows = 1, threads = 32, width = 4, columns = 128>, sums = <rows = 1, threads = 32, width = 4, columns = 128>, heads = 1, ahead = -1>}

// -----

func.func @norm(%x: tensor<?x128xf32>, %w: tensor<128xf32>, %y: tensor<?x128xf32>) -> tensor<?x128xf32> {
  // expected-error@below {{op cheems_tile.strategy is no strategy: 4 : i64}}
  %0 = cheems.rms_norm epsilon 1.0e-06 {cheems_tile.strategy = 4 : i64} ins(%x, %w : tensor<?x128xf32>, tensor<128xf32>) outs(%y : tensor<?x128xf32>) -> tensor<?x128xf32>
  return %0 : tensor<?x128xf32>
}

// -----

func.func @norm(%x: tensor<?x128xf32>, %w: tensor<128xf32>, %y: tensor<?x128xf32>) -> tensor<?x128xf32> {
  // expected-error@below {{op cheems_tile.strategy is no strategy: #cheems_tile.visible_tile<rows = 64, warps = 4>}}
  %0 = cheems.rms_norm epsilon 1.0e-06 {cheems_tile.strategy = #cheems_tile.visible_tile<rows = 64, warps = 4>} ins(%x, %w : tensor<?x128xf32>, tensor<128xf32>) outs(%y : tensor<?x128xf32>) -> tensor<?x128xf32>
  return %0 : tensor<?x128xf32>
}

// -----

func.func @norm(%x: tensor<?x128xf32>, %w: tensor<128xf32>, %y: tensor<?x128xf32>) -> tensor<?x128xf32> {
  // expected-error@below {{which is for linalg.matmul and cheems_tile.quantized_matmul}}
  %0 = cheems.rms_norm epsilon 1.0e-06 {cheems_tile.strategy = #cheems_tile.matmul_strategy<many = <rows = 64, columns = 64, depth = 64, stages = 3, warps_m = 2, warps_n = 2>>} ins(%x, %w : tensor<?x128xf32>, tensor<128xf32>) outs(%y : tensor<?x128xf32>) -> tensor<?x128xf32>
  return %0 : tensor<?x128xf32>
}

// -----

func.func @norm(%x: tensor<?x128xf32>, %w: tensor<128xf32>, %y: tensor<?x128xf32>) -> tensor<?x128xf32> {
  // expected-error@below {{which is for cheems.segmented_attention}}
  %0 = cheems.rms_norm epsilon 1.0e-06 {cheems_tile.strategy = #cheems_tile.attention_strategy<attend = <rows = 64, entries = 64, stages = 2, warps_m = 4, warps_n = 1>, store = <rows = 1, threads = 32, width = 4, columns = 128>, store_placed = <rows = 1, threads = 32, width = 4, columns = 128>, half = <rows = 1, threads = 32, width = 4, columns = 128>, visible = <rows = 64, warps = 4>, merged = <rows = 1, threads = 32, width = 4, columns = 128>>} ins(%x, %w : tensor<?x128xf32>, tensor<128xf32>) outs(%y : tensor<?x128xf32>) -> tensor<?x128xf32>
  return %0 : tensor<?x128xf32>
}

// -----

func.func @norm(%x: tensor<?x128xf32>, %w: tensor<128xf32>, %y: tensor<?x128xf32>) -> tensor<?x128xf32> {
  // expected-error@below {{which is for cheems.segmented_ssd}}
  %0 = cheems.rms_norm epsilon 1.0e-06 {cheems_tile.strategy = #cheems_tile.ssd_strategy<one_row = <rows = 1, threads = 32, width = 4, columns = 128>>} ins(%x, %w : tensor<?x128xf32>, tensor<128xf32>) outs(%y : tensor<?x128xf32>) -> tensor<?x128xf32>
  return %0 : tensor<?x128xf32>
}

// -----

func.func @norm(%x: tensor<?x128xf32>, %w: tensor<128xf32>, %y: tensor<?x128xf32>) -> tensor<?x128xf32> {
  // expected-error@below {{which is for cheems.top_logits}}
  %0 = cheems.rms_norm epsilon 1.0e-06 {cheems_tile.strategy = #cheems_tile.top_logits_strategy<pieces = <rows = 1, threads = 32, width = 4, columns = 128>, merged = <rows = 1, threads = 32, width = 4, columns = 128>>} ins(%x, %w : tensor<?x128xf32>, tensor<128xf32>) outs(%y : tensor<?x128xf32>) -> tensor<?x128xf32>
  return %0 : tensor<?x128xf32>
}

// -----

func.func @norm(%x: tensor<?x128xf32>, %w: tensor<128xf32>, %y: tensor<?x128xf32>) -> tensor<?x128xf32> {
  // expected-error@below {{which is for scores with product keys}}
  %0 = cheems.rms_norm epsilon 1.0e-06 {cheems_tile.strategy = #cheems_tile.key_scores_strategy<numbers = <rows = 1, threads = 32, width = 4, columns = 128>>} ins(%x, %w : tensor<?x128xf32>, tensor<128xf32>) outs(%y : tensor<?x128xf32>) -> tensor<?x128xf32>
  return %0 : tensor<?x128xf32>
}

// -----

func.func @norm(%x: tensor<?x128xf32>, %w: tensor<128xf32>, %y: tensor<?x128xf32>) -> tensor<?x128xf32> {
  // expected-error@below {{which is for cheems.retrieve_experts and cheems.mix_experts}}
  %0 = cheems.rms_norm epsilon 1.0e-06 {cheems_tile.strategy = #cheems_tile.experts_strategy<warps = 4, scores = <rows = 1, threads = 32, width = 4, columns = 128>, keys = <rows = 1, threads = 32, width = 4, columns = 128>, pairs = <rows = 1, threads = 32, width = 4, columns = 128>, tables = <rows = 1, threads = 32, width = 4, columns = 128>, sums = <rows = 1, threads = 32, width = 4, columns = 128>, heads = 1>} ins(%x, %w : tensor<?x128xf32>, tensor<128xf32>) outs(%y : tensor<?x128xf32>) -> tensor<?x128xf32>
  return %0 : tensor<?x128xf32>
}

// -----

func.func @mask(%d: tensor<?x2xf32>, %a: tensor<2xf32>, %m: tensor<?x2xf32>) -> tensor<?x2xf32> {
  // expected-error@below {{which is for norms, quantization, rows by number, positions, rotations and elementwise ops}}
  %0 = cheems.dynamic_mask {cheems_tile.strategy = #cheems_tile.row_tile<rows = 1, threads = 32, width = 4, columns = 128>} ins(%d, %a : tensor<?x2xf32>, tensor<2xf32>) outs(%m : tensor<?x2xf32>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}

// -----

func.func @ssd(%x: tensor<?x4x8xf32>, %dt: tensor<?x4xf32>, %a: tensor<4xf32>, %b: tensor<?x2x6xf32>, %c: tensor<?x2x6xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %pool: tensor<?x7x4x6x8xf32>) -> tensor<?x4x8xf32> {
  // expected-error@below {{needs sizes for segments of many rows}}
  %r:2 = cheems.segmented_ssd {cheems_tile.strategy = #cheems_tile.ssd_strategy<one_row = <rows = 1, threads = 32, width = 4, columns = 128>>} ins(%x, %dt, %a, %b, %c : tensor<?x4x8xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x2x6xf32>, tensor<?x2x6xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %pool : tensor<?x4x8xf32>, tensor<?x7x4x6x8xf32>) -> tensor<?x4x8xf32>, tensor<?x7x4x6x8xf32>
  return %r#0 : tensor<?x4x8xf32>
}

// -----

func.func @ssd(%x: tensor<?x4x8xf32>, %dt: tensor<?x4xf32>, %a: tensor<4xf32>, %b: tensor<?x2x6xf32>, %c: tensor<?x2x6xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %pool: tensor<?x7x4x6x8xf32>) -> tensor<?x4x8xf32> {
  // expected-error@below {{needs sizes for segments of one row}}
  %r:2 = cheems.segmented_ssd one_row {cheems_tile.strategy = #cheems_tile.ssd_strategy<chunks = <rows = 64, states = 16, columns = 16, depth = 32, warps = 4>, carried = <rows = 1, threads = 32, width = 4, columns = 128>>} ins(%x, %dt, %a, %b, %c : tensor<?x4x8xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x2x6xf32>, tensor<?x2x6xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %pool : tensor<?x4x8xf32>, tensor<?x7x4x6x8xf32>) -> tensor<?x4x8xf32>, tensor<?x7x4x6x8xf32>
  return %r#0 : tensor<?x4x8xf32>
}

// -----

func.func @attention(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %keys: tensor<?x3x2x?x8xf32>, %values: tensor<?x3x2x?x8xf32>, %masks: tensor<?x3x2x?xf32>, %positions: tensor<?x3x2x?xi32>) -> tensor<?x4x8xf32> {
  // expected-error@below {{needs sizes for its window}}
  %r:5 = cheems.segmented_attention bias scale 0.5 keep 16 block 64 {cheems_tile.strategy = #cheems_tile.attention_strategy<attend = <rows = 64, entries = 64, stages = 2, warps_m = 4, warps_n = 1>, store = <rows = 1, threads = 32, width = 4, columns = 128>, store_placed = <rows = 1, threads = 32, width = 4, columns = 128>, half = <rows = 1, threads = 32, width = 4, columns = 128>, visible = <rows = 64, warps = 4>, merged = <rows = 1, threads = 32, width = 4, columns = 128>>} ins(%q, %k, %v : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>) positions(%positions : tensor<?x3x2x?xi32>) -> tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>, tensor<?x3x2x?xi32>
  return %r#0 : tensor<?x4x8xf32>
}

// -----

func.func @attention(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %keys: tensor<?x3x2x?x8xf32>, %values: tensor<?x3x2x?x8xf32>) -> tensor<?x4x8xf32> {
  // expected-error@below {{needs entries that divide 768, or a block has two pieces of a ring}}
  %r:3 = cheems.segmented_attention none scale 0.5 window 16 block 64 {cheems_tile.strategy = #cheems_tile.attention_strategy<attend = <rows = 64, entries = 512, stages = 2, warps_m = 4, warps_n = 1>, store = <rows = 1, threads = 32, width = 4, columns = 128>, store_placed = <rows = 1, threads = 32, width = 4, columns = 128>, half = <rows = 1, threads = 32, width = 4, columns = 128>, visible = <rows = 64, warps = 4>, merged = <rows = 1, threads = 32, width = 4, columns = 128>>} ins(%q, %k, %v : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values : tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>) -> tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>
  return %r#0 : tensor<?x4x8xf32>
}
