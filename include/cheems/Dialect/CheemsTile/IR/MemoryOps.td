// Tiles between memory of the GPU, shared memory and registers.
#ifndef CHEEMS_DIALECT_CHEEMSTILE_IR_MEMORYOPS_TD
#define CHEEMS_DIALECT_CHEEMSTILE_IR_MEMORYOPS_TD

include "cheems/Dialect/CheemsTile/IR/CheemsTileTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// An op on a tile of a memref. What holds for all of them is said by `load`.
class CheemsTile_GlobalOp<string mnemonic, list<Trait> traits = []> : CheemsTile_Op<mnemonic, !listconcat([AttrSizedOperandSegments], traits)> {
  let hasVerifier = 1;
}

def CheemsTile_LoadOp : CheemsTile_GlobalOp<"load", [CheemsTile_NamedResult]> {
  let summary = "A tile of a memref";
  let description = [{
    Each thread loads its elements of the tile.

    Equation: with d = dims, and o = offsets: tile[i, j] = source[o + i e_d0 + j e_d1] if o_d0 + i < extents[0] and
    o_d1 + j < extents[1], and 0 otherwise. e_d is the unit vector of dimension d. A tile of one dimension has no j.

    With `parts` n the tile's rows are parts of n rows each: i mod n stands for i in all of this. With `along` a, floor(i / n) e_a is added to
    the index: each part is one further along that dimension. Without it all parts are the same.

    Operands and state: `source` a memref; `offsets` one per dimension of it; `extents` one per dimension of the tile, by default those of
    `source`.

    Constraints:
    - C1: there is one offset per dimension of `source`.
    - C2: `dims` has one dimension of `source` per dimension of the tile, each another one.
    - C3: `extents` are none, or one per dimension of the tile.
    - C4: the tile has the element type of `source`.
    - C5: `aligned` is a power of two, at least the bytes of an element and at most 16, and if it exceeds the bytes of an element then the
      last of `dims` is the last dimension of `source`.
    - C6: `parts` is a power of two and divides the tile's rows, and the tile's layout gives each thread rows of one part alone. `along` is
      given only with `parts`, and is a dimension of `source` that is not in `dims`.

    Edges: offsets are not negative, and those of dimensions that are not in `dims` are within `source`, those of all parts too. With
    `aligned` n the caller guarantees that n divides, in bytes, the offset and the extent along the last dimension, and each stride but the last. Accesses are
    then of n bytes; otherwise of one element.

    Accumulation: none.

    Example:
    ```mlir
    %t = cheems_tile.load %keys[%slot, %row, %head, %c0] dims [1, 3] extents[%length, %c64] aligned 16
        : memref<?x?x2x64xbf16> -> tensor<32x64xbf16, #rows>
    %q = cheems_tile.load %query[%row, %head, %c0] dims [0, 2] parts 64 along 1 : memref<?x4x64xf32> -> tensor<128x16xf32, #a>
    ```
  }];
  let arguments = (ins Arg<CheemsTile_Global, "", [MemRead]>:$source, Variadic<Index>:$offsets, DenseI64ArrayAttr:$dims,
                       Variadic<Index>:$extents, OptionalAttr<I64Attr>:$aligned, OptionalAttr<I64Attr>:$parts,
                       OptionalAttr<I64Attr>:$along);
  let results = (outs CheemsTile_Tile:$tile);
  let assemblyFormat = [{
    $source `[` $offsets `]` `dims` $dims (`extents` `[` $extents^ `]`)? (`aligned` $aligned^)? (`parts` $parts^)? (`along` $along^)? attr-dict
    `:` type($source) `->` type($tile)
  }];
}

