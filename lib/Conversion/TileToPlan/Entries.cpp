// An entry's arguments are fields of a step.
#include "Patterns.h"
#include "cheems/Dialect/Cheems/Utils/StepFields.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace cheems {

std::optional<StepField> fieldOf(func::FuncOp entry, unsigned argument) {
  auto field = entry.getArgAttrOfType<StepFieldAttr>(argument, kField);
  return field ? std::optional(field.getValue()) : std::nullopt;
}

namespace {
/// A field of the step that has memory of its own.
struct Memory {
  plan::StepField address;
  plan::StepSize outermost;
};

std::optional<Memory> ownMemory(StepField field) {
  using Address = plan::StepField;
  using plan::StepSize;
  switch (field) {
  case StepField::Tokens:
    return Memory{Address::Tokens, StepSize::Tokens};
  case StepField::Segments:
    return Memory{Address::Segments, StepSize::Segments};
  case StepField::Rows:
    return Memory{Address::Rows, StepSize::Rows};
  case StepField::Logits:
  case StepField::StepLogits:
    return Memory{Address::Logits, StepSize::Rows};
  case StepField::EmbeddingRows:
    return Memory{Address::EmbeddingRows, StepSize::EmbeddingRows};
  case StepField::Embeddings:
    return Memory{Address::Embeddings, StepSize::EmbeddingRows};
  case StepField::TopValues:
    return Memory{Address::TopValues, StepSize::Rows};
  case StepField::TopTokens:
    return Memory{Address::TopTokens, StepSize::Rows};
  case StepField::LogSums:
    return Memory{Address::LogSums, StepSize::Rows};
  case StepField::Parameters:
  case StepField::Pools:
  case StepField::Workspace: // the plan has areas in its place
    return std::nullopt;
  }
  llvm_unreachable("every field has memory of its own, or none");
}

/// Memory of an argument, and the size that its outermost extent is.
std::pair<Value, plan::StepSize> memoryOf(OpBuilder &b, func::FuncOp entry,
                                          BlockArgument argument) {
  unsigned number = argument.getArgNumber();
  Location loc = argument.getLoc();
  Type address = plan::AddressType::get(b.getContext());
  StepField field = *fieldOf(entry, number);
  if (field == StepField::Parameters) {
    // The array of all weights has a static extent: this size is not asked for.
    return {plan::WeightsOp::create(b, loc, address, 0),
            plan::StepSize::Tokens};
  }
  if (field == StepField::Pools) {
    auto index = entry.getArgAttrOfType<IntegerAttr>(number, kIndex).getInt();
    return {plan::PoolOp::create(b, loc, address, index),
            plan::StepSize::Slots};
  }
  Memory memory = *ownMemory(field);
  return {plan::FieldOp::create(b, loc, address, memory.address),
          memory.outermost};
}

/// What the argument of an entry is in a plan.
SmallVector<Value> valuesOf(OpBuilder &b, func::FuncOp entry,
                            BlockArgument argument) {
  auto [address, outermost] = memoryOf(b, entry, argument);
  SmallVector<Value> values{address};
  auto type = cast<MemRefType>(argument.getType());
  for (auto [dimension, extent] : llvm::enumerate(type.getShape())) {
    if (ShapedType::isDynamic(extent)) {
      auto size = dimension == 0 ? outermost
                  : isRing(poolOf(entry, argument.getArgNumber()))
                      ? plan::StepSize::Ring
                      : plan::StepSize::Capacity;
      // It is called by what it is, whichever array has it.
      auto loc = NameLoc::get(b.getStringAttr(plan::stringifyStepSize(size)),
                              argument.getLoc());
      values.push_back(plan::SizeOp::create(b, loc, b.getIndexType(), size));
    }
  }
  return values;
}

struct ConvertEntry : OpConversionPattern<func::FuncOp> {
  using OpConversionPattern::OpConversionPattern;

  /// What the entry is for, and how many rows or logits.
  static std::pair<plan::EntryKind, IntegerAttr> kindOf(func::FuncOp entry) {
    for (BlockArgument argument : entry.getArguments()) {
      if (fieldOf(entry, argument.getArgNumber()) == StepField::TopValues) {
        int64_t count = cast<ShapedType>(argument.getType()).getDimSize(1);
        return {plan::EntryKind::TopLogits,
                Builder(entry.getContext()).getI64IntegerAttr(count)};
      }
    }
    auto rows = entry->getAttrOfType<IntegerAttr>(kMostRows);
    return {rows ? plan::EntryKind::Decode : plan::EntryKind::General, rows};
  }

  LogicalResult
  matchAndRewrite(func::FuncOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto [kind, count] = kindOf(op);
    auto entry = plan::EntryOp::create(rewriter, op.getLoc(), op.getSymName(),
                                       kind, count);
    rewriter.inlineRegionBefore(op.getBody(), entry.getBody(),
                                entry.getBody().end());
    Block *body = &entry.getBody().front();
    rewriter.setInsertionPointToStart(body);
    TypeConverter::SignatureConversion signature(body->getNumArguments());
    for (BlockArgument argument : body->getArguments()) {
      signature.remapInput(argument.getArgNumber(),
                           valuesOf(rewriter, op, argument));
    }
    rewriter.applySignatureConversion(body, signature, getTypeConverter());
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

bool isPlanField(StepField field) {
  return field == StepField::Parameters || field == StepField::Pools ||
         ownMemory(field);
}

void populateEntryPatterns(const TypeConverter &types,
                           RewritePatternSet &patterns) {
  patterns.add<ConvertEntry>(types, patterns.getContext());
}

} // namespace cheems
