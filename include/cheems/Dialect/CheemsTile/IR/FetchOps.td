// These ops prefetch rows that a thread needs itself.
#ifndef CHEEMS_DIALECT_CHEEMSTILE_IR_FETCHOPS_TD
#define CHEEMS_DIALECT_CHEEMSTILE_IR_FETCHOPS_TD

include "cheems/Dialect/CheemsTile/IR/CheemsTileTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def CheemsTile_FetchRowsOp : CheemsTile_Op<"fetch_rows"> {
  let summary = "Begins to copy rows that numbers choose, each thread its part of them";
  let description = [{
    Begins a copy of a whole stage of a buffer (`cp.async`), whose rows lie anywhere in a memref. A thread copies what it holds of a tile
    whose rows the numbers are of. So a thread that reads this tile reads what it copied itself: once `wait` has waited for the copy's group,
    it needs no `barrier`.

    Equation: buffer[stage, i, j] = what `gather` gives at (i, j) of a tile with the buffer's rows and columns.

    Operands and state: `source` a memref; `offsets` one per dimension of it; `rows` [R] i32; `stage` is in [0, S).

    Constraints:
    - C1: there is one offset per dimension of `source`.
    - C2: `dims` has two different dimensions of `source`, and the second one is the last.
    - C3: the layout of `rows` is the slice of another layout along axis 1, and there is a number for each row of the buffer.
    - C4: the buffer has the element type of `source`.
    - C5: `aligned` is 4, 8 or 16, and divides the bytes of a row of the buffer, and those of the neighbours that a thread holds.
    - C6: no two threads hold the same element of the tile.

    Edges: a row may be chosen several times. A number below minus the offset along its dimension chooses none, and its row is zero; nothing
    is read for it. Offsets and `aligned` are as those of `load`. Other threads see the rows after a `barrier`, as those of `async_copy`.

    Accumulation: none.

    Example:
    ```mlir
    cheems_tile.fetch_rows %table[%c0, %c0] rows %ids dims [0, 1] to %ring[%stage] aligned 16
        : memref<?x1024xbf16>, tensor<8xi32, #of_rows>, !cheems_tile.buffer<4x8x1024xbf16>
    ```
  }];
  let arguments = (ins Arg<CheemsTile_Global, "", [MemRead]>:$source, Variadic<Index>:$offsets, CheemsTile_I32Tile:$rows,
                       DenseI64ArrayAttr:$dims, Arg<CheemsTile_BufferType, "", [MemWrite]>:$buffer, Index:$stage, I64Attr:$aligned);
  let assemblyFormat = [{
    $source `[` $offsets `]` `rows` $rows `dims` $dims `to` $buffer `[` $stage `]` `aligned` $aligned attr-dict
    `:` type($source) `,` type($rows) `,` qualified(type($buffer))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The axis of the tile along which there is a number each.
    int64_t getAxis() { return 0; }
  }];
}

#endif
