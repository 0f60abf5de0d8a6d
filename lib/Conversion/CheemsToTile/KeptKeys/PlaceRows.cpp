// Finds where those rows of a prompt go that stay in the end. A row takes the
// place of what it replaces, as in decoding, which may be a row that has
// replaced another one. So its index is the end of a chain.
#include "Attention/AttentionKernels.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

namespace {
class RowIndices {
public:
  RowIndices(TileBuilder &t, WindowTileAttr s, const AttentionShape &shape,
             const AttentionMemory &memory, const KeptChoice &choice,
             Value mask)
      : t(t), s(s), shape(shape), memory(memory), lists(memory.candidates),
        choice(choice), mask(mask) {
    tile = t.tileType({1, s.getChained()}, t.b.getI32Type(),
                      BlockedAttr::get(t.b.getContext(), 1, s.getChainThreads(),
                                       /*width=*/1));
    row = t.sliceType(tile, 0);
    buffer =
        t.alloc({1, 1, s.getChained()}, t.b.getI32Type(), /*swizzled=*/false);
  }

  void build() {
    head = t.block(GridDimension::X);
    segmentNumber = t.block(GridDimension::Y);
    segment = loadSegment(t, memory.segments, segmentNumber, /*oneRow=*/false);
    past = t.add(segment.start, segment.length);
    t.each(segment.start, past, s.getChained(), [&](Value first) {
      findIndices(first);
      // Later rows may have replaced these.
      t.barrier();
    });
    t.when(t.isLess(t.index(0), segment.length), [&] { storeStaying(); });
  }

private:
  Value keep(RankedTensorType type) { return t.fillInteger(type, shape.keep); }
  Value none(RankedTensorType type) { return t.fillInteger(type, kNone); }
  /// Indices of rows, which are numbers of the step's.
  Value indicesOf(Value rows) {
    return t.gather(row, choice.indices, {{head, t.index(0)}, {1}}, rows);
  }

  /// How often a chain of all rows from `first` on has to be halved.
  Value halvings(Value first) {
    Value length = t.sub(past, first), count = t.index(0);
    for (int64_t rows = 1; rows < s.getChained(); rows *= 2) {
      count = t.select(t.isLess(t.index(rows), length),
                       t.index(llvm::Log2_64(uint64_t(rows)) + 1), count);
    }
    return count;
  }

  void findIndices(Value first) {
    Value replaced = t.load(row, choice.replaced, {{head, first}, {1}, {past}});
    // Numbers of rows, counted from the first one.
    Value begin = t.splatIndex(row, t.add(first, shape.keep));
    Value number = t.sub(replaced, begin);
    Value isEntry = t.isLess(replaced, keep(row));
    Value isEarlier =
        t.both(t.isLess(number, t.fillInteger(row, 0)),
               t.isLess(t.fillInteger(row, shape.keep - 1), replaced));
    Value earlier =
        indicesOf(t.select(isEarlier, t.sub(replaced, keep(row)), none(row)));
    Value known = t.select(isEntry, replaced, earlier);
    Value isKnown = t.either(isEntry, isEarlier);
    Value next =
        t.broadcast(t.select(isKnown, known, t.add(number, keep(row))), tile);
    Value zeros = t.fillInteger(tile, 0);
    // Each round makes what is left of a chain half as long.
    next = t.loop(t.index(0), halvings(first), 1, next,
                  [&](Value, ValueRange now) -> SmallVector<Value> {
                    t.write(now[0], buffer, t.index(0), t.index(0), t.index(0));
                    t.barrier();
                    Value isRow =
                        t.isLess(t.fillInteger(tile, shape.keep - 1), now[0]);
                    Value at =
                        t.select(isRow, t.sub(now[0], keep(tile)), zeros);
                    Value then = t.pick(buffer, t.index(0), zeros, at);
                    t.barrier();
                    return {t.select(isRow, then, now[0])};
                  })[0];
    next = t.asRow(next);
    // A row that has replaced itself was never kept.
    t.store(t.select(t.isLess(next, keep(row)), next, none(row)),
            choice.indices, {{head, first}, {1}, {past}});
  }

  /// What the last block's rows leave are the entries after the step.
  void storeStaying() {
    Value last = t.divide(t.sub(segment.length, t.index(1)), shape.block);
    WindowBlock block = WindowBlock::of(t, shape, segment, segmentNumber, last,
                                        t.extent(lists.rowKeys, 3));
    Value count = t.add(block.kept, block.count);
    // Before the first block there are no rows of the step.
    Value begin = t.select(t.isLess(last, t.index(1)), block.kept, t.index(0));
    t.each(begin, count, s.getChained(), [&](Value first) {
      Place listed{{block.list, head, first}, {2}, {count}};
      Value number = t.load(row, lists.numbers, listed);
      Value until = t.load(row, lists.untils, listed);
      Value stays = t.isLess(t.fillInteger(row, shape.block - 1), until);
      Value isRow = t.isLess(t.fillInteger(row, shape.keep - 1), number);
      Value chosen =
          t.select(t.both(stays, isRow), t.sub(number, keep(row)), none(row));
      storeRows(chosen, t.select(t.isLess(chosen, t.fillInteger(row, 0)),
                                 none(row), indicesOf(chosen)));
    });
  }

  void storeRows(Value rows, Value indices) {
    Value zero = t.index(0);
    auto f32 = t.withElement(row, t.b.getF32Type());
    SmallVector<Value> pool = {segment.slot, memory.layer, head, zero};
    auto store = [&](Value numbers, Value target) {
      t.scatter(numbers, target, pool, indices, 3);
    };
    store(t.gather(f32, mask, {{zero, head}, {0}}, rows), memory.masks);
    Value position =
        t.add(rows, t.splatIndex(row, t.sub(segment.position, segment.start)));
    store(position, memory.positions);
    if (shape.isQuantized()) {
      for (auto [scales, target] :
           {std::pair(lists.rowKeyScales, memory.keyScales),
            std::pair(lists.rowValueScales, memory.valueScales)}) {
        store(t.gather(f32, scales, {{zero, zero, head, zero}, {3}}, rows),
              target);
      }
    }
  }

  static constexpr int64_t kNone = -1;
  TileBuilder &t;
  WindowTileAttr s;
  const AttentionShape &shape;
  const AttentionMemory &memory;
  const Candidates &lists;
  const KeptChoice &choice;
  Value mask, buffer;
  RankedTensorType tile, row;
  Value head, segmentNumber, past;
  SegmentRow segment;
};
} // namespace

void cheems::tile::buildPlaceRows(TileBuilder &t, WindowTileAttr s,
                                  const AttentionShape &shape,
                                  const AttentionMemory &memory,
                                  const KeptChoice &choice, Value mask) {
  RowIndices(t, s, shape, memory, choice, mask).build();
}
