// What each path answers. Handlers throw ApiError and Error for what they
// refuse.
#ifndef CHEEMS_SERVER_API_ENDPOINTS_H
#define CHEEMS_SERVER_API_ENDPOINTS_H

#include "server/Api/Context.h"
#include "server/Api/Json.h"
#include "server/Http/Exchange.h"

#include <memory>
#include <string>

namespace cheems::serve {

/// One request on its way through a handler.
struct Call {
  std::shared_ptr<Context> context;
  HttpRequest request;
  std::shared_ptr<Responder> responder;
  std::string tail; ///< what stands in the path's variable part
};

// they run on a worker
void chatCompletions(Call &call);
void completions(Call &call);
void llamaCompletion(Call &call);
void embeddings(Call &call);
void llamaEmbedding(Call &call);
void tokenize(Call &call);
void detokenize(Call &call);
void tokenizerInfo(Call &call);
void applyTemplate(Call &call);
void slotAction(Call &call);

// they take no time, and run where the request came
void metricsPage(Call &call);
void models(Call &call);
void oneModel(Call &call);
void props(Call &call);
void slots(Call &call);

/// A whole answer with status 200.
void respondJson(Call &call, const Json &body);

} // namespace cheems::serve

#endif
