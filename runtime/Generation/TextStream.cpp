#include "runtime/Generation/TextStream.h"
#include "runtime/Error.h"

namespace cheems {

void TextStream::push(int32_t token) {
  std::string text;
  try {
    text = decoder.push(token);
  } catch (const Error &) { // the decoder is as before
    ++unknownCount;
  }
  hand(stops.push(text));
}

void TextStream::skip(int32_t token) {
  try {
    decoder.push(token);
  } catch (const Error &) {
    return; // counted when it was new
  }
}

} // namespace cheems
