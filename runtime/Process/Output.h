// Standard output as generated text needs it: every piece at once, and a
// reader that left is no failure.
#ifndef CHEEMS_RUNTIME_PROCESS_OUTPUT_H
#define CHEEMS_RUNTIME_PROCESS_OUTPUT_H

#include <chrono>
#include <string>
#include <string_view>

namespace cheems {

/// Whoever read our output has left: time to stop, without a message.
struct OutputClosed {};

/// Writes all of `text` to the file descriptor, past interruptions, and waits
/// where it is full, unless the program is to end. Throws OutputClosed, also
/// for a terminal that is gone, or Error naming the reason.
void writeAll(int descriptor, std::string_view text);
/// Writes as much of `text` as goes at once, and returns how much that is;
/// waits no longer than `most` for room. Throws as writeAll.
size_t writeSome(int descriptor, std::string_view text,
                 std::chrono::milliseconds most);
/// Acts as writeAll for standard output, in whole characters. A terminal gets
/// U+FFFD in place of control characters but line ends and tabs: what a model
/// says must not move the cursor, set colours or the title, or type answers.
/// Files and pipes get every byte.
void writeOutput(std::string_view text);
bool outputIsTerminal();
/// Whether a message would stand after text that has not ended its line, in
/// the same file. A signal handler may ask.
bool outputEndsInLine();

/// One line on standard error; control characters, line ends too, in `text`
/// become spaces, failures are ignored. It begins a line of its own where
/// standard output goes to the same file.
void printMessage(const std::string &text);

} // namespace cheems

#endif