def CheemsTile_StoreOp : CheemsTile_GlobalOp<"store"> {
  let summary = "Stores a tile into a memref";
  let description = [{
    Each thread stores its elements of the tile. Of several threads that hold an element, one stores it.

    Equation: target[o + i e_d0 + j e_d1] = tile[i, j] where `load` would read an element of the memref.

    Operands and state: as those of `load`; `target` is written.

    Constraints:
    - C1: there is one offset per dimension of `target`.
    - C2: `dims` has one dimension of `target` per dimension of the tile, each another one.
    - C3: `extents` are none, or one per dimension of the tile.
    - C4: the tile has the element type of `target`.
    - C5: `aligned` is as in `load`.
    - C6: `parts` and `along` are as in `load`, and with the one there is the other.
    - C7: the tile's layout holds no sums over a part of k (`fragment` with `warps_k` above 1 and role `c`).

    Edges: as those of `load`.

    Accumulation: none.

    Example:
    ```mlir
    cheems_tile.store %t, %y[%row, %column] dims [0, 1] aligned 8 : tensor<64x64xf32, #acc>, memref<?x?xf32>
    ```
  }];
  let arguments = (ins CheemsTile_Tile:$tile, Arg<CheemsTile_Global, "", [MemWrite]>:$target, Variadic<Index>:$offsets,
                       DenseI64ArrayAttr:$dims, Variadic<Index>:$extents, OptionalAttr<I64Attr>:$aligned,
                       OptionalAttr<I64Attr>:$parts, OptionalAttr<I64Attr>:$along);
  let assemblyFormat = [{
    $tile `,` $target `[` $offsets `]` `dims` $dims (`extents` `[` $extents^ `]`)? (`aligned` $aligned^)? (`parts` $parts^)? (`along` $along^)?
    attr-dict
    `:` type($tile) `,` type($target)
  }];
}

def CheemsTile_AsyncCopyOp : CheemsTile_GlobalOp<"async_copy"> {
  let summary = "Begins to copy a tile of a memref into a buffer";
  let description = [{
    Begins a copy of a whole stage of a buffer (`cp.async`). It has happened once `wait` has waited for its group, for the thread that
    waits; a `barrier` after it makes it seen by all threads.

    Equation: buffer[stage, i, j] = what `load` gives at (i, j) of a tile with the buffer's rows and columns.

    Operands and state: as those of `load`; `stage` is in [0, S).

    Constraints:
    - C1: there is one offset per dimension of `source`.
    - C2: `dims` has two different dimensions of `source`, and the second one is the last.
    - C3: `extents` are none, or two.
    - C4: the buffer has the element type of `source`.
    - C5: `aligned` is 4, 8 or 16, and divides the bytes of a row of the buffer.

    Edges: `aligned` guarantees what it does in `load`.

    Accumulation: none.

    Example:
    ```mlir
    cheems_tile.async_copy %w[%column, %k] dims [0, 1] to %ring[%stage] aligned 16
        : memref<?x?xbf16>, !cheems_tile.buffer<3x64x64xbf16, swizzled>
    ```
  }];
  let arguments = (ins Arg<CheemsTile_Global, "", [MemRead]>:$source, Variadic<Index>:$offsets, DenseI64ArrayAttr:$dims,
                       Variadic<Index>:$extents, Arg<CheemsTile_BufferType, "", [MemWrite]>:$buffer, Index:$stage, I64Attr:$aligned);
  let assemblyFormat = [{
    $source `[` $offsets `]` `dims` $dims (`extents` `[` $extents^ `]`)? `to` $buffer `[` $stage `]` `aligned` $aligned attr-dict
    `:` type($source) `,` qualified(type($buffer))
  }];
}

