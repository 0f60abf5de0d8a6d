// The store of keys that some head sees.
#ifndef CHEEMS_DIALECT_CHEEMSCPU_IR_APPENDOPS_TD
#define CHEEMS_DIALECT_CHEEMSCPU_IR_APPENDOPS_TD

include "cheems/Dialect/CheemsCPU/IR/CheemsCPUBase.td"

def CheemsCPU_AppendVisibleOp : CheemsCPU_DestinationOp<"append_visible", [AttrSizedOperandSegments]> {
  let readsInit = "init != getSeen()";
  let summary = "Stores the keys of a block that are visible to some head";
  let description = [{
    Kind `threshold` hides a key whose mask is too small from all queries, forever. So such a key is never stored.

    Equation: row t is stored if mask[t, m] >= `hide_below` for some m. Stored rows go, in order, to the entries from `count` on:
    keys[0, e, p] = key[t, p], values[0, e, p] = value[t, p], stored_mask[m, e] = mask[t, m]. seen[t] is `count` plus the number of
    rows that are stored up to and including t.

    Operands and state: `key`, `value` [T, P] f32 of one key head; `mask` [T, M] f32 of its M heads of A; `count` index, the number of
    entries stored before. Destinations: `keys`, `values` [1, C, P] and `stored_mask` [M, C] f32, updated in place; `seen` [T] i32.
    Keys and values may be quantized i8 values, which `cheems.quantize_entries` makes from a row. Then `key_scales`, `value_scales` [1, C]
    f32 are destinations, too.

    Constraints:
    - C1: `key` and `value` have the same shape [T, P].
    - C2: `keys` and `values` have the same type [1, C, P].
    - C3: `mask` is [T, M] and `stored_mask` [M, C].
    - C4: `seen` is [T].
    - C5: `key_scales` and `value_scales` [1, C] are given if and only if keys and values are i8.

    Edges: a mask that is NaN counts as below `hide_below`. The caller guarantees count + T <= C.

    Accumulation: none. Storing bf16 rounds to nearest even, and storing quantized values rounds as `cheems.quantize_entries` says.

    Example:
    ```mlir
    %u:4 = cheems_cpu.append_visible hide_below 5.0e-01
        ins(%key, %value, %mask, %count : tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x2xf32>, index)
        outs(%k, %v, %m, %s : tensor<1x?x64xbf16>, tensor<1x?x64xbf16>, tensor<2x?xf32>, tensor<?xi32>)
        -> tensor<1x?x64xbf16>, tensor<1x?x64xbf16>, tensor<2x?xf32>, tensor<?xi32>
    ```
  }];
  let arguments = (ins Cheems_Shaped<[F32], [2]>:$key, Cheems_Shaped<[F32], [2]>:$value, Cheems_Shaped<[F32], [2]>:$mask,
                       Index:$count, Cheems_Shaped<[F32, BF16, I8], [3]>:$keys, Cheems_Shaped<[F32, BF16, I8], [3]>:$values,
                       Cheems_Shaped<[F32], [2]>:$stored_mask, Cheems_Shaped<[I32], [1]>:$seen,
                       Optional<Cheems_Shaped<[F32], [2]>>:$key_scales, Optional<Cheems_Shaped<[F32], [2]>>:$value_scales, F64Attr:$hide_below);
  let assemblyFormat = [{
    `hide_below` $hide_below attr-dict `ins` `(` $key `,` $value `,` $mask `,` $count `:` type($key) `,` type($value) `,`
      type($mask) `,` type($count) `)`
    `outs` `(` $keys `,` $values `,` $stored_mask `,` $seen `:` type($keys) `,` type($values) `,` type($stored_mask) `,` type($seen) `)`
    (`scales` `(` $key_scales^ `,` $value_scales `:` type($key_scales) `,` type($value_scales) `)`)? (`->` type($results)^)?
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return ::mlir::MutableOperandRange(*this, 4, getNumOperands() - 4); }
  }];
}

#endif
