// Ops of a whole step: rows of all sequences, and the segment table.
#ifndef CHEEMS_DIALECT_CHEEMS_IR_SEGMENTOPS_TD
#define CHEEMS_DIALECT_CHEEMS_IR_SEGMENTOPS_TD

include "cheems/Dialect/Cheems/IR/CheemsAttrs.td"
include "cheems/Dialect/Cheems/IR/CheemsInterfaces.td"

// An op of a step, on tensors alone: `cheems-expand-segments` makes loops over sequences of it.
class Cheems_StepOp<string mnemonic, list<Trait> traits = []>
    : Cheems_Op<mnemonic, !listconcat([
          Pure, DestinationStyleOpInterface,
          DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>], traits)> {
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let hasVerifier = 1;
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::reifyResultShapes(
        ::mlir::OpBuilder &builder, ::mlir::ReifiedRankedShapedTypeDims &shapes) {
      return reifyDestinations(::mlir::cast<::mlir::DestinationStyleOpInterface>(getOperation()), builder, shapes);
    }
  }];
}

def Cheems_SegmentTable : TensorRankOf<[I32], [2]>;

def Cheems_GatherRowsOp : Cheems_StepOp<"gather_rows"> {
  let summary = "Chosen rows of a table";
  let description = [{
    It gives the embedding of tokens, and selects the rows of a step whose logits are wanted.

    Equation: y[t, d] = table[ids[t], d]

    Operands: `table` [V, D] f32, bf16 or f16; `ids` [T] i32; `y` [T, D] f32 is the destination.

    Constraints:
    - C1: `y` has one row per id and the columns of `table`.

    Edges: the caller guarantees 0 <= ids[t] < V.

    Accumulation: none. bf16 and f16 are widened exactly.

    Example:
    ```mlir
    %x = cheems.gather_rows ins(%embedding, %tokens : tensor<32768x768xbf16>, tensor<?xi32>) outs(%y : tensor<?x768xf32>) -> tensor<?x768xf32>
    ```
  }];
  let arguments = (ins TensorRankOf<[F32, BF16, F16], [2]>:$table, TensorRankOf<[I32], [1]>:$ids, TensorRankOf<[F32], [2]>:$y);
  let assemblyFormat = [{
    attr-dict `ins` `(` $table `,` $ids `:` type($table) `,` type($ids) `)` `outs` `(` $y `:` type($y) `)` `->` type($results)
  }];
  let extraClassDeclaration = "::mlir::MutableOperandRange getDpsInitsMutable() { return getYMutable(); }";
}

def Cheems_PositionsOp : Cheems_StepOp<"positions", [Cheems_SegmentedOpInterface]> {
  let summary = "The position of each row in its sequence";
  let description = [{
    Computes the operands of `rotary_table` from the segment table.

    Equation: for each segment s and t < length[s]: position[start[s] + t] = position[s] + t, length[start[s] + t] = rope_length[s].

    Operands: `segments` [S, 8] i32, whose rows are (slot, start, length, position, rope_length, ...); `position`, `length` [T] i32
    are destinations.

    Constraints:
    - C1: `position` and `length` have the same shape [T].
    - C2: `segments` is [S, 8].

    Edges: with `one_row` the length of each segment is 1, whatever the table says. For all ops of a step, the caller guarantees that
    segments cover each row exactly once.

    Accumulation: none.

    Example:
    ```mlir
    %p, %l = cheems.positions ins(%segments : tensor<?x8xi32>) outs(%p0, %l0 : tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>, tensor<?xi32>
    ```
  }];
  let arguments = (ins Cheems_SegmentTable:$segments, TensorRankOf<[I32], [1]>:$position, TensorRankOf<[I32], [1]>:$length, UnitAttr:$one_row);
  let assemblyFormat = [{
    (`one_row` $one_row^)? attr-dict `ins` `(` $segments `:` type($segments) `)`
    `outs` `(` $position `,` $length `:` type($position) `,` type($length) `)` `->` type($results)
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return ::mlir::MutableOperandRange(*this, 1, 2); }
  }];
}

#endif
