// RUN: cheems-opt %s | cheems-opt | FileCheck %s
// RUN: cheems-opt %s -mlir-print-op-generic | cheems-opt | FileCheck %s

// Every attribute, and what is left out where it is the default.
// CHECK: row = #cheems_tile.row_tile<rows = 2, threads = 64, width = 4, columns = 256>
// CHECK-SAME: rows = #cheems_tile.row_tile<rows = 2, threads = 64, width = 4, columns = 256, times = 3>
func.func private @rows() attributes {
  row = #cheems_tile.row_tile<rows = 2, threads = 64, width = 4, columns = 256, times = 1>,
  rows = #cheems_tile.row_tile<rows = 2, threads = 64, width = 4, columns = 256, times = 3>
}

// CHECK: few = #cheems_tile.few_rows_tile<rows = 8, columns = 16, depth = 128, ahead = 4, warps = 4>
// CHECK-SAME: many = #cheems_tile.matmul_tile<rows = 128, columns = 128, depth = 64, stages = 3, warps_m = 2, warps_n = 2>
// CHECK-SAME: wgmma = #cheems_tile.matmul_tile<rows = 128, columns = 256, depth = 64, stages = 4, warps_m = 8, warps_n = 1, unit = wgmma, copy = bulk>
func.func private @products() attributes {
  few = #cheems_tile.few_rows_tile<rows = 8, columns = 16, depth = 128, ahead = 4, warps = 4>,
  many = #cheems_tile.matmul_tile<rows = 128, columns = 128, depth = 64, stages = 3, warps_m = 2, warps_n = 2, unit = mma, copy = threads>,
  wgmma = #cheems_tile.matmul_tile<rows = 128, columns = 256, depth = 64, stages = 4, warps_m = 8, warps_n = 1, unit = wgmma, copy = bulk>
}

// CHECK: few = #cheems_tile.matmul_strategy<few = <rows = 8, columns = 16, depth = 128, ahead = 4, warps = 4>, one = <{{[^>]*}}>, making = <{{[^>]*}}>, row = <{{[^>]*}}>, merge = <most = 32, ahead = 4, warps = 4>>
// CHECK-SAME: wide = #cheems_tile.matmul_strategy<many = <{{[^>]*}}>, wide = <{{[^>]*}}>, wide_from = 2048>
func.func private @strategies() attributes {
  few = #cheems_tile.matmul_strategy<few = <rows = 8, columns = 16, depth = 128, ahead = 4, warps = 4>,
    one = <rows = 8, columns = 16, depth = 128, ahead = 4, warps = 4>, making = <rows = 8, columns = 16, depth = 128, ahead = 4, warps = 4>,
    row = <rows = 1, threads = 128, width = 4, columns = 512>, merge = <most = 32, ahead = 4, warps = 4>>,
  wide = #cheems_tile.matmul_strategy<many = <rows = 128, columns = 128, depth = 64, stages = 3, warps_m = 2, warps_n = 2>,
    wide = <rows = 128, columns = 256, depth = 64, stages = 3, warps_m = 2, warps_n = 2>, wide_from = 2048>
}

