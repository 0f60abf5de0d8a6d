// cheems-run: text, chat, logits and more from a compiled model.
#include "Modes.h"
#include "Options.h"
#include "runtime/Error.h"
#include "runtime/Generation/Interrupt.h"
#include "runtime/Generation/ModelCache.h"
#include "runtime/Generation/Output.h"
#include <new>

using namespace cheems;

static int fail(const std::string &message, Status status) {
  printMessage("cheems-run: " + message);
  return static_cast<int>(status);
}

int main(int argc, char **argv) {
  try {
    interrupt::install();
    auto options = run::parseOptions(argc, argv);
    return options ? run::runMode(*options) : 0;
  } catch (const OutputClosed &) {
    return 0;
  } catch (const CompileFailed &failed) {
    return failed.code;
  } catch (const Error &error) {
    return fail(error.what(), error.status);
  } catch (const std::bad_alloc &) {
    return fail("out of memory; a lower -c or --prefill-chunk needs less",
                Status::failed);
  } catch (const std::exception &error) {
    return fail(error.what(), Status::failed);
  }
}
