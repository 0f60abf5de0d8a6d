//===- Video.cpp - Video instructions, which are not modelled -------------===//
#include "Families.h"
#include "Lanes/Multiversion.h"

CHEEMS_LANES_BEGIN
namespace {

/// PTX ISA, "Video Instructions"
void refuseVideo(Statement &statement) {
  statement.notModelled("a video instruction");
}

constexpr Opcode videoOpcodes[] = {
    {"vadd", refuseVideo},      {"vsub", refuseVideo},
    {"vabsdiff", refuseVideo},  {"vmin", refuseVideo},
    {"vmax", refuseVideo},      {"vshl", refuseVideo},
    {"vshr", refuseVideo},      {"vmad", refuseVideo},
    {"vset", refuseVideo},      {"vadd2", refuseVideo},
    {"vsub2", refuseVideo},     {"vavrg2", refuseVideo},
    {"vabsdiff2", refuseVideo}, {"vmin2", refuseVideo},
    {"vmax2", refuseVideo},     {"vset2", refuseVideo},
    {"vadd4", refuseVideo},     {"vsub4", refuseVideo},
    {"vavrg4", refuseVideo},    {"vabsdiff4", refuseVideo},
    {"vmin4", refuseVideo},     {"vmax4", refuseVideo},
    {"vset4", refuseVideo},
};

} // namespace

std::span<const Opcode> video() { return videoOpcodes; }
CHEEMS_LANES_END
