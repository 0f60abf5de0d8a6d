// Calls of ThreadSanitizer's run time before accesses of vectors. Its own pass
// knows accesses of up to 16 bytes; sums and rows of ours are wider.
#include "RaceChecks.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include <optional>

namespace {

constexpr uint64_t kWidestKnown = 16;

/// Elements that an instruction touches where a mask says so.
struct MaskedAccess {
  llvm::Value *address; ///< of the first, or a vector of addresses
  llvm::Value *mask;
  llvm::FixedVectorType *elements;
  bool writes;
};

std::optional<MaskedAccess> maskedAccess(llvm::Instruction &instruction) {
  auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (!call) {
    return std::nullopt;
  }
  bool writes = false;
  switch (call->getIntrinsicID()) {
  case llvm::Intrinsic::masked_store:
  case llvm::Intrinsic::masked_scatter:
    writes = true;
    break;
  case llvm::Intrinsic::masked_load:
  case llvm::Intrinsic::masked_gather:
    break;
  default:
    return std::nullopt;
  }
  llvm::Type *elements =
      writes ? call->getArgOperand(0)->getType() : call->getType();
  MaskedAccess access{call->getArgOperand(writes ? 1 : 0), nullptr,
                      llvm::dyn_cast<llvm::FixedVectorType>(elements), writes};
  for (llvm::Value *operand : call->args()) {
    if (operand->getType()->isVectorTy() &&
        operand->getType()->getScalarType()->isIntegerTy(1)) {
      access.mask = operand;
    }
  }
  return access.mask && access.elements ? std::optional(access) : std::nullopt;
}

class Announcer {
public:
  explicit Announcer(llvm::Module &module)
      : module(module), layout(module.getDataLayout()) {}

  void whole(llvm::Instruction &before, llvm::Value *address, uint64_t bytes,
             bool writes) {
    llvm::IRBuilder<> b(&before);
    b.CreateCall(function(writes ? "__tsan_write_range" : "__tsan_read_range",
                          {b.getPtrTy(), b.getInt64Ty()}),
                 {address, b.getInt64(bytes)});
  }

  /// A lane that is off touches a place of this thread's own.
  void lanes(llvm::Instruction &before, const MaskedAccess &access) {
    llvm::IRBuilder<> b(&before);
    llvm::Type *element = access.elements->getElementType();
    uint64_t bytes = layout.getTypeStoreSize(element);
    llvm::FunctionCallee touch =
        function((access.writes ? "__tsan_write" : "__tsan_read") +
                     std::to_string(bytes),
                 {b.getPtrTy()});
    llvm::Value *own = ownPlace(*before.getFunction());
    for (unsigned lane = 0; lane < access.elements->getNumElements(); ++lane) {
      llvm::Value *address =
          access.address->getType()->isVectorTy()
              ? b.CreateExtractElement(access.address, lane)
              : b.CreateConstGEP1_64(element, access.address, lane);
      llvm::Value *on = b.CreateExtractElement(access.mask, lane);
      b.CreateCall(touch, {b.CreateSelect(on, address, own)});
    }
  }

private:
  llvm::FunctionCallee function(const std::string &name,
                                llvm::ArrayRef<llvm::Type *> arguments) {
    return module.getOrInsertFunction(
        name, llvm::FunctionType::get(
                  llvm::Type::getVoidTy(module.getContext()), arguments,
                  /*isVarArg=*/false));
  }

  llvm::Value *ownPlace(llvm::Function &function) {
    if (last != &function) {
      last = &function;
      llvm::IRBuilder<> b(&function.getEntryBlock(),
                          function.getEntryBlock().begin());
      place = b.CreateAlloca(b.getInt64Ty());
    }
    return place;
  }

  llvm::Module &module;
  const llvm::DataLayout &layout;
  llvm::Function *last = nullptr;
  llvm::Value *place = nullptr;
};

} // namespace

void cheems::announceVectorAccesses(llvm::Module &module) {
  Announcer announce(module);
  const llvm::DataLayout &layout = module.getDataLayout();
  for (llvm::Function &function : module) {
    std::vector<llvm::Instruction *> all;
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      all.push_back(&instruction);
    }
    for (llvm::Instruction *instruction : all) {
      if (auto access = maskedAccess(*instruction)) {
        announce.lanes(*instruction, *access);
        continue;
      }
      llvm::Value *address = llvm::getLoadStorePointerOperand(instruction);
      if (!address) {
        continue;
      }
      uint64_t bytes =
          layout.getTypeStoreSize(llvm::getLoadStoreType(instruction));
      if (bytes > kWidestKnown) {
        announce.whole(*instruction, address, bytes,
                       llvm::isa<llvm::StoreInst>(instruction));
      }
    }
  }
}
