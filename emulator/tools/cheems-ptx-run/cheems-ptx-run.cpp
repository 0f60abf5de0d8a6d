// cheems-ptx-run: one kernel of PTX text on the emulated GPU.
#include "CommandLine.h"
#include "Run.h"
#include "Support/Error.h"

using namespace cheems;
using namespace cheems::ptxrun;

namespace {

int fail(const char *what, Status status) {
  printMessage(what);
  return static_cast<int>(status);
}

} // namespace

int main(int argc, char **argv) {
  try {
    auto options = ptxrun::parseOptions(argc, argv);
    return options ? ptxrun::run(*options) : 0;
  } catch (const emulator::Finding &finding) {
    return fail(describe(finding).c_str(), Status::failed);
  } catch (const emulator::NotModelled &error) {
    return fail(error.what(), Status::unsupported);
  } catch (const Error &error) {
    return fail(error.what(), error.status);
  } catch (const std::bad_alloc &) {
    return fail("out of memory", Status::failed);
  } catch (const std::exception &error) {
    return fail(error.what(), Status::failed);
  }
}
