// Writes a file beside its name, then renames it.
#include "lib/Support/OutputFile.h"
#include <filesystem>

namespace cheems {
namespace {
/// Returns where a chain of links leads, even if that file is not there yet.
std::string endOfLinks(std::filesystem::path path) {
  std::error_code error;
  for (int links = 0; links < 40; ++links) {
    auto next = std::filesystem::read_symlink(path, error);
    if (error) {
      break;
    }
    path = path.parent_path() / next;
  }
  return path.string();
}

} // namespace

llvm::Expected<OutputFile> OutputFile::create(const std::string &output) {
  auto failed = [&](const std::string &reason) {
    return llvm::createStringError("cannot write " + output + ": " + reason);
  };
  namespace fs = llvm::sys::fs;
  fs::file_status old;
  std::error_code error = fs::status(output, old);
  if (error && error != std::errc::no_such_file_or_directory) {
    return failed(error.message());
  }
  if (fs::exists(old) && !fs::is_regular_file(old)) {
    return failed("it is not a regular file");
  }
  std::string target = endOfLinks(output);
  auto file = TemporaryFile::create(target + ".", ".tmp");
  if (!file) {
    return failed(file.getError().message());
  }
  return OutputFile(std::move(*file), std::move(target));
}

llvm::Error OutputFile::keep() {
  std::error_code error = file.keep(output);
  return error ? llvm::createStringError("cannot write " + output + ": " +
                                         error.message())
               : llvm::Error::success();
}

llvm::Error writeText(const std::string &output,
                      llvm::function_ref<void(llvm::raw_ostream &)> print) {
  if (output == "-") {
    llvm::raw_fd_ostream &os = llvm::outs();
    print(os);
    os.flush();
    std::error_code error = os.error();
    os.clear_error(); // else its destructor aborts
    return error ? llvm::createStringError(error, "cannot write the output: " +
                                                      error.message())
                 : llvm::Error::success();
  }
  auto file = OutputFile::create(output);
  if (!file) {
    return file.takeError();
  }
  std::error_code error;
  llvm::raw_fd_ostream os(file->path(), error);
  if (!error) {
    print(os);
    os.close();
    error = os.error();
    os.clear_error();
  }
  if (error) {
    return llvm::createStringError(error, "cannot write " + output + ": " +
                                              error.message());
  }
  return file->keep();
}

} // namespace cheems
