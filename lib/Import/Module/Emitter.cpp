// Builders of what a model is made of.
#include "Emitter.h"
#include "Locations.h"

namespace cheems {
using namespace mlir;

void Emitter::begin(Block *body, Value first) {
  b.setInsertionPointToStart(body);
  LocationScope here(b, namedLocation(b.getContext(), "rows"));
  rowCount = tensor::getMixedSize(b, b.getLoc(), first, 0);
  zeroOfBody = {};
}

Value Emitter::zero() {
  if (!zeroOfBody) {
    LocationScope here(b, namedLocation(b.getContext(), "zero"));
    zeroOfBody = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
  }
  return zeroOfBody;
}

Value Emitter::emptyRows(Value like, Type element) {
  SmallVector<OpFoldResult> extents{rowCount};
  for (int64_t extent :
       cast<RankedTensorType>(like.getType()).getShape().drop_front()) {
    extents.push_back(attr(extent));
  }
  return empty(extents, element);
}

Value Emitter::zeroRows(int64_t columns) {
  Value rows = empty({rowCount, attr(columns)}, b.getF32Type());
  return linalg::FillOp::create(b, zero(), rows).getResult(0);
}

Value Emitter::project(Value x, Value weight, Value bias, Value y) {
  LocationScope here(b, weight.getLoc());
  AffineExpr m = b.getAffineDimExpr(0), n = b.getAffineDimExpr(1),
             k = b.getAffineDimExpr(2);
  MLIRContext *context = b.getContext();
  auto operandMap = [&](AffineExpr row, AffineExpr column) -> Attribute {
    return AffineMapAttr::get(AffineMap::get(3, 0, {row, column}, context));
  };
  SmallVector<Attribute> maps{operandMap(m, k), operandMap(n, k),
                              operandMap(m, n)};
  int64_t columns = cast<RankedTensorType>(weight.getType()).getDimSize(0);
  // Biased rows go into a tensor of their own: the matmul may become a slice
  // of a merged one, which others read.
  Value product = y && !bias ? linalg::FillOp::create(b, zero(), y).getResult(0)
                             : zeroRows(columns);
  product = linalg::MatmulOp::create(
                b, product.getType(), ValueRange{x, weight}, product,
                {b.getNamedAttr("indexing_maps", b.getArrayAttr(maps))})
                .getResult(0);
  if (!bias) {
    return product;
  }
  AffineMap all = b.getMultiDimIdentityMap(2);
  return map({product, bias}, {all, all.dropResult(0)},
             y ? y : emptyRows(product, b.getF32Type()),
             [](OpBuilder &builder, Location loc, ValueRange args) -> Value {
               return arith::AddFOp::create(builder, loc, args[0], args[1]);
             });
}

Value Emitter::rmsNorm(Value x, Value weight, double epsilon, Value y) {
  LocationScope here(b, weight.getLoc());
  y = y ? y : emptyRows(x, b.getF32Type());
  return RmsNormOp::create(b, TypeRange{y.getType()}, x, weight, y,
                           b.getF64FloatAttr(epsilon))
      .getResult(0);
}

Value Emitter::splitHeads(Value x, int64_t heads) {
  auto type = cast<RankedTensorType>(x.getType());
  int64_t size = type.getDimSize(1) / heads;
  SmallVector<OpFoldResult> shape{rowCount, attr(heads), attr(size)};
  auto split = RankedTensorType::get({type.getDimSize(0), heads, size},
                                     type.getElementType());
  return tensor::ExpandShapeOp::create(
      b, split, x, SmallVector<ReassociationIndices>{{0}, {1, 2}}, shape);
}

Value Emitter::mergeHeads(Value x) {
  return tensor::CollapseShapeOp::create(
      b, x, SmallVector<ReassociationIndices>{{0}, {1, 2}});
}

Value Emitter::rotate(Value x, Value cosine, Value sine) {
  if (!cosine) {
    return x;
  }
  Value y = emptyRows(x, b.getF32Type());
  return RotaryOp::create(b, TypeRange{y.getType()}, x, cosine, sine, y)
      .getResult(0);
}

static Value times(OpBuilder &builder, Location loc, Value x, double factor) {
  if (factor == 1.0) {
    return x;
  }
  Value constant = arith::ConstantOp::create(
      builder, loc, builder.getF32FloatAttr(float(factor)));
  return arith::MulFOp::create(builder, loc, x, constant);
}

Value Emitter::scaled(Value x, double factor) {
  if (factor == 1.0) {
    return x;
  }
  return map(x, b.getMultiDimIdentityMap(2), emptyRows(x, b.getF32Type()),
             [&](OpBuilder &builder, Location loc, ValueRange args) {
               return times(builder, loc, args[0], factor);
             });
}

Value Emitter::scaledInPlace(Value x, double factor) {
  if (factor == 1.0) {
    return x;
  }
  return map(ValueRange(), ArrayRef<AffineMap>(), x,
             [&](OpBuilder &builder, Location loc, ValueRange args) {
               return times(builder, loc, args[0], factor);
             });
}

Value Emitter::residual(Value x, Value scale, Value y, double factor) {
  if (!scale && !y) {
    return x;
  }
  LocationScope here(b, scale ? scale.getLoc() : b.getLoc());
  AffineMap all = b.getMultiDimIdentityMap(2), row = all.dropResult(0);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  if (scale) {
    inputs.push_back(scale);
    maps.push_back(row);
  }
  if (y) {
    inputs.push_back(y);
    maps.push_back(cast<RankedTensorType>(y.getType()).getRank() == 1 ? row
                                                                      : all);
  }
  return map(inputs, maps, x,
             [&](OpBuilder &builder, Location loc, ValueRange args) -> Value {
               Value kept = scale ? arith::MulFOp::create(builder, loc, args[0],
                                                          args.back())
                                        .getResult()
                                  : args.back();
               if (!y) {
                 return kept;
               }
               Value added = times(builder, loc, args[scale ? 1 : 0], factor);
               return arith::AddFOp::create(builder, loc, kept, added);
             });
}
} // namespace cheems
