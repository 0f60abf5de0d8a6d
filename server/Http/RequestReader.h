// Requests from bytes, without a socket: what is not sound HTTP/1.1 is refused,
// above all what two programs might read as different requests.
#ifndef CHEEMS_SERVER_HTTP_REQUESTREADER_H
#define CHEEMS_SERVER_HTTP_REQUESTREADER_H

#include "runtime/Budget.h"
#include "server/Http/ChunkReader.h"
#include "server/Http/Exchange.h"
#include "server/Http/Limits.h"
#include <memory>
#include <string>
#include <string_view>

namespace cheems::serve {

/// Reads one request.
class RequestReader {
public:
  /// `share`: of the memory of all requests, for this one; null: nobody counts.
  explicit RequestReader(const Limits &limits,
                         std::shared_ptr<BudgetShare> share = nullptr);
  ~RequestReader();

  enum class State { header, body, whole, refused };

  /// Takes bytes from the front of `bytes` and erases them. It stops where the
  /// state changes, so the header can be looked at before the body is read, and
  /// what follows the request stays. True: the state has changed.
  bool take(std::string &bytes);

  State state() const { return now; }
  /// Whether no byte of a request has come yet.
  bool untouched() const { return now == State::header && !begun; }
  /// From the header's end on all but its body; id and client are left to the
  /// caller. "HEAD" stays.
  HttpRequest &request() { return message; }
  /// What it was, where State::refused.
  int status() const { return refusedStatus; }
  const std::string &reason() const { return refusedReason; }

  /// From the header's end on: HTTP/1.1 or 1.0; whether the client goes on;
  /// whether it waits for "100 Continue".
  bool isNewest() const { return newest; }
  bool keepsAlive() const { return keepAlive; }
  bool expectsContinue() const { return waitsForContinue; }

private:
  class Parser;
  bool takeHeader(std::string &bytes);
  bool takeBody(std::string &bytes);
  bool takeChunks(std::string &bytes);
  /// Whether the body has room beside those of other requests.
  bool hasRoom();
  /// Whether lines and fields are as they must be.
  bool checkLines(std::string_view header);
  bool checkFields();
  bool refuse(int status, const std::string &reason);
  bool tooLong();

  const Limits &limits;
  std::unique_ptr<Parser> parser;
  ChunkReader chunks;
  size_t bodyBytes = 0; ///< where it tells its length
  State now = State::header;
  bool begun = false;
  int emptyLines = 0;  ///< before the request
  size_t searched = 0; ///< of the header, without its end
  HttpRequest message;
  bool newest = true, keepAlive = true, waitsForContinue = false;
  int refusedStatus = 0;
  std::string refusedReason;
};

} // namespace cheems::serve

#endif
