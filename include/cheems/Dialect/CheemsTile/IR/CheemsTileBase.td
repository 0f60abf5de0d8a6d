// The cheems_tile dialect.
#ifndef CHEEMS_DIALECT_CHEEMSTILE_IR_CHEEMSTILEBASE_TD
#define CHEEMS_DIALECT_CHEEMSTILE_IR_CHEEMSTILEBASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"

def CheemsTile_Dialect : Dialect {
  let name = "cheems_tile";
  let cppNamespace = "::cheems::tile";
  let summary = "What a block of a GPU computes: tiles with explicit layouts";
  let description = [{
    A kernel is a function that every block of a grid runs. Its values are tiles. A tile is a tensor of static shape whose encoding is a
    layout: the layout says which thread of the block holds which element in its registers. Elementwise ops on tiles are those of `arith`
    and `math`; their operands have one layout. Loops and branches are those of `scf`; all threads of a block take the same ones.

    Memory of the GPU is a memref argument of the kernel, in row-major order. Its extents may be dynamic: they are arguments at run time,
    and accesses past them are guarded. Shared memory of the block is a buffer (`!cheems_tile.buffer`).

    Letters in shapes: M, N rows and columns of a matmul, K the dimension that it sums over, S stages of a buffer, R, C rows and columns
    of a tile.

    The constraints of an op have the labels C1, C2, ..., and an error of its verifier begins with the label. One constraint holds for
    every op that has tiles:
    - C0: all layouts of a kernel span as many warps as the kernel has.

    `quantized_matmul` is an op of a whole step, which becomes a launch and a kernel. It is on tensors, or on buffers, and its C0 is that of
    the ops of `cheems`.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let dependentDialects = ["::cheems::CheemsDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::tensor::TensorDialect"];
}

class CheemsTile_Op<string mnemonic, list<Trait> traits = []> : Op<CheemsTile_Dialect, mnemonic, traits>;
// The result is printed with a name that says what it is.
defvar CheemsTile_NamedResult = DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>;

#endif
