// Reading fields of tokenizer.json with errors that say where they are.
#ifndef CHEEMS_RUNTIME_TOKENIZER_JSON_H
#define CHEEMS_RUNTIME_TOKENIZER_JSON_H

#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace cheems::tokenizer_json {

using Json = nlohmann::json;

/// The largest token id accepted; a bound on what a wrong id can make the
/// tables allocate.
inline constexpr int64_t maximumId = (int64_t(1) << 22) - 1;
/// How deep Sequence components may nest.
inline constexpr int maximumDepth = 16;

/// Throws Error "`file`: `where`: `what`".
[[noreturn]] void malformed(const std::string &where, const std::string &what);

/// Throws Error(unsupported) naming the component; `known` lists what would be
/// accepted.
[[noreturn]] void unsupported(const std::string &where,
                              const std::string &component,
                              const std::string &known);

/// Parses an object; `file` is its name in messages.
Json parse(std::string_view text, const char *file);

/// The field, or null where it is absent or null. `object` must be an object
/// (else malformed at `where`).
const Json *find(const Json &object, const char *field,
                 const std::string &where);

const Json &require(const Json &object, const char *field,
                    const std::string &where);
const std::string &requireString(const Json &object, const char *field,
                                 const std::string &where);
const Json &requireArray(const Json &object, const char *field,
                         const std::string &where);
bool requireBool(const Json &object, const char *field,
                 const std::string &where);
bool optionalBool(const Json &object, const char *field, bool fallback,
                  const std::string &where);

/// A token id in [0, maximumId].
int32_t tokenId(const Json &value, const std::string &where);

/// The "type" of a component.
const std::string &typeOf(const Json &component, const std::string &where);

/// `text` fit for one line of a message: quoted, control characters escaped,
/// cut at 60 characters.
std::string shown(std::string_view text);

} // namespace cheems::tokenizer_json

#endif
