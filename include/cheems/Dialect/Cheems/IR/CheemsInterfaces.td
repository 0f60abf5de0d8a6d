// Interfaces of ops of the cheems dialect.
#ifndef CHEEMS_DIALECT_CHEEMS_IR_CHEEMSINTERFACES_TD
#define CHEEMS_DIALECT_CHEEMS_IR_CHEEMSINTERFACES_TD

include "mlir/IR/OpBase.td"

def Cheems_SegmentedOpInterface : OpInterface<"SegmentedOpInterface"> {
  let cppNamespace = "::mlir::cheems";
  let description = "An op of a step that works on the rows of each sequence by itself.";
  let methods = [
    InterfaceMethod<"The segment table, [S, 8] i32.", "::mlir::Value", "getSegments">,
    InterfaceMethod<"Whether each segment has one row.", "bool", "getOneRow">,
    InterfaceMethod<"Says that each segment has one row.", "void", "setOneRow", (ins "bool":$value)>
  ];
}

def Cheems_KernelOpInterface : OpInterface<"KernelOpInterface"> {
  let cppNamespace = "::mlir::cheems";
  let description = [{
    An op for which a target has a kernel of its own: it stays as it is until it is on buffers, and the kernel takes its place.
    Targets attach it as an external model, so the dialect does not know which ops those are.
  }];
  let methods = [
    InterfaceMethod<"Builds the kernel in front of the op, which is on buffers; `target` is the target's attribute. The caller "
                    "erases the op.",
                    "::llvm::LogicalResult", "lowerToVectors", (ins "::mlir::RewriterBase &":$rewriter, "::mlir::Attribute":$target)>
  ];
}

def Cheems_LayoutAttrInterface : AttrInterface<"LayoutAttrInterface"> {
  let cppNamespace = "::mlir::cheems";
  let description = "How a target stores a matrix of weights.";
  let methods = [
    InterfaceMethod<"Whether a weight of this shape can be stored so: a matrix, or with `stacked` several; with `quantized` its codes "
                    "or scales.",
                    "bool", "mayHave", (ins "::llvm::ArrayRef<int64_t>":$shape, "bool":$stacked, "::mlir::Attribute":$quantized)>,
    InterfaceMethod<"Dimensions that the stored weight has more than the matrix.", "int64_t", "getFurtherDimensions">
  ];
}

#endif
