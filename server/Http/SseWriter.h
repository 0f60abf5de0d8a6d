// Server-sent events of one answer, as OpenAI's clients read them.
#ifndef CHEEMS_SERVER_HTTP_SSEWRITER_H
#define CHEEMS_SERVER_HTTP_SSEWRITER_H

#include "server/Http/Exchange.h"
#include <memory>
#include <string>

namespace cheems::serve {

/// Each call sends whole events, so that the connection may put a comment
/// between any two of them. For one thread at a time.
class SseWriter {
public:
  explicit SseWriter(std::shared_ptr<Responder> responder)
      : responder(std::move(responder)) {}

  /// Once, before the first event; `fields` are more of the head's.
  void begin(HttpFields fields = {});
  void event(const std::string &json);
  /// An event of that name.
  void event(const std::string &name, const std::string &json);
  /// "data: [DONE]" and the end.
  void done();
  /// An event `error` with json of `errorJson`, and the end: the status is out
  /// already.
  void fail(const std::string &json);

  static std::string text(const std::string &name, const std::string &data);
  static constexpr const char *type = "text/event-stream; charset=utf-8";
  static constexpr const char *comment = ": ping\n\n";

private:
  std::shared_ptr<Responder> responder;
};

} // namespace cheems::serve

#endif
