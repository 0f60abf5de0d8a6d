//===- Signs.h - Signs and properties of numbers ----------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_ARITHMETIC_SIGNS_H
#define CHEEMS_EMULATOR_ARITHMETIC_SIGNS_H

#include "Floats.h"

namespace cheems::emulator::lanes {

enum class SignChange { negation, magnitude };

/// neg and abs. A NaN of f64 "is passed through unchanged" by abs; neg changes
/// its sign. Others "yield an unspecified NaN": the canonical one.
template <const Format &format, typename Code, SignChange change, bool flushes>
CHEEMS_LANE Code changeSign(Code code) {
  constexpr Code sign = signOf<Code>;
  constexpr Code infinity = Code(format.infinity());
  bool isNaN = Code(code & ~sign) > infinity;
  if (sizeof(Code) == 8 && change == SignChange::magnitude && isNaN) {
    return code;
  }
  Code flushed = !flushes || code & infinity ? code : Code(code & sign);
  Code changed =
      change == SignChange::negation ? flushed ^ sign : flushed & Code(~sign);
  return sizeof(Code) < 8 && isNaN ? Code(format.nan) : changed;
}

/// "Copy sign bit of a into value of b"
template <typename Code> CHEEMS_LANE Code copySign(Code a, Code b) {
  return (a & signOf<Code>) | (b & Code(~signOf<Code>));
}

enum class Property { finite, infinite, number, notANumber, normal, subnormal };

/// testp. "positive and negative zero are considered normal numbers".
template <const Format &format, typename Code, Property property>
CHEEMS_LANE bool has(Code code) {
  constexpr Code infinity = Code(format.infinity());
  Code magnitude = code & Code(~signOf<Code>);
  bool isSubnormal = !(magnitude & infinity) && magnitude;
  switch (property) {
  case Property::finite:
    return magnitude < infinity;
  case Property::infinite:
    return magnitude == infinity;
  case Property::number:
    return magnitude <= infinity;
  case Property::notANumber:
    return magnitude > infinity;
  case Property::normal:
    return magnitude < infinity && !isSubnormal;
  case Property::subnormal:
    return isSubnormal;
  }
}

} // namespace cheems::emulator::lanes

#endif
