// Locations that name the checkpoint's tensors.
#include "Locations.h"

namespace cheems {
using namespace mlir;

Location namedLocation(MLIRContext *context, const Twine &name) {
  return NameLoc::get(StringAttr::get(context, name));
}

Location tensorLocation(MLIRContext *context, StringRef name) {
  name.consume_front("model.");
  name.consume_back(".weight");
  return namedLocation(context, name);
}

Location partLocation(MLIRContext *context, StringRef name) {
  size_t layers = name.find("layers.");
  if (layers != StringRef::npos) {
    name = name.drop_front(layers + StringRef("layers.").size());
    name = name.drop_front(name.find('.') + 1);
  }
  return tensorLocation(context, name);
}

Location parentLocation(Location part) {
  auto name = dyn_cast<NameLoc>(part);
  return name ? namedLocation(part.getContext(),
                              name.getName().getValue().rsplit('.').first)
              : part;
}
} // namespace cheems
