// Says by which names a server may be asked.
#ifndef CHEEMS_SERVER_HTTP_HOSTS_H
#define CHEEMS_SERVER_HTTP_HOSTS_H

#include <string>
#include <string_view>
#include <vector>

namespace cheems::serve {

/// A page of a stranger can have a name of its own that is made to mean this
/// machine (DNS rebinding). To its browser the server is then of the page's own
/// origin, but the field Host has the stranger's name.
class Hosts {
public:
  /// Any name.
  Hosts() = default;
  /// These alone: names or addresses, without a port. Throws Error (usage) for
  /// what is none.
  explicit Hosts(const std::vector<std::string> &names);
  /// What everybody calls this machine.
  static std::vector<std::string> ofLoopback();

  /// Whether a field Host has one of them, with any port.
  bool allows(std::string_view host) const;

private:
  bool all = true;
  std::vector<std::string> names; ///< in lower case
};

} // namespace cheems::serve

#endif
