// A folder that lives as long as the test that made it.
#ifndef CHEEMS_TEST_UNIT_SUPPORT_TEMPORARYFOLDER_H
#define CHEEMS_TEST_UNIT_SUPPORT_TEMPORARYFOLDER_H

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace cheems::test {

/// Made empty and private below the system's folder for temporary files; throws
/// where that fails.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "cheems-test-XXXXXX")
            .string();
    if (!mkdtemp(name.data())) {
      throw std::system_error(errno, std::generic_category(), name);
    }
    path = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  std::filesystem::path path;
};

} // namespace cheems::test

#endif
