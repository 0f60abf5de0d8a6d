// The cheems_plan dialect, its enumerations and its type.
#ifndef CHEEMS_DIALECT_CHEEMSPLAN_IR_CHEEMSPLANBASE_TD
#define CHEEMS_DIALECT_CHEEMSPLAN_IR_CHEEMSPLANBASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"

def CheemsPlan_Dialect : Dialect {
  let name = "cheems_plan";
  let cppNamespace = "::cheems::plan";
  let summary = "What the host does for a step on a GPU: launches, and the numbers and addresses that they take";
  let description = [{
    An entry is a list of launches. Their numbers are of type `index`. They come from the sizes of the step (`size`), by ops of `arith` without
    a sign. Conditions are `i1`. An address (`!cheems_plan.address`) is where memory of the GPU begins: a parameter, a pool, a field of the step or
    scratch memory. The runtime knows all sizes and addresses before the first launch of a step, so nothing here depends on what a kernel computes.

    What a module of this dialect says is written down as JSON for the runtime (`cheems-translate --to-plan`; docs/abi.md, "The image for cuda").
    That has no form for other ops than those of this dialect and these of `arith`: `constant`, of `index` `addi`, `subi`, `muli`, `divui` and
    `ceildivui` by a positive constant, `minui`, `maxui`, and `cmpi` with `eq` and `ult`; `andi` and `ori` of conditions, `xori` of a condition
    and true, `index_castui` of a condition, and casts between `index` and `i32` or `i64`. `cheems-plan-expand-numbers` turns other comparisons
    and `select` into these. There, parameters and pools are those of the module (`cheems.parameter_bytes`, `cheems.state`), where it says them.
    There is a `general` and a `decode` entry, and one of `top_logits` for a count.

    The constraints of an op have the labels C1, C2, ..., and an error of its verifier begins with the label.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::cheems::tile::CheemsTileDialect"];
}

class CheemsPlan_Op<string mnemonic, list<Trait> traits = []> : Op<CheemsPlan_Dialect, mnemonic, traits>;
// The result is printed with a name that says what it is.
defvar CheemsPlan_NamedResult = DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>;

def CheemsPlan_EntryKind : I32EnumAttr<"EntryKind", "What an entry is for", [
    I32EnumAttrCase<"General", 0, "general">, I32EnumAttrCase<"Decode", 1, "decode">, I32EnumAttrCase<"TopLogits", 2, "top_logits">]> {
  let cppNamespace = "::cheems::plan";
  let genSpecializedAttr = 0;
}

def CheemsPlan_StepSize : I32EnumAttr<"StepSize", "A size of a step or of its pools", [
    I32EnumAttrCase<"Tokens", 0, "tokens">, I32EnumAttrCase<"Segments", 1, "segments">, I32EnumAttrCase<"Rows", 2, "rows">,
    I32EnumAttrCase<"Slots", 3, "slots">, I32EnumAttrCase<"Capacity", 4, "capacity">,
    I32EnumAttrCase<"EmbeddingRows", 5, "embedding_rows">, I32EnumAttrCase<"Ring", 6, "ring">]> {
  let cppNamespace = "::cheems::plan";
  let genSpecializedAttr = 0;
}

def CheemsPlan_StepField : I32EnumAttr<"StepField", "Memory of a step that the runtime gives", [
    I32EnumAttrCase<"Tokens", 0, "tokens">, I32EnumAttrCase<"Segments", 1, "segments">, I32EnumAttrCase<"Rows", 2, "rows">,
    I32EnumAttrCase<"Logits", 3, "logits">, I32EnumAttrCase<"EmbeddingRows", 4, "embedding_rows">,
    I32EnumAttrCase<"Embeddings", 5, "embeddings">, I32EnumAttrCase<"TopValues", 6, "top_values">,
    I32EnumAttrCase<"TopTokens", 7, "top_tokens">, I32EnumAttrCase<"LogSums", 8, "log_sums">]> {
  let cppNamespace = "::cheems::plan";
  let genSpecializedAttr = 0;
}

def CheemsPlan_EntryKindAttr : EnumAttr<CheemsPlan_Dialect, CheemsPlan_EntryKind, "entry_kind">;
def CheemsPlan_StepSizeAttr : EnumAttr<CheemsPlan_Dialect, CheemsPlan_StepSize, "step_size">;
def CheemsPlan_StepFieldAttr : EnumAttr<CheemsPlan_Dialect, CheemsPlan_StepField, "step_field">;

def CheemsPlan_AddressType : TypeDef<CheemsPlan_Dialect, "Address"> {
  let mnemonic = "address";
  let summary = "Where memory of the GPU begins";
  let description = [{
    The runtime knows it when a session begins, but for the logits and embeddings of a step. It is a multiple of 16 bytes. How much memory
    there is after it says the op that makes it.

    Example: `!cheems_plan.address`
  }];
}

#endif
