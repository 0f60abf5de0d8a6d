// What launches take: sizes of the step, and addresses.
#ifndef CHEEMS_DIALECT_CHEEMSPLAN_IR_VALUEOPS_TD
#define CHEEMS_DIALECT_CHEEMSPLAN_IR_VALUEOPS_TD

include "cheems/Dialect/CheemsPlan/IR/CheemsPlanBase.td"
include "cheems/Dialect/CheemsTile/IR/CheemsTileTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def CheemsPlan_SizeOp : CheemsPlan_Op<"size", [CheemsPlan_NamedResult, Pure]> {
  let summary = "A size of the step";
  let description = [{
    How many `tokens`, `segments`, `rows` of logits or `embedding_rows` the step has, or how many `slots` its pools have, each with a `capacity`
    of so many entries, or with a `ring` of the latest ones.

    Equation: result = the size.

    Operands and state: none.

    Constraints: none.

    Edges: each may be 0.

    Accumulation: none.

    Example:
    ```mlir
    %tokens = cheems_plan.size tokens
    ```
  }];
  let arguments = (ins CheemsPlan_StepSizeAttr:$size);
  let results = (outs Index:$result);
  let assemblyFormat = "custom<Word>($size) attr-dict";
}

def CheemsPlan_FieldOp : CheemsPlan_Op<"field", [CheemsPlan_NamedResult, Pure]> {
  let summary = "Memory of the step that the runtime gives";
  let description = [{
    Inputs and results of the step in memory of the GPU: fields of `cheems_step` (docs/abi.md, "A call").

    Equation: result = where the field's array begins.

    Operands and state: the runtime writes inputs before the first launch, and reads results after the last one.

    Constraints: none.

    Edges: a field that the step has not has no memory.

    Accumulation: none.

    Example:
    ```mlir
    %logits = cheems_plan.field logits
    ```
  }];
  let arguments = (ins CheemsPlan_StepFieldAttr:$field);
  let results = (outs CheemsPlan_AddressType:$result);
  let assemblyFormat = "custom<Word>($field) attr-dict";
}

def CheemsPlan_WeightsOp : CheemsPlan_Op<"weights", [CheemsPlan_NamedResult, Pure]> {
  let summary = "Where a parameter begins";
  let description = [{
    A parameter is known by its offset in the file's weight section. On the GPU it may lie elsewhere.

    Equation: result = where the parameter begins that is `offset` bytes after the start of the section.

    Operands and state: no kernel writes it.

    Constraints:
    - C1: `offset` is not negative.

    Accumulation: none.

    Example:
    ```mlir
    %w = cheems_plan.weights 4096
    ```
  }];
  let arguments = (ins I64Attr:$offset);
  let results = (outs CheemsPlan_AddressType:$result);
  let assemblyFormat = "$offset attr-dict";
  let hasVerifier = 1;
}

def CheemsPlan_PoolOp : CheemsPlan_Op<"pool", [CheemsPlan_NamedResult, Pure]> {
  let summary = "Where a pool begins";
  let description = [{
    State that a session keeps from step to step: entry `index` of the module's `cheems.state`.

    Equation: result = where the pool begins.

    Operands and state: kernels read and write it.

    Constraints:
    - C1: `index` is not negative.

    Accumulation: none.

    Example:
    ```mlir
    %keys = cheems_plan.pool 0
    ```
  }];
  let arguments = (ins I64Attr:$index);
  let results = (outs CheemsPlan_AddressType:$result);
  let assemblyFormat = "$index attr-dict";
  let hasVerifier = 1;
}

def CheemsPlan_AreaOp : CheemsPlan_Op<"area", [CheemsPlan_NamedResult]> {
  let summary = "Scratch memory";
  let description = [{
    Memory of its own for the launches of the entry. `cheems-plan-share-areas` merges those that are never in use at the same time.

    Equation: result = where `bytes` bytes begin that no other area, pool, parameter or field has.

    Operands and state: it holds nothing at first, and nothing from one step to the next.

    Constraints: none.

    Edges: it may have 0 bytes.

    Accumulation: none.

    Example:
    ```mlir
    %x = cheems_plan.area %bytes
    ```
  }];
  let arguments = (ins Index:$bytes);
  // Two of one size are two, and one without uses is none.
  let results = (outs Res<CheemsPlan_AddressType, "", [MemAlloc]>:$result);
  let assemblyFormat = "$bytes attr-dict";
}

def CheemsPlan_TensorMapOp : CheemsPlan_Op<"tensor_map", [Pure]> {
  let summary = "A matrix of which the hardware copies boxes";
  let description = [{
    The 128 bytes that the driver makes of a matrix in row-major order (`cuTensorMapEncodeTiled`). The type of the result says how large boxes
    are (`!cheems_tile.tensor_map`).

    Equation: result = the map of the matrix [rows, columns] at `address`.

    Operands and state: an address and two numbers. The runtime makes the map anew where these are others than in the step before.

    Constraints: none but those of the types.

    Edges: what is outside of the matrix is zero.

    Accumulation: none.

    Example:
    ```mlir
    %map = cheems_plan.tensor_map %x[%rows, %columns] : !cheems_tile.tensor_map<128x64xbf16>
    ```
  }];
  let arguments = (ins CheemsPlan_AddressType:$address, Index:$rows, Index:$columns);
  let results = (outs CheemsTile_TensorMapType:$result);
  let assemblyFormat = "$address `[` $rows `,` $columns `]` attr-dict `:` qualified(type($result))";
}

#endif
