// LLVM's back end for NVIDIA's GPUs, as kernels need it.
#include "TargetMachine.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include <mutex>

// The installed headers declare what all targets of LLVM have; these are the
// ones used.
extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace cheems::cuda {
namespace {

/// Addresses in shared memory fit in 32 bits: half the registers and
/// instructions that compute with them. LLVM reads an option of the process
/// for it, but only where a target machine is made: so it is set for that time
/// alone, and whoever else makes one keeps what they had.
class ShortPointers {
public:
  ShortPointers() : guard(lock) {
    auto &options = llvm::cl::getRegisteredOptions();
    auto found = options.find("nvptx-short-ptr");
    if (found != options.end()) {
      option = static_cast<llvm::cl::opt<bool> *>(found->second);
      before = *option;
      option->setValue(true);
    }
  }
  ~ShortPointers() {
    if (option) {
      option->setValue(before);
    }
  }
  bool known() const { return option; }

private:
  static std::mutex lock;
  std::lock_guard<std::mutex> guard;
  llvm::cl::opt<bool> *option = nullptr;
  bool before = false;
};

std::mutex ShortPointers::lock;

} // namespace

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
targetMachine(const Architecture &architecture) {
  static const bool initialised = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  (void)initialised;
  std::string error;
  llvm::Triple triple("nvptx64-nvidia-cuda");
  const llvm::Target *backend =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!backend) {
    return llvm::createStringError("this LLVM has no back end for PTX: " +
                                   error);
  }
  ShortPointers pointers;
  std::unique_ptr<llvm::TargetMachine> machine(backend->createTargetMachine(
      triple, architecture.name, "+ptx" + std::to_string(architecture.version),
      llvm::TargetOptions(), std::nullopt, std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
  if (!pointers.known() || machine->getPointerSize(3) != 4) {
    return llvm::createStringError(
        "internal error: this LLVM has no short pointers for PTX");
  }
  return machine;
}

} // namespace cheems::cuda
