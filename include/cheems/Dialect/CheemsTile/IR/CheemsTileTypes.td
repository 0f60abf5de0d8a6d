// Types of the cheems_tile dialect.
#ifndef CHEEMS_DIALECT_CHEEMSTILE_IR_CHEEMSTILETYPES_TD
#define CHEEMS_DIALECT_CHEEMSTILE_IR_CHEEMSTILETYPES_TD

include "cheems/Dialect/CheemsTile/IR/LayoutAttrs.td"

def CheemsTile_BufferType : TypeDef<CheemsTile_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "Tiles in shared memory";
  let description = [{
    `S` stages of a tile `R` x `C` in the shared memory of a block. Stage s begins at byte s * R * C * bytes(T) of the buffer, and a row
    is contiguous.

    A `swizzled` buffer stores pieces of 16 bytes in another order, so that eight rows of one column of pieces lie in different banks.
    With p pieces per row, piece j of row r is stored as piece j ^ (r / max(1, 8 / p) % min(p, 8)) of its row. Then `p` is a power of two,
    and the buffer is aligned to 1024 bytes; others are aligned to 16 bytes.

    Example: `!cheems_tile.buffer<3x64x64xbf16, swizzled>`
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType, "bool":$swizzled);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getStages() const { return getShape()[0]; }
    int64_t getRows() const { return getShape()[1]; }
    int64_t getColumns() const { return getShape()[2]; }
    int64_t getElementBytes() const;
    int64_t getRowBytes() const { return getColumns() * getElementBytes(); }
    int64_t getStageBytes() const { return getRows() * getRowBytes(); }
    int64_t getBytes() const { return getStages() * getStageBytes(); }
    /// The size in bytes.
    int64_t getAlignment() const { return getSwizzled() ? 1024 : 16; }
    /// The bits of a row's number that are added (xor) to the numbers of its pieces of 16 bytes are
    /// `row / getSwizzleRows() % getSwizzlePieces()`. Without swizzle there is one piece, so nothing is added.
    int64_t getSwizzleRows() const;
    int64_t getSwizzlePieces() const;
    /// Whether the three bits that are added are turned by one, the highest one to the lowest place. Then two neighbouring pieces of four
    /// rows are in different banks, too: a warp's 4 x 8 numbers of 32 bits. For 16 bits the order is that of the hardware's own swizzle.
    bool turnsSwizzle() const { return getElementBytes() == 4 && getSwizzlePieces() == 8; }
  }];
}

def CheemsTile_TensorMapType : TypeDef<CheemsTile_Dialect, "TensorMap"> {
  let mnemonic = "tensor_map";
  let summary = "Boxes of a memref that the hardware copies by itself";
  let description = [{
    An argument of a kernel: a memref [R', C'] in row-major order, and how large the boxes are that `bulk_copy` copies of it: `R` rows of `C`
    numbers. A launch has the memref or tensor itself as the operand. A kernel gets the 128 bytes that the driver makes of it
    (`cuTensorMapEncodeTiled`), by value.

    Elements are f16, bf16 or f32. A box has at most 256 rows. Of f16 and bf16 one of its rows has 32, 64 or 128 bytes, and in shared memory
    it is swizzled as a buffer with such rows is. Of f32 one of its rows has at most 256 elements, a multiple of 4, and it is not swizzled. A
    row of the memref is a multiple of 16 bytes, unless there is one row alone. Boxes begin anywhere.

    Example: `!cheems_tile.tensor_map<128x64xbf16>`
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns, "::mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRowBytes() const { return getColumns() * getElementType().getIntOrFloatBitWidth() / 8; }
  }];
}

def CheemsTile_RingType : TypeDef<CheemsTile_Dialect, "Ring"> {
  let mnemonic = "ring";
  let summary = "A ring of stages that fillers fill";
  let description = [{
    What `fill_ring` gives to those who wait for its stages and free them. There are `stages` of them, two or more.

    Example: `!cheems_tile.ring<2>`
  }];
  let parameters = (ins "int64_t":$stages);
  let assemblyFormat = "`<` $stages `>`";
  let genVerifyDecl = 1;
}

class CheemsTile_TileOf<list<Type> elements>
    : Type<And<[RankedTensorOf<elements>.predicate,
                CPred<"::llvm::isa_and_nonnull<::cheems::tile::TileLayoutAttrInterface>("
                      "::llvm::cast<::mlir::RankedTensorType>($_self).getEncoding())">]>,
           "tile with a layout", "::mlir::RankedTensorType">;
// Angles are computed in f64; i64 holds their bits. Quantized values are i8.
def CheemsTile_Tile : CheemsTile_TileOf<[F64, F32, F16, BF16, I64, I32, I8, I1]>;
def CheemsTile_FactorTile : CheemsTile_TileOf<[F16, BF16, I8]>;
def CheemsTile_CodeTile : CheemsTile_TileOf<[I8]>;
def CheemsTile_F32Tile : CheemsTile_TileOf<[F32]>;
def CheemsTile_I32Tile : CheemsTile_TileOf<[I32]>;
def CheemsTile_WordTile : CheemsTile_TileOf<[F32, I32]>;
def CheemsTile_Global : MemRefOf<[F32, F16, BF16, I32, I8]>;

#endif
