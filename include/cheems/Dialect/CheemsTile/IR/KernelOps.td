// Kernels, their launches, and what a block knows of itself.
#ifndef CHEEMS_DIALECT_CHEEMSTILE_IR_KERNELOPS_TD
#define CHEEMS_DIALECT_CHEEMSTILE_IR_KERNELOPS_TD

include "cheems/Dialect/CheemsTile/IR/CheemsTileAttrs.td"
include "cheems/Dialect/CheemsTile/IR/CheemsTileTypes.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"

def CheemsTile_KernelOp : CheemsTile_Op<"kernel", [FunctionOpInterface, IsolatedFromAbove, AutomaticAllocationScope]> {
  let summary = "A function that every block of a grid runs";
  let description = [{
    Each block has `warps` warps of 32 threads, which have the tiles. There may be `fillers` after them: one more
    warp, or four, which fill rings (`ring`) and do nothing else. Four hand most of their registers over to the others. Arguments are memory of the GPU, as memrefs in row-major order, and numbers. `shared`
    is how many bytes of shared memory a block needs; `cheems-tile-plan-shared` sets it. A kernel that `overlaps` may be started before the
    kernels before it have ended, and has a `wait_for_launches` before it touches memory that a kernel writes, and before it ends;
    `cheems-tile-overlap-launches` sets it.
    Of such a kernel, arguments with the attribute `cheems_tile.constant` are memory that no kernel writes.

    Equation: for each block of the grid, in any order: body(arguments).

    Operands and state: arguments are memrefs of f32, f16, bf16 or i32 with identity layout, index, i32 and f32, and tensor maps of
    memory that the kernel does not write. What other blocks write is not seen.

    Constraints:
    - C1: `warps` is 1, 2, 4, 8, 16 or 32.
    - C2: arguments are as said, and there are no results.
    - C3: the body is one block.
    - C4: `shared` is not negative.
    - C5: there are `fillers` if and only if the body has a `ring`: 1 with at most 16 `warps`, or 4 with 8 `warps`.

    Edges: extents that are dynamic must be less than 2^31. Pointers of memrefs are aligned to 16 bytes.

    Accumulation: as the ops inside say.

    Example:
    ```mlir
    cheems_tile.kernel @copy(%x: memref<?x256xf32>, %y: memref<?x256xf32>) warps(4) {
      %c0 = arith.constant 0 : index
      %row = cheems_tile.block_id x
      %t = cheems_tile.load %x[%row, %c0] dims [0, 1] : memref<?x256xf32> -> tensor<1x256xf32, #row>
      cheems_tile.store %t, %y[%row, %c0] dims [0, 1] : tensor<1x256xf32, #row>, memref<?x256xf32>
      cheems_tile.return
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type, I64Attr:$warps, OptionalAttr<I64Attr>:$shared,
                       OptionalAttr<I64Attr>:$fillers, UnitAttr:$overlaps, OptionalAttr<StrAttr>:$sym_visibility, OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::TypeRange":$arguments, "int64_t":$warps)>];
  let skipDefaultBuilders = 1;
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    /// The number of threads of a block.
    int64_t getThreads() { return getTileThreads() + 32 * getFillers().value_or(0); }
    /// The number of threads that have tiles. They are the first ones of a block.
    int64_t getTileThreads() { return 32 * getWarps(); }
  }];
}

def CheemsTile_ReturnOp : CheemsTile_Op<"return", [Pure, Terminator, HasParent<"KernelOp">]> {
  let summary = "The end of a kernel";
  let description = [{
    Ends the body of `cheems_tile.kernel`.

    Equation: none.

    Operands and state: none.

    Constraints: none but its place.

    Accumulation: none.

    Example:
    ```mlir
    cheems_tile.return
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def CheemsTile_LaunchOp : CheemsTile_Op<"launch", [
    AttrSizedOperandSegments, DestinationStyleOpInterface, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Runs a kernel on a grid";
  let description = [{
    Runs `kernel` once per block of the grid. Launches run one after the other. `when` chooses between launches by the sizes of a step: one
    that is false leaves `outs` as they are.

    Equation: if `when` is true or there is none, for x < grid[0], y < grid[1], z < grid[2]: kernel(ins, outs) as block (x, y, z).

    Operands and state: `when` a condition, `grid` three numbers; `ins` and `outs` become the kernel's arguments, in this order. `outs` have shapes; its tensors are
    destinations, tied to the results.

    Constraints:
    - C1: `kernel` names a kernel, which has as many arguments as there are `ins` and `outs`; or a compiled one, `@kernels::@kernel`.
    - C2: a tensor or memref has element type and rank of its memref argument, and its static extents agree; a memref has the argument's
      layout, too; one for a tensor map is among `ins`, has two dimensions and the map's element type, and its rows are a multiple of 16 bytes, if they are static; other types are the
      same.
    - C3: operands with a shape are all tensors, or all memrefs and then there is no result.
    - C4: the grid has three extents.

    Edges: if an extent of the grid is 0, nothing runs.

    Accumulation: none.

    Example:
    ```mlir
    %r = cheems_tile.launch @copy grid[%rows, %c1, %c1] ins(%x : tensor<?x256xf32>) outs(%y : tensor<?x256xf32>) -> tensor<?x256xf32>
    %s = cheems_tile.launch @copy when %isOne grid[%rows, %c1, %c1] ins(%x : tensor<?x256xf32>) outs(%r : tensor<?x256xf32>) -> tensor<?x256xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Optional<I1>:$when, Variadic<Index>:$grid, Variadic<AnyType>:$inputs,
                       Variadic<AnyType>:$outputs);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $kernel (`when` $when^)? `grid` `[` $grid `]` attr-dict (`ins` `(` $inputs^ `:` type($inputs) `)`)? (`outs` `(` $outputs^ `:` type($outputs) `)`)?
    (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = "::mlir::MutableOperandRange getDpsInitsMutable() { return getOutputsMutable(); }";
}

def CheemsTile_BlockIdOp : CheemsTile_Op<"block_id", [CheemsTile_NamedResult, Pure, HasParent<"KernelOp">]> {
  let summary = "Where the block is in its grid";
  let description = [{
    The block's coordinate along one dimension.

    Equation: the result is in [0, grid[dimension]).

    Operands and state: none.

    Constraints: none but its place, directly in a kernel.

    Accumulation: none.

    Example:
    ```mlir
    %row = cheems_tile.block_id x
    ```
  }];
  let arguments = (ins CheemsTile_GridDimensionAttr:$dimension);
  let results = (outs Index:$result);
  let assemblyFormat = "custom<Word>($dimension) attr-dict";
}

def CheemsTile_AllocOp : CheemsTile_Op<"alloc", [CheemsTile_NamedResult, HasParent<"KernelOp">]> {
  let summary = "A buffer in shared memory";
  let description = [{
    A buffer that the block has while it runs. Its contents are undefined at first. `offset` is its place in the block's shared memory, in
    bytes; `cheems-tile-plan-shared` chooses it.

    Equation: none.

    Operands and state: none.

    Constraints:
    - C1: `offset` is not negative, and a multiple of the buffer's alignment.

    Accumulation: none.

    Example:
    ```mlir
    %ring = cheems_tile.alloc : !cheems_tile.buffer<3x64x64xbf16, swizzled>
    ```
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs Res<CheemsTile_BufferType, "", [MemAlloc]>:$buffer);
  let assemblyFormat = "(`at` $offset^)? attr-dict `:` qualified(type($buffer))";
  let hasVerifier = 1;
}

def CheemsTile_BarrierOp : CheemsTile_Op<"barrier"> {
  let summary = "Waits for all threads of the block";
  let description = [{
    What a thread of the block wrote to shared memory before is seen by all threads after it. Those that fill rings take no part.

    Equation: none.

    Operands and state: none.

    Constraints: none.

    Edges: it orders no asynchronous copies: `wait` does, for the thread that began them.

    Accumulation: none.

    Example:
    ```mlir
    cheems_tile.barrier
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def CheemsTile_WaitForLaunchesOp : CheemsTile_Op<"wait_for_launches"> {
  let summary = "Waits for the kernels before this one";
  let description = [{
    All kernels before this one have ended after it, and what they wrote is seen. Then the next kernel may start: it waits in turn.

    Equation: none.

    Operands and state: none. Memory that a kernel writes is touched after it.

    Constraints:
    - C1: its kernel `overlaps`.

    Edges: a second one in a row waits for nothing.

    Accumulation: none.

    Example:
    ```mlir
    cheems_tile.wait_for_launches
    ```
  }];
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

#endif
