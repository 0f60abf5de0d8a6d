// What a program can run models on here.
#ifndef CHEEMS_RUNTIME_GENERATION_DEVICELIST_H
#define CHEEMS_RUNTIME_GENERATION_DEVICELIST_H

#include <functional>
#include <string>

namespace cheems {

/// A line for each device, which begins with the word that chooses it.
/// `notify` gets the one line that says why no GPU can be used.
std::string deviceList(const std::function<void(const std::string &)> &notify);

} // namespace cheems

#endif
