// What is computed with tiles, besides the elementwise ops of arith and math.
#ifndef CHEEMS_DIALECT_CHEEMSTILE_IR_COMPUTEOPS_TD
#define CHEEMS_DIALECT_CHEEMSTILE_IR_COMPUTEOPS_TD

include "cheems/Dialect/CheemsTile/IR/CheemsTileAttrs.td"
include "cheems/Dialect/CheemsTile/IR/CheemsTileOpInterfaces.td"
include "cheems/Dialect/CheemsTile/IR/CheemsTileTypes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class CheemsTile_ScratchOp<string mnemonic, list<Trait> traits = []>
    : CheemsTile_Op<mnemonic, !listconcat([Pure, DeclareOpInterfaceMethods<CheemsTile_ScratchOpInterface>], traits)> {
  let hasVerifier = 1;
  let extraClassDefinition = [{
    ::std::optional<int64_t> $cppClass::getScratchOffset() {
      ::std::optional<uint64_t> offset = getScratch();
      return offset ? ::std::optional<int64_t>(int64_t(*offset)) : ::std::nullopt;
    }
    void $cppClass::setScratchOffset(int64_t offset) { setScratch(uint64_t(offset)); }
  }];
}

def CheemsTile_MmaOp : CheemsTile_Op<"mma", [Pure, AllTypesMatch<["c", "result"]>]> {
  let summary = "A matmul of tiles, on tensor cores";
  let description = [{
    Warps multiply their fragments (`mma.sync.m16n8k16`, or `m16n8k32` for bytes).

    Equation: result[m, n] = c[m, n] + sum_k a[m, k] * b[n, k]

    Operands: `a` [M, K] and `b` [N, K] f16, bf16 or i8; `c` [M, N] f32, or i32 for i8.

    Constraints:
    - C1: `a` is [M, K], `b` is [N, K] and `c` is [M, N], of two dimensions.
    - C2: `a` and `b` have one element type, and `c` has its sums: i32 of i8, and f32 of others.
    - C3: the layouts are fragments of the roles a, b and c, with the same warps.
    - C4: `a` and `b` have the same `k_width`: 4 or 16 if they are i8, and 2 or 8 if not.

    Edges: NaNs and infinities as in the hardware; their payload is not defined.

    Accumulation: i32 is exact, as far as 32 bits hold the sums. f32: sums of 16 k are added to the accumulator one after the other, k
    ascending (with `k_width` 8: in the order of `fragment`); within them the order is the hardware's. With `warps_k` above 1 each warp has a sum of its own.

    Example:
    ```mlir
    %d = cheems_tile.mma %a, %b, %c : tensor<64x16xbf16, #a>, tensor<64x16xbf16, #b>, tensor<64x64xf32, #acc>
    ```
  }];
  let arguments = (ins CheemsTile_FactorTile:$a, CheemsTile_FactorTile:$b, CheemsTile_WordTile:$c);
  let results = (outs CheemsTile_WordTile:$result);
  let assemblyFormat = "$a `,` $b `,` $c attr-dict `:` type($a) `,` type($b) `,` type($c)";
  let hasVerifier = 1;
}

def CheemsTile_NibblesOp : CheemsTile_Op<"nibbles", [Pure]> {
  let summary = "4-bit integers become bytes";
  let description = [{
    Takes a part of the 4-bit integers that `#cheems_tile.nibbles` stores: the 32 of each 128 that one `mma` instruction sums over. Each
    thread shifts and masks its own bytes. The results are 16 times the quantized values, which a scale makes good.

    Equation: with the signed halves low and high of a byte, for i < 4 and q < 4: result[m, 32 c + 4 q + i] = 16 low(packed[m, 64 c + 16 q +
    4 part + i]), and result[m, 32 c + 16 + 4 q + i] = 16 high(packed[m, 64 c + 16 q + 4 part + i]).

    Operands: `packed` [M, 64 C] i8.

    Constraints:
    - C1: the result is [M, 32 C].
    - C2: the layouts are fragments of one role, a or b, with the same warps. `packed` has `k_width` 16 and the result 4.
    - C3: `part` is 0, 1, 2 or 3.

    Accumulation: none.

    Example:
    ```mlir
    %w = cheems_tile.nibbles %p part 2 : tensor<16x64xi8, #packed> -> tensor<16x32xi8, #a>
    ```
  }];
  let arguments = (ins CheemsTile_CodeTile:$packed, I64Attr:$part);
  let results = (outs CheemsTile_CodeTile:$result);
  let assemblyFormat = "$packed `part` $part attr-dict `:` type($packed) `->` type($result)";
  let hasVerifier = 1;
}

