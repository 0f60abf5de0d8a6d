// cheems-translate: kernels that are lowered to LLVM's ops in, PTX out.
#include "Translate.h"
#include "runtime/Error.h"
#include "runtime/Process/Output.h"
#include "runtime/Process/StandardFiles.h"
#include <csignal>
#include <new>

int main(int argc, char **argv) {
  using cheems::Status;
  cheems::holdStandardFiles();
  std::signal(SIGPIPE, SIG_IGN); // a write tells, too
  try {
    if (auto options = cheems::translate::parseOptions(argc, argv)) {
      cheems::translate::translate(*options);
    }
    return static_cast<int>(Status::ok);
  } catch (const cheems::OutputClosed &) {
    return static_cast<int>(Status::ok);
  } catch (const cheems::Error &error) {
    cheems::printMessage(std::string("cheems-translate: ") + error.what());
    return static_cast<int>(error.status);
  } catch (const std::bad_alloc &) {
    cheems::printMessage("cheems-translate: out of memory");
  } catch (const std::exception &error) {
    cheems::printMessage(std::string("cheems-translate: ") + error.what());
  }
  return static_cast<int>(Status::failed);
}
