// One rendering: its limits, where it is, and what must be taken apart when it
// ends.
#ifndef CHEEMS_RUNTIME_CHATTEMPLATE_CONTEXT_H
#define CHEEMS_RUNTIME_CHATTEMPLATE_CONTEXT_H

#include "runtime/ChatTemplate/Value.h"

#include <array>
#include <memory>

namespace cheems::jinja {

/// Fails the rendering; whoever started it adds the line.
[[noreturn]] void fail(const std::string &message);
/// The same for something that Jinja or Python has and this interpreter does
/// not: "`construct` is not supported".
[[noreturn]] void unsupported(const std::string &construct);
/// An integer of more than `maximumDigits`.
[[noreturn]] void refuseDigits();

/// What a template may use up, so that a hostile one ends.
struct Limits {
  int64_t steps; ///< see ChatTemplateLimits
  int depth;     ///< nodes inside nodes, through macro calls too
};

struct Scope {
  explicit Scope(std::shared_ptr<Scope> parent) : parent(std::move(parent)) {}
  void set(std::string_view name, Value value) {
    names.insert_or_assign(MeteredString(name), std::move(value));
  }

  Names names;
  std::shared_ptr<Scope> parent;
};

class Context {
public:
  explicit Context(const Limits &limits) : limits(limits) {}
  Context(const Context &) = delete;
  /// Namespaces and macros' scopes may hold themselves; emptying them frees the
  /// rest.
  ~Context();

  void step(int64_t count = 1);
  /// For reading or making a whole text of `count` bytes.
  void scan(size_t count) { step(int64_t(count >> 8)); }
  /// For going through `count` bytes character by character.
  void walk(size_t count) { step(int64_t(count >> 2)); }
  /// For looking for `needle` bytes in `text` bytes.
  void search(size_t text, size_t needle) {
    step(int64_t((double(text) * double(needle)) / 1024));
  }
  /// A new text, with the work of making it.
  Value text(TrackedText value, bool isMarkup = false) {
    scan(value.size());
    return Value::text(std::move(value), isMarkup);
  }
  /// The only character of `text`. Those of ASCII are made once.
  Value character(std::string_view text, Origin origin);

  std::shared_ptr<Namespace> makeNamespace();
  void keepUntilEnd(std::shared_ptr<Scope> scope);

  int line = 1; ///< of the node being evaluated

  /// Counts one level of evaluation for as long as it lives.
  class Level {
  public:
    explicit Level(Context &context);
    ~Level() { --context.depth; }
    Level(const Level &) = delete;

  private:
    Context &context;
  };

private:
  Limits limits;
  int64_t steps = 0;
  int depth = 0;
  MeteredVector<std::shared_ptr<Namespace>> namespaces;
  MeteredVector<std::shared_ptr<Scope>> scopes;
  std::array<Value, 256> asciiCharacters; ///< the second half is strangers'
};

} // namespace cheems::jinja

#endif
