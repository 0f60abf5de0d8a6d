// cheems-emit-entries: C entries that read a cheems_step
// (include/cheems/abi.h).
#include "cheems/Conversion/CPUToLLVM/Passes.h"
#include "cheems/Dialect/Cheems/Utils/StepFields.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace cheems {
#define GEN_PASS_DEF_EMITENTRIESPASS
#include "cheems/Conversion/CPUToLLVM/Passes.h.inc"
} // namespace cheems

using namespace mlir;

namespace {
/// Fields of cheems_step, in order.
enum Field : int32_t {
  tokens,
  tokenCount,
  segments,
  segmentCount,
  rows,
  rowCount,
  logits,
  parameters,
  pools,
  slotCount,
  capacity,
  workspace,
  profile,
  embeddingRows,
  embeddingRowCount,
  embeddings,
  ring
};
constexpr int32_t kUnknown = -1;

int32_t placeOf(cheems::StepField field) {
  using cheems::StepField;
  switch (field) {
  case StepField::Tokens:
    return tokens;
  case StepField::Segments:
    return segments;
  case StepField::Rows:
    return rows;
  case StepField::Logits:
    return logits;
  case StepField::Parameters:
    return parameters;
  case StepField::Pools:
    return pools;
  case StepField::Workspace:
    return workspace;
  case StepField::EmbeddingRows:
    return embeddingRows;
  case StepField::Embeddings:
    return embeddings;
  case StepField::StepLogits: // the host finds the best logits
  case StepField::TopValues:
  case StepField::TopTokens:
  case StepField::LogSums:
    return kUnknown;
  }
  llvm_unreachable("every field has its place, or none");
}

struct EmitEntries : cheems::impl::EmitEntriesPassBase<EmitEntries> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions) {
      if (function->hasAttr(cheems::kEntry) && failed(wrap(function))) {
        return signalPassFailure();
      }
      for (auto mark : function.getOps<cheems::MarkOp>()) {
        mark.emitOpError("is in a function that is not an entry");
        return signalPassFailure();
      }
      if (!function.isExternal()) {
        function.setPrivate();
        // Otherwise the conversion exports even private functions.
        function->setAttr(
            "llvm.linkage",
            LLVM::LinkageAttr::get(&getContext(), LLVM::Linkage::Internal));
      }
    }
    // Their readers are done; what is left is plain LLVM that any tool takes.
    for (StringRef note :
         {cheems::kParameters, cheems::kParameterBytes, cheems::kState,
          cheems::kTarget, cheems::cpu::kStrategy}) {
      getOperation()->removeAttr(note);
    }
  }

  LogicalResult wrap(func::FuncOp function) {
    MLIRContext *context = &getContext();
    LLVMTypeConverter converter(context);
    OpBuilder b(context);
    Location loc = function.getLoc();
    Type pointer = LLVM::LLVMPointerType::get(context), i64 = b.getI64Type();
    Type step = LLVM::LLVMStructType::getLiteral(
        context,
        {pointer, i64, pointer, i64, pointer, i64, pointer, pointer, pointer,
         i64, i64, pointer, pointer, pointer, i64, pointer, i64});
    b.setInsertionPointAfter(function);
    auto symbol = function->getAttrOfType<StringAttr>(cheems::kEntry);
    if (function.isExternal()) {
      return function.emitOpError(
          "is not an entry: cheems.entry names one that has "
          "a body");
    }
    auto entry = func::FuncOp::create(
        b, loc, symbol, FunctionType::get(context, {pointer}, {}));
    Block *block = entry.addEntryBlock();
    b.setInsertionPointToStart(block);
    auto load = [&](int32_t field, Type type) -> Value {
      Value address =
          LLVM::GEPOp::create(b, loc, pointer, step, block->getArgument(0),
                              ArrayRef<LLVM::GEPArg>{0, field});
      return LLVM::LoadOp::create(b, loc, type, address);
    };
    auto constant = [&](int64_t value) -> Value {
      return LLVM::ConstantOp::create(b, loc, i64, b.getI64IntegerAttr(value));
    };

    SmallVector<Value> arguments;
    for (BlockArgument argument : function.getArguments()) {
      auto type = dyn_cast<MemRefType>(argument.getType());
      std::optional<cheems::StepField> named =
          cheems::stepFieldOf(function, argument.getArgNumber());
      int32_t field = named ? placeOf(*named) : kUnknown;
      if (!type || !type.getLayout().isIdentity() || field == kUnknown) {
        return function.emitOpError("argument ")
               << argument.getArgNumber() << " is not a field of cheems_step";
      }
      Value base = load(field, pointer);
      SmallVector<int32_t> extents; // fields that give the dynamic ones
      if (field == pools) {
        auto number = function.getArgAttrOfType<IntegerAttr>(
            argument.getArgNumber(), cheems::kIndex);
        if (!number) {
          return function.emitOpError("argument ")
                 << argument.getArgNumber() << " has no pool index";
        }
        Value slot = LLVM::GEPOp::create(
            b, loc, pointer, pointer, base,
            ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(number.getInt())});
        base = LLVM::LoadOp::create(b, loc, pointer, slot);
        bool rings =
            cheems::isRing(cheems::poolOf(function, argument.getArgNumber()));
        extents = {slotCount, rings ? ring : capacity};
      } else if (field == logits) {
        extents = {rowCount};
      } else if (field == embeddings) {
        extents = {embeddingRowCount};
      } else if (field != parameters && field != workspace) {
        extents = {field + 1};
      }
      Value descriptor =
          describe(b, loc, converter, type, base, extents, load, constant);
      arguments.push_back(
          UnrealizedConversionCastOp::create(b, loc, type, descriptor)
              .getResult(0));
    }
    if (lowerMarks(function)) {
      arguments.push_back(load(profile, pointer));
    }
    func::CallOp::create(b, loc, function, arguments);
    func::ReturnOp::create(b, loc);
    return success();
  }

  /// Marks store the cycle count after a new last argument, unless it is
  /// null. False where there are none.
  bool lowerMarks(func::FuncOp function) {
    SmallVector<cheems::MarkOp> marks(function.getOps<cheems::MarkOp>());
    if (marks.empty()) {
      return false;
    }
    OpBuilder b(function);
    Type pointer = LLVM::LLVMPointerType::get(&getContext()),
         i64 = b.getI64Type();
    (void)function.insertArgument(function.getNumArguments(), pointer, {},
                                  function.getLoc());
    Value counts = function.getArguments().back();
    b.setInsertionPointToStart(&function.front());
    Value null = LLVM::ZeroOp::create(b, function.getLoc(), pointer);
    Value wanted = LLVM::ICmpOp::create(b, function.getLoc(),
                                        LLVM::ICmpPredicate::ne, counts, null);
    for (auto [i, mark] : llvm::enumerate(marks)) {
      Location loc = mark.getLoc();
      b.setInsertionPoint(mark);
      auto guarded = scf::IfOp::create(b, loc, wanted, /*withElse=*/false);
      b.setInsertionPointToStart(guarded.thenBlock());
      Value now = LLVM::CallIntrinsicOp::create(
                      b, loc, i64, b.getStringAttr("llvm.readcyclecounter"),
                      ValueRange())
                      .getResult(0);
      Value place =
          LLVM::GEPOp::create(b, loc, pointer, i64, counts,
                              ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
      LLVM::StoreOp::create(b, loc, now, place);
      mark.erase();
    }
    return true;
  }

  template <typename Load, typename Constant>
  Value describe(OpBuilder &b, Location loc, LLVMTypeConverter &converter,
                 MemRefType type, Value base, ArrayRef<int32_t> extents,
                 Load load, Constant constant) {
    auto descriptor =
        MemRefDescriptor::poison(b, loc, converter.convertType(type));
    descriptor.setAllocatedPtr(b, loc, base);
    descriptor.setAlignedPtr(b, loc, base);
    descriptor.setOffset(b, loc, constant(0));
    SmallVector<Value> sizes;
    for (int64_t extent : type.getShape()) {
      if (!ShapedType::isDynamic(extent)) {
        sizes.push_back(constant(extent));
      } else if (extents.empty()) {
        sizes.push_back(constant(
            std::numeric_limits<int64_t>::max())); // bytes: views carry their
                                                   // own sizes
      } else {
        sizes.push_back(load(extents.front(), b.getI64Type()));
        extents = extents.drop_front();
      }
    }
    Value stride = constant(1);
    for (int64_t i = type.getRank() - 1; i >= 0; --i) {
      descriptor.setSize(b, loc, i, sizes[i]);
      descriptor.setStride(b, loc, i, stride);
      stride = i ? LLVM::MulOp::create(b, loc, stride, sizes[i]).getResult()
                 : stride;
    }
    return descriptor;
  }
};
} // namespace
