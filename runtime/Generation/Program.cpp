#include "runtime/Generation/Program.h"
#include "runtime/Error.h"
#include "runtime/Generation/Interrupt.h"
#include "runtime/Generation/ModelCache.h"
#include "runtime/Generation/Output.h"
#include <new>

using namespace cheems;

int cheems::runProgram(const std::string &name, const std::string &thrift,
                       const std::function<int()> &body) {
  auto fail = [&](const std::string &message, Status status) {
    printMessage(name + ": " + message);
    return static_cast<int>(status);
  };
  try {
    interrupt::install();
    return body();
  } catch (const OutputClosed &) {
    return 0;
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
