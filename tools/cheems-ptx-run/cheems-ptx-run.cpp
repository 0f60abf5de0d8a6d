// cheems-ptx-run: one kernel of PTX text on the emulated card.
#include "Run.h"
#include "cheems/Emulator/Support/Error.h"
#include "runtime/Process/Output.h"
#include "tools/Support/CommandLine.h"

#include <cstdio>

using namespace cheems;

namespace {

int fail(const char *what, Status status) {
  printMessage(std::string("cheems-ptx-run: ") + what);
  return static_cast<int>(status);
}

} // namespace

int main(int argc, char **argv) {
  try {
    auto options = ptxrun::parseOptions(argc, argv);
    return options ? ptxrun::run(*options) : 0;
  } catch (const emulator::Finding &finding) {
    std::string report = "cheems-ptx-run: " + describe(finding) + "\n";
    std::fputs(report.c_str(), stderr);
    return static_cast<int>(Status::failed);
  } catch (const emulator::NotModelled &error) {
    return fail(error.what(), Status::unsupported);
  } catch (const OutputClosed &) {
    return static_cast<int>(Status::ok);
  } catch (const Error &error) {
    return fail(error.what(), error.status);
  } catch (const std::bad_alloc &) {
    return fail("out of memory", Status::failed);
  } catch (const std::exception &error) {
    return fail(error.what(), Status::failed);
  }
}
