// Objects to a shared object, with lld inside this process.
#include "cheems/Target/CPU/CodeGenerator.h"
#include "lld/Common/Driver.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include <memory>

LLD_HAS_DRIVER(elf)

namespace {
/// An object in a file that goes away with this.
struct ObjectFile {
  llvm::SmallString<128> path;
  llvm::FileRemover remover;
};

llvm::Expected<std::unique_ptr<ObjectFile>>
writeObject(llvm::ArrayRef<char> object) {
  auto file = std::make_unique<ObjectFile>();
  int descriptor;
  if (std::error_code error = llvm::sys::fs::createTemporaryFile(
          "cheems", "o", descriptor, file->path)) {
    return llvm::createStringError(error, "cannot create a temporary file: " +
                                              error.message());
  }
  file->remover.setFile(file->path);
  llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/true);
  os.write(object.data(), object.size());
  os.flush();
  if (std::error_code error = os.error()) {
    os.clear_error();
    return llvm::createStringError(error, "cannot write " + file->path + ": " +
                                              error.message());
  }
  return file;
}
} // namespace

llvm::Error cheems::linkSharedObject(llvm::ArrayRef<Object> objects,
                                     llvm::StringRef output) {
  std::string out = output.str(), log;
  std::vector<const char *> arguments = {"ld.lld",
                                         "-shared",
                                         "-o",
                                         out.c_str(),
                                         "--build-id=none",
                                         "--strip-all",
                                         "-z",
                                         "noexecstack",
                                         "-z",
                                         "relro",
                                         "-z",
                                         "now",
                                         "--hash-style=gnu",
                                         "--threads=1"};
  std::vector<std::unique_ptr<ObjectFile>> files;
  for (const Object &object : objects) {
    auto file = writeObject(object);
    if (!file) {
      return file.takeError();
    }
    arguments.push_back((*file)->path.c_str());
    files.push_back(std::move(*file));
  }
  llvm::raw_string_ostream messages(log);
  lld::Result result = lld::lldMain(arguments, messages, messages,
                                    {{lld::Gnu, &lld::elf::link}});
  if (result.retCode != 0) {
    return llvm::createStringError("linking failed: " +
                                   llvm::StringRef(log).trim().str());
  }
  return llvm::Error::success();
}
