// These ops access elements of memory and of buffers by indices that a tile holds.
#ifndef CHEEMS_DIALECT_CHEEMSTILE_IR_CHOICEOPS_TD
#define CHEEMS_DIALECT_CHEEMSTILE_IR_CHOICEOPS_TD

include "cheems/Dialect/CheemsTile/IR/MemoryOps.td"

def CheemsTile_GatherOp : CheemsTile_Op<"gather", [CheemsTile_NamedResult]> {
  let summary = "A tile of rows, columns or numbers that numbers choose";
  let description = [{
    Each thread loads its elements of rows that lie anywhere in a memref.

    Equation: with d = dims, o = offsets and e_d the unit vector of dimension d: tile[i, j] = source[o + rows[i] e_d0 + j e_d1] if
    o_d0 + rows[i] and o_d1 + j are within `source`, and 0 otherwise. If `rows` has a number per column, it is
    tile[i, j] = source[o + i e_d0 + rows[j] e_d1] instead. A tile of one dimension has tile[i] = source[o + rows[i] e_d0].

    Operands and state: `source` a memref; `offsets` one per dimension of it; `rows` [R] or [C] i32.

    Constraints:
    - C1: there is one offset per dimension of `source`.
    - C2: `dims` has different dimensions of `source`, as many as the tile has.
    - C3: the tile has two dimensions, and `rows` has the slice of its layout along axis 1 and as many numbers as the tile has rows, or the
      slice along axis 0 and as many as it has columns. Or it has one, and `rows` has its layout and extent.
    - C4: the tile has the element type of `source`.
    - C5: `aligned` is as in `load`, and at most the bytes of an element if numbers choose columns, or the numbers of a tile of one dimension:
      what they choose are no neighbours in memory.

    Edges: a row may be chosen several times. A number below minus the offset along its dimension chooses none, and its row is zero; nothing
    is read for it. Offsets and `aligned` are as those of `load`.

    Accumulation: none.

    Example:
    ```mlir
    %t = cheems_tile.gather %table[%c0, %c0] rows %ids dims [0, 1] aligned 16
        : memref<?x1024xbf16>, tensor<8xi32, #of_rows> -> tensor<8x1024xbf16, #rows>
    ```
  }];
  let arguments = (ins Arg<CheemsTile_Global, "", [MemRead]>:$source, Variadic<Index>:$offsets, CheemsTile_I32Tile:$rows,
                       DenseI64ArrayAttr:$dims, OptionalAttr<I64Attr>:$aligned);
  let results = (outs CheemsTile_Tile:$tile);
  let assemblyFormat = [{
    $source `[` $offsets `]` `rows` $rows `dims` $dims (`aligned` $aligned^)? attr-dict
    `:` type($source) `,` type($rows) `->` type($tile)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The axis of the tile along which there is a number each.
    int64_t getAxis();
  }];
}

def CheemsTile_ScatterOp : CheemsTile_Op<"scatter"> {
  let summary = "Stores each number of a tile at an index of its own";
  let description = [{
    Each thread stores its elements anywhere along a dimension of a memref.

    Equation: with d = dim, o = offsets and e_d the unit vector of dimension d: target[o + indices[i] e_d] = tile[i] if o_d + indices[i] is
    within `target`.

    Operands and state: `tile` [R]; `target` a memref, which is written; `offsets` one per dimension of it; `indices` [R] i32.

    Constraints:
    - C1: there is one offset per dimension of `target`.
    - C2: `dim` is a dimension of `target`.
    - C3: the tile has one dimension, and `indices` has its layout and extent.
    - C4: the tile has the element type of `target`.

    Edges: an element is not stored if the sum of its index and the offset is negative. No two elements have the same index. Offsets are as
    those of `load`. If several threads hold an element, one of them stores it.

    Accumulation: none.

    Example:
    ```mlir
    cheems_tile.scatter %t, %list[%head, %c0] indices %slots dim 1
        : tensor<1024xi32, #numbers>, tensor<1024xi32, #numbers>, memref<?x?xi32>
    ```
  }];
  let arguments = (ins CheemsTile_Tile:$tile, Arg<CheemsTile_Global, "", [MemWrite]>:$target, Variadic<Index>:$offsets,
                       CheemsTile_I32Tile:$indices, I64Attr:$dim);
  let assemblyFormat = [{
    $tile `,` $target `[` $offsets `]` `indices` $indices `dim` $dim attr-dict `:` type($tile) `,` type($indices) `,` type($target)
  }];
  let hasVerifier = 1;
}

