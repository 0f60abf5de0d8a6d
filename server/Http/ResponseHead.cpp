#include "server/Http/ResponseHead.h"
#include <cstdio>
#include <ctime>

namespace cheems::serve {

static const char *reasonOf(int status) {
  static constexpr struct {
    int status;
    const char *reason;
  } reasons[] = {{200, "OK"},
                 {204, "No Content"},
                 {304, "Not Modified"},
                 {400, "Bad Request"},
                 {401, "Unauthorized"},
                 {403, "Forbidden"},
                 {404, "Not Found"},
                 {405, "Method Not Allowed"},
                 {408, "Request Timeout"},
                 {409, "Conflict"},
                 {413, "Content Too Large"},
                 {414, "URI Too Long"},
                 {415, "Unsupported Media Type"},
                 {417, "Expectation Failed"},
                 {422, "Unprocessable Content"},
                 {429, "Too Many Requests"},
                 {431, "Request Header Fields Too Large"},
                 {500, "Internal Server Error"},
                 {501, "Not Implemented"},
                 {503, "Service Unavailable"},
                 {505, "HTTP Version Not Supported"},
                 {507, "Insufficient Storage"}};
  for (const auto &known : reasons) {
    if (known.status == status) {
      return known.reason;
    }
  }
  return ""; // it may be empty
}

bool hasNoBody(int status) { return status == 204 || status == 304; }

/// Names of days and months are English whatever the locale.
static std::string dateText() {
  static constexpr const char *days[] = {"Sun", "Mon", "Tue", "Wed",
                                         "Thu", "Fri", "Sat"};
  static constexpr const char *months[] = {"Jan", "Feb", "Mar", "Apr",
                                           "May", "Jun", "Jul", "Aug",
                                           "Sep", "Oct", "Nov", "Dec"};
  std::time_t now = std::time(nullptr);
  std::tm at = {};
  gmtime_r(&now, &at);
  char text[64];
  std::snprintf(text, sizeof(text), "%s, %02d %s %d %02d:%02d:%02d GMT",
                days[at.tm_wday], at.tm_mday, months[at.tm_mon],
                at.tm_year + 1900, at.tm_hour, at.tm_min, at.tm_sec);
  return text;
}

static void add(std::string &text, const std::string &name,
                const std::string &value) {
  text += name;
  text += ": ";
  for (char c : value) {
    bool control = (c >= 0 && c < 0x20 && c != '\t') || c == 0x7f;
    text += control ? ' ' : c;
  }
  text += "\r\n";
}

std::string headText(const HttpResponse &response, const Framing &framing) {
  std::string text = "HTTP/1.1 " + std::to_string(response.status) + " " +
                     reasonOf(response.status) + "\r\n";
  add(text, "Date", dateText());
  add(text, "x-request-id", framing.id);
  if (!hasNoBody(response.status)) {
    add(text, "Content-Type", response.type);
    if (framing.chunked) {
      add(text, "Transfer-Encoding", "chunked");
    } else if (framing.length) {
      add(text, "Content-Length", std::to_string(*framing.length));
    }
  }
  for (const HttpFields *fields : {&response.fields, &framing.fields}) {
    for (const auto &[name, value] : *fields) {
      add(text, name, value);
    }
  }
  add(text, "Connection", framing.keepAlive ? "keep-alive" : "close");
  return text + "\r\n";
}

std::string chunkText(const std::string &bytes) {
  char size[32];
  int length = std::snprintf(size, sizeof(size), "%zx\r\n", bytes.size());
  std::string text;
  text.reserve(static_cast<size_t>(length) + bytes.size() + 2);
  text.append(size, static_cast<size_t>(length));
  text += bytes;
  text += "\r\n";
  return text;
}

} // namespace cheems::serve
