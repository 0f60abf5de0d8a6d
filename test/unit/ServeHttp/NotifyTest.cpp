// What a service manager is told.
#include "server/Http/Notify.h"
#include "../Support/TemporaryFolder.h"
#include <cstdlib>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

using cheems::serve::notifyManager;

namespace {

/// A manager's socket at `name`, and the variable that names it.
class Manager {
public:
  explicit Manager(std::string name)
      : file(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    setenv("NOTIFY_SOCKET", name.c_str(), 1);
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    name.copy(address.sun_path, sizeof(address.sun_path) - 1);
    if (name[0] == '@') {
      address.sun_path[0] = '\0';
    }
    auto size =
        static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    EXPECT_EQ(bind(file, reinterpret_cast<sockaddr *>(&address), size), 0);
  }
  ~Manager() {
    close(file);
    unsetenv("NOTIFY_SOCKET");
  }
  std::string heard() const {
    char text[256];
    ssize_t count = recv(file, text, sizeof(text), MSG_DONTWAIT);
    return count < 0 ? "" : std::string(text, static_cast<size_t>(count));
  }

private:
  int file;
};

} // namespace

TEST(Notify, TellsASocketInAFolder) {
  cheems::test::TemporaryFolder folder;
  Manager manager((folder.path / "notify").string());
  EXPECT_TRUE(notifyManager("READY=1\nSTATUS=ready"));
  EXPECT_EQ(manager.heard(), "READY=1\nSTATUS=ready");
}

TEST(Notify, TellsAnAbstractSocket) {
  Manager manager("@cheems-notify-test-" + std::to_string(getpid()));
  EXPECT_TRUE(notifyManager("STOPPING=1"));
  EXPECT_EQ(manager.heard(), "STOPPING=1");
}

TEST(Notify, TellsNobodyWhereNobodyListens) {
  unsetenv("NOTIFY_SOCKET");
  EXPECT_FALSE(notifyManager("READY=1"));
  for (const char *name : {"", "relative", "/nowhere/at/all"}) {
    setenv("NOTIFY_SOCKET", name, 1);
    EXPECT_FALSE(notifyManager("READY=1")) << name;
  }
  setenv("NOTIFY_SOCKET", ("/" + std::string(200, 'x')).c_str(), 1);
  EXPECT_FALSE(notifyManager("READY=1"));
  unsetenv("NOTIFY_SOCKET");
}
