// Writes logits [B,T,V] as a safetensors file that appears only when it is
// whole.
#ifndef CHEEMS_RUNTIME_GENERATION_LOGITSFILE_H
#define CHEEMS_RUNTIME_GENERATION_LOGITSFILE_H

#include "runtime/Process/NewFile.h"
#include <cstdint>
#include <string>
#include <vector>

namespace cheems {

class LogitsFile {
public:
  /// Starts a temporary file beside `path`. Throws Error.
  LogitsFile(const std::string &path, int64_t batch, int64_t tokens,
             int64_t vocabulary);

  /// The next `rows` rows [rows, vocabulary] of one sequence; sequences may
  /// come in any order. Throws Error.
  void append(int64_t sequence, const float *logits, int64_t rows);
  /// Puts the file in its place. Throws Error, also if rows are missing.
  void finish();

private:
  static std::string header(int64_t batch, int64_t tokens, int64_t vocabulary);

  std::string path;
  int64_t tokens, rowBytes;
  int64_t data; ///< where the first row begins
  NewFile file;
  std::vector<int64_t> written; ///< rows of each sequence
};

} // namespace cheems

#endif
