// What samplers need of logits.
#ifndef CHEEMS_DIALECT_CHEEMS_IR_SAMPLINGOPS_TD
#define CHEEMS_DIALECT_CHEEMS_IR_SAMPLINGOPS_TD

include "cheems/Dialect/Cheems/IR/SegmentOps.td"

def Cheems_TopLogitsOp : Cheems_StepOp<"top_logits"> {
  let summary = "The best logits of each row, and the logarithm of the sum of all exponentials";
  let description = [{
    Gives a sampler what it needs of a row, so that whole rows need not leave the device: the best tokens, of which the first is the
    choice without chance, and the number that makes probabilities of their logits.

    Equation: tokens[r, :] are the columns of the K greatest logits of row r, the greatest first, and of equal ones the lower column
    first. values[r, i] = logits[r, tokens[r, i]]. log_sum_exp[r] = log(sum_v exp(logits[r, v])).

    Operands: `logits` [R, V] f32. Destinations: `values` [R, K] f32, `tokens` [R, K] i32, `log_sum_exp` [R] f32.

    Constraints:
    - C1: `values` and `tokens` have the same shape [R, K], and `log_sum_exp` is [R].
    - C2: V and K are static, and 1 <= K <= V.

    Edges: if a logit is NaN or +infinity, `log_sum_exp` is NaN, and the row's values and tokens are not specified. If all logits are
    -infinity, it is -infinity.

    Accumulation: values are exact. The sum is f32; its order is not specified, but depends on V alone.

    Example:
    ```mlir
    %v, %t, %s = cheems.top_logits ins(%logits : tensor<?x32768xf32>)
        outs(%v0, %t0, %s0 : tensor<?x64xf32>, tensor<?x64xi32>, tensor<?xf32>) -> tensor<?x64xf32>, tensor<?x64xi32>, tensor<?xf32>
    ```
  }];
  let arguments = (ins TensorRankOf<[F32], [2]>:$logits, TensorRankOf<[F32], [2]>:$values, TensorRankOf<[I32], [2]>:$tokens,
                       TensorRankOf<[F32], [1]>:$log_sum_exp);
  let assemblyFormat = [{
    attr-dict `ins` `(` $logits `:` type($logits) `)`
    `outs` `(` $values `,` $tokens `,` $log_sum_exp `:` type($values) `,` type($tokens) `,` type($log_sum_exp) `)` `->` type($results)
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return ::mlir::MutableOperandRange(*this, 1, 3); }
    int64_t getVocabulary() { return getLogits().getType().getShape()[1]; }
    /// K.
    int64_t getCount() { return getValues().getType().getShape()[1]; }
  }];
}

#endif
