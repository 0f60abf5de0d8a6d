// Folders of Hugging Face's cache that are given in place of a model folder.
// They are above the one that is meant.
#ifndef CHEEMS_RUNTIME_PROCESS_HUBFOLDER_H
#define CHEEMS_RUNTIME_PROCESS_HUBFOLDER_H

#include <string>

namespace cheems {

/// What to say of `folder` where it has no config.json and is, or is in, such a
/// cache: one line that names a folder to give. Empty for any other folder.
std::string hubFolderHint(const std::string &folder);

} // namespace cheems

#endif
