// Elements of memory and of buffers that numbers choose.
#ifndef CHEEMS_DIALECT_CHEEMSTILE_IR_CHOICEOPS_TD
#define CHEEMS_DIALECT_CHEEMSTILE_IR_CHOICEOPS_TD

include "cheems/Dialect/CheemsTile/IR/MemoryOps.td"

def CheemsTile_GatherOp : CheemsTile_Op<"gather", [CheemsTile_NamedResult]> {
  let summary = "A tile of rows that numbers choose";
  let description = [{
    Each thread loads its elements of rows that lie anywhere in a memref.

    Equation: with d = dims, o = offsets and e_d the unit vector of dimension d: tile[i, j] = source[o + rows[i] e_d0 + j e_d1] if
    o_d0 + rows[i] and o_d1 + j are within `source`, and 0 otherwise.

    Operands and state: `source` a memref; `offsets` one per dimension of it; `rows` [R] i32.

    Constraints:
    - C1: there is one offset per dimension of `source`.
    - C2: `dims` has two different dimensions of `source`.
    - C3: the tile has two dimensions, and `rows` has the slice of its layout along axis 1 and as many numbers as the tile has rows.
    - C4: the tile has the element type of `source`.
    - C5: `aligned` is as in `load`.

    Edges: a row may be chosen several times. A number below -o_d0 chooses none, and its row is zero; nothing is read for it. Offsets and
    `aligned` are as those of `load`.

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
}

def CheemsTile_PickOp : CheemsTile_Op<"pick", [CheemsTile_NamedResult, AllTypesMatch<["rows", "columns"]>]> {
  let summary = "Elements of a buffer that numbers choose";
  let description = [{
    Each thread reads, for each of its elements, one element of a stage of a buffer.

    Equation: tile[x] = buffer[stage, rows[x], columns[x]], where x is a place in a tile of one or two dimensions.

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
