# Writes the program's manual pages and completions to a folder: cmake -DSCALEMARK=PROGRAM -DOUTPUT=FOLDER -P this.
function(keep file)
  execute_process(COMMAND "${SCALEMARK}" ${ARGN} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  file(WRITE "${OUTPUT}/${file}" "${text}")
  set(text "${text}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${OUTPUT}")
keep(scalemark.bash completion bash)
keep(_scalemark completion zsh)
keep(scalemark.fish completion fish)
keep(man1/scalemark.1 man)
# The program's page names the pages of all subcommands.
string(REGEX MATCHALL "scalemark\\\\-[a-z]+\\(1\\)" pages "${text}")
foreach(page ${pages})
  string(REGEX REPLACE ".*-([a-z]+)\\(1\\)" "\\1" subcommand "${page}")
  keep(man1/scalemark-${subcommand}.1 man ${subcommand})
endforeach()
