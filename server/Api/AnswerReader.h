// What a model's text is made of: how it came to its answer, the answer, calls
// of tools.
#ifndef CHEEMS_SERVER_API_ANSWERREADER_H
#define CHEEMS_SERVER_API_ANSWERREADER_H

#include "server/Api/ReasoningSplitter.h"
#include "server/Api/ToolCallParser.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace cheems::serve {

/// What is looked for in an answer.
struct AnswerReading {
  Thinking thinking = Thinking::none;
  const CallForm *calls = nullptr; ///< null: none
  bool parallel = true;            ///< more than one may come
  std::set<std::string> names;     ///< of the tools

  bool isAny() const { return calls || thinking != Thinking::none; }
};

/// Reads one text, piece by piece. Calls are looked for in what is said.
class AnswerReader {
public:
  explicit AnswerReader(const AnswerReading &reading);

  std::vector<AnswerEvent> push(const std::string &text);
  /// At the end of the text.
  std::vector<AnswerEvent> finish();

private:
  void read(const ReasoningSplitter::Parts &parts,
            std::vector<AnswerEvent> &events);

  ReasoningSplitter splitter;
  std::optional<ToolCallParser> calls;
};

} // namespace cheems::serve

#endif