// CHECK: all = #cheems_tile.attention_strategy<attend = <rows = 64, entries = 64, stages = 2, warps_m = 4, warps_n = 1>, store = <{{[^>]*}}>, store_placed = <{{[^>]*}}>, half = <{{[^>]*}}>, visible = <rows = 64, warps = 4>, merged = <{{[^>]*}}>>
// CHECK-SAME: window = #cheems_tile.attention_strategy<attend = <rows = 64, entries = 32, stages = 2, warps_m = 8, warps_n = 2, query_in_registers = true, heads = 2>, of_kept = <rows = 64, entries = 64, stages = 2, warps_m = 4, warps_n = 1, unit = wgmma, panel = 64, copy = bulk>, {{.*}}window = <{{[^>]*}}>, choice = <threads = 128, columns = 1024, ranked = 16, leaving = 16, chained = 1024, chain_threads = 256>, moved = 16, merged = <{{[^>]*}}>, merge = <most = 32, ahead = 4, warps = 4>>
func.func private @attention() attributes {
  all = #cheems_tile.attention_strategy<attend = <rows = 64, entries = 64, stages = 2, warps_m = 4, warps_n = 1>,
    store = <rows = 16, threads = 8, width = 4, columns = 32>, store_placed = <rows = 1, threads = 32, width = 4, columns = 128>,
    half = <rows = 16, threads = 8, width = 4, columns = 32>, visible = <rows = 64, warps = 4>, merged = <rows = 1, threads = 32, width = 4, columns = 128>>,
  window = #cheems_tile.attention_strategy<attend = <rows = 64, entries = 32, stages = 2, warps_m = 8, warps_n = 2, query_in_registers = true, heads = 2>,
    of_kept = <rows = 64, entries = 64, stages = 2, warps_m = 4, warps_n = 1, unit = wgmma, panel = 64, copy = bulk>,
    store = <rows = 16, threads = 8, width = 4, columns = 32>, store_placed = <rows = 1, threads = 32, width = 4, columns = 128>,
    half = <rows = 16, threads = 8, width = 4, columns = 32>, visible = <rows = 64, warps = 4>,
    window = <rows = 1, threads = 32, width = 1, columns = 32>,
    choice = <threads = 128, columns = 1024, ranked = 16, leaving = 16, chained = 1024, chain_threads = 256>, moved = 16,
    merged = <rows = 1, threads = 32, width = 4, columns = 128>, merge = <most = 32, ahead = 4, warps = 4>>
}

// CHECK: chunks = #cheems_tile.ssd_strategy<chunks = <rows = 64, states = 16, columns = 64, depth = 32, warps = 4>, carried = <{{[^>]*}}>>
// CHECK-SAME: row = #cheems_tile.ssd_strategy<one_row = <{{[^>]*}}>>
// CHECK-SAME: spans = #cheems_tile.ssd_strategy<spans = <rows = 64, columns = 32, stages = 1, piece_states = 32, piece_columns = 32, piece_stages = 2, spans = 8, most = 16, pairs = true>>
func.func private @ssd() attributes {
  chunks = #cheems_tile.ssd_strategy<chunks = <rows = 64, states = 16, columns = 64, depth = 32, warps = 4>, carried = <rows = 8, threads = 4, width = 4, columns = 16>>,
  row = #cheems_tile.ssd_strategy<one_row = <rows = 8, threads = 4, width = 4, columns = 16>>,
  spans = #cheems_tile.ssd_strategy<spans = <rows = 64, columns = 32, stages = 1, piece_states = 32, piece_columns = 32, piece_stages = 2, spans = 8, most = 16, pairs = true>>
}

// CHECK: experts = #cheems_tile.experts_strategy<warps = 4, scores = <{{[^>]*}}>, keys = <{{[^>]*}}>, pairs = <{{[^>]*}}>, tables = <{{[^>]*}}>, sums = <{{[^>]*}}>, heads = 2, ahead = 1, with_keys = true>
// CHECK-SAME: keys = #cheems_tile.key_scores_strategy<tiles = <rows = 64, columns = 64, warps = 4>>
// CHECK-SAME: logits = #cheems_tile.top_logits_strategy<pieces = <{{[^>]*}}>, merged = <{{[^>]*}}>>
func.func private @choices() attributes {
  experts = #cheems_tile.experts_strategy<warps = 4, scores = <rows = 16, threads = 8, width = 4, columns = 32>, keys = <rows = 4, threads = 32, width = 1, columns = 32>,
    pairs = <rows = 4, threads = 32, width = 1, columns = 32>, tables = <rows = 4, threads = 32, width = 4, columns = 128>,
    sums = <rows = 4, threads = 32, width = 4, columns = 128>, heads = 2, ahead = 1, with_keys = true>,
  keys = #cheems_tile.key_scores_strategy<tiles = <rows = 64, columns = 64, warps = 4>>,
  logits = #cheems_tile.top_logits_strategy<pieces = <rows = 1, threads = 128, width = 4, columns = 4096>, merged = <rows = 1, threads = 128, width = 4, columns = 512>>
}
