// Standard input, output and error are there, whoever started the program.
#ifndef CHEEMS_RUNTIME_PROCESS_STANDARDFILES_H
#define CHEEMS_RUNTIME_PROCESS_STANDARDFILES_H

namespace cheems {

/// Takes the place of those that are closed with what fails when it is used: a
/// file opened later would get their number, and be read as a prompt or written
/// over by text. To be called before anything is opened.
void holdStandardFiles();

} // namespace cheems

#endif
