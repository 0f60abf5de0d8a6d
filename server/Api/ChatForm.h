// Answers of /v1/chat/completions.
#ifndef CHEEMS_SERVER_API_CHATFORM_H
#define CHEEMS_SERVER_API_CHATFORM_H

#include "server/Api/Answer.h"
#include "server/Api/AnswerReader.h"
#include "server/Api/EventTemplate.h"

namespace cheems::serve {

class ChatForm : public AnswerForm {
public:
  struct Wishes {
    std::string id;
    int64_t choices = 1;
    bool logprobs = false;
    bool usage = false; ///< in the stream, too
    AnswerReading reading;
  };
  ChatForm(const Context &context, Wishes wishes);

  Json whole(const std::vector<PromptResult> &results) override;
  void begin(Events &events) override;
  void piece(const PromptResult &result, size_t prompt, const TextPiece &piece,
             Events &events) override;
  void ended(const PromptResult &result, size_t prompt, const ChoiceEnd &end,
             Events &events) override;
  void done(const std::vector<PromptResult> &results, Events &events) override;
  const char *promptField() const override { return "messages"; }

private:
  std::string callId(int64_t choice, int64_t call) const;
  Json message(int64_t choice, const std::string &text, bool &hasCalls) const;
  Json head(const char *object) const;
  Json chunk(Json choice, Json delta, Json logprobs = Json(),
             Json finish = Json()) const;
  /// The delta of a call that begins, or of its arguments.
  Json toolDelta(int64_t choice, const AnswerEvent &news);
  /// Appends the events of a stream that say this.
  void tell(int64_t choice, const std::vector<AnswerEvent> &news, Json logprobs,
            Events &events);

  const Context &context;
  const Wishes wishes;
  const int64_t created = unixTime();
  const EventTemplate texts;         ///< of index and content
  std::vector<AnswerReader> readers; ///< one a choice, for streams
  std::vector<int64_t> announced;    ///< calls of each
};

} // namespace cheems::serve

#endif
