// What a service manager is told, as sd_notify(3) says it, without libsystemd.
#ifndef CHEEMS_SERVER_HTTP_NOTIFY_H
#define CHEEMS_SERVER_HTTP_NOTIFY_H

#include <string>

namespace cheems::serve {

/// Sends "READY=1", say, to the socket that NOTIFY_SOCKET names. False where
/// there is none, or it takes nothing: no server ends because of that.
bool notifyManager(const std::string &state);

} // namespace cheems::serve

#endif
