// Requests of the server's interfaces from memory: the first byte picks the
// path, the rest is the body. Each gets exactly one answer that is sound.
#include "../unit/ServeApi/ServeApiKit.h"

using namespace cheems::serve;
using namespace cheems::test;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static Served served;
  static const char *const paths[] = {
      "/v1/chat/completions", "/v1/completions", "/completion",
      "/v1/embeddings",       "/tokenize",       "/detokenize",
      "/apply-template",      "/embedding"};
  if (size == 0) {
    return 0;
  }
  served.engine.requests.clear();
  served.engine.tickets.clear();
  std::string body(reinterpret_cast<const char *>(data) + 1, size - 1);
  Reply reply =
      served.ask("POST", paths[data[0] % std::size(paths)], std::move(body));
  bool isSound = reply.status == 200 || reply.status == 400;
  if (!isSound || served.responder->answers + served.responder->begun != 1 ||
      (reply.status == 400 && !reply.body["error"]["message"].is_string())) {
    __builtin_trap();
  }
  for (const GenerationRequest &request : served.engine.requests) {
    for (int32_t token : request.prompt) {
      if (token < 0 || token >= vocabularySize) {
        __builtin_trap();
      }
    }
  }
  return 0;
}
