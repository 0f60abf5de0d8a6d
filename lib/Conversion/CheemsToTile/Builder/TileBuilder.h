// The kit of code in kernels: tiles of memory, and what is computed with them.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_BUILDER_TILEBUILDER_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_BUILDER_TILEBUILDER_H

#include "cheems/Dialect/Cheems/IR/BaseBuilder.h"
#include "cheems/Dialect/CheemsTile/IR/CheemsTileDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace cheems::tile {

/// Says where a tile lies in memory: an offset per dimension of the memref, and
/// which dimensions the tile extends along.
struct Place {
  SmallVector<Value> offsets;
  SmallVector<int64_t> dims;
  /// What is guarded, per dimension of the tile; none: the memref's extents.
  SmallVector<Value> extents = {};
  /// Rows of the tile that are a part, if it has parts, and the dimension that
  /// each is one further along, if any.
  std::optional<int64_t> parts = {}, along = {};
};

struct TileBuilder : BaseBuilder<TileBuilder> {
  using BaseBuilder::add;
  using BaseBuilder::mul;

  ImplicitLocOpBuilder b;

  explicit TileBuilder(const ImplicitLocOpBuilder &builder) : b(builder) {}

  Location location() { return b.getLoc(); }

  Value block(GridDimension dimension) {
    return BlockIdOp::create(b, b.getIndexType(), dimension);
  }
  Value extent(Value memory, int64_t dimension) {
    return memref::DimOp::create(b, memory, dimension);
  }

  // Types of tiles.
  static RankedTensorType tileType(ArrayRef<int64_t> shape, Type element,
                                   Attribute layout) {
    return RankedTensorType::get(shape, element, layout);
  }
  static RankedTensorType withElement(RankedTensorType type, Type element) {
    return tileType(type.getShape(), element, type.getEncoding());
  }
  /// An operand of `mma` whose pairs along k are neighbours, or its sums.
  RankedTensorType fragmentType(ArrayRef<int64_t> shape, Type element,
                                FragmentRole role, int64_t warpsM,
                                int64_t warpsN) {
    return tileType(
        shape, element,
        FragmentAttr::get(b.getContext(), role, warpsM, warpsN, 1, 2));
  }
  /// What `type` becomes when it is reduced along `axis`.
  static RankedTensorType sliceType(RankedTensorType type, int64_t axis) {
    auto layout = SliceAttr::get(type.getContext(), axis, layoutOf(type));
    return tileType({type.getDimSize(unsigned(1 - axis))},
                    type.getElementType(), layout);
  }