def CheemsTile_CommitOp : CheemsTile_Op<"commit"> {
  let summary = "Makes a group of the copies that were begun";
  let description = [{
    The copies that this thread began after the last `commit` become a group, which may be empty.

    Equation: none.

    Operands and state: none.

    Constraints: none.

    Accumulation: none.

    Example:
    ```mlir
    cheems_tile.commit
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def CheemsTile_WaitOp : CheemsTile_Op<"wait"> {
  let summary = "Waits for groups of copies";
  let description = [{
    Waits until at most `pending` of the newest groups of copies are under way.

    Equation: none.

    Operands and state: none.

    Constraints:
    - C1: `pending` is not negative.

    Edges: only copies of this thread are waited for. A `barrier` follows where other threads' copies are read.

    Accumulation: none.

    Example:
    ```mlir
    cheems_tile.wait pending 1
    ```
  }];
  let arguments = (ins I64Attr:$pending);
  let assemblyFormat = "`pending` $pending attr-dict";
  let hasVerifier = 1;
}

def CheemsTile_ReadOp : CheemsTile_Op<"read", [CheemsTile_NamedResult]> {
  let summary = "A tile of a buffer";
  let description = [{
    Each thread reads its elements of a tile in shared memory, operands of matmuls by `ldmatrix` where their layout allows it.

    Equation: tile[i, j] = buffer[stage, row + i, column + j]; with `transposed`: buffer[stage, row + j, column + i]. A tile of one
    dimension is a part of a row: tile[j] = buffer[stage, row, column + j]. With `parts` n each row of the buffer is n rows of the tile:
    tile[i, j] = buffer[stage, row + floor(i / n), column + j].

    Operands and state: `buffer`; `stage`, `row` and `column`.

    Constraints:
    - C1: the tile has the buffer's element type.
    - C2: the tile fits into a stage of the buffer, with `parts` a row of each.
    - C3: with `transposed` the tile has 16-bit elements and a `fragment` layout of role `a` or `b`, with `k_width` 2.
    - C4: `parts` is as in `load`, and given only for a tile of two dimensions without `transposed`.

    Edges: the tile lies within the buffer, and `row` and `column` are multiples of its extents. It is not written at the same time.

    Accumulation: none.

    Example:
    ```mlir
    %a = cheems_tile.read %ring[%stage, %c0, %k] : !cheems_tile.buffer<3x64x64xbf16, swizzled> -> tensor<64x16xbf16, #a>
    ```
  }];
  let arguments = (ins Arg<CheemsTile_BufferType, "", [MemRead]>:$buffer, Index:$stage, Index:$row, Index:$column, UnitAttr:$transposed,
                       OptionalAttr<I64Attr>:$parts);
  let results = (outs CheemsTile_Tile:$tile);
  let assemblyFormat = [{
    $buffer `[` $stage `,` $row `,` $column `]` (`transposed` $transposed^)? (`parts` $parts^)? attr-dict `:` qualified(type($buffer)) `->` type($tile)
  }];
  let hasVerifier = 1;
}

def CheemsTile_WriteOp : CheemsTile_Op<"write"> {
  let summary = "Writes a tile into a buffer";
  let description = [{
    Each thread writes its elements of a tile into shared memory.

    Equation: buffer[stage, row + i, column + j] = tile[i, j].

    Operands and state: `tile`; `buffer`; `stage`, `row` and `column`.

    Constraints:
    - C1: the tile has the buffer's element type.
    - C2: the tile has two dimensions and fits into a stage of the buffer.
    - C3: the tile's layout holds no sums over a part of k.

    Edges: as those of `read`. A `barrier` is needed before other threads read.

    Accumulation: none.

    Example:
    ```mlir
    cheems_tile.write %t, %b[%c0, %c0, %c0] : tensor<64x64xbf16, #rows>, !cheems_tile.buffer<1x64x64xbf16, swizzled>
    ```
  }];
  let arguments = (ins CheemsTile_Tile:$tile, Arg<CheemsTile_BufferType, "", [MemWrite]>:$buffer, Index:$stage, Index:$row, Index:$column);
  let assemblyFormat = "$tile `,` $buffer `[` $stage `,` $row `,` $column `]` attr-dict `:` type($tile) `,` qualified(type($buffer))";
  let hasVerifier = 1;
}

#endif
