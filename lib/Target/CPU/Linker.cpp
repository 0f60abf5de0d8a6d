// One object to a shared object, with lld inside this process.
#include "cheems/Target/CPU/CodeGenerator.h"
#include "lld/Common/Driver.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"

LLD_HAS_DRIVER(elf)

llvm::Error cheems::linkSharedObject(llvm::ArrayRef<char> object,
                                     llvm::StringRef output) {
  llvm::SmallString<128> input;
  int descriptor;
  if (std::error_code error = llvm::sys::fs::createTemporaryFile(
          "cheems", "o", descriptor, input)) {
    return llvm::createStringError(error, "cannot create a temporary file: " +
                                              error.message());
  }
  llvm::FileRemover remover(input);
  {
    llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/true);
    os.write(object.data(), object.size());
    os.flush();
    if (std::error_code error = os.error()) {
      os.clear_error();
      return llvm::createStringError(error, "cannot write " + input.str() +
                                                ": " + error.message());
    }
  }
  std::string out = output.str(), log;
  llvm::raw_string_ostream messages(log);
  const char *arguments[] = {"ld.lld",      "-shared",
                             "-o",          out.c_str(),
                             input.c_str(), "--build-id=none",
                             "--strip-all", "-z",
                             "noexecstack", "-z",
                             "relro",       "-z",
                             "now",         "--hash-style=gnu",
                             "--threads=1"};
  lld::Result result = lld::lldMain(arguments, messages, messages,
                                    {{lld::Gnu, &lld::elf::link}});
  if (result.retCode != 0) {
    return llvm::createStringError("linking failed: " +
                                   llvm::StringRef(log).trim().str());
  }
  return llvm::Error::success();
}
