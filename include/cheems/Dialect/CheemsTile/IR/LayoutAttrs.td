// Which thread holds which element of a tile.
#ifndef CHEEMS_DIALECT_CHEEMSTILE_IR_LAYOUTATTRS_TD
#define CHEEMS_DIALECT_CHEEMSTILE_IR_LAYOUTATTRS_TD

include "cheems/Dialect/CheemsTile/IR/CheemsTileBase.td"
include "mlir/IR/TensorEncoding.td"

def CheemsTile_TileLayoutAttrInterface : AttrInterface<"TileLayoutAttrInterface", [VerifiableTensorEncoding]> {
  let cppNamespace = "::cheems::tile";
  let description = [{
    Which thread of a block holds which element of a tile.

    A thread holds as many elements as `getElements` has entries. Element i of thread t is at the coordinates
    `getThreadMap(shape)(t) + getElements(shape)[i]`. Several threads may hold one element; then all of them have the same value.
  }];
  let methods = [
    InterfaceMethod<"How many dimensions a tile has.", "int64_t", "getRank">,
    InterfaceMethod<"Extents of the least tile. The extents of every tile are multiples of them.", "::llvm::SmallVector<int64_t>",
                    "getLeastShape">,
    InterfaceMethod<"How many warps hold the tile. A warp has 32 threads.", "int64_t", "getWarpCount">,
    InterfaceMethod<"From the number of a thread in its block to the coordinates of its first element.", "::mlir::AffineMap",
                    "getThreadMap", (ins "::llvm::ArrayRef<int64_t>":$shape)>,
    InterfaceMethod<"Coordinates of a thread's elements, counted from its first one. Elements of neighbouring columns are neighbours.",
                    "::llvm::SmallVector<::llvm::SmallVector<int64_t>>", "getElements", (ins "::llvm::ArrayRef<int64_t>":$shape)>,
    InterfaceMethod<"How many neighbours in a row, from an aligned column on, each thread holds one after the other.", "int64_t",
                    "getVectorWidth">,
    InterfaceMethod<"The bits of a thread's number that the coordinate along `axis` depends on, and the other coordinate does not. The "
                    "threads that differ in these bits alone hold, together, all elements along `axis`.", "int64_t", "getThreadBits",
                    (ins "int64_t":$axis)>
  ];
}

class CheemsTile_LayoutAttr<string name> : AttrDef<CheemsTile_Dialect, name, [
    DeclareAttrInterfaceMethods<CheemsTile_TileLayoutAttrInterface>, DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let genVerifyDecl = 1;
}

def CheemsTile_BlockedAttr : CheemsTile_LayoutAttr<"Blocked"> {
  let mnemonic = "blocked";
  let summary = "Threads in a grid over rows and columns";
  let description = [{
    The block's threads form a grid of `rows` x `columns`, row by row. Thread (i, j) holds the rows i, i + rows, i + 2 rows, .... Of each
    row it holds `width` neighbouring columns from `width` j on, then those that lie `columns * width` further, and so on. So the threads
    of a row of the grid read neighbouring memory.

    `rows`, `columns` and `width` are powers of two up to 1024, and rows * columns is a multiple of 32.

    Example: `#cheems_tile.blocked<rows = 4, columns = 32, width = 8>`: each of four warps has a row, each lane 8 neighbours.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns, "int64_t":$width);
  let assemblyFormat = "`<` struct(params) `>`";
}

def CheemsTile_FragmentRole : I32EnumAttr<"FragmentRole", "A part of a warp's matmul", [
    I32EnumAttrCase<"A", 0, "a">, I32EnumAttrCase<"B", 1, "b">, I32EnumAttrCase<"C", 2, "c">]> {
  let cppNamespace = "::cheems::tile";
  let genSpecializedAttr = 0;
}

def CheemsTile_FragmentAttr : CheemsTile_LayoutAttr<"Fragment"> {
  let mnemonic = "fragment";
  let summary = "Operands and accumulators of `mma.sync.m16n8k16`, and of `m16n8k32` for bytes";
  let description = [{
    The matmul is c[m, n] += sum_k a[m, k] * b[n, k]. Warps form a grid of `warps_m` x `warps_n` x `warps_k`. Warp w is at
    (w % warps_m, w / warps_m % warps_n, w / warps_m / warps_n). It holds M / warps_m rows of `a` and `c`, N / warps_n columns of `c`,
    which are rows of `b`, and K / warps_k columns of `a` and `b`. They are contiguous. If `warps_k` exceeds 1, the `c` of a warp is the sum
    over its own k, and the tile's value is the sum over these warps.

    Within a warp, lane l with g = l / 4 and q = l % 4 holds, of each product of 16 x 8 x 16 (PTX ISA, "Matrix Fragments for
    mma.m16n8k16"):
    - `c`: (g, 2q), (g, 2q + 1), (g + 8, 2q), (g + 8, 2q + 1)
    - `a` with `k_width` 2: (g, 2q + {0, 1}), (g + 8, 2q + {0, 1}), (g, 2q + {8, 9}), (g + 8, 2q + {8, 9})
    - `b` with `k_width` 2: (g, 2q + {0, 1}), (g, 2q + {8, 9})

    `k_width` 8 says that lanes hold 8 neighbouring k of each 32: those from 8q on. The two instructions of these 32 k then take k in another
    order, the same one for `a` and `b`: instruction s takes 8q + 4s + {0, 1} where the ISA counts k as 2q + {0, 1}, and
    8q + 4s + {2, 3} where it counts 2q + {8, 9}. Such an operand can be loaded straight from memory, 16 bytes at a time.

    Bytes are multiplied by m16n8k32. Their `k_width` is 4 or 16. A register has four of them in place of two, so each number of k above is
    twice as large: with `k_width` 4 a lane holds 4q + {0, ..., 3} and 4q + {16, ..., 19} of 32 k, and with 16 it holds the 16 neighbours
    from 16q on of 64 k. Instruction s then takes 16q + 8s + {0, ..., 7}.

    A `c` has `k_width` 2. All counts of warps are powers of two up to 1024.

    Example: `#cheems_tile.fragment<role = c, warps_m = 2, warps_n = 2>`
  }];
  let parameters = (ins EnumParameter<CheemsTile_FragmentRole>:$role, "int64_t":$warps_m, "int64_t":$warps_n,
                        DefaultValuedParameter<"int64_t", "1">:$warps_k, DefaultValuedParameter<"int64_t", "2">:$k_width);
  let extraClassDeclaration = [{
    /// Whether it is of an operand of bytes.
    bool isOfBytes() const { return getKWidth() == 4 || getKWidth() == 16; }
    /// Whether lanes hold neighbours for two instructions: 16 bytes of an operand.
    bool hasNeighbours() const { return getKWidth() == 8 || getKWidth() == 16; }
  }];
  let assemblyFormat = "`<` struct(params) `>`";
}

def CheemsTile_SliceAttr : CheemsTile_LayoutAttr<"Slice"> {
  let mnemonic = "slice";
  let summary = "One number per row or per column of a tile";
  let description = [{
    A thread holds the numbers of those rows (`axis` 1) or columns (`axis` 0) of which it would hold elements in the layout `of`. `axis`
    is the dimension that is gone.

    Example: `#cheems_tile.slice<axis = 1, of = #cheems_tile.blocked<rows = 4, columns = 32, width = 8>>`
  }];
  let parameters = (ins "int64_t":$axis, AttrParameter<"TileLayoutAttrInterface", "the layout">:$of);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif
