// A file that a program writes: there under its name when it is whole.
#ifndef CHEEMS_LIB_SUPPORT_OUTPUTFILE_H
#define CHEEMS_LIB_SUPPORT_OUTPUTFILE_H

#include "lib/Support/TemporaryFile.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

namespace cheems {

/// A file beside its final name until keep() renames it; removed otherwise,
/// also on a signal. Links to the name stay.
class OutputFile {
public:
  static llvm::Expected<OutputFile> create(const std::string &output);
  const std::string &path() const { return file.path(); }
  llvm::Error keep();

private:
  OutputFile(TemporaryFile file, std::string output)
      : file(std::move(file)), output(std::move(output)) {}
  TemporaryFile file;
  std::string output;
};

/// A whole text; "-" is standard output.
llvm::Error writeText(const std::string &output,
                      llvm::function_ref<void(llvm::raw_ostream &)> print);

} // namespace cheems

#endif
