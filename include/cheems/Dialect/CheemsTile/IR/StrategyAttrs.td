// These attributes say how an op is divided among blocks of a GPU. Each op has one, which cheems-select-gpu-strategy chooses. The first
// attributes are the tiles of one kernel. The last ones belong to ops whose kernels have several tiles.
#ifndef CHEEMS_DIALECT_CHEEMSTILE_IR_STRATEGYATTRS_TD
#define CHEEMS_DIALECT_CHEEMSTILE_IR_STRATEGYATTRS_TD

include "cheems/Dialect/Cheems/IR/CheemsInterfaces.td"
include "cheems/Dialect/CheemsTile/IR/CheemsTileAttrs.td"

class CheemsTile_SizesAttr<string name, string text, list<Trait> traits = []> : AttrDef<CheemsTile_Dialect, name, traits> {
  let mnemonic = text;
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}
class CheemsTile_StrategyAttr<string name, string text>
    : CheemsTile_SizesAttr<name # "Strategy", text # "_strategy", [DeclareAttrInterfaceMethods<Cheems_StrategyAttrInterface>]>;

//===--------------------------------------------------------------------===//
// Tiles of one kernel
//===--------------------------------------------------------------------===//

def CheemsTile_RowTileAttr
    : CheemsTile_SizesAttr<"RowTile", "row_tile", [DeclareAttrInterfaceMethods<Cheems_StrategyAttrInterface>]> {
  let summary = "Rows that a block has at a time";
  let description = [{
    A row is held by `threads` threads, with `width` neighbours each; a block has `rows` rows at a time, `times` times. A tile has `columns`
    numbers of a row: at least those of the row, or a piece of it. `columns` is a multiple of `threads` times `width`.

    It is the whole strategy of `cheems.rms_norm`, `cheems.quantize_entries`, `cheems.gather_rows`, `cheems.positions`,
    `cheems.rotary_table`, `cheems.rotary` and of an elementwise `linalg.generic`.

    Example: `#cheems_tile.row_tile<rows = 2, threads = 64, width = 4, columns = 256>`
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$threads, "int64_t":$width, "int64_t":$columns,
                        DefaultValuedParameter<"int64_t", "1">:$times);
  let extraClassDeclaration = [{
    int64_t warps() const { return getRows() * getThreads() / 32; }
    int64_t tileRows() const { return getTimes() * getRows(); }
    /// The same, that many times.
    RowTileAttr withTimes(int64_t times) const;
  }];
}

def CheemsTile_MatmulTileAttr : CheemsTile_SizesAttr<"MatmulTile", "matmul_tile"> {
  let summary = "The tile of a matmul that a block computes";
  let description = [{
    A block computes `rows` x `columns` of a matmul, `depth` of k at a time, which a ring of `stages` buffers has. `warps_m` times `warps_n`
    warps share the tile. They multiply by `unit`, and `copy` says what fills the ring.

    Example: `#cheems_tile.matmul_tile<rows = 128, columns = 128, depth = 64, stages = 3, warps_m = 2, warps_n = 2>`
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns, "int64_t":$depth, "int64_t":$stages, "int64_t":$warps_m, "int64_t":$warps_n,
                        DefaultValuedParameter<"::cheems::tile::Unit", "::cheems::tile::Unit::Mma">:$unit,
                        DefaultValuedParameter<"::cheems::tile::OperandCopy", "::cheems::tile::OperandCopy::Threads">:$copy);
  let extraClassDeclaration = [{
    int64_t warps() const { return getWarpsM() * getWarpsN(); }
    /// Whether one launch may have blocks of both.
    bool hasSameTiles(MatmulTileAttr other) const {
      return getRows() == other.getRows() && getColumns() == other.getColumns();
    }
  }];
}

def CheemsTile_FewRowsTileAttr : CheemsTile_SizesAttr<"FewRowsTile", "few_rows_tile"> {
  let summary = "The tile of a matmul of few rows";
  let description = [{
    A block computes `columns` outputs of `rows` tokens. Its `warps` warps share k, of which they take `depth` together at a time; `ahead` of
    these are loaded before the first one is multiplied. Which warp takes which k depends on neither.

    Example: `#cheems_tile.few_rows_tile<rows = 8, columns = 16, depth = 128, ahead = 4, warps = 4>`
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns, "int64_t":$depth, "int64_t":$ahead, "int64_t":$warps);
}

def CheemsTile_AttentionTileAttr : CheemsTile_SizesAttr<"AttentionTile", "attention_tile"> {
  let summary = "The tile of attention that a block computes";
  let description = [{
    A block computes `rows` rows of each of `heads` query heads, which read one head of keys, `entries` at a time. For segments of one row, it
    computes `rows` query heads, and `entries` of the row's. A ring has `stages` buffers. Warps are `warps_m` over rows, and `warps_n` over
    entries and columns of values. `query_in_registers`: else queries stay in shared memory. `panel`: columns of a buffer, of warpgroups.
    `copy`: what fetches entries.

    Example: `#cheems_tile.attention_tile<rows = 64, entries = 64, stages = 2, warps_m = 4, warps_n = 1, query_in_registers = true>`
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$entries, "int64_t":$stages, "int64_t":$warps_m, "int64_t":$warps_n,
                        DefaultValuedParameter<"bool", "false">:$query_in_registers,
                        DefaultValuedParameter<"::cheems::tile::Unit", "::cheems::tile::Unit::Mma">:$unit,
                        DefaultValuedParameter<"int64_t", "0">:$panel, DefaultValuedParameter<"int64_t", "1">:$heads,
                        DefaultValuedParameter<"::cheems::tile::OperandCopy", "::cheems::tile::OperandCopy::Threads">:$copy);
  let extraClassDeclaration = [{
    int64_t warps() const { return getWarpsM() * getWarpsN(); }
    int64_t tileRows() const { return getHeads() * getRows(); }
  }];
}

def CheemsTile_MergeTileAttr : CheemsTile_SizesAttr<"MergeTile", "merge_tile"> {
  let summary = "Splits of a row that a block merges";
  let description = [{
    A block of `warps` warps merges at most `most` splits of a row, and loads `ahead` of them before it adds the first one.

    Example: `#cheems_tile.merge_tile<most = 32, ahead = 4, warps = 4>`
  }];
  let parameters = (ins "int64_t":$most, "int64_t":$ahead, "int64_t":$warps);
}

def CheemsTile_VisibleTileAttr : CheemsTile_SizesAttr<"VisibleTile", "visible_tile"> {
  let summary = "Rows of a segment of which a block finds what they see";
  let description = [{
    A block of `warps` warps takes `rows` rows of a segment at a time.

    Example: `#cheems_tile.visible_tile<rows = 64, warps = 4>`
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$warps);
}

def CheemsTile_WindowTileAttr : CheemsTile_SizesAttr<"WindowTile", "window_tile"> {
  let summary = "How what a window keeps of a prompt is chosen";
  let description = [{
    Blocks have `threads` threads, and `columns` numbers at a time of what stands before them. A block ranks `ranked` entries, and compares
    candidates with `leaving` at a time. Indices of rows are found by a block of `chain_threads` threads, for `chained` rows at a time.

    Example: `#cheems_tile.window_tile<threads = 128, columns = 1024, ranked = 16, leaving = 16, chained = 1024, chain_threads = 256>`
  }];
  let parameters = (ins "int64_t":$threads, "int64_t":$columns, "int64_t":$ranked, "int64_t":$leaving, "int64_t":$chained,
                        "int64_t":$chain_threads);
  let extraClassDeclaration = [{
    int64_t warps() const { return getThreads() / 32; }
    int64_t chainWarps() const { return getChainThreads() / 32; }
  }];
}

def CheemsTile_SSDTileAttr : CheemsTile_SizesAttr<"SSDTile", "ssd_tile"> {
  let summary = "Chunks of SSD without tensor cores";
  let description = [{
    Rows of a prompt are chunks of `rows`. A block of `warps` warps has `states` rows and `columns` of a head's state, or `columns` of the
    outputs of a chunk, for which it takes `depth` rows of the state at a time.

    Example: `#cheems_tile.ssd_tile<rows = 64, states = 64, columns = 64, depth = 32, warps = 4>`
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$states, "int64_t":$columns, "int64_t":$depth, "int64_t":$warps);
}

def CheemsTile_SSDSpansAttr : CheemsTile_SizesAttr<"SSDSpans", "ssd_spans"> {
  let summary = "Chunks and spans of SSD on tensor cores";
  let description = [{
    Chunks have `rows` rows. Those that follow each other are a span, whose outputs a block computes one after the other: `columns` of a head's
    outputs, with a ring of `stages` buffers. Another block takes `piece_states` x `piece_columns` of a head's state through all chunks, with a
    ring of `piece_stages`. A step has `spans` spans, if these are not longer than `most` chunks. `pairs`: factors are sums of two numbers in
    bf16, made of f32. Warps of an output's block have rows of the state of their own, and those of a piece halves of both.

    Example: `#cheems_tile.ssd_spans<rows = 64, columns = 32, stages = 2, piece_states = 32, piece_columns = 32, piece_stages = 3, spans = 8, most = 16>`
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns, "int64_t":$stages, "int64_t":$piece_states, "int64_t":$piece_columns,
                        "int64_t":$piece_stages, "int64_t":$spans, "int64_t":$most, DefaultValuedParameter<"bool", "false">:$pairs);
  let extraClassDeclaration = "static constexpr int64_t warps = 4, half = 2;";
}

def CheemsTile_KeyTileAttr : CheemsTile_SizesAttr<"KeyTile", "key_tile"> {
  let summary = "Scores with product keys on tensor cores";
  let description = [{
    A block of `warps` warps has scores of `rows` rows with `columns` keys.

    Example: `#cheems_tile.key_tile<rows = 64, columns = 64, warps = 4>`
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns, "int64_t":$warps);
}

//===--------------------------------------------------------------------===//
// Strategies of ops with several kernels
//===--------------------------------------------------------------------===//

def CheemsTile_MatmulStrategyAttr : CheemsTile_StrategyAttr<"Matmul", "matmul"> {
  let summary = "How a matmul is shared out among blocks";
  let description = [{
    It is an attribute of `linalg.matmul` and `cheems_tile.quantized_matmul`. Of matmuls that one launch computes, the first one's holds.

    A function of many rows has `many`. Its steps of `wide_from` rows or more have `wide` in its place. A function of few rows has `few`, and
    `one` for steps of one row. If such a step's blocks make the row themselves (they compute the norm, merge splits, or quantize), they
    have `making`, hold the row as `row`, and merge splits as `merge` says: without it they merge none.

    Example: `#cheems_tile.matmul_strategy<many = <rows = 128, columns = 128, depth = 64, stages = 3, warps_m = 2, warps_n = 2>>`
  }];
  let parameters = (ins OptionalParameter<"::cheems::tile::MatmulTileAttr">:$many, OptionalParameter<"::cheems::tile::MatmulTileAttr">:$wide,
                        DefaultValuedParameter<"int64_t", "0">:$wide_from, OptionalParameter<"::cheems::tile::FewRowsTileAttr">:$few,
                        OptionalParameter<"::cheems::tile::FewRowsTileAttr">:$one, OptionalParameter<"::cheems::tile::FewRowsTileAttr">:$making,
                        OptionalParameter<"::cheems::tile::RowTileAttr">:$row, OptionalParameter<"::cheems::tile::MergeTileAttr">:$merge);
}

def CheemsTile_AttentionStrategyAttr : CheemsTile_StrategyAttr<"Attention", "attention"> {
  let summary = "How attention is shared out among blocks";
  let description = [{
    It is an attribute of `cheems.segmented_attention`. `attend` is what blocks attend to; with a window that drops entries `of_kept` takes its
    index. `store`: the rows that become entries; with indices of their own `store_placed`. `half`: half a head of rows that a block of
    attention stores itself. `visible`: rows that find what they see. `window`: entries of one row's window. `choice`: what a window keeps
    of a prompt. `moved`: entries that a block looks through for new ones. `merged`: the row that splits are merged to. `merge`: a matmul
    after may merge them; without it none may.
  }];
  let parameters = (ins "::cheems::tile::AttentionTileAttr":$attend, OptionalParameter<"::cheems::tile::AttentionTileAttr">:$of_kept,
                        "::cheems::tile::RowTileAttr":$store, "::cheems::tile::RowTileAttr":$store_placed, "::cheems::tile::RowTileAttr":$half,
                        "::cheems::tile::VisibleTileAttr":$visible, OptionalParameter<"::cheems::tile::RowTileAttr">:$window,
                        OptionalParameter<"::cheems::tile::WindowTileAttr">:$choice, DefaultValuedParameter<"int64_t", "0">:$moved,
                        "::cheems::tile::RowTileAttr":$merged, OptionalParameter<"::cheems::tile::MergeTileAttr">:$merge);
}

def CheemsTile_SSDStrategyAttr : CheemsTile_StrategyAttr<"SSD", "ssd"> {
  let summary = "How state-space duality is shared out among blocks";
  let description = [{
    It is an attribute of `cheems.segmented_ssd`, and has one of three: `one_row` for segments of one row; `spans` on tensor cores; `chunks`
    without them, and then `carried`, pieces of a state that goes from chunk to chunk.

    Example: `#cheems_tile.ssd_strategy<one_row = <rows = 32, threads = 4, width = 4, columns = 16>>`
  }];
  let parameters = (ins OptionalParameter<"::cheems::tile::RowTileAttr">:$one_row, OptionalParameter<"::cheems::tile::SSDSpansAttr">:$spans,
                        OptionalParameter<"::cheems::tile::SSDTileAttr">:$chunks, OptionalParameter<"::cheems::tile::RowTileAttr">:$carried);
}

def CheemsTile_TopLogitsStrategyAttr : CheemsTile_StrategyAttr<"TopLogits", "top_logits"> {
  let summary = "How the best logits are found";
  let description = [{
    It is an attribute of `cheems.top_logits`. Blocks find the best of `pieces` of rows; then other blocks find the best of these, in `merged`.
  }];
  let parameters = (ins "::cheems::tile::RowTileAttr":$pieces, "::cheems::tile::RowTileAttr":$merged);
}

def CheemsTile_KeyScoresStrategyAttr : CheemsTile_StrategyAttr<"KeyScores", "key_scores"> {
  let summary = "How scores with product keys are shared out among blocks";
  let description = [{
    It is an attribute of the `linalg.generic` of such scores, and has one of two: `tiles` on tensor cores, or `numbers`.
  }];
  let parameters = (ins OptionalParameter<"::cheems::tile::KeyTileAttr">:$tiles, OptionalParameter<"::cheems::tile::RowTileAttr">:$numbers);
}

def CheemsTile_ExpertsStrategyAttr : CheemsTile_StrategyAttr<"Experts", "experts"> {
  let summary = "How experts are retrieved and added";
  let description = [{
    It is an attribute of `cheems.retrieve_experts`, and of the first `cheems.mix_experts` of a group. A block of `warps` warps has a row's experts, of
    `heads` heads one after the other. Rows of a tile are copies of one row but for `tables`: then warps need not wait for each other. `scores`: those that a block
    computes, a half per row. `keys`: of which the best are found, copies of both halves. `pairs`: pairs of keys, of which the best are found.
    `tables`: rows of the experts, each of another one. `sums`: of these rows. `ahead`: steps over rows of `tables` whose copies are under way
    while those of one are added; 0: no copies, a step loads its rows. `with_keys`: a block computes scores with product keys itself.
  }];
  let parameters = (ins "int64_t":$warps, "::cheems::tile::RowTileAttr":$scores, "::cheems::tile::RowTileAttr":$keys,
                        "::cheems::tile::RowTileAttr":$pairs, "::cheems::tile::RowTileAttr":$tables, "::cheems::tile::RowTileAttr":$sums,
                        "int64_t":$heads, DefaultValuedParameter<"int64_t", "0">:$ahead, DefaultValuedParameter<"bool", "false">:$with_keys);
  let extraClassDeclaration = [{
    /// The number of stages of the copies: a step's own stage is free once it has been read.
    int64_t stages() const { return getAhead() + 1; }
  }];
}

#endif
