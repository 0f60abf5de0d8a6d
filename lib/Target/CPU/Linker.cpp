// Objects to a shared object, with lld inside this process.
#include "cheems/Target/CPU/CodeGenerator.h"
#include "lib/Support/TemporaryFile.h"
#include "lld/Common/Driver.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

using cheems::TemporaryFile;

namespace {
llvm::Expected<TemporaryFile> writeObject(llvm::ArrayRef<char> object) {
  llvm::SmallString<128> name;
  llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, name);
  llvm::sys::path::append(name, "cheems-");
  auto file = TemporaryFile::create(name, ".o");
  if (!file) {
    return llvm::createStringError("cannot create a temporary file: " +
                                   file.getError().message());
  }
  std::error_code error;
  llvm::raw_fd_ostream os(file->path(), error);
  if (!error) {
    os.write(object.data(), object.size());
    os.close();
    error = os.error();
    os.clear_error();
  }
  if (error) {
    return llvm::createStringError(error, "cannot write " + file->path() +
                                              ": " + error.message());
  }
  return std::move(*file);
}

/// A path of `output` that has no '%' but in its last part: lld makes a
/// temporary file beside it, and each '%' of that one's path a digit.
class OutputPath {
public:
  static llvm::Expected<OutputPath> of(llvm::StringRef output) {
    llvm::StringRef folder = llvm::sys::path::parent_path(output);
    if (!folder.contains('%')) {
      return OutputPath(output.str(), -1);
    }
    int descriptor =
        ::open(folder.str().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) {
      std::error_code error(errno, std::generic_category());
      return llvm::createStringError(error, "cannot write " + output + ": " +
                                                error.message());
    }
    return OutputPath("/proc/self/fd/" + std::to_string(descriptor) + "/" +
                          llvm::sys::path::filename(output).str(),
                      descriptor);
  }
  OutputPath(OutputPath &&other) noexcept
      : path(std::move(other.path)), folder(std::exchange(other.folder, -1)) {}
  ~OutputPath() {
    if (folder >= 0) {
      ::close(folder);
    }
  }
  const char *get() const { return path.c_str(); }

private:
  OutputPath(std::string path, int folder)
      : path(std::move(path)), folder(folder) {}
  std::string path;
  int folder; ///< its descriptor, if it is named by that
};
} // namespace

llvm::Error cheems::linkSharedObject(llvm::ArrayRef<Object> objects,
                                     llvm::StringRef output) {
  auto path = OutputPath::of(output);
  if (!path) {
    return path.takeError();
  }
  std::string log;
  std::vector<const char *> arguments = {"ld.lld",
                                         "-shared",
                                         "-o",
                                         path->get(),
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
  std::vector<TemporaryFile> files;
  for (const Object &object : objects) {
    auto file = writeObject(object);
    if (!file) {
      return file.takeError();
    }
    files.push_back(std::move(*file));
  }
  for (const TemporaryFile &file : files) {
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
