// cheems-lower-parameters: offsets in the weight section, and views of it.
#include "cheems/Dialect/Cheems/IR/AttributeNames.h"
#include "cheems/Target/CPU/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::cheems {
#define GEN_PASS_DEF_LOWERPARAMETERSPASS
#include "cheems/Target/CPU/Passes.h.inc"
} // namespace mlir::cheems

using namespace mlir;

namespace {
struct LowerParameters
    : cheems::impl::LowerParametersPassBase<LowerParameters> {
  /// What makes two parameters one: names, type, layout, permutation, whether
  /// they are side by side, what of them is rounded.
  using Key =
      std::tuple<Attribute, Type, Attribute, Attribute, Attribute, Attribute>;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    Builder attributes(&getContext());
    llvm::MapVector<Key, int64_t> offsets;
    int64_t end = 0;
    SmallVector<cheems::ParameterOp> ops;
    module.walk([&](cheems::ParameterOp op) { ops.push_back(op); });
    for (cheems::ParameterOp op : ops) {
      auto type = cast<RankedTensorType>(op.getResult().getType());
      auto [entry, fresh] = offsets.try_emplace(
          Key(op.getNames(), type, op.getLayoutAttr(), op.getPermuteAttr(),
              op.getBesideAttr(), op.getQuantizedAttr()),
          end);
      if (fresh) {
        end = llvm::alignTo(end + type.getNumElements() *
                                      type.getElementTypeBitWidth() / 8,
                            64);
      }
      if (failed(lower(op, type, entry->second))) {
        return signalPassFailure();
      }
    }
    SmallVector<Attribute> table;
    for (auto &[key, offset] : offsets) {
      auto [names, type, layout, permute, beside, quantized] = key;
      NamedAttrList fields;
      fields.append("names", names);
      fields.append("type", TypeAttr::get(type));
      if (layout) {
        fields.append("layout", layout);
      }
      if (permute) {
        fields.append("permute", permute);
      }
      if (beside) {
        fields.append("beside", beside);
      }
      if (quantized) {
        fields.append("quantized", quantized);
      }
      fields.append("offset", attributes.getI64IntegerAttr(offset));
      table.push_back(fields.getDictionary(&getContext()));
    }
    module->setAttr(cheems::kParameters, attributes.getArrayAttr(table));
    module->setAttr(cheems::kParameterBytes, attributes.getI64IntegerAttr(end));
  }

  LogicalResult lower(cheems::ParameterOp op, RankedTensorType type,
                      int64_t offset) {
    auto function = op->getParentOfType<func::FuncOp>();
    Value section;
    for (BlockArgument argument : function.getArguments()) {
      auto field = function.getArgAttrOfType<StringAttr>(
          argument.getArgNumber(), cheems::kField);
      if (field && field.getValue() == "parameters") {
        section = argument;
      }
    }
    if (!section) {
      return op.emitOpError("is in a function without an argument "
                            "{cheems.field = \"parameters\"}");
    }
    OpBuilder b(op);
    Value at = arith::ConstantIndexOp::create(b, op.getLoc(), offset);
    auto memref = MemRefType::get(type.getShape(), type.getElementType());
    Value view = memref::ViewOp::create(b, op.getLoc(), memref, section, at,
                                        ValueRange{});
    // Not writable: an attempt to write a weight becomes a copy, which
    // cheems-check-kernels refuses.
    Value tensor = bufferization::ToTensorOp::create(
        b, op.getLoc(), type, view, /*restrict=*/true, /*writable=*/false);
    op.replaceAllUsesWith(tensor);
    op.erase();
    return success();
  }
};
} // namespace
