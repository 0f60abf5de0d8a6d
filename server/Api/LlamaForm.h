// Answers of /completion, in llama.cpp's words.
#ifndef CHEEMS_SERVER_API_LLAMAFORM_H
#define CHEEMS_SERVER_API_LLAMAFORM_H

#include "server/Api/Answer.h"
#include "server/Api/EventTemplate.h"

namespace cheems::serve {

class LlamaForm : public AnswerForm {
public:
  struct Wishes {
    bool returnTokens = false;
    bool logprobs = false;
    Json settings; ///< `generation_settings`
    std::string prompt;
  };
  LlamaForm(const Context &context, Wishes wishes);

  Json whole(const std::vector<PromptResult> &results) override;
  void piece(const PromptResult &result, size_t prompt, const TextPiece &piece,
             Events &events) override;
  void done(const std::vector<PromptResult> &results, Events &events) override;
  bool saysDone() const override { return false; }

private:
  Json summary(const PromptResult &result, size_t index) const;

  const Context &context;
  const Wishes wishes;
  const EventTemplate texts, textsWithLogprobs; ///< of pieces
};

} // namespace cheems::serve

#endif
