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
    what an op's equation rounds is rounded: keys and values that are stored as bf16 or i8, quantized weights, sums of experts' scores.

    Tensors have the names of arguments. These are the names of `cheems.field`, and for `pools` the names in the module's `cheems.state`.
    What is no field of a step has a `cheems.name`. Results have the names of `logits` and the pools, in order, or the names of their own
    `cheems.name`. So the results of a step can be
    inputs of the next: `inputs=next.safetensors,out.safetensors`. `logits` is only written, and not read from a file. If a pool is not in
    the files, it is empty, and every sequence must have position 0. Its slots and its capacity are those of the pools that are there, or as
    many as the segments need. Integers are read from I32 and I64, and floats from F32, BF16, F16 and F64, if they fit. Floats are written as
    F32, BF16 and F64, by their type. Integers of up to 32 bits are written as I32, and others as I64.

    `cheems_tile.launch` runs its kernel for each block of the grid, one after the other. A tile is one whole tensor there.

    `chosen` is a file for what the ops chose, in the order in which they ran: `experts.0` [T, H, k] are those of the first
    `cheems.retrieve_experts`, and `masks.0` [T, M] what the first `cheems.segmented_attention` that drops or hides keys ranks its rows by.
    `experts.0.loss` [T, H] and `masks.0.loss` [T, M] say by how much the scores and masks of this run speak against that: the best that is
    left out less the worst that is taken, in deviations of all of them, and 0 where they choose the same. `choices` is a file with tensors
    of the former kind, which the ops follow. It may be of another computation of the same rows. An expert of -1, as the first of a head, and
    a rank of NaN mean the run's own choice.

    `follow` is a file with the `logits` of another computation of all rows of the step. It does not say what it chose, but a row with other
    experts or keys has other logits. So where a row differs by more than `within`, choices that lose no more than `reach` are tried, and
    those that bring the row nearer are taken. `within` is a root mean square in deviations of the logits.
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
    Option<"outputs", "outputs", "std::string", "", "The safetensors file to write">,
    Option<"choices", "choices", "std::string", "", "A safetensors file with experts and masks to follow">,
    Option<"chosen", "chosen", "std::string", "", "A safetensors file to write of the experts and masks that are chosen">,
    Option<"follow", "follow", "std::string", "", "A safetensors file with the logits of another computation, which may have chosen others">,
    Option<"within", "within", "double", "0.0", "What a row may differ by from those logits">,
    Option<"reach", "reach", "double", "0.0", "What a choice may lose that is made to follow them">
  ];
}

#endif
