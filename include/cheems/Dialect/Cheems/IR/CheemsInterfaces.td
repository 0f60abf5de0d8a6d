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

#endif
