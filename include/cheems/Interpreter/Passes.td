// The pass that runs a module.
#ifndef CHEEMS_INTERPRETER_PASSES_TD
#define CHEEMS_INTERPRETER_PASSES_TD

include "mlir/Pass/PassBase.td"

def InterpretPass : Pass<"cheems-interpret", "::mlir::ModuleOp"> {
  let summary = "Run a function of the module on tensors of files";
  let description = [{
    Before: a module on tensors, as the importer builds it, or after any passes that come before bufferisation. Only
    `cheems-enter-buffers` must be left out.
    After: the same module. The evaluators of `lib/Reference` have run the function `entry` in double precision. It took the tensors of the
    files `inputs`, and the weights of `weights`, which is a model folder or a safetensors file. Its results are in the file `outputs`. Only
    what an op's equation rounds is rounded: keys and values that are stored as bf16 or i8, codes of weights, sums of experts' scores.

    Tensors have the names of arguments. These are the names of `cheems.field`, and for `pools` the names in the module's `cheems.state`.
    Results have the names of `logits` and the pools, in order, or the names of their own `cheems.field`. So the results of a step can be
    inputs of the next: `inputs=next.safetensors,out.safetensors`. `logits` is only written, and not read from a file. If a pool is not in
    the files, it is empty, and every sequence must have position 0. Its slots and its capacity are those of the pools that are there, or as
    many as the segments need. Integers are read from I32 and I64, and floats from F32, BF16, F16 and F64, if they fit. Floats are written as
    F32, BF16 and F64, by their type. Integers of up to 32 bits are written as I32, and others as I64.
    `cheems_tile.launch` runs its kernel for each block of the grid, one after the other. A tile is one whole tensor there.
    Requires: the interpreter knows every op that is reached. It knows the ops of the dialect on tensors, those of kernels of tiles, and those
    ops of `func`, `scf`, `affine`, `linalg`, `tensor`, `memref`, `arith` and `math` that the passes make. It checks what the caller of an op must guarantee. Errors are ids
    and slots that do not exist, rows without a sequence, pools that are too small, and elements that are read before they are written. In kernels, errors are accesses
    outside of memory or less aligned than they say, copies that are read before they are waited for, and what depends on the order of blocks.
    Guarantees: the module is not changed. An error is at the op that caused it, and then no file is written.
  }];
  let options = [
    Option<"entry", "entry", "std::string", "\"step\"", "The function to run">,
    Option<"weights", "weights", "std::string", "", "A model folder, or a safetensors file, that has the weights">,
    ListOption<"inputs", "inputs", "std::string", "Safetensors files with the arguments, with commas between them">,
    Option<"outputs", "outputs", "std::string", "", "The safetensors file to write">
  ];
}

#endif
