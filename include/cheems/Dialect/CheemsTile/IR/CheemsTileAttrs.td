// Attributes of the cheems_tile dialect that are no layouts.
#ifndef CHEEMS_DIALECT_CHEEMSTILE_IR_CHEEMSTILEATTRS_TD
#define CHEEMS_DIALECT_CHEEMSTILE_IR_CHEEMSTILEATTRS_TD

include "cheems/Dialect/Cheems/IR/CheemsInterfaces.td"
include "cheems/Dialect/CheemsTile/IR/CheemsTileBase.td"

def CheemsTile_Architecture : I32EnumAttr<"Architecture", "Instructions that kernels may have", [
    I32EnumAttrCase<"SM80", 80, "sm_80">,
    I32EnumAttrCase<"SM90a", 90, "sm_90a">
  ]> {
  let cppNamespace = "::cheems::tile";
  let genSpecializedAttr = 0;
}

def CheemsTile_Unit : I32EnumAttr<"Unit", "What multiplies tiles of 16-bit numbers", [
    I32EnumAttrCase<"Mma", 0, "mma">, I32EnumAttrCase<"Wgmma", 1, "wgmma">]> {
  let cppNamespace = "::cheems::tile";
  let genSpecializedAttr = 0;
}

def CheemsTile_OperandCopy : I32EnumAttr<"OperandCopy", "What copies operands of wgmma to shared memory", [
    I32EnumAttrCase<"Threads", 0, "threads">, I32EnumAttrCase<"Bulk", 1, "bulk">]> {
  let cppNamespace = "::cheems::tile";
  let genSpecializedAttr = 0;
}

def CheemsTile_TargetAttr : AttrDef<CheemsTile_Dialect, "Target", [DeclareAttrInterfaceMethods<Cheems_TargetAttrInterface>]> {
  let mnemonic = "target";
  let summary = "The GPU that sizes of tiles and launches are chosen for";
  let description = [{
    A module has it as `cheems.target`. `multiprocessors` run blocks, each with `shared` bytes of shared memory for one block at most. All
    of them read through a cache of `l2` bytes, at `bandwidth` GB/s.

    Matmuls of prompts, and their attention with heads of 64, 96 or 128 numbers, are computed by `unit`: `mma`, instructions of a warp that
    every GPU has, or `wgmma`, those of four warps, which sm_90a has. Which it is does not depend on what is in a step.

    `copy` is what copies the operands of such matmuls by `wgmma` to shared memory: all `threads` of a block, or a warp that begins
    `bulk` copies of the hardware, which sm_90a has. Rows that are no multiple of 16 bytes are always copied by threads. Results are the same,
    bit for bit.

    A kernel runs on every GPU of its architecture, whatever these numbers say.

    Example:
    `#cheems_tile.target<arch = sm_90a, multiprocessors = 132, shared = 232448, l2 = 52428800, bandwidth = 3350, unit = wgmma, copy = bulk>`
  }];
  let parameters = (ins EnumParameter<CheemsTile_Architecture>:$arch, "int64_t":$multiprocessors, "int64_t":$shared, "int64_t":$l2,
                        "int64_t":$bandwidth, DefaultValuedParameter<"::cheems::tile::Unit", "::cheems::tile::Unit::Mma">:$unit,
                        DefaultValuedParameter<"::cheems::tile::OperandCopy", "::cheems::tile::OperandCopy::Threads">:$copy);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def CheemsTile_NibblesAttr : AttrDef<CheemsTile_Dialect, "Nibbles", [DeclareAttrInterfaceMethods<Cheems_LayoutAttrInterface>]> {
  let mnemonic = "nibbles";
  let summary = "How a GPU stores a matrix of 4-bit integers";
  let description = [{
    A matrix `[N, K]` is stored as `[N, 64 ceil(K / 128)]`. A byte has two quantized values, signed: with j, q, i < 4, value 128 c + 32 j +
    4 q + i of a row is the low half of its byte 64 c + 16 q + 4 j + i, and value 128 c + 32 j + 16 + 4 q + i is the high half. Quantized
    values past K are zero. So a lane of a warp finds in 16 neighbouring bytes what it needs for four `mma` instructions of 32 k
    (`cheems_tile.nibbles`).

    Example: `#cheems_tile.nibbles`, as in
    ```mlir
    %c = cheems.parameter ["a.weight"] layout(#cheems_tile.nibbles) quantized <bits = 4, group = 64, part = codes> : tensor<256x384xi8>
    ```
  }];
}

def CheemsTile_Combine : I32EnumAttr<"Combine", "How a reduction combines two numbers", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Maximum", 1, "maximum">]> {
  let cppNamespace = "::cheems::tile";
  let genSpecializedAttr = 0;
}
def CheemsTile_CombineAttr : EnumAttr<CheemsTile_Dialect, CheemsTile_Combine, "combine"> {
  let assemblyFormat = "$value";
}

def CheemsTile_GridDimension : I32EnumAttr<"GridDimension", "A dimension of a grid", [
    I32EnumAttrCase<"X", 0, "x">, I32EnumAttrCase<"Y", 1, "y">, I32EnumAttrCase<"Z", 2, "z">]> {
  let cppNamespace = "::cheems::tile";
  let genSpecializedAttr = 0;
}
def CheemsTile_GridDimensionAttr : EnumAttr<CheemsTile_Dialect, CheemsTile_GridDimension, "grid_dimension"> {
  let assemblyFormat = "$value";
}

#endif
