// The cheems dialect and what its ops share.
#ifndef CHEEMS_DIALECT_CHEEMS_IR_CHEEMSBASE_TD
#define CHEEMS_DIALECT_CHEEMS_IR_CHEEMSBASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Dialect/Linalg/IR/LinalgInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/TilingInterface.td"

def Cheems_Dialect : Dialect {
  let name = "cheems";
  let cppNamespace = "::cheems";
  let summary = "State-space duality, dynamic masks and expert retrieval of \"Wonderful Matrices\"";
  let description = [{
    The ops have value semantics on tensors. Ops of a step (`gather_rows`, `positions`, and those named `segmented_`) take the rows
    of all sequences. The table of segments says which rows belong to which sequence. The other ops work on rows of any sequences.
    `cheems-expand-segments` turns ops of a step into loops over segments, with ops of one sequence inside. Those are in the dialect of
    the target that wants such loops. State is a pooled tensor `[slots, layers, ...]`. The loops take slices of it and update them in
    place through destinations. After bufferisation the ops that are left work on buffers.

    Letters in shapes: T rows (tokens), D hidden size, H query heads, G key/value heads, M heads of `A` (masks),
    P head size, C capacity of the key/value entries of one head, S segments, W kept keys, N state size of SSD, G its groups,
    K keys per half, k retrieved experts per head, E experts.

    The constraints of an op have the labels C1, C2, ..., and an error of its verifier begins with the label. One constraint holds for
    every op that has `outs` and is no op of a step:
    - C0: operands with a shape are all tensors or all buffers.

    If the target has a kernel for such an op, the op may stay as it is until the kernel replaces it, on buffers. `cheems-decompose`
    replaces the others by upstream ops, on tensors.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

class Cheems_Op<string mnemonic, list<Trait> traits = []> : Op<Cheems_Dialect, mnemonic, traits>;

def Cheems_OneSemantics
    : PredOpTrait<"C0: operands with a shape are all tensors or all buffers", CPred<"haveOneSemantics($_op.getOperandTypes())">>;

// An op that writes into its `outs`: tensors (results tie to them) or buffers (no results).
class Cheems_DestinationOpOf<Dialect dialect, string mnemonic, list<Trait> traits>
    : Op<dialect, mnemonic, !listconcat([
          Cheems_OneSemantics, DestinationStyleOpInterface,
          DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
          DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>,
          DeclareOpInterfaceMethods<AggregatedOpInterface, ["decomposeOperation"]>], traits)> {
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let hasVerifier = 1;
  // Whether the op reads the destination `init`, an expression; others it only writes.
  string readsInit = "true";
  // What holds for all: the effects of its buffers, the shapes of its destinations (lib/Dialect/Cheems/IR/OpUtils.h).
  let extraClassDefinition = [{
    void $cppClass::getEffects(
        ::llvm::SmallVectorImpl<::mlir::SideEffects::EffectInstance<::mlir::MemoryEffects::Effect>> &effects) {
      destinationEffects(::mlir::cast<::mlir::DestinationStyleOpInterface>(getOperation()),
                         [&](::mlir::Value init) -> bool { return }] # readsInit # [{; }, effects);
    }
    ::llvm::LogicalResult $cppClass::reifyResultShapes(
        ::mlir::OpBuilder &builder, ::mlir::ReifiedRankedShapedTypeDims &shapes) {
      return reifyDestinations(::mlir::cast<::mlir::DestinationStyleOpInterface>(getOperation()), builder, shapes);
    }
  }];
}

class Cheems_DestinationOp<string mnemonic, list<Trait> traits = []> : Cheems_DestinationOpOf<Cheems_Dialect, mnemonic, traits>;

class Cheems_Shaped<list<Type> elements, list<int> ranks> : AnyTypeOf<[TensorRankOf<elements, ranks>, MemRefRankOf<elements, ranks>]>;
def Cheems_FloatElement : AnyTypeOf<[F32, BF16]>;

#endif
