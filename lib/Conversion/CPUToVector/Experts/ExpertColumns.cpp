// Columns of the rows that experts are: loads that widen, loops over columns,
// lines prefetched, sums of lanes.
#include "ExpertMixing.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

Value Mixing::load(Value buffer, ValueRange at, Value d, Value mask) {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  auto stored = VectorType::get(lanes.getShape(), element);
  SmallVector<Value> indices(at);
  indices.push_back(d);
  auto widen = [&](Type type, Value value) -> Value {
    if (element.isInteger()) {
      return arith::SIToFPOp::create(b, loc, type, value);
    }
    return element.isF32()
               ? value
               : arith::ExtFOp::create(b, loc, type, value).getResult();
  };
  if (size < kLanes) {
    // One by one: AVX2 has no masked load of bf16.
    Value row = zeros();
    for (int64_t c = 0; c < size; ++c) {
      indices.back() = add(d, c);
      Value one = widen(b.getF32Type(),
                        memref::LoadOp::create(b, loc, buffer, indices));
      row = vector::InsertOp::create(b, loc, one, row, ArrayRef<int64_t>{c});
    }
    return row;
  }
  Value value =
      widen(lanes, vector::LoadOp::create(b, loc, stored, buffer, indices));
  return mask
             ? arith::SelectOp::create(b, loc, mask, value, zeros()).getResult()
             : value;
}

void Mixing::store(Value value, Value buffer, ValueRange at, Value d,
                   Value mask) {
  SmallVector<Value> indices(at);
  indices.push_back(d);
  if (mask) {
    vector::MaskedStoreOp::create(b, loc, buffer, indices, mask, value);
  } else {
    vector::StoreOp::create(b, loc, value, buffer, indices);
  }
}

SmallVector<Value> Mixing::columnsOfX(Value t, Value d, int64_t vectors,
                                      Value mask) {
  SmallVector<Value> result;
  for (int64_t v = 0; v < vectors; ++v) {
    result.push_back(load(op.getX(), t, add(d, v * kLanes), mask));
  }
  if (!isDeinterleaved(result.size())) {
    return result;
  }
  SmallVector<int64_t> even, odd;
  for (int64_t i = 0; i < 2 * kLanes; i += 2) {
    even.push_back(i);
    odd.push_back(i + 1);
  }
  for (int64_t v = 0; v < vectors; v += 2) {
    Value left = result[v], right = result[v + 1];
    result[v] = vector::ShuffleOp::create(b, loc, left, right, even);
    result[v + 1] = vector::ShuffleOp::create(b, loc, left, right, odd);
  }
  return result;
}

SmallVector<Value> Mixing::columnsOfRow(Value table, Value row, Value d,
                                        int64_t vectors, Value mask) {
  if (!isDeinterleaved(vectors)) {
    SmallVector<Value> result;
    for (int64_t v = 0; v < vectors; ++v) {
      result.push_back(load(table, row, add(d, v * kLanes), mask));
    }
    return result;
  }
  auto words = VectorType::get({kLanes}, b.getI32Type());
  SmallVector<Value> result;
  for (int64_t v = 0; v < vectors; v += 2) {
    Value both = vector::BitCastOp::create(
        b, loc, words,
        vector::LoadOp::create(b, loc,
                               VectorType::get({2 * kLanes}, b.getBF16Type()),
                               table, ValueRange{row, add(d, v * kLanes)}));
    Value even = arith::ShLIOp::create(b, loc, both, integer(words, 16));
    Value odd = arith::AndIOp::create(b, loc, both, integer(words, -65536));
    result.push_back(arith::BitcastOp::create(b, loc, lanes, even));
    result.push_back(arith::BitcastOp::create(b, loc, lanes, odd));
  }
  return result;
}

