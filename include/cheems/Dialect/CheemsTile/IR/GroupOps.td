// Ops that become kernels together.
#ifndef CHEEMS_DIALECT_CHEEMSTILE_IR_GROUPOPS_TD
#define CHEEMS_DIALECT_CHEEMSTILE_IR_GROUPOPS_TD

include "cheems/Dialect/CheemsTile/IR/CheemsTileAttrs.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def CheemsTile_GroupKind : I32EnumAttr<"GroupKind", "What a group is about", [
    I32EnumAttrCase<"Elementwise", 0, "elementwise">,
    I32EnumAttrCase<"Norm", 1, "norm">,
    I32EnumAttrCase<"Rounding", 2, "rounding">,
    I32EnumAttrCase<"GatheredRows", 3, "gathered_rows">,
    I32EnumAttrCase<"Positions", 4, "positions">,
    I32EnumAttrCase<"RotaryTables", 5, "rotary_tables">,
    I32EnumAttrCase<"Rotary", 6, "rotary">,
    I32EnumAttrCase<"KeyScores", 7, "key_scores">,
    I32EnumAttrCase<"TopLogits", 8, "top_logits">,
    I32EnumAttrCase<"Matmuls", 9, "matmuls">,
    I32EnumAttrCase<"Attention", 10, "attention">,
    I32EnumAttrCase<"SSD", 11, "ssd">,
    I32EnumAttrCase<"RetrievedExperts", 12, "retrieved_experts">,
    I32EnumAttrCase<"Experts", 13, "experts">
  ]> {
  let cppNamespace = "::cheems::tile";
  let genSpecializedAttr = 0;
}
def CheemsTile_GroupKindAttr : EnumAttr<CheemsTile_Dialect, CheemsTile_GroupKind, "group_kind"> {
  let assemblyFormat = "$value";
}

def CheemsTile_GroupOp : CheemsTile_Op<"group", [NoRegionArguments, SingleBlockImplicitTerminator<"GroupYieldOp">, RecursiveMemoryEffects]> {
  let summary = "Ops that become kernels together";
  let description = [{
    A group is about one op, which its kind names, and holds what the kernels of that op take from around it: a norm holds the elementwise op
    before it and the rounding after it, matmuls hold the elementwise ops after them, attention the norms and rotations before it. Where
    it stands, its launches will be.

    A group that is `in_matmuls` is read by groups of matmuls of few rows alone. In a step of one row its last launch is left out: each block
    of the matmuls makes the row itself, from what the group reads. That is the norm, the quantization, or both of them; of attention it is
    the launch that merges splits, where these are few. In other steps the group has all its launches.

    | kind | it is about | it may also hold |
    |---|---|---|
    | `elementwise` | a `linalg.generic` on rows | |
    | `norm` | `cheems.rms_norm` | the elementwise op before it, the rounding after it |
    | `rounding` | `cheems.quantize_entries` | |
    | `gathered_rows` | `cheems.gather_rows` | |
    | `positions` | `cheems.positions` | |
    | `rotary_tables` | `cheems.rotary_table`, one or more of the same positions | |
    | `rotary` | `cheems.rotary` | the rounding after it, and if heads turn whole, the norm of heads before it |
    | `key_scores` | a `linalg.generic` that multiplies queries with product keys | |
    | `top_logits` | `cheems.top_logits` | |
    | `products` | `linalg.matmul` or `cheems_tile.quantized_matmul`, one or more of one input | the elementwise ops after them |
    | `attention` | `cheems.segmented_attention` | norms, rotations and the matmul of mask values before it; the rounding after it |
    | `ssd` | `cheems.segmented_ssd` | rotations before it, what makes A of its parameter; the rounding after it |
    | `retrieved_experts` | `cheems.retrieve_experts` | |
    | `experts` | `cheems.mix_experts`, one for each block that shares out the heads | the retrieval before it, the scores with product keys before that |

    Equation: results = what the body yields.

    Operands and state: the body reads values from outside.

    Constraints:
    - C1: it yields values of the types of its results.
    - C2: its body holds what its kind is about.
    - C3: it stands in no group.
    - C4: with `in_matmuls` its kind is `norm`, `rounding` or `attention`.

    Edges: a group without results computes nothing.

    Accumulation: as the ops inside say.

    Example:
    ```mlir
    %y = cheems_tile.group norm -> tensor<?x256xbf16> {
      %n = cheems.rms_norm epsilon 1.0e-06 ins(%x, %w : tensor<?x256xf32>, tensor<256xf32>) outs(%e : tensor<?x256xf32>) -> tensor<?x256xf32>
      %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%n : tensor<?x256xf32>) outs(%f : tensor<?x256xbf16>) {
      ^bb0(%in: f32, %out: bf16):
        %t = arith.truncf %in : f32 to bf16
        linalg.yield %t : bf16
      } -> tensor<?x256xbf16>
      cheems_tile.group_yield %r : tensor<?x256xbf16>
    }
    ```
  }];
  let arguments = (ins CheemsTile_GroupKindAttr:$kind, UnitAttr:$in_matmuls);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "custom<Word>($kind) (`in_matmuls` $in_matmuls^)? (`->` type($results)^)? attr-dict-with-keyword $body";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// What it is about, in the order of the body.
    ::llvm::SmallVector<::mlir::Operation *> getRoots();
  }];
}

def CheemsTile_GroupYieldOp : CheemsTile_Op<"group_yield", [Pure, Terminator, ReturnLike, HasParent<"GroupOp">]> {
  let summary = "The end of a group";
  let description = [{
    Ends the body of `cheems_tile.group`, and hands on what others read.

    Equation: none.

    Operands and state: `operands`, the results of the group.

    Constraints: none but its place.

    Accumulation: none.

    Example:
    ```mlir
    cheems_tile.group_yield %r : tensor<?x256xbf16>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$operands);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
  let assemblyFormat = "($operands^ `:` type($operands))? attr-dict";
}

#endif
