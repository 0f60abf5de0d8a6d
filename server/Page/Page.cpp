#include "server/Page/Page.h"
#include "server/Page/EmbeddedPage.h"

namespace cheems::serve::page {

std::string_view text() {
  return {reinterpret_cast<const char *>(embeddedPage), sizeof(embeddedPage)};
}

std::string policy() {
  std::string scripts = scriptHashes;
  return "default-src 'none'; script-src " +
         (scripts.empty() ? "'none'" : scripts) +
         "; style-src 'unsafe-inline'; img-src 'self' data:; connect-src "
         "'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
}

} // namespace cheems::serve::page
