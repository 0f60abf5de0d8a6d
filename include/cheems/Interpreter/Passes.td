// The pass that runs a module.
#ifndef CHEEMS_INTERPRETER_PASSES_TD
#define CHEEMS_INTERPRETER_PASSES_TD

include "mlir/Pass/PassBase.td"

def InterpretPass : Pass<"cheems-interpret", "::mlir::ModuleOp"> {
  let summary = "Run a function of the module on tensors of files";
  let description = [{
    Before: a module on tensors, as the importer builds it or as any pass leaves it that comes before bufferisation. Only
    `cheems-enter-buffers` has to be left out.
    After: the same module. The function `entry` has been run by the evaluators of `lib/Reference`, in double precision, on the tensors
    of the files `inputs`, with the weights of `weights`, a model folder or a safetensors file; its results are in the file
    `outputs`. Nothing is rounded but what an op's equation rounds: keys and values that are stored as bf16 or i8, codes of weights,
    sums of experts' scores.

    Tensors have the names of arguments: what `cheems.field` says, and for `pools` the name in the module's `cheems.state`. Results
    have those of `logits` and the pools, in order, or what their own `cheems.field` says. So the results of a step are
    among the inputs of the next: `inputs=next.safetensors,out.safetensors`. `logits` is only written, and not read from a file.
    Where a pool is absent it is empty, and no sequence may have a position but 0; it has the slots and the capacity of those
    that are there, or as many as the segments need. Integers are read from I32 and I64, floats from F32, BF16, F16 and F64, where they
    fit. Written are F32, BF16 and F64 for floats of that type, I32 for integers up to 32 bits and I64 for others.
    Requires: every op that is reached is known: those of the dialect on tensors, and of `func`, `scf`, `affine`, `linalg`, `tensor`,
    `arith` and `math` what the passes make. What an op leaves to its caller is checked: ids and slots that are not there, rows
    without a sequence, pools without room, elements that are read before they are written.
    Guarantees: the module is not changed. An error is at the op that made it; then no file is written.
  }];
  let options = [
    Option<"entry", "entry", "std::string", "\"step\"", "The function to run">,
    Option<"weights", "weights", "std::string", "", "A model folder, or a safetensors file, that has the weights">,
    ListOption<"inputs", "inputs", "std::string", "Safetensors files with the arguments, by commas">,
    Option<"outputs", "outputs", "std::string", "", "The safetensors file to write">
  ];
}

#endif
