#include "StandardInput.h"
#include "CommandLine.h"
#include <sys/stat.h>
#include <unistd.h>

namespace cheems {

static bool isStandardInput(const std::string &path) {
  struct stat input, file;
  return path == "-" ||
         (stat(path.c_str(), &file) == 0 && fstat(STDIN_FILENO, &input) == 0 &&
          file.st_dev == input.st_dev && file.st_ino == input.st_ino &&
          !S_ISREG(file.st_mode));
}

void checkStandardInput(const InputFiles &files) {
  const std::string *first = nullptr;
  for (const auto &[option, path] : files) {
    if (!isStandardInput(path)) {
      continue;
    }
    if (first) {
      throw usage(*first + " and " + option +
                  " both read standard input; put one of them into a file");
    }
    first = &option;
  }
}

} // namespace cheems