SmallVector<Value> Mixing::inOrder(ValueRange vectors) {
  if (!isDeinterleaved(vectors.size())) {
    return vectors;
  }
  SmallVector<Value> result;
  for (size_t v = 0; v < vectors.size(); v += 2) {
    for (int64_t from : {int64_t(0), kLanes / 2}) {
      SmallVector<int64_t> order;
      for (int64_t i = from; i < from + kLanes / 2; ++i) {
        llvm::append_range(order, ArrayRef<int64_t>{i, i + kLanes});
      }
      result.push_back(
          vector::ShuffleOp::create(b, loc, vectors[v], vectors[v + 1], order));
    }
  }
  return result;
}

SmallVector<Value> Mixing::columns(
    int64_t most, ValueRange init,
    function_ref<SmallVector<Value>(Value, int64_t, Value, ValueRange)> body) {
  SmallVector<Value> state(init);
  int64_t from = 0;
  for (int64_t vectors : {most, step, int64_t(1)}) {
    int64_t width = vectors * kLanes;
    int64_t to = from + (size - from) / width * width;
    if (to > from) {
      state = loop(index(from), index(to), width, state,
                   [&](Value d, ValueRange args) {
                     return body(d, vectors, Value(), args);
                   });
    }
    from = to;
  }
  if (from == size) {
    return state;
  }
  SmallVector<bool> last(kLanes);
  int64_t begin = std::max<int64_t>(size - kLanes, 0);
  for (int64_t lane = 0; lane < kLanes; ++lane) {
    last[lane] = begin + lane >= from && begin + lane < size;
  }
  Value mask = arith::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(VectorType::get({kLanes}, b.getI1Type()),
                             ArrayRef<bool>(last)));
  return body(index(begin), 1, mask, state);
}

void Mixing::fetch(Value table, ValueRange rows, Value d, int64_t columns) {
  int64_t bytes =
      cast<MemRefType>(table.getType()).getElementTypeBitWidth() / 8;
  for (Value row : rows) {
    for (int64_t c = 0; c < columns; c += kLineBytes / bytes) {
      memref::PrefetchOp::create(b, loc, table, ValueRange{row, add(d, c)},
                                 /*isWrite=*/false, /*locality=*/2,
                                 /*isDataCache=*/true);
    }
  }
}

void Mixing::fetchScales(ValueRange rows) {
  if (!op.getDownScales()) {
    return;
  }
  for (Value scales : {op.getDownScales(), op.getUpScales()}) {
    for (Value row : rows) {
      memref::PrefetchOp::create(b, loc, scales, row, /*isWrite=*/false,
                                 /*locality=*/2, /*isDataCache=*/true);
    }
  }
}

void Mixing::fetchAll(ValueRange rows) {
  fetchScales(rows);
  for (Value table : {op.getDown(), op.getUp()}) {
    columns(
        {},
        [&](Value d, int64_t vectors, Value, ValueRange) -> SmallVector<Value> {
          fetch(table, rows, d, vectors * kLanes);
          return {};
        });
  }
}

Value Mixing::addLanes(SmallVector<Value> vectors) {
  for (int64_t left = kLanes; left > 1; left /= 2) {
    SmallVector<Value> next;
    while (vectors.size() > 1 && vectors.size() % 2 != 0) {
      vectors.push_back(vectors.back());
    }
    for (size_t v = 0; v < vectors.size(); v += 2) {
      Value a = vectors[v], c = vectors[std::min(v + 1, vectors.size() - 1)];
      bool two = vectors.size() > 1;
      int64_t width = cast<VectorType>(a.getType()).getDimSize(0);
      SmallVector<int64_t> low, high;
      for (int64_t from = 0; from < (two ? 2 : 1) * width; from += left) {
        llvm::append_range(low, llvm::seq(from, from + left / 2));
        llvm::append_range(high, llvm::seq(from + left / 2, from + left));
      }
      next.push_back(add(vector::ShuffleOp::create(b, loc, a, c, low),
                         vector::ShuffleOp::create(b, loc, a, c, high)));
    }
    vectors = std::move(next);
  }
  return vectors.front();
}
