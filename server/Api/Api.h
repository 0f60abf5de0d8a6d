// The server's interfaces: what OpenAI's, vLLM's and llama.cpp's clients ask.
#ifndef CHEEMS_SERVER_API_API_H
#define CHEEMS_SERVER_API_API_H

#include "runtime/Text/TextModel.h"
#include "server/Api/ApiOptions.h"
#include "server/Api/WorkerPool.h"
#include "server/Engine/GenerationEngine.h"
#include "server/Http/Exchange.h"

#include <memory>

namespace cheems::serve {

struct Context;

class Api : public RequestHandler {
public:
  /// Both must outlive it and all requests it was given. Throws Error where the
  /// model has no tokenizer.
  Api(TextModel &text, GenerationEngine &engine, ApiOptions options);
  /// Waits for what is being rendered or tokenized.
  ~Api() override;

  void handle(HttpRequest request,
              std::shared_ptr<Responder> responder) override;
  /// The server ends: requests that are not with the engine are told so.
  void abort();
  /// What waits for a thread.
  WorkerPool::Waiting waiting() const;

private:
  std::shared_ptr<Context> context;
};

} // namespace cheems::serve

#endif
