// Entries and what stands in them in order: parts, conditions, launches.
#ifndef CHEEMS_DIALECT_CHEEMSPLAN_IR_ENTRYOPS_TD
#define CHEEMS_DIALECT_CHEEMSPLAN_IR_ENTRYOPS_TD

include "cheems/Dialect/CheemsPlan/IR/CheemsPlanBase.td"
include "cheems/Dialect/CheemsTile/IR/CheemsTileTypes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def CheemsPlan_EntryOp : CheemsPlan_Op<"entry", [IsolatedFromAbove, NoRegionArguments, NoTerminator, SingleBlock, Symbol]> {
  let summary = "What a step, or the search for its best logits, launches";
  let description = [{
    The runtime takes the `general` entry for any step. It takes `decode` for steps whose segments have one row each and that have at most
    `count` rows. `top_logits` finds the `count` best logits of each row that a step has left.

    Equation: the launches of the body, one after the other: each sees what those before it wrote.

    Operands and state: none.

    Constraints:
    - C1: `decode` and `top_logits` have a `count` of at least 1, and `general` has none.

    Edges: an entry without launches does nothing.

    Accumulation: none.

    Example:
    ```mlir
    cheems_plan.entry @step_decode decode(64) {
      cheems_plan.part "embedding"
      %rows = cheems_plan.size tokens
      %one = arith.constant 1 : index
      %table = cheems_plan.weights 0
      %tokens = cheems_plan.field tokens
      %bytes = arith.muli %rows, %row_bytes : index
      %x = cheems_plan.area %bytes
      cheems_plan.launch @gather_rows grid(%rows, %one, %one) (%table, %tokens, %rows, %x) : !cheems_plan.address, !cheems_plan.address, index, !cheems_plan.address
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, CheemsPlan_EntryKindAttr:$kind, OptionalAttr<I64Attr>:$count);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name custom<Word>($kind) (`(` $count^ `)`)? attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

def CheemsPlan_PartOp : CheemsPlan_Op<"part", [HasParent<"EntryOp">]> {
  let summary = "A part of the step begins here";
  let description = [{
    Launches between this op and the next one, or the end of the entry, belong to one part of the step. A profile shows their times together.

    Equation: none.

    Operands and state: none.

    Constraints:
    - C1: `part` is not empty.

    Edges: launches before the first part belong to none.

    Accumulation: none.

    Example:
    ```mlir
    cheems_plan.part "layer 3 attention_mlp"
    ```
  }];
  let arguments = (ins StrAttr:$part);
  let assemblyFormat = "$part attr-dict";
  let hasVerifier = 1;
}

def CheemsPlan_WhenOp : CheemsPlan_Op<"when", [HasParent<"EntryOp">, NoRegionArguments, NoTerminator, RecursiveMemoryEffects, SingleBlock]> {
  let summary = "Launches that only some steps have";
  let description = [{
    Chooses between launches by the sizes of a step. Neighbours with one condition become one op (`canonicalize`).

    Equation: the launches of the body if `condition` is true.

    Operands and state: `condition` is a number of the step.

    Constraints:
    - C1: the body has launches alone. Numbers and addresses stand in the entry.

    Edges: where the condition is a constant, `canonicalize` leaves the launches, or nothing.

    Accumulation: none.

    Example:
    ```mlir
    %is_one = arith.cmpi eq, %rows, %one : index
    cheems_plan.when %is_one {
      cheems_plan.launch @matmul_row grid(%columns, %one, %one) (%x, %w, %y) : !cheems_plan.address, !cheems_plan.address, !cheems_plan.address
    }
    ```
  }];
  let arguments = (ins I1:$condition);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$condition attr-dict-with-keyword $body";
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def CheemsPlan_LaunchOp : CheemsPlan_Op<"launch", [ParentOneOf<["EntryOp", "WhenOp"]>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Runs a kernel on a grid";
  let description = [{
    Hands `arguments` to a kernel, one for each of its parameters (`cheems/Dialect/CheemsTile/IR/KernelABI.h`): of an array in memory its
    address and its extents that are not known before.

    Equation: for x < grid_x, y < grid_y, z < grid_z: kernel(arguments) as block (x, y, z).

    Operands and state: three numbers, and the arguments.

    Constraints:
    - C1: `kernel` names a `cheems_tile.kernel`, which has as many parameters as there are arguments; or a compiled one,
      `@kernels::@kernel`.
    - C2: an argument is of type `!cheems_plan.address` for a pointer and `index` for an extent. Any other has the parameter's own type.

    Edges: if an extent of the grid is 0, nothing runs.

    Accumulation: none.

    Example:
    ```mlir
    cheems_plan.launch @rms_norm grid(%rows, %one, %one) (%x, %rows, %w, %y, %rows) : !cheems_plan.address, index, !cheems_plan.address, !cheems_plan.address, index
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Index:$grid_x, Index:$grid_y, Index:$grid_z,
                       Variadic<AnyTypeOf<[CheemsPlan_AddressType, Index, I32, F32, CheemsTile_TensorMapType]>>:$arguments);
  let assemblyFormat = "$kernel `grid` `(` $grid_x `,` $grid_y `,` $grid_z `)` `(` $arguments `)` attr-dict (`:` type($arguments)^)?";
}

#endif
