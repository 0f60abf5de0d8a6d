// The running softmax of two runs of entries, merged.
#ifndef CHEEMS_DIALECT_CHEEMSCPU_IR_MERGEATTENTIONOPS_TD
#define CHEEMS_DIALECT_CHEEMSCPU_IR_MERGEATTENTIONOPS_TD

include "cheems/Dialect/CheemsCPU/IR/CheemsCPUBase.td"

def CheemsCPU_MergeAttentionOp : CheemsCPU_DestinationOp<"merge_attention"> {
  let summary = "Merges the running softmax of two splits of a sequence's entries";
  let description = [{
    The entries of a sequence may be divided into splits, each with a running softmax of its own, which `online_attention` computes. This op
    merges the softmax of a later split into that of an earlier one.

    Equation: with m = max(maximum[t, h], later_maximum[t, h]), r = exp(maximum[t, h] - m), l = exp(later_maximum[t, h] - m):
    - sum[t, h] <- r * sum[t, h] + l * later_sum[t, h]
    - y[t, h, p] <- r * y[t, h, p] + l * later_y[t, h, p]
    - maximum[t, h] <- m

    Operands and state: `later_maximum`, `later_sum` [T, H], `later_y` [T, H, P] f32. Destinations, read and written: `maximum`,
    `sum` [T, H], `y` [T, H, P] f32.

    Constraints:
    - C1: `later_maximum`, `later_sum`, `maximum` and `sum` have the same shape [T, H].
    - C2: `later_y` and `y` have the same shape [T, H, P].

    Edges: if a maximum is -infinity, nothing was seen. Sum and values of that side are then not read, and those of the other side keep
    their bits. Exchanging the two splits changes no bit of `sum` and `y`.

    Accumulation: f32. Products are rounded before they are added.

    Example:
    ```mlir
    %m, %s, %o = cheems_cpu.merge_attention
        ins(%m1, %s1, %y1 : tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2x64xf32>)
        outs(%m0, %s0, %y0 : tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2x64xf32>)
        -> tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2x64xf32>
    ```
  }];
  let arguments = (ins Cheems_Shaped<[F32], [2]>:$later_maximum, Cheems_Shaped<[F32], [2]>:$later_sum,
                       Cheems_Shaped<[F32], [3]>:$later_y, Cheems_Shaped<[F32], [2]>:$maximum,
                       Cheems_Shaped<[F32], [2]>:$sum, Cheems_Shaped<[F32], [3]>:$y);
  let assemblyFormat = [{
    attr-dict `ins` `(` $later_maximum `,` $later_sum `,` $later_y `:` type($later_maximum) `,` type($later_sum) `,` type($later_y) `)`
    `outs` `(` $maximum `,` $sum `,` $y `:` type($maximum) `,` type($sum) `,` type($y) `)` (`->` type($results)^)?
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return ::mlir::MutableOperandRange(*this, 3, 3); }
  }];
}

#endif
