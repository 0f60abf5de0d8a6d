// cheems_tile.load, gather, store and scatter. An access that is guarded is one
// predicated instruction: a branch would keep the next access waiting.
#include "GlobalTile.h"
#include "Patterns.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

/// How many neighbours an access moves: as many as a thread holds one after the
/// other, of `aligned` bytes at most.
static int64_t accessWidth(RankedTensorType tile,
                           std::optional<int64_t> aligned) {
  int64_t bytes = tile.getElementTypeBitWidth() / 8;
  return std::min(layoutOf(tile).getVectorWidth(),
                  std::max<int64_t>(1, aligned.value_or(bytes) / bytes));
}

/// Returns where a thread's first element is: in its part of the tile if there
/// are parts, whose number the operands' offsets then have.
template <typename OpTy>
static SmallVector<Value> firstOf(ThreadBuilder &t, OpTy op,
                                  RankedTensorType tile,
                                  GlobalOperands &operands) {
  SmallVector<Value> first = t.place(tile);
  if (std::optional<int64_t> rows = op.getParts()) {
    if (std::optional<int64_t> along = op.getAlong()) {
      Value &offset = operands.offsets32[size_t(*along)];
      Value part = t.shiftRight(first[0], llvm::Log2_64(uint64_t(*rows)));
      offset = t.add(offset, part);
    }
    first[0] = t.bitAnd(first[0], *rows - 1);
  }
  return first;
}

/// What inline PTX calls words of a type: register class, type, and zero.
namespace {
struct WordNames {
  StringRef constraint, type, zero;
};
} // namespace

static WordNames namesOf(Type word) {
  if (word.isF32()) {
    return {"f", "f32", "mov.f32 $0, 0f00000000;"};
  }
  if (word.isInteger(16)) {
    return {"h", "b16", "mov.b16 $0, 0;"};
  }
  if (word.isInteger(8)) { // in a register of 16 bits
    return {"h", "b8", "mov.b16 $0, 0;"};
  }
  return {"r", "b32", "mov.b32 $0, 0;"};
}

/// v4.b32 {$first, ...}, with the address after or before it.
static std::string operandsOf(size_t words, size_t first) {
  std::string text = words == 1 ? "" : "{";
  for (size_t word = 0; word < words; ++word) {
    text += (word ? ", $" : "$") + std::to_string(first + word);
  }
  return words == 1 ? text : text + "}";
}
static std::string typeOf(size_t words, WordNames names) {
  std::string vector = words == 1 ? "" : ".v" + std::to_string(words);
  return vector + "." + names.type.str();
}
static std::string addressOf(size_t pointer, int64_t bytes) {
  return "[$" + std::to_string(pointer) + " + " + std::to_string(bytes) + "]";
}

/// Says where LLVM may move a load.
namespace {
struct Freedom {
  bool isConstant; ///< anywhere,
  bool isEarly;    ///< but not after the wait for other kernels that it is
                   ///< before
  bool isOwn;      ///< past all that the kernel does,
  Value after;     ///< but its wait for other kernels, if there is one

  Freedom(Operation *load, const KernelFacts &facts)
      : isConstant(facts.constantReads.contains(load)),
        isEarly(facts.earlyReads.contains(load)),
        isOwn(facts.ownReads.contains(load)) {
    if (isOwn && !isConstant) {
      after = endOfWait(load);
    }
  }

  /// Whether it stays where it is among all that does.
  bool isFixed() const { return isEarly || !isOwn; }
  /// Whether it goes through the coherent caches. Past them, ptxas would move
  /// an early one after the wait.
  bool isCoherent() const { return !isConstant || isEarly; }
};
} // namespace

