#include "runtime/Generation/Program.h"
#include "runtime/Error.h"
#include "runtime/Generation/ModelCache.h"
#include "runtime/Process/FileFault.h"
#include "runtime/Process/Interrupt.h"
#include "runtime/Process/Output.h"
#include "runtime/Process/StandardFiles.h"
#include <new>

using namespace cheems;

/// Exit codes of programs that a signal stopped tell which one it was.
static int exitCode(int code) {
  return code == static_cast<int>(Status::interrupted) ? interrupt::exitCode()
                                                       : code;
}

static int run(const std::string &name, const std::string &thrift,
               const std::function<int()> &body) {
  auto fail = [&](const std::string &message, Status status) {
    printMessage(name + ": " + message);
    return static_cast<int>(status);
  };
  try {
    return body();
  } catch (const OutputClosed &) {
    return static_cast<int>(interrupt::ending() ? Status::interrupted
                                                : Status::ok);
  } catch (const CompileFailed &failed) {
    return failed.code;
  } catch (const Error &error) {
    return fail(error.what(), error.status);
  } catch (const std::bad_alloc &) {
    return fail("out of memory; " + thrift, Status::failed);
  } catch (const std::exception &error) {
    return fail(error.what(), Status::failed);
  }
}

int cheems::runProgram(const std::string &name, const std::string &thrift,
                       const std::function<int()> &body) {
  holdStandardFiles();
  interrupt::install();
  fault::install(name);
  return exitCode(run(name, thrift, body));
}
