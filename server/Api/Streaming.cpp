#include "server/Api/Streaming.h"

#include "server/Api/ApiError.h"

namespace cheems::serve {

StreamWishes readStreaming(Fields &fields) {
  StreamWishes wishes;
  wishes.streams = fields.flag("stream");
  const Json *options = fields.find("stream_options");
  if (!options) {
    return wishes;
  }
  if (!options->is_object()) {
    refuse("stream_options", "stream_options must be an object");
  }
  Fields inner(*options, "stream_options.");
  wishes.usage = inner.flag("include_usage") && wishes.streams;
  inner.ignore({"include_obfuscation"}); // padding against onlookers
  inner.onlyAs("continuous_usage_stats", {false});
  inner.finish();
  return wishes;
}

} // namespace cheems::serve
