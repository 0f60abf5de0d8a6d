// Interfaces of ops of the cheems dialect.
#ifndef CHEEMS_DIALECT_CHEEMS_IR_CHEEMSINTERFACES_TD
#define CHEEMS_DIALECT_CHEEMS_IR_CHEEMSINTERFACES_TD

include "mlir/IR/OpBase.td"

def Cheems_SegmentedOpInterface : OpInterface<"SegmentedOpInterface"> {
  let cppNamespace = "::cheems";
  let description = "An op of a step that works on the rows of each sequence separately.";
  let methods = [
    InterfaceMethod<"The segment table, [S, 8] i32.", "::mlir::Value", "getSegments">,
    InterfaceMethod<"Whether each segment has one row.", "bool", "getOneRow">,
    InterfaceMethod<"Says that each segment has one row.", "void", "setOneRow", (ins "bool":$value)>
  ];
}

def Cheems_TargetAttrInterface : AttrInterface<"TargetAttrInterface"> {
  let cppNamespace = "::cheems";
  let description = "What a module is compiled for: `cheems.target`. A target says what its passes and kernels may assume.";
  let methods = [InterfaceMethod<"The name of its back end, as in `--target`.", "::llvm::StringRef", "getBackend">];
}

def Cheems_StrategyAttrInterface : AttrInterface<"StrategyAttrInterface"> {
  let cppNamespace = "::cheems";
  let description = [{
    How a target cuts an op, or shares it out. An op has at most one, as an attribute of the target's dialect. One pass of the target chooses it;
    what an op says already stays. Later passes read it.
  }];
  let methods = [
    InterfaceMethod<"Whether `op` can have it. If not, there is an error at the op.", "::llvm::LogicalResult", "verifyOn",
                    (ins "::mlir::Operation *":$op)>
  ];
}

def Cheems_LayoutAttrInterface : AttrInterface<"LayoutAttrInterface"> {
  let cppNamespace = "::cheems";
  let description = "How a target stores a matrix of weights.";
  let methods = [
    InterfaceMethod<"Whether a weight of this shape can be stored in this layout. It is a matrix, or several with `stacked`. With "
                    "`quantized` it is the integers or the scales of the matrix.",
                    "bool", "mayHave", (ins "::llvm::ArrayRef<int64_t>":$shape, "bool":$stacked, "::mlir::Attribute":$quantized)>,
    InterfaceMethod<"How many dimensions the stored weight has in addition to those of the matrix.", "int64_t", "getFurtherDimensions">
  ];
}

#endif
