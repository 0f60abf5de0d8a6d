// Whether an answer comes in parts.
#ifndef CHEEMS_SERVER_API_STREAMING_H
#define CHEEMS_SERVER_API_STREAMING_H

#include "server/Api/Fields.h"

namespace cheems::serve {

struct StreamWishes {
  bool streams = false;
  bool usage = false; ///< a chunk at the end tells what it cost
};

/// `stream` and `stream_options`. Throws ApiError.
StreamWishes readStreaming(Fields &fields);

} // namespace cheems::serve

#endif
