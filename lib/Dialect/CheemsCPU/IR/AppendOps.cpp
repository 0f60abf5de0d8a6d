// append_visible: verification and its one lowering, scalar loops.
#include "EntryScales.h"
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include "lib/Dialect/Cheems/IR/EntryUtils.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

LogicalResult AppendVisibleOp::verify() {
  ArrayRef<int64_t> key = shapeOf(getKey()), mask = shapeOf(getMask()),
                    keys = shapeOf(getKeys()),
                    stored = shapeOf(getStoredMask());
  if (failed(verifySameShape(*this, "C1", key, shapeOf(getValue()),
                             "shapes of key and value"))) {
    return failure();
  }
  if (getKeys().getType() != getValues().getType() || keys[0] != 1 ||
      !compatible(keys[2], key[1])) {
    return emitOpError(
        "C2: keys and values have the same type [1, C, P], with the P of key");
  }
  if (!compatible(mask[0], key[0]) || !compatible(stored[0], mask[1]) ||
      !compatible(stored[1], keys[1])) {
    return emitOpError("C3: mask is [T, M] with the T of key, stored_mask "
                       "[M, C] with the C of keys");
  }
  if (!compatible(shapeOf(getSeen())[0], key[0])) {
    return emitOpError("C4: seen is [T] with the T of key");
  }
  return verifyEntryScales(*this, "C5");
}

namespace {
/// The loops' shared context for row t.
struct Row {
  AppendVisibleOp op;
  Value t, zero, one;

  /// Whether some head may see the row; false for NaN.
  Value visible(OpBuilder &b, Location loc) {
    Value heads = tensor::DimOp::create(b, loc, op.getMask(), one);
    Value none = arith::ConstantOp::create(b, loc, b.getBoolAttr(false));
    Value bound =
        constantF32(b, loc, leastF32(op.getHideBelow()).convertToFloat());
    auto any = scf::ForOp::create(
        b, loc, zero, heads, one, none,
        [&](OpBuilder &b, Location loc, Value m, ValueRange found) {
          Value mask =
              tensor::ExtractOp::create(b, loc, op.getMask(), ValueRange{t, m});
          Value shown = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGE,
                                              mask, bound);
          scf::YieldOp::create(
              b, loc,
              arith::OrIOp::create(b, loc, found[0], shown).getResult());
        });
    return any.getResult(0);
  }

  /// Row t of `from` [T, P] becomes entry e of `entries` [1, C, P], and of its
  /// `scales` where it has some.
  Value store(OpBuilder &b, Location loc, Value from, Value entries, Value e,
              Value *scales) {
    Value size = tensor::DimOp::create(b, loc, from, one);
    Type element = cast<ShapedType>(entries.getType()).getElementType();
    std::optional<RowScale> row;
    if (scales) {
      row.emplace(b, loc, from, t);
      *scales = tensor::InsertOp::create(b, loc, row->scale, *scales,
                                         ValueRange{zero, e});
    }
    auto copy = scf::ForOp::create(
        b, loc, zero, size, one, entries,
        [&](OpBuilder &b, Location loc, Value p, ValueRange args) {
          Value x = tensor::ExtractOp::create(b, loc, from, ValueRange{t, p});
          if (row) {
            x = codeOf(b, loc, x, row->factor);
          } else if (!element.isF32()) {
            x = arith::TruncFOp::create(b, loc, element, x);
          }
          Value next = tensor::InsertOp::create(b, loc, x, args[0],
                                                ValueRange{zero, e, p});
          scf::YieldOp::create(b, loc, next);
        });
    return copy.getResult(0);
  }

  /// The masks of row t become those of entry e.
  Value storeMask(OpBuilder &b, Location loc, Value stored, Value e) {
    Value heads = tensor::DimOp::create(b, loc, op.getMask(), one);
    auto copy = scf::ForOp::create(
        b, loc, zero, heads, one, stored,
        [&](OpBuilder &b, Location loc, Value m, ValueRange args) {
          Value mask =
              tensor::ExtractOp::create(b, loc, op.getMask(), ValueRange{t, m});
          Value next =
              tensor::InsertOp::create(b, loc, mask, args[0], ValueRange{m, e});
          scf::YieldOp::create(b, loc, next);
        });
    return copy.getResult(0);
  }
};
} // namespace

FailureOr<SmallVector<Value>>
AppendVisibleOp::decomposeOperation(OpBuilder &b) {
  Location loc = getLoc();
  Value zero = constantIndex(b, loc, 0), one = constantIndex(b, loc, 1);
  Value rows = tensor::DimOp::create(b, loc, getKey(), zero);
  // keys, values, masks, seen, scales where there are some, entries so far
  SmallVector<Value> inits(getDpsInits());
  size_t last = inits.size();
  bool coded = static_cast<bool>(getKeyScales());
  inits.push_back(getCount());
  auto loop = scf::ForOp::create(
      b, loc, zero, rows, one, inits,
      [&](OpBuilder &b, Location loc, Value t, ValueRange args) {
        Row row{*this, t, zero, one};
        Value count = args[last];
        auto stored = scf::IfOp::create(
            b, loc, row.visible(b, loc),
            [&](OpBuilder &b, Location loc) {
              SmallVector<Value> next(args);
              Value *keyScales = coded ? &next[4] : nullptr,
                    *valueScales = coded ? &next[5] : nullptr;
              next[0] = row.store(b, loc, getKey(), next[0], count, keyScales);
              next[1] =
                  row.store(b, loc, getValue(), next[1], count, valueScales);
              next[2] = row.storeMask(b, loc, next[2], count);
              next[last] = arith::AddIOp::create(b, loc, count, one);
              next.erase(next.begin() + 3);
              scf::YieldOp::create(b, loc, next);
            },
            [&](OpBuilder &b, Location loc) {
              SmallVector<Value> same(args);
              same.erase(same.begin() + 3);
              scf::YieldOp::create(b, loc, same);
            });
        SmallVector<Value> next(stored.getResults());
        Value number =
            arith::IndexCastOp::create(b, loc, b.getI32Type(), next.back());
        Value seen =
            tensor::InsertOp::create(b, loc, number, args[3], ValueRange{t});
        next.insert(next.begin() + 3, seen);
        scf::YieldOp::create(b, loc, next);
      });
  return SmallVector<Value>(loop.getResults().drop_back());
}
