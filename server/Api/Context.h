// What all endpoints share.
#ifndef CHEEMS_SERVER_API_CONTEXT_H
#define CHEEMS_SERVER_API_CONTEXT_H

#include "runtime/Text/TextModel.h"
#include "server/Api/ApiOptions.h"
#include "server/Api/ChatRenderer.h"
#include "server/Api/ChatStyle.h"
#include "server/Api/WorkerPool.h"
#include "server/Engine/GenerationEngine.h"

namespace cheems::serve {

struct Context {
  Context(TextModel &text, GenerationEngine &engine, ApiOptions options)
      : text(text), engine(engine), options(std::move(options)), chats(text),
        style(findChatStyle(text, chats)),
        workers(this->options.workers, this->options.maximumTasks) {}

  int64_t vocabulary() const { return text.model().metadata().vocabulary; }

  TextModel &text;
  GenerationEngine &engine;
  const ApiOptions options;
  ChatRenderer chats;
  const ChatStyle style;
  WorkerPool workers; ///< the last member: its tasks use the others
};

} // namespace cheems::serve

#endif
