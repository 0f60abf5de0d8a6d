#include "server/Http/RequestId.h"
#include <algorithm>
#include <random>

namespace cheems::serve {

static bool mayStand(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

std::string requestId(const std::string &fromClient) {
  if (!fromClient.empty() && fromClient.size() <= 64 &&
      std::all_of(fromClient.begin(), fromClient.end(), mayStand)) {
    return fromClient;
  }
  thread_local std::mt19937_64 random{(uint64_t{std::random_device()()} << 32) ^
                                      std::random_device()()};
  std::string id = "req-";
  for (int i = 0; i < 24; ++i) {
    id += "0123456789abcdef"[random() % 16];
  }
  return id;
}

} // namespace cheems::serve