/// The words at `place`, or zeros where `condition` does not hold.
static SmallVector<Value> loadWords(ThreadBuilder &t, GlobalTile::Place place,
                                    Value condition, Type word, size_t count,
                                    const Freedom &freedom) {
  if (!condition && !freedom.isEarly) {
    auto type = VectorType::get({int64_t(count)}, word);
    Value pointer = t.offset(place.pointer, place.bytes);
    auto alignment = unsigned(count * word.getIntOrFloatBitWidth() / 8);
    return t.elements(LLVM::LoadOp::create(t.b, t.loc, type, pointer, alignment,
                                           /*isVolatile=*/false,
                                           /*isNonTemporal=*/false,
                                           freedom.isConstant));
  }
  WordNames names = namesOf(word);
  std::string text, constraints;
  for (size_t at = 0; at < count; ++at) {
    if (condition) {
      std::string zero = names.zero.str();
      zero.replace(zero.find("$0"), 2, "$" + std::to_string(at));
      text += zero + " ";
    }
    // The register is written before the address is read.
    constraints += (condition ? "=&" : "=") + names.constraint.str() + ",";
  }
  if (condition) {
    text += "@$" + std::to_string(count + 1) + " ";
  }
  text += "ld.global" + std::string(freedom.isCoherent() ? "" : ".nc") +
          typeOf(count, names) + " " + operandsOf(count, 0) + ", " +
          addressOf(count, place.bytes) + ";";
  constraints += condition ? "l,b" : "l";
  SmallVector<Value> operands = {place.pointer};
  if (condition) {
    operands.push_back(condition);
  }
  if (freedom.after) { // no part of the text
    constraints += ",r";
    operands.push_back(freedom.after);
  }
  if (!freedom.isOwn) {
    constraints += ",~{memory}";
  }
  if (word.isInteger(8)) {
    Type wide = t.b.getI16Type();
    Value loaded = LLVM::InlineAsmOp::create(
                       t.b, t.loc, wide, operands, text, constraints,
                       /*has_side_effects=*/freedom.isFixed(),
                       /*is_align_stack=*/false, LLVM::TailCallKind::None,
                       LLVM::AsmDialectAttr(), ArrayAttr())
                       .getResult(0);
    return {arith::TruncIOp::create(t.b, t.loc, word, loaded)};
  }
  SmallVector<Type> types(count, word);
  Type result = count == 1
                    ? word
                    : LLVM::LLVMStructType::getLiteral(t.b.getContext(), types);
  auto op = LLVM::InlineAsmOp::create(
      t.b, t.loc, result, operands, text, constraints,
      /*has_side_effects=*/freedom.isFixed(), /*is_align_stack=*/false,
      LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
  if (count == 1) {
    return {op.getResult(0)};
  }
  SmallVector<Value> words;
  for (int64_t at = 0; at < int64_t(count); ++at) {
    words.push_back(
        LLVM::ExtractValueOp::create(t.b, t.loc, op.getResult(0), at));
  }
  return words;
}

static void storeWords(ThreadBuilder &t, GlobalTile::Place place,
                       Value condition, ArrayRef<Value> words) {
  if (!condition) {
    Value vector = t.vector(words);
    auto alignment =
        unsigned(words.size() * words[0].getType().getIntOrFloatBitWidth() / 8);
    LLVM::StoreOp::create(t.b, t.loc, vector,
                          t.offset(place.pointer, place.bytes), alignment);
    return;
  }
  WordNames names = namesOf(words[0].getType());
  std::string text = "@$1 st.global" + typeOf(words.size(), names) + " " +
                     addressOf(0, place.bytes) + ", " +
                     operandsOf(words.size(), 2) + ";";
  std::string constraints = "l,b";
  for (size_t at = 0; at < words.size(); ++at) {
    constraints += "," + names.constraint.str();
  }
  SmallVector<Value> operands = {place.pointer, condition};
  for (Value word : words) {
    operands.push_back(
        word.getType().isInteger(8)
            ? arith::ExtUIOp::create(t.b, t.loc, t.b.getI16Type(), word)
                  .getResult()
            : word);
  }
  LLVM::InlineAsmOp::create(t.b, t.loc, TypeRange(), operands, text,
                            constraints + ",~{memory}",
                            /*has_side_effects=*/true,
                            /*is_align_stack=*/false, LLVM::TailCallKind::None,
                            LLVM::AsmDialectAttr(), ArrayAttr());
}

namespace {
struct LowerLoad : OpConversionPattern<LoadOp> {
  const KernelFacts &facts;

  LowerLoad(const TypeConverter &types, MLIRContext *context,
            const KernelFacts &facts)
      : OpConversionPattern(types, context), facts(facts) {}

  LogicalResult
  matchAndRewrite(LoadOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder t(rewriter, op.getLoc());
    RankedTensorType tile = op.getTile().getType();
    GlobalOperands operands =
        globalOperands(op, cast<MemRefType>(op.getSource().getType()),
                       adaptor.getSource(), tile.getShape(), adaptor);
    GlobalTile memory(t, operands, firstOf(t, op, tile, operands));
    int64_t width = accessWidth(tile, op.getAligned());
    int64_t bytes = width * tile.getElementTypeBitWidth() / 8;
    Type word = t.wordType(tile.getElementType(), bytes);
    auto count = size_t(bytes * 8 / word.getIntOrFloatBitWidth());
    auto indices = layoutOf(tile).getElements(tile.getShape());
    Freedom freedom(op, facts);
    SmallVector<Value> elements;
    for (size_t at = 0; at < indices.size(); at += size_t(width)) {
      SmallVector<Value> words =
          loadWords(t, memory.place(indices[at]), memory.exists(indices[at]),
                    word, count, freedom);
      llvm::append_range(elements, t.fromWords(words, tile.getElementType()));
    }
    rewriter.replaceOp(op, t.vector(elements));
    return success();
  }
};

/// A row or column of the tile, or its one number, is a tile of its own, at the
/// index that its number says.
struct LowerGather : OpConversionPattern<GatherOp> {
  const KernelFacts &facts;

  LowerGather(const TypeConverter &types, MLIRContext *context,
              const KernelFacts &facts)
      : OpConversionPattern(types, context), facts(facts) {}

  LogicalResult
  matchAndRewrite(GatherOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder t(rewriter, op.getLoc());
    RankedTensorType tile = op.getTile().getType(),
                     rows = op.getRows().getType();
    auto indices = layoutOf(tile).getElements(tile.getShape());
    auto held = layoutOf(rows).getElements(rows.getShape());
    SmallVector<Value> numbers = t.elements(adaptor.getRows().front());
    // Neighbours along chosen columns are none in memory.
    int64_t width = op.getAxis() == 0 ? accessWidth(tile, op.getAligned()) : 1;
    int64_t bytes = width * tile.getElementTypeBitWidth() / 8;
    Type word = t.wordType(tile.getElementType(), bytes);
    auto count = size_t(bytes * 8 / word.getIntOrFloatBitWidth());
    SmallVector<Value> elements(indices.size());
    auto axis = size_t(op.getAxis());
    Freedom freedom(op, facts);
    for (auto [chosenPlace, number] : llvm::zip_equal(held, numbers)) {
      ChosenPart chosen(t, op, adaptor, tile.getShape(), number);
      SmallVector<Value> first = t.place(tile);
      first[axis] = t.i32(0);
      GlobalTile memory(t, chosen.operands, first);
      for (size_t at = 0; at < indices.size(); at += size_t(width)) {
        if (indices[at][axis] != chosenPlace[0]) {
          continue;
        }
        SmallVector<int64_t> along = indices[at];
        along[axis] = 0;
        SmallVector<Value> words = loadWords(
            t, memory.place(along), memory.exists(along), word, count, freedom);
        llvm::copy(t.fromWords(words, tile.getElementType()),
                   elements.begin() + ptrdiff_t(at));
      }
    }
    rewriter.replaceOp(op, t.vector(elements));
    return success();
  }
};

struct LowerStore : OpConversionPattern<StoreOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(StoreOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder t(rewriter, op.getLoc());
    RankedTensorType tile = op.getTile().getType();
    GlobalOperands operands =
        globalOperands(op, cast<MemRefType>(op.getTarget().getType()),
                       adaptor.getTarget(), tile.getShape(), adaptor);
    GlobalTile memory(t, operands, firstOf(t, op, tile, operands));
    Value stores = t.isFirstHolder(tile);
    auto width = size_t(accessWidth(tile, op.getAligned()));
    auto indices = layoutOf(tile).getElements(tile.getShape());
    SmallVector<Value> elements = t.elements(adaptor.getTile().front());
    for (size_t at = 0; at < indices.size(); at += width) {
      SmallVector<Value> words =
          t.toWords(ArrayRef<Value>(elements).slice(at, width));
      storeWords(t, memory.place(indices[at]),
                 t.both(stores, memory.exists(indices[at])), words);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

/// Each element is a tile of its own, at the index that its number says.
struct LowerScatter : OpConversionPattern<ScatterOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ScatterOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder t(rewriter, op.getLoc());
    Value stores = t.isFirstHolder(op.getTile().getType());
    SmallVector<Value> offsets(op.getOffsets()), offsets32;
    for (ValueRange offset : adaptor.getOffsets()) {
      offsets32.push_back(offset.front());
    }
    auto along = size_t(op.getDim());
    Value from = offsets32[along];
    offsets[along] = op.getIndices(); // which is no constant
    int64_t shape[] = {1}, dims[] = {int64_t(op.getDim())};
    for (auto [element, place] :
         llvm::zip_equal(t.elements(adaptor.getTile().front()),
                         t.elements(adaptor.getIndices().front()))) {
      offsets32[along] = t.add(from, place);
      GlobalOperands operands{cast<MemRefType>(op.getTarget().getType()),
                              adaptor.getTarget(),
                              shape,
                              dims,
                              offsets,
                              {},
                              offsets32,
                              {}};
      GlobalTile memory(t, operands, {t.i32(0)});
      SmallVector<Value> words = t.toWords(element);
      storeWords(t, memory.place({0}), t.both(stores, memory.exists({0})),
                 words);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

/// One number, which all threads read: a row's index, a length.
struct LowerNumber : OpConversionPattern<memref::LoadOp> {
  const KernelFacts &facts;

  LowerNumber(const TypeConverter &types, MLIRContext *context,
              const KernelFacts &facts)
      : OpConversionPattern(types, context), facts(facts) {}

  LogicalResult
  matchAndRewrite(memref::LoadOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder t(rewriter, op.getLoc());
    GlobalOperands operands{op.getMemRefType(),
                            adaptor.getMemref(),
                            {},
                            {},
                            op.getIndices(),
                            {},
                            {},
                            {}};
    for (ValueRange index : adaptor.getIndices()) {
      operands.offsets32.push_back(index.front());
    }
    GlobalTile memory(t, operands, {});
    GlobalTile::Place place = memory.place({});
    Freedom freedom(op, facts);
    int64_t bytes = op.getType().getIntOrFloatBitWidth() / 8;
    if (freedom.isEarly) {
      Type word = t.wordType(op.getType(), bytes);
      SmallVector<Value> words = loadWords(t, place, {}, word, 1, freedom);
      rewriter.replaceOp(op, t.fromWords(words, op.getType()));
      return success();
    }
    rewriter.replaceOpWithNewOp<LLVM::LoadOp>(
        op, op.getType(), place.pointer, unsigned(bytes), /*isVolatile=*/false,
        /*isNonTemporal=*/false, freedom.isConstant);
    return success();
  }
};
} // namespace

void tile::populateGlobalPatterns(const TypeConverter &types,
                                  RewritePatternSet &patterns,
                                  const KernelFacts &facts) {
  patterns.add<LowerLoad, LowerGather, LowerNumber>(
      types, patterns.getContext(), facts);
  patterns.add<LowerStore, LowerScatter>(types, patterns.getContext());
}
