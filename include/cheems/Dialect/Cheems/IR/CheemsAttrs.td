// Attributes of the cheems dialect.
#ifndef CHEEMS_DIALECT_CHEEMS_IR_CHEEMSATTRS_TD
#define CHEEMS_DIALECT_CHEEMS_IR_CHEEMSATTRS_TD

include "cheems/Dialect/Cheems/IR/CheemsBase.td"

def Cheems_PanelsAttr : AttrDef<Cheems_Dialect, "Panels"> {
  let mnemonic = "panels";
  let summary = "Panel layout of a matrix of weights";
  let description = [{
    A matrix `[N, K]` is stored as `[ceil(N/rows), K/pair, rows, pair]`: element (n, k) lies at
    `[n / rows, k / pair, n % rows, k % pair]`, rows past N are zero. `pair` divides K. A vector of `rows` outputs then
    reads one contiguous stream along K; with bf16 and `pair` = 2 it is the layout of VNNI and AMX, too.

    Example: `#cheems.panels<16, 2>`
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$pair);
  let assemblyFormat = "`<` $rows `,` $pair `>`";
  let genVerifyDecl = 1;
}

def Cheems_MaskKind : I32EnumAttr<"MaskKind", "How a mask value acts on its key", [
    I32EnumAttrCase<"bias", 0>, I32EnumAttrCase<"threshold", 1>, I32EnumAttrCase<"scale", 2>]> {
  let cppNamespace = "::mlir::cheems";
  let genSpecializedAttr = 0;
}
def Cheems_MaskKindAttr : EnumAttr<Cheems_Dialect, Cheems_MaskKind, "mask_kind"> {
  let assemblyFormat = "$value";
}

def Cheems_ScorePlacement : I32EnumAttr<"ScorePlacement", "Where an expert's score acts", [
    I32EnumAttrCase<"softmax", 0>, I32EnumAttrCase<"inner", 1>]> {
  let cppNamespace = "::mlir::cheems";
  let genSpecializedAttr = 0;
}
def Cheems_ScorePlacementAttr : EnumAttr<Cheems_Dialect, Cheems_ScorePlacement, "score_placement"> {
  let assemblyFormat = "$value";
}

def Cheems_Activation : I32EnumAttr<"Activation", "An activation function; gelu is the erf form", [
    I32EnumAttrCase<"silu", 0>, I32EnumAttrCase<"gelu", 1>, I32EnumAttrCase<"relu", 2>]> {
  let cppNamespace = "::mlir::cheems";
  let genSpecializedAttr = 0;
}
def Cheems_ActivationAttr : EnumAttr<Cheems_Dialect, Cheems_Activation, "activation"> {
  let assemblyFormat = "$value";
}

#endif
