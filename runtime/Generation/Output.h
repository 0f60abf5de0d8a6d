// Standard output as generated text needs it: every piece at once, and a
// reader that left is no failure.
#ifndef CHEEMS_RUNTIME_GENERATION_OUTPUT_H
#define CHEEMS_RUNTIME_GENERATION_OUTPUT_H

#include <string>
#include <string_view>

namespace cheems {

/// Whoever read our output has left: time to stop, without a message.
struct OutputClosed {};

/// Writes all of `text` to the file descriptor, past interruptions. Throws
/// OutputClosed, or Error naming the reason.
void writeAll(int descriptor, std::string_view text);
/// The same for standard output.
void writeOutput(std::string_view text);
bool outputIsTerminal();

/// One line on standard error; control characters and line ends in `text`
/// become spaces, failures are ignored. It begins a line of its own where
/// standard output goes to the same file.
void printMessage(const std::string &text);

} // namespace cheems

#endif
