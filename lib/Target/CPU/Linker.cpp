// Objects to a shared object, with lld inside this process.
#include "cheems/Target/CPU/CodeGenerator.h"
#include "lld/Common/Driver.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

LLD_HAS_DRIVER(elf)

namespace {
/// An object in a file that goes away with this, or on a signal.
class ObjectFile {
public:
  static llvm::Expected<ObjectFile> write(llvm::ArrayRef<char> object) {
    llvm::SmallString<128> name;
    llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, name);
    llvm::sys::path::append(name, "cheems-%%%%%%%%.o");
    auto file = llvm::sys::fs::TempFile::create(name);
    if (!file) {
      return llvm::createStringError("cannot create a temporary file: " +
                                     llvm::toString(file.takeError()));
    }
    ObjectFile result(std::move(*file));
    llvm::raw_fd_ostream os(result.file.FD, /*shouldClose=*/false);
    os.write(object.data(), object.size());
    os.flush();
    if (std::error_code error = os.error()) {
      os.clear_error();
      return llvm::createStringError(error, "cannot write " + result.path() +
                                                ": " + error.message());
    }
    return result;
  }
  ObjectFile(ObjectFile &&) = default;
  ~ObjectFile() { llvm::consumeError(file.discard()); }
  const std::string &path() const { return file.TmpName; }

private:
  explicit ObjectFile(llvm::sys::fs::TempFile file) : file(std::move(file)) {}
  llvm::sys::fs::TempFile file;
};
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
  std::vector<ObjectFile> files;
  for (const Object &object : objects) {
    auto file = ObjectFile::write(object);
    if (!file) {
      return file.takeError();
    }
    files.push_back(std::move(*file));
  }
  for (const ObjectFile &file : files) {
    arguments.push_back(file.path().c_str());
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
