// Prompts and other texts from files and standard input.
#ifndef CHEEMS_RUNTIME_GENERATION_PROMPT_H
#define CHEEMS_RUNTIME_GENERATION_PROMPT_H

#include <optional>
#include <string>

namespace cheems {

/// All bytes of a file; "-" is standard input. Throws Error naming it, and
/// interrupted when Ctrl-C ends the wait for input.
std::string readBytes(const std::string &path);
/// The same without the byte order mark that some editors put before a
/// text: no tokenizer, grammar or schema means it.
std::string readText(const std::string &path);

/// Reads standard input a line at a time. Lines may end as on Windows, and a
/// byte order mark before the first one is dropped.
class LineReader {
public:
  enum class Event { line, end, interrupted };
  /// Waits for the next line, which comes without its line end, or for a Ctrl-C
  /// where none was `pending` when the user was asked. Where the program is to
  /// end, so does the input. Throws Error.
  Event next(std::string &line, bool pending = false);

private:
  std::string buffer;
  size_t searched = 0; ///< bytes of it that hold no line end
  bool ended = false;
  bool begun = false; ///< a line has come
};

} // namespace cheems

#endif
