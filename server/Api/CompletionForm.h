// Answers of /v1/completions.
#ifndef CHEEMS_SERVER_API_COMPLETIONFORM_H
#define CHEEMS_SERVER_API_COMPLETIONFORM_H

#include "server/Api/Answer.h"
#include "server/Api/EventTemplate.h"

#include <set>

namespace cheems::serve {

/// The n choices of a prompt stand together, prompt by prompt.
class CompletionForm : public AnswerForm {
public:
  struct Wishes {
    std::string id;
    int64_t choices = 1;
    bool echo = false;
    bool logprobs = false;
    bool usage = false;
    bool showSpecial = false;
  };
  CompletionForm(const Context &context, Wishes wishes);

  Json whole(const std::vector<PromptResult> &results) override;
  uint64_t candidateBytes() const override { return 200; }
  void piece(const PromptResult &result, size_t prompt, const TextPiece &piece,
             Events &events) override;
  void ended(const PromptResult &result, size_t prompt, const ChoiceEnd &end,
             Events &events) override;
  void done(const std::vector<PromptResult> &results, Events &events) override;

private:
  Json head() const;
  Json chunk(Json index, Json text, Json logprobs, Json finish) const;
  /// The number of a choice among those of all prompts.
  int64_t indexOf(size_t prompt, int64_t choice) const {
    return int64_t(prompt) * wishes.choices + choice;
  }
  /// The prompt's text, and its tokens to `logprobs` where it is given.
  std::string echoed(const PromptResult &result,
                     class CompletionLogprobs *logprobs) const;
  void echoOnce(const PromptResult &result, size_t prompt, int64_t choice,
                Events &events);

  const Context &context;
  const Wishes wishes;
  const int64_t created = unixTime();
  const EventTemplate texts;          ///< of index, text, logprobs
  std::map<int64_t, int64_t> offsets; ///< characters sent of each choice
};

} // namespace cheems::serve

#endif
