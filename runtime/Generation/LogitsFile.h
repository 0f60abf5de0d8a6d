// Writes logits [B,T,V] as a safetensors file that appears only when it is
// whole.
#ifndef CHEEMS_RUNTIME_GENERATION_LOGITSFILE_H
#define CHEEMS_RUNTIME_GENERATION_LOGITSFILE_H

#include "runtime/Error.h"
#include <cstdint>
#include <string>

namespace cheems {

class LogitsFile {
public:
  /// Starts a temporary file beside `path`. Throws Error.
  LogitsFile(const std::string &path, int64_t batch, int64_t tokens,
             int64_t vocabulary);
  /// Removes the temporary file unless `finish` was reached.
  ~LogitsFile();
  LogitsFile(const LogitsFile &) = delete;
  LogitsFile &operator=(const LogitsFile &) = delete;

  /// The next `rows` rows [rows, vocabulary], in order. Throws Error.
  void append(const float *logits, int64_t rows);
  /// Puts the file in its place. Throws Error, also if rows are missing.
  void finish();

private:
  void write(const void *bytes, size_t size);
  Error failure(const char *what) const;

  std::string path, temporary;
  int descriptor;
  int64_t vocabulary, missing; ///< rows
};

} // namespace cheems

#endif
