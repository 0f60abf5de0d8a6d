// What all endpoints share.
#ifndef CHEEMS_RUNTIME_SERVE_API_CONTEXT_H
#define CHEEMS_RUNTIME_SERVE_API_CONTEXT_H

#include "runtime/Serve/Api/ApiOptions.h"
#include "runtime/Serve/Api/ChatRenderer.h"
#include "runtime/Serve/Api/WorkerPool.h"
#include "runtime/Serve/Engine/GenerationEngine.h"
#include "runtime/Text/TextModel.h"

namespace cheems::serve {

struct Context {
  Context(TextModel &text, GenerationEngine &engine, ApiOptions options)
      : text(text), engine(engine), options(std::move(options)), chats(text),
        workers(this->options.workers, this->options.maximumTasks) {}

  int64_t vocabulary() const { return text.model().metadata().vocabulary; }

  TextModel &text;
  GenerationEngine &engine;
  const ApiOptions options;
  ChatRenderer chats;
  WorkerPool workers; ///< the last member: its tasks use the others
};

} // namespace cheems::serve

#endif