def CheemsTile_CopyRowsOp : CheemsTile_Op<"copy_rows", [AttrSizedOperandSegments]> {
  let summary = "Begins to copy rows that numbers choose into a buffer";
  let description = [{
    Begins a copy of a whole stage of a buffer, as `async_copy` does, whose rows lie anywhere in two memrefs.

    Equation: with d = dims, o = offsets, p = other_offsets, n = numbers[numbers_stage, 0, i], and e_d the unit vector of dimension d: if
    i < extents[0] and o_d1 + j < extents[1], then buffer[stage, i, j] = source[o + n e_d0 + j e_d1] for n < split, and
    other[p + (n - split) e_d0 + j e_d1] for others; otherwise it is 0.

    Operands and state: `source` and `other` memrefs, with an offset per dimension; `numbers` a buffer of i32, whose stage is written before
    and seen by all threads; `stage` is in [0, S).

    Constraints:
    - C1: there is one offset per dimension of `source`, and of `other`.
    - C2: `dims` has two different dimensions of both, and the second one is the last of both.
    - C3: there are two extents.
    - C4: the buffer has the element type of both.
    - C5: `aligned` is 4, 8 or 16, and divides the bytes of a row of the buffer.
    - C6: a stage of `numbers` is one row of i32, with at least as many as the buffer has rows.
    - C7: `split` is at least 1.
    - C8: the last offset of `source` and that of `other` are one value, or equal constants.

    Edges: numbers are not negative; a row that is copied is within its memref. `aligned` guarantees what it does in `load`.

    Accumulation: none.

    Example:
    ```mlir
    cheems_tile.copy_rows %keys[%slot, %c0, %c0] else %rows[%c0, %c0, %c0] numbers %list[%c0] split 2048 dims [1, 2]
        extents[%count, %c64] to %ring[%stage] aligned 16
        : memref<?x?x64xbf16>, memref<?x?x64xbf16>, !cheems_tile.buffer<3x1x64xi32>, !cheems_tile.buffer<2x64x64xbf16, swizzled>
    ```
  }];
  let arguments = (ins Arg<CheemsTile_Global, "", [MemRead]>:$source, Variadic<Index>:$offsets,
                       Arg<CheemsTile_Global, "", [MemRead]>:$other, Variadic<Index>:$other_offsets,
                       Arg<CheemsTile_BufferType, "", [MemRead]>:$numbers, Index:$numbers_stage, I64Attr:$split, DenseI64ArrayAttr:$dims,
                       Variadic<Index>:$extents, Arg<CheemsTile_BufferType, "", [MemWrite]>:$buffer, Index:$stage, I64Attr:$aligned);
  let assemblyFormat = [{
    $source `[` $offsets `]` `else` $other `[` $other_offsets `]` `numbers` $numbers `[` $numbers_stage `]` `split` $split `dims` $dims
    `extents` `[` $extents `]` `to` $buffer `[` $stage `]` `aligned` $aligned attr-dict
    `:` type($source) `,` type($other) `,` qualified(type($numbers)) `,` qualified(type($buffer))
  }];
  let hasVerifier = 1;
}

def CheemsTile_TallyOp : CheemsTile_Op<"tally", [AllTypesMatch<["rows", "columns"]>]> {
  let summary = "Counts how often numbers choose an element of a buffer";
  let description = [{
    Each thread adds 1, for each of its elements, to one element of a stage of a buffer.

    Equation: for c < below, buffer[stage, r, c] grows by how many x have rows[x] = r and columns[x] = c, where x is an index in a tile of
    one or two dimensions.

    Operands and state: `buffer`, which is changed; `stage`; `rows` and `columns` i32.

    Constraints:
    - C1: the buffer has elements of i32, and is not swizzled.
    - C2: no two threads hold the same element of `rows`.
    - C3: `below` is at least 1, and at most the columns of the buffer.

    Edges: columns that are not in [0, `below`) count nowhere. Other columns, and rows, are within the buffer. A `barrier` is needed before
    other threads read, and after what wrote the buffer before.

    Accumulation: i32, exact.

    Example:
    ```mlir
    cheems_tile.tally %bins[%c0] rows %copy columns %digit below 256
        : !cheems_tile.buffer<1x8x257xi32>, tensor<1024xi32, #numbers>
    ```
  }];
  let arguments = (ins Arg<CheemsTile_BufferType, "", [MemRead, MemWrite]>:$buffer, Index:$stage, CheemsTile_I32Tile:$rows,
                       CheemsTile_I32Tile:$columns, I64Attr:$below);
  let assemblyFormat = [{
    $buffer `[` $stage `]` `rows` $rows `columns` $columns `below` $below attr-dict `:` qualified(type($buffer)) `,` type($rows)
  }];
  let hasVerifier = 1;
}

def CheemsTile_PickOp : CheemsTile_Op<"pick", [CheemsTile_NamedResult, AllTypesMatch<["rows", "columns"]>]> {
  let summary = "Elements of a buffer that numbers choose";
  let description = [{
    Each thread reads, for each of its elements, one element of a stage of a buffer.

    Equation: tile[x] = buffer[stage, rows[x], columns[x]], where x is an index in a tile of one or two dimensions.

    Operands and state: `buffer`; `stage`; `rows` and `columns` i32.

    Constraints:
    - C1: the tile has the buffer's element type.
    - C2: the tile has shape and layout of `rows` and `columns`.

    Edges: rows and columns are within the buffer. It is not written at the same time.

    Accumulation: none.

    Example:
    ```mlir
    %id = cheems_tile.pick %list[%c0] rows %zeros columns %number
        : !cheems_tile.buffer<1x1x32xi32>, tensor<8xi32, #of_rows> -> tensor<8xi32, #of_rows>
    ```
  }];
  let arguments = (ins Arg<CheemsTile_BufferType, "", [MemRead]>:$buffer, Index:$stage, CheemsTile_I32Tile:$rows,
                       CheemsTile_I32Tile:$columns);
  let results = (outs CheemsTile_Tile:$tile);
  let assemblyFormat = [{
    $buffer `[` $stage `]` `rows` $rows `columns` $columns attr-dict `:` qualified(type($buffer)) `,` type($rows) `->` type($tile)
  }];
  let hasVerifier = 1;
}

#endif
