// Text of a module: public functions over memrefs around one op each, in the
// form of a step function.
#ifndef CHEEMS_TEST_UNIT_KERNELS_MODULETEXT_H
#define CHEEMS_TEST_UNIT_KERNELS_MODULETEXT_H

#include <sstream>
#include <string>
#include <utility>

namespace cheems::test {

/// One function; every buffer is an argument, in the order of the calls below.
class FunctionText {
public:
  explicit FunctionText(std::string name) : name(std::move(name)) {}

  /// Tensor %n of the buffer, never written. `type` is as in "?x24xf32".
  FunctionText &input(const std::string &n, const std::string &type) {
    return buffer(n, type, "");
  }
  /// Tensor %n of the buffer, a destination.
  FunctionText &output(const std::string &n, const std::string &type) {
    return buffer(n, type, "writable ");
  }
  /// Index %n, passed as a buffer of one.
  FunctionText &number(const std::string &n) {
    argument(n, "1xindex");
    before << "  %zero_" << n << " = arith.constant 0 : index\n  %" << n
           << " = memref.load %buffer_" << n << "[%zero_" << n
           << "] : memref<1xindex>\n";
    return *this;
  }
  /// Weight %n, named as the function is. Buffers come before weights.
  FunctionText &parameter(const std::string &n, const std::string &type) {
    return parameter(n, type, name);
  }
  FunctionText &parameter(const std::string &n, const std::string &type,
                          const std::string &weight) {
    return parameter(n, type, weight, "");
  }
  /// The same in panels: `layout` is as in "16, 2".
  FunctionText &panels(const std::string &n, const std::string &type,
                       const std::string &weight, const std::string &layout) {
    return parameter(n, type, weight,
                     " layout(#cheems_cpu.panels<" + layout + ">)");
  }
  FunctionText &line(const std::string &text) {
    before << "  " << text << "\n";
    return *this;
  }
  /// %result goes to the buffer of output `n`.
  FunctionText &store(const std::string &result, const std::string &n,
                      const std::string &type) {
    before << "  bufferization.materialize_in_destination " << result
           << " in restrict writable %buffer_" << n << " : (tensor<" << type
           << ">, memref<" << type << ">) -> ()\n";
    return *this;
  }
  /// Makes it a function of few rows, as a decode step is.
  FunctionText &decode() {
    attributes += ", cheems.most_rows = 64 : i64";
    return *this;
  }
  std::string text() const {
    return "func.func @" + name + "(" + signature.str() + ") attributes {" +
           attributes + "} {\n" + before.str() + "  return\n}\n";
  }

private:
  FunctionText &parameter(const std::string &n, const std::string &type,
                          const std::string &weight,
                          const std::string &layout) {
    if (!hasSection) {
      signature << (signature.tellp() ? ", " : "")
                << "%section: memref<?xi8> {cheems.field = "
                   "#cheems.step_field<parameters>}";
      hasSection = true;
    }
    before << "  %" << n << " = cheems.parameter [\"" << weight << "\"]"
           << layout << " : tensor<" << type << ">\n";
    return *this;
  }
  void argument(const std::string &n, const std::string &type) {
    signature << (signature.tellp() ? ", " : "") << "%buffer_" << n
              << ": memref<" << type << ">";
  }
  FunctionText &buffer(const std::string &n, const std::string &type,
                       const std::string &access) {
    argument(n, type);
    before << "  %" << n << " = bufferization.to_tensor %buffer_" << n
           << " restrict " << access << ": memref<" << type << "> to tensor<"
           << type << ">\n";
    return *this;
  }

  std::string name, attributes = "llvm.emit_c_interface";
  std::ostringstream signature, before;
  bool hasSection = false;
};

} // namespace cheems::test

#endif
