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
  let cppNamespace = "::mlir::cheems";
  let summary = "State-space duality, dynamic masks and expert retrieval of \"Wonderful Matrices\"";
  let description = [{
    Value semantics on tensors. Ops of a step (`gather_rows`, `positions`, and those named `segmented_`) take the rows of all
    sequences and the table of segments that says whose they are. The others work on one sequence: raggedness is outside, in loops
    over segments that `cheems-expand-segments` makes of the first. State is a pooled tensor `[slots, layers, ...]`, sliced by the
    loops and updated in place through destinations. What works on one sequence works on buffers, too, after bufferisation.

    Letters in shapes: T rows (tokens), D hidden size, H query heads, G key/value heads, M heads of `A` (masks),
    P head size, C capacity of the key/value entries of one head, S segments, W kept keys, N state size of SSD, G its groups,
    K keys a half, k experts retrieved a head, E experts.

    Constraints of an op are labelled C1, C2, ...; an error of its verifier begins with the label. Of every op that has `outs` and
    is none of a step:
    - C0: operands with a shape are all tensors or all buffers.

    Of these, those for which the target has a kernel (`KernelOpInterface`) stay as they are until the kernel takes their place, on
    buffers. `cheems-decompose` takes the others apart, on tensors.
  }];
  let useDefaultAttributePrinterParser = 1;
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
  // What holds for all: the effects of its buffers, the shapes of its destinations (lib/Dialect/Cheems/IR/OpUtils.h).
  let extraClassDefinition = [{
    void $cppClass::getEffects(
        ::llvm::SmallVectorImpl<::mlir::SideEffects::EffectInstance<::mlir::MemoryEffects::Effect>> &effects) {
      destinationEffects(::mlir::cast<::mlir::DestinationStyleOpInterface>(getOperation()), effects);
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