  /// The same number everywhere.
  Value fill(RankedTensorType type, double value) {
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(
               type, b.getFloatAttr(type.getElementType(), value)));
  }
  Value fillInteger(RankedTensorType type, int64_t value) {
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(type, Attribute(b.getIntegerAttr(
                                            type.getElementType(), value))));
  }
  Value splat(RankedTensorType type, Value number) {
    return tensor::SplatOp::create(b, type, number, ValueRange());
  }
  /// Coordinates along `axis` from `first` on, an index, as i32.
  Value indicesFrom(Value first, RankedTensorType like, int64_t axis) {
    auto type = withElement(like, b.getI32Type());
    Value number = arith::IndexCastOp::create(b, b.getI32Type(), first);
    return add(IndicesOp::create(b, type, uint64_t(axis)).getResult(),
               splat(type, number));
  }

  // Memory.
  Value load(RankedTensorType type, Value source, const Place &place,
             int64_t aligned = 0) {
    return LoadOp::create(b, type, source, place.offsets, place.dims,
                          place.extents, attribute(aligned),
                          attribute(place.parts), attribute(place.along));
  }
  /// Rows of a memref that numbers choose, one per row of the tile, or columns.
  Value gather(RankedTensorType type, Value source, const Place &place,
               Value rows, int64_t aligned = 0) {
    return GatherOp::create(b, type, source, place.offsets, rows, place.dims,
                            attribute(aligned));
  }
  void store(Value tile, Value target, const Place &place,
             int64_t aligned = 0) {
    StoreOp::create(b, tile, target, place.offsets, place.dims, place.extents,
                    attribute(aligned), attribute(place.parts),
                    attribute(place.along));
  }
  /// Stores each element of the tile at the index along dimension `dim` that
  /// `indices` has for it. An element with a negative index is not stored.
  void scatter(Value tile, Value target, ValueRange offsets, Value indices,
               int64_t dim) {
    ScatterOp::create(b, tile, target, offsets, indices, uint64_t(dim));
  }
  Value alloc(ArrayRef<int64_t> shape, Type element, bool swizzled) {
    return AllocOp::create(
        b, BufferType::get(b.getContext(), shape, element, swizzled),
        IntegerAttr());
  }
  void copy(Value source, const Place &place, Value buffer, Value stage,
            int64_t aligned) {
    AsyncCopyOp::create(b, source, place.offsets, place.dims, place.extents,
                        buffer, stage, uint64_t(aligned));
  }
  /// Rows that a stage of `numbers` chooses, of one memory below `split` and of
  /// the other one from there on; `count` of them exist.
  struct RowSources {
    Value source;
    Place place; ///< of row 0, with the extent of columns as the last one
    Value other;
    SmallVector<Value> otherOffsets;
    int64_t split;
  };
  void copyRows(const RowSources &from, Value numbers, Value numbersStage,
                Value count, Value buffer, Value stage, int64_t aligned) {
    CopyRowsOp::create(b, from.source, from.place.offsets, from.other,
                       from.otherOffsets, numbers, numbersStage,
                       uint64_t(from.split), from.place.dims,
                       ValueRange{count, from.place.extents.back()}, buffer,
                       stage, uint64_t(aligned));
  }
  /// What `gather` would load, to be read by threads that would hold it.
  void fetchRows(Value source, const Place &place, Value rows, Value buffer,
                 Value stage, int64_t aligned) {
    FetchRowsOp::create(b, source, place.offsets, rows, place.dims, buffer,
                        stage, uint64_t(aligned));
  }
  void commit() { CommitOp::create(b); }
  /// For this thread's own copies but those of the newest groups.
  void waitForOwn(int64_t pending) { WaitOp::create(b, uint64_t(pending)); }
  /// For all threads' copies but those of the newest `pending` groups.
  void waitForAll(int64_t pending) {
    WaitOp::create(b, uint64_t(pending));
    BarrierOp::create(b);
  }
  /// A ring of stages that `fill` begins to fill in each step, by `copyBox`.
  Value fillRing(Value steps, int64_t stages,
                 function_ref<void(Value step, Value stage)> fill) {
    auto op = FillRingOp::create(b, RingType::get(b.getContext(), stages),
                                 steps, IntegerAttr());
    OpBuilder::InsertionGuard guard(b);
    Type index = b.getIndexType();
    Block *block = b.createBlock(&op.getFill(), {}, {index, index},
                                 {location(), location()});
    fill(block->getArgument(0), block->getArgument(1));
    RingYieldOp::create(b, ValueRange());
    return op;
  }
  void copyBox(Value map, Value row, Value column, Value buffer, Value stage) {
    BulkCopyOp::create(b, map, row, column, buffer, stage, Value());
  }
  void waitForStage(Value ring, Value step) {
    WaitForStageOp::create(b, ring, step);
  }
  void freeStage(Value ring, Value step) { FreeStageOp::create(b, ring, step); }
  Value read(RankedTensorType type, Value buffer, Value stage, Value row,
             Value column) {
    return ReadOp::create(b, type, buffer, stage, row, column,
                          /*transposed=*/false, IntegerAttr());
  }
  /// From row 0 on, each row of the buffer as so many of the tile.
  Value readRepeated(RankedTensorType type, Value buffer, Value stage,
                     int64_t times) {
    Value zero = index(0);
    return ReadOp::create(b, type, buffer, stage, zero, zero,
                          /*transposed=*/false, b.getI64IntegerAttr(times));
  }
  Value readTransposed(RankedTensorType type, Value buffer, Value stage,
                       Value row, Value column) {
    return ReadOp::create(b, type, buffer, stage, row, column,
                          /*transposed=*/true, IntegerAttr());
  }
  /// Elements that numbers choose: tiles of one shape and layout.
  Value pick(Value buffer, Value stage, Value rows, Value columns) {
    auto type =
        withElement(cast<RankedTensorType>(rows.getType()),
                    cast<BufferType>(buffer.getType()).getElementType());
    return PickOp::create(b, type, buffer, stage, rows, columns);
  }
  /// Adds 1 to elements that numbers choose, of columns below one.
  void tally(Value buffer, Value stage, Value rows, Value columns,
             int64_t below) {
    TallyOp::create(b, buffer, stage, rows, columns, uint64_t(below));
  }
  void barrier() { BarrierOp::create(b); }
  void write(Value tile, Value buffer, Value stage, Value row, Value column) {
    WriteOp::create(b, tile, buffer, stage, row, column);
  }

  // Numbers.
  Value reduce(Combine combine, Value tile, int64_t axis) {
    auto type = cast<RankedTensorType>(tile.getType());
    return ReduceOp::create(b, sliceType(type, axis), combine, tile,
                            uint64_t(axis), IntegerAttr());
  }
  /// Sums of the numbers of a row up to each one.
  Value prefixSum(Value tile) {
    return PrefixSumOp::create(b, tile.getType(), tile, IntegerAttr());
  }
  /// A number that all threads hold.
  Value element(Value slice, int64_t number) {
    return tensor::ExtractOp::create(b, slice, index(number));
  }
  /// The only row of a tile, and the tile that has it.
  Value asRow(Value tile) { return reduce(Combine::Maximum, tile, 0); }
  /// Repeats a slice's numbers to a tile of this shape and layout.
  Value broadcast(Value vector, RankedTensorType like) {
    auto type = cast<RankedTensorType>(vector.getType());
    return BroadcastOp::create(b, withElement(like, type.getElementType()),
                               vector);
  }
  Value mma(Value a, Value c, Value sums) {
    return MmaOp::create(b, sums.getType(), a, c, sums);
  }
  /// \param held what one of the matmuls reads from registers; may be null.
  Value warpgroupWait(Value sums, int64_t pending, Value held = {}) {
    return WarpgroupWaitOp::create(b, sums.getType(), sums, uint64_t(pending),
                                   held);
  }
  Value convertLayout(Value tile, RankedTensorType type) {
    return ConvertLayoutOp::create(b, type, tile, IntegerAttr());
  }
  Value fma(Value a, Value c, Value summand) {
    return math::FmaOp::create(b, a, c, summand);
  }
  Value either(Value a, Value c) { return arith::OrIOp::create(b, a, c); }
  Value isEqual(Value a, Value c) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, a, c);
  }
  Value bitcast(Value tile, Type element) {
    auto type = cast<RankedTensorType>(tile.getType());
    return arith::BitcastOp::create(b, withElement(type, element), tile);
  }
  /// To f32, exactly.
  Value widen(Value tile) {
    auto type = cast<RankedTensorType>(tile.getType());
    return type.getElementType().isF32()
               ? tile
               : arith::ExtFOp::create(b, withElement(type, b.getF32Type()),
                                       tile)
                     .getResult();
  }
  Value exp2(Value x) { return math::Exp2Op::create(b, x); }
  Value roundEven(Value x) { return math::RoundEvenOp::create(b, x); }
  Value isLess(Value a, Value c) {
    auto predicate = isa<IndexType>(a.getType()) ? arith::CmpIPredicate::ult
                                                 : arith::CmpIPredicate::slt;
    return arith::CmpIOp::create(b, predicate, a, c);
  }
  /// Compares i32 as unsigned.
  Value isAtLeast(Value a, Value c) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::uge, a, c);
  }
  Value divide(Value a, int64_t c) {
    return c == 1 ? a : arith::DivUIOp::create(b, a, index(c)).getResult();
  }
  Value both(Value a, Value c) { return arith::AndIOp::create(b, a, c); }
  /// Each number with its bits changed.
  Value inverted(Value a) {
    return arith::XOrIOp::create(
        b, a, fillInteger(cast<RankedTensorType>(a.getType()), -1));
  }
  /// An index as i32.
  Value word(Value number) {
    return arith::IndexCastOp::create(b, b.getI32Type(), number);
  }
  /// An index as a tile of i32.
  Value splatIndex(RankedTensorType type, Value number) {
    return splat(withElement(type, b.getI32Type()), word(number));
  }
  /// 1 where the condition holds, and 0 elsewhere.
  Value ones(Value condition) {
    auto type = withElement(cast<RankedTensorType>(condition.getType()),
                            b.getI32Type());
    return select(condition, fillInteger(type, 1), fillInteger(type, 0));
  }
  Value remainder(Value a, int64_t c) {
    return c == 1 ? index(0)
                  : arith::RemUIOp::create(b, a, index(c)).getResult();
  }
  /// Takes unsigned integers, or floating-point numbers, whose NaNs stay.
  Value minimum(Value a, Value c) {
    return isa<FloatType>(getElementTypeOrSelf(a))
               ? arith::MinimumFOp::create(b, a, c).getResult()
               : arith::MinUIOp::create(b, a, c).getResult();
  }
  Value maximum(Value a, Value c) {
    return isa<FloatType>(getElementTypeOrSelf(a))
               ? arith::MaximumFOp::create(b, a, c).getResult()
               : arith::MaxUIOp::create(b, a, c).getResult();
  }

private:
  IntegerAttr attribute(int64_t aligned) {
    return aligned == 0 ? IntegerAttr() : b.getI64IntegerAttr(aligned);
  }
  IntegerAttr attribute(std::optional<int64_t> number) {
    return number ? b.getI64IntegerAttr(*number) : IntegerAttr();
  }
};

} // namespace cheems::tile

#endif
