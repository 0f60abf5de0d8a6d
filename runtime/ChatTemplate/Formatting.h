// Python's two ways to fill a text in: '%' and str.format.
#ifndef CHEEMS_RUNTIME_CHATTEMPLATE_FORMATTING_H
#define CHEEMS_RUNTIME_CHATTEMPLATE_FORMATTING_H

#include "runtime/ChatTemplate/Calls.h"

namespace cheems::jinja {

/// A number in pieces, for whoever pads and groups it.
struct NumberText {
  MeteredString sign;   ///< "-" or nothing
  MeteredString prefix; ///< "0x" and its kin
  MeteredString digits; ///< before the point
  MeteredString rest;   ///< from the point or the exponent on
};

/// `type` is one of b c d o x X; `alternate` asks for the prefix.
NumberText integerText(Context &context, const BigInteger &value, char type,
                       bool alternate);
/// `type` is one of e E f F g G %, or '\0' for what format() does without one;
/// a negative precision was not given.
NumberText floatText(Context &context, double value, char type,
                     int64_t precision, bool alternate);

/// A width or precision at the front of `text`, which moves past it; -1 if
/// there is none. Fails if it is out of reach.
int64_t takeCount(std::string_view &text);
/// `count` characters of `fill`.
MeteredString filled(Context &context, std::string_view fill, int64_t count);
/// The character with that number; fails if there is none.
TrackedText characterOf(const Value &number);
/// What ascii() makes of a repr(): all beyond ASCII escaped.
TrackedText asciiOnly(Context &context, const TrackedText &text);

/// format(value, specification).
TrackedText formatted(Context &context, const Value &value,
                      const TrackedText &specification);
/// str.format and str.format_map.
Value formatMethod(Context &context, const Value &self,
                   CallArguments &arguments);
Value formatMapMethod(Context &context, const Value &self,
                      CallArguments &arguments);
/// format % values.
Value formatPercent(Context &context, const Value &format, const Value &values);

} // namespace cheems::jinja

#endif
