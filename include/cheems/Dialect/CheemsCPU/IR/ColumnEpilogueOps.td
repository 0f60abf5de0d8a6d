// Changes columns of a matmul in place.
#ifndef CHEEMS_DIALECT_CHEEMSCPU_IR_COLUMNEPILOGUEOPS_TD
#define CHEEMS_DIALECT_CHEEMSCPU_IR_COLUMNEPILOGUEOPS_TD

include "cheems/Dialect/CheemsCPU/IR/CheemsCPUBase.td"

def CheemsCPU_ColumnEpilogueOp : CheemsCPU_DestinationOp<"column_epilogue", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<TilingInterface, ["getLoopIteratorTypes", "getIterationDomain", "getTiledImplementation", "getResultTilePosition"]>]> {
  let summary = "The epilogue of a merged matmul, by columns and in place";
  let description = [{
    Rotates the first columns, which are heads, by rotary angles, and applies a function to some of the columns after them. All of this
    is done in place. The op is in the loop of a `cheems_cpu.linear` of several projections. There, the columns are still in a cache of the
    thread that computed them.

    Equation: with n = at + the column of y, and P twice the columns of `cosine` and `sine`:
    for n < rotated, with i = n mod P < P/2 (both lines read the old values of y):
    y[t, n]       = y[t, n] * cosine[t, i] - y[t, n + P/2] * sine[t, i]
    y[t, n + P/2] = y[t, n + P/2] * cosine[t, i] + y[t, n] * sine[t, i];
    for mapped[0] <= n < mapped[1]: y[t, n] = epilogue(y[t, n], with_0[n - mapped[0]], ...); other columns do not change

    Operands: `at` is the index that the first column of `y` has in the whole matmul, and 0 if it is not given; `cosine` and `sine` [T, P/2] f32;
    `with` [mapped[1] - mapped[0]] f32; `y` [T, N] f32 is read and written.

    Constraints:
    - C1: `cosine` and `sine` are given if `rotated` is, and only then. They have the same shape [T, P/2], and P/2 is static and not 0.
    - C2: `rotated` is a positive multiple of P. If `at` is not given and N is known and less than `rotated`, N is a multiple of P, too.
    - C3: `mapped` is [from, to], with rotated <= from < to. Without it the epilogue is the identity.
    - C4: the epilogue takes one f32 for y and one for each operand of `with`, in this order.
    - C5: the epilogue has only elementwise ops and constants on scalars, and yields one f32.
    - C6: `with` are [to - from].

    Edges: `rotated` and `mapped` may name columns past N, which y does not have. A tile begins and ends between heads.

    Accumulation: f32, as in `cheems.rotary`.

    Example:
    ```mlir
    %y = cheems_cpu.column_epilogue rotated 256 mapped [1024, 1036] angles(%cos, %sin : tensor<?x64xf32>, tensor<?x64xf32>)
        with(%bias : tensor<12xf32>) outs(%sums : tensor<?x1040xf32>) {
    ^bb0(%step: f32, %b: f32):
      %biased = arith.addf %step, %b : f32
      %positive = arith.maximumf %biased, %zero : f32
      cheems_cpu.yield %positive : f32
    } -> tensor<?x1040xf32>
    ```
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$rotated, OptionalAttr<DenseI64ArrayAttr>:$mapped, Optional<Index>:$at,
                       Optional<Cheems_Shaped<[F32], [2]>>:$cosine,
                       Optional<Cheems_Shaped<[F32], [2]>>:$sine, Variadic<Cheems_Shaped<[F32], [1]>>:$with,
                       Cheems_Shaped<[F32], [2]>:$y);
  let regions = (region AnyRegion:$epilogue);
  let assemblyFormat = [{
    (`rotated` $rotated^)? (`mapped` $mapped^)? attr-dict (`at` $at^)? (`angles` `(` $cosine^ `,` $sine `:` type($cosine) `,` type($sine) `)`)?
    (`with` `(` $with^ `:` type($with) `)`)? custom<Destination>($y, type($y), $epilogue) (`->` type($results)^)?
  }];
  // Without `epilogue` it is the identity.
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "::mlir::TypeRange":$results, "::mlir::IntegerAttr":$rotated, "::mlir::DenseI64ArrayAttr":$mapped, "::mlir::Value":$at,
                   "::mlir::Value":$cosine, "::mlir::Value":$sine, "::mlir::ValueRange":$with, "::mlir::Value":$y,
                   CArg<"::cheems::cpu::EpilogueBuilder", "nullptr">:$epilogue)>
  ];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getYMutable(); }
    /// Columns of a head that is rotated, 0 where none is.
    int64_t getHeadSize() {
      return getCosine() ? 2 * ::mlir::cast<::mlir::ShapedType>(getCosine().getType()).getDimSize(1) : 0;
    }
    bool hasIdentityEpilogue();
    int64_t getRotatedColumns() { return getRotated().value_or(0); }
    /// Panels that hold whole heads.
    int64_t getLeastPanels();
  }];
  let hasRegionVerifier = 1;
}

#endif
