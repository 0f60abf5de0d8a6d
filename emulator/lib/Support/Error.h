//===- Error.h - What the emulator throws -----------------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_SUPPORT_ERROR_H
#define CHEEMS_EMULATOR_SUPPORT_ERROR_H

#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

namespace cheems::emulator {

/// PTX that cannot be taken: the syntax is wrong, or an opcode, modifier or
/// operand is not known. The driver answers CUDA_ERROR_INVALID_PTX, and its log
/// has the message: "ptx line 12: add has no modifier 'f31'".
class Refusal : public std::runtime_error {
public:
  Refusal(int line, const std::string &what)
      : std::runtime_error("ptx line " + std::to_string(line) + ": " + what),
        line(line) {}

  const int line;
};

/// Something that PTX and the driver allow but this emulator does not model.
/// The driver answers CUDA_ERROR_NOT_SUPPORTED.
class NotModelled : public std::runtime_error {
public:
  NotModelled(int line, const std::string &what)
      : std::runtime_error("ptx line " + std::to_string(line) + ": " + what +
                           " is not modelled by this emulator"),
        line(line) {}

  const int line;
};

/// Who did something: block and warp of a grid; lane -1 is the whole warp.
struct Place {
  std::string kernel;
  int line = 0; ///< of the PTX text
  std::array<uint32_t, 3> block = {0, 0, 0};
  int warp = -1;
  int lane = -1;
};

/// A kernel did what it must not do: an access out of bounds, a race, a missing
/// wait. Where it is thrown it is an error: execution of the grid ends, and the
/// driver answers CUDA_ERROR_LAUNCH_FAILED until its context is reset. A few
/// are warnings (Warnings.h).
class Finding : public std::runtime_error {
public:
  /// `rule` names the check in kebab case ("out-of-bounds", "race",
  /// "missing-proxy-fence", "deadlock"), for tests and reports. `what` is a
  /// sentence.
  Finding(std::string rule, const std::string &what, Place place,
          std::optional<uint64_t> address = std::nullopt,
          std::optional<Place> other = std::nullopt)
      : std::runtime_error(what), rule(std::move(rule)),
        place(std::move(place)), address(address), other(std::move(other)) {}

  const std::string rule;
  const Place place;
  const std::optional<uint64_t> address;
  const std::optional<Place> other; ///< the access before, of a race
};

/// One report: the rule and the sentence, then a line each for who did it, the
/// address, and the other access of a race. It ends without a newline.
std::string describe(const Finding &finding);
/// The same after "warning: ".
std::string describeWarning(const Finding &finding);

} // namespace cheems::emulator

#endif