def CheemsTile_FmaOp : CheemsTile_Op<"fma", [AllTypesMatch<["c", "result"]>]> {
  let summary = "A matmul of buffers in f32";
  let description = [{
    Each thread multiplies the rows of its elements, in f32 and without tensor cores.

    Equation: result[m, n] = c[m, n] + sum_k a[stage_a, m, k] * b[stage_b, n, k]

    Operands: `a` [S, M, K] and `b` [S', N, K] buffers of f32, with a stage each; `c` [M, N] f32.

    Constraints:
    - C1: a stage of `a` is [M, K], one of `b` is [N, K], and `c` is [M, N].
    - C2: `c` has a `blocked` layout.

    Edges: the buffers are not written at the same time.

    Accumulation: f32, one chain of fused multiply-adds with k ascending, which begins with `c`.

    Example:
    ```mlir
    %d = cheems_tile.fma %x[%s], %w[%s], %c
        : !cheems_tile.buffer<2x64x16xf32>, !cheems_tile.buffer<2x64x16xf32>, tensor<64x64xf32, #grid>
    ```
  }];
  let arguments = (ins Arg<CheemsTile_BufferType, "", [MemRead]>:$a, Index:$stage_a, Arg<CheemsTile_BufferType, "", [MemRead]>:$b,
                       Index:$stage_b, CheemsTile_F32Tile:$c);
  let results = (outs CheemsTile_F32Tile:$result);
  let assemblyFormat = [{
    $a `[` $stage_a `]` `,` $b `[` $stage_b `]` `,` $c attr-dict
    `:` qualified(type($a)) `,` qualified(type($b)) `,` type($c)
  }];
  let hasVerifier = 1;
}

def CheemsTile_ReduceOp : CheemsTile_ScratchOp<"reduce", [CheemsTile_NamedResult]> {
  let summary = "Sums or maxima along rows or columns";
  let description = [{
    Reduces a tile along a dimension.

    Equation: result[i] = combine over j of tile[i, j] with `axis` 1; over i of tile[i, j], as result[j], with `axis` 0.

    Operands: `tile` [R, C] f32 or i32, whose numbers have a sign.

    Constraints:
    - C1: the tile has two dimensions, and `axis` is one of them.
    - C2: the result has the tile's element type and the other extent, and the layout is the slice of the tile's layout along `axis`.
    - C3: the tile's layout holds no sums over a part of k.

    Edges: a maximum with a NaN is NaN.

    Accumulation: of the tile's type. Each thread combines its own elements, ascending along `axis`. Then threads combine pairwise: those whose numbers
    differ in the lowest bit of `axis` first, up to bit 4. Then the warps' numbers are combined, ascending. The order depends on layout and
    extent alone.

    Example:
    ```mlir
    %s = cheems_tile.reduce add %t axis 1 : tensor<4x256xf32, #rows> -> tensor<4xf32, #cheems_tile.slice<axis = 1, of = #rows>>
    ```
  }];
  let arguments = (ins CheemsTile_CombineAttr:$combine, CheemsTile_WordTile:$tile, I64Attr:$axis, OptionalAttr<I64Attr>:$scratch);
  let results = (outs CheemsTile_WordTile:$result);
  let assemblyFormat = "custom<Word>($combine) $tile `axis` $axis (`scratch` $scratch^)? attr-dict `:` type($tile) `->` type($result)";
}

def CheemsTile_PrefixSumOp : CheemsTile_ScratchOp<"prefix_sum", [SameOperandsAndResultType]> {
  let summary = "Sums of the numbers up to each column";
  let description = [{
    Adds along rows, and keeps each sum on the way.

    Equation: result[i, j] = sum over k <= j of tile[i, k].

    Operands: `tile` [R, C] i32.

    Constraints:
    - C1: the tile has two dimensions and a `blocked` layout.

    Accumulation: i32, exact as far as 32 bits hold the sums.

    Example:
    ```mlir
    %s = cheems_tile.prefix_sum %t : tensor<1x1024xi32, #row>
    ```
  }];
  let arguments = (ins CheemsTile_I32Tile:$tile, OptionalAttr<I64Attr>:$scratch);
  let results = (outs CheemsTile_I32Tile:$result);
  let assemblyFormat = "$tile (`scratch` $scratch^)? attr-dict `:` type($tile)";
}

def CheemsTile_SumPartialsOp : CheemsTile_ScratchOp<"sum_partials"> {
  let summary = "Adds the sums of warps that had different k";
  let description = [{
    Turns an accumulator whose `warps_k` exceeds 1 into a tile in which each element is whole.

    Equation: result[m, n] = partials[m, n]

    Operands: `partials` [M, N] f32 or i32.

    Constraints:
    - C1: `partials` has a `fragment` layout of role c.
    - C2: the result has the same shape and element type, and its layout holds no sums over a part of k.

    Accumulation: that of the element type. The warps' sums are added one after the other, with the first k first.

    Example:
    ```mlir
    %y = cheems_tile.sum_partials %c : tensor<16x8xf32, #partial> -> tensor<16x8xf32, #rows>
    ```
  }];
  let arguments = (ins CheemsTile_WordTile:$partials, OptionalAttr<I64Attr>:$scratch);
  let results = (outs CheemsTile_WordTile:$result);
  let assemblyFormat = "$partials (`scratch` $scratch^)? attr-dict `:` type($partials) `->` type($result)";
}

def CheemsTile_ConvertLayoutOp : CheemsTile_ScratchOp<"convert_layout"> {
  let summary = "The same tile in another layout";
  let description = [{
    Moves elements to the threads that hold them in another layout. From an accumulator (`c`) to an operand `a` with as many warps along
    m and one along n, no element moves: this is how one matmul feeds the next. Other conversions go through shared memory.

    Equation: result[i, j] = tile[i, j]

    Operands: `tile`, of any element type.

    Constraints:
    - C1: shape and element type are the same.
    - C2: neither layout holds sums over a part of k.

    Accumulation: none.

    Example:
    ```mlir
    %p = cheems_tile.convert_layout %s : tensor<64x32xbf16, #acc> -> tensor<64x32xbf16, #a>
    ```
  }];
  let arguments = (ins CheemsTile_Tile:$tile, OptionalAttr<I64Attr>:$scratch);
  let results = (outs CheemsTile_Tile:$result);
  let assemblyFormat = "$tile (`scratch` $scratch^)? attr-dict `:` type($tile) `->` type($result)";
}

def CheemsTile_BroadcastOp : CheemsTile_Op<"broadcast", [Pure]> {
  let summary = "A tile whose rows or columns are all the same";
  let description = [{
    Repeats numbers along the dimension that their slice lacks. No number moves.

    Equation: result[i, j] = vector[i] for a slice with axis 1, and vector[j] for one with axis 0.

    Operands: `vector` [R] or [C].

    Constraints:
    - C1: the vector's layout is the slice of the result's layout along an axis.
    - C2: the vector has the result's element type and its extent of the other dimension.

    Accumulation: none.

    Example:
    ```mlir
    %b = cheems_tile.broadcast %bias : tensor<64xf32, #cheems_tile.slice<axis = 0, of = #acc>> -> tensor<64x64xf32, #acc>
    ```
  }];
  let arguments = (ins CheemsTile_Tile:$vector);
  let results = (outs CheemsTile_Tile:$result);
  let assemblyFormat = "$vector attr-dict `:` type($vector) `->` type($result)";
  let hasVerifier = 1;
}

def CheemsTile_IndicesOp : CheemsTile_Op<"indices", [CheemsTile_NamedResult, Pure]> {
  let summary = "The coordinates of a tile's elements";
  let description = [{
    Gives each element its own coordinate along a dimension. Masks compare them.

    Equation: result[i, j] = i with `axis` 0, and j with `axis` 1. A tile of one dimension has `axis` 0.

    Operands and state: none.

    Constraints:
    - C1: `axis` is a dimension of the result.

    Accumulation: none.

    Example:
    ```mlir
    %j = cheems_tile.indices axis 1 : tensor<64x64xi32, #acc>
    ```
  }];
  let arguments = (ins I64Attr:$axis);
  let results = (outs CheemsTile_I32Tile:$result);
  let assemblyFormat = "`axis` $axis attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif
