#include "server/Http/StaticFiles.h"
#include "server/Http/Refusal.h"
#include <cstdint>
#include <cstdio>

namespace cheems::serve {

/// FNV-1a: other bytes have another tag; nobody chooses them to collide.
static std::string tagOf(std::string_view bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (char c : bytes) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  char text[32];
  std::snprintf(text, sizeof(text), "\"%016llx\"",
                static_cast<unsigned long long>(hash));
  return text;
}

void StaticFiles::add(const std::string &path, const std::string &type,
                      std::string_view bytes, const std::string &policy) {
  files[path] = {type, tagOf(bytes), policy, bytes};
}

std::optional<HttpResponse>
StaticFiles::answer(const HttpRequest &request) const {
  auto found = files.find(request.path);
  if (found == files.end()) {
    return std::nullopt;
  }
  if (request.method != "GET" && request.method != "HEAD") {
    return noSuchMethod(request, "GET, HEAD, OPTIONS");
  }
  const File &file = found->second;
  HttpResponse response;
  response.type = file.type;
  response.fields = {{"ETag", file.tag},
                     {"Cache-Control", "no-cache"}, // ask whether it changed
                     {"X-Content-Type-Options", "nosniff"},
                     {"Referrer-Policy", "no-referrer"}};
  if (!file.policy.empty()) {
    response.fields.emplace_back("Content-Security-Policy", file.policy);
  }
  const std::string &had = request.field("if-none-match");
  if (had == "*" || had.find(file.tag) != std::string::npos) {
    response.status = 304;
  } else {
    response.body = file.bytes;
  }
  return response;
}

} // namespace cheems::serve
