// cheems-bench: how fast a compiled model is, and how fast it could be.
#include "Suite.h"
#include "runtime/Error.h"
#include "runtime/Generation/Interrupt.h"
#include "runtime/Generation/ModelCache.h"
#include "runtime/Generation/Output.h"
#include <new>

using namespace cheems;

static int fail(const std::string &message, Status status) {
  printMessage("cheems-bench: " + message);
  return static_cast<int>(status);
}

int main(int argc, char **argv) {
  try {
    interrupt::install();
    auto options = bench::parseOptions(argc, argv);
    if (options) {
      bench::Report report = bench::runSuite(*options);
      writeOutput(options->json ? report.json() : report.markdown());
    }
    return 0;
  } catch (const OutputClosed &) {
    return 0;
  } catch (const CompileFailed &failed) {
    return failed.code;
  } catch (const Error &error) {
    return fail(error.what(), error.status);
  } catch (const std::bad_alloc &) {
    return fail("out of memory; a lower -c, -b or --prefill-chunk needs less",
                Status::failed);
  } catch (const std::exception &error) {
    return fail(error.what(), Status::failed);
  }
}
