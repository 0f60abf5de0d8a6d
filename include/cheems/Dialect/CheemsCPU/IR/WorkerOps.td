// The thread that runs an iteration.
#ifndef CHEEMS_DIALECT_CHEEMSCPU_IR_WORKEROPS_TD
#define CHEEMS_DIALECT_CHEEMSCPU_IR_WORKEROPS_TD

include "cheems/Dialect/CheemsCPU/IR/CheemsCPUBase.td"

def CheemsCPU_WorkerOp : CheemsCPU_Op<"worker", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "The worker that runs this iteration";
  let description = [{
    The index of the worker thread that runs the iteration of the enclosing `scf.forall`.

    Equation: the result is in [0, threads of the session). Iterations that run at the same time have different results.

    Operands and state: none.

    Constraints:
    - C1: it is inside an `scf.forall`.

    Edges: with one thread it is 0. It must only select scratch memory, because values that depend on it would differ from run to run.

    Accumulation: none.

    Example:
    ```mlir
    scf.forall (%i) in (%n) {
      %w = cheems_cpu.worker : index
      %offset = arith.muli %w, %scratch_bytes : index
    }
    ```
  }];
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif
