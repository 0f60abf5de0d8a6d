// One row of SSD as the recurrence: each element of the state is read and
// written once.
#include "SSD.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

void cheems::emitSSDRow(SSDKernel &k, Value t, Value h, Value g) {
  OpBuilder &b = k.b;
  Location loc = k.loc;
  SSDChunkOp op = k.op;
  Value rate = k.read(op.getStep(), {t, h});
  Value decay = math::ExpOp::create(b, loc, k.mul(k.read(op.getA(), h), rate));
  // The pass is bound by memory: as few columns of the state are skipped over
  // as registers allow.
  int64_t most = std::max<int64_t>(k.unit.lanes * k.unit.registers / 2, 1);
  k.columns(most, [&](Value p, VectorType type) {
    Value x = k.load(type, op.getX(), {t, h, p});
    Value in = k.mul(k.spread(type, rate), x), keep = k.spread(type, decay);
    Value y = k.loop(
        k.zero, k.index(k.stateSize), 1, k.zeroOf(type),
        [&](Value n, ValueRange y) {
          for (int64_t c = 0; c < type.getDimSize(0); c += kLineF32) {
            Value next =
                k.add(n, std::max<int64_t>(kStateAhead / k.headSize, 1));
            memref::PrefetchOp::create(
                b, loc, op.getState(), ValueRange{h, next, k.add(p, c)},
                /*isWrite=*/true, /*localityHint=*/3, /*isDataCache=*/true);
          }
          Value added = k.mul(k.spread(type, k.read(op.getB(), {t, g, n})), in);
          Value state = vector::FMAOp::create(
              b, loc, keep, k.load(type, op.getState(), {h, n, p}), added);
          k.store(state, op.getState(), {h, n, p});
          return SmallVector<Value>{
              k.fused(k.read(op.getC(), {t, g, n}), state, y[0])};
        })[0];
    if (op.getSkip()) {
      y = k.fused(k.read(op.getSkip(), h), x, y);
    }
    k.store(y, op.getY(), {t, h, p});
  });
}
