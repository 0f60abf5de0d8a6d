//===- Describe.cpp - The report of a finding -----------------------------===//
#include "Error.h"

#include <sstream>

namespace cheems::emulator {
namespace {

void describe(std::ostream &out, const Place &place) {
  out << "kernel " << place.kernel << ", ptx line " << place.line << ", block ("
      << place.block[0] << ", " << place.block[1] << ", " << place.block[2]
      << ")";
  if (place.warp >= 0) {
    out << ", warp " << place.warp;
  }
  if (place.lane >= 0) {
    out << ", lane " << place.lane;
  }
}

} // namespace

std::string describe(const Finding &finding) {
  std::ostringstream out;
  out << finding.rule << ": " << finding.what() << "\n  at ";
  describe(out, finding.place);
  if (finding.address) {
    out << "\n  address 0x" << std::hex << *finding.address << std::dec;
  }
  if (finding.other) {
    out << "\n  other access: ";
    describe(out, *finding.other);
  }
  return out.str();
}

std::string describeWarning(const Finding &finding) {
  return "warning: " + describe(finding);
}

} // namespace cheems::emulator
