#include "server/Http/Notify.h"
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace cheems::serve {

bool notifyManager(const std::string &state) {
  const char *path = std::getenv("NOTIFY_SOCKET");
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  size_t length = path ? std::strlen(path) : 0;
  if (length < 2 || length >= sizeof(address.sun_path) ||
      (path[0] != '/' && path[0] != '@')) {
    return false;
  }
  std::memcpy(address.sun_path, path, length);
  if (path[0] == '@') {
    address.sun_path[0] = '\0'; // a name that is in no file system
  }
  int file = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (file < 0) {
    return false;
  }
  auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length);
  ssize_t sent = sendto(file, state.data(), state.size(), MSG_NOSIGNAL,
                        reinterpret_cast<const sockaddr *>(&address), size);
  close(file);
  return sent == static_cast<ssize_t>(state.size());
}

} // namespace cheems::serve
