"""What every layer may use: lines, names, versions, files, and words that all share.

constants: the vocabulary that all layers share: kinds of change, supported torch versions, defaults
digest: digests of canonical forms and of texts, the same in every process
disk_cache: what comparing two texts has found, kept in the user's cache for the next process
files: files of ours, read and written only inside their folder and in full
forks: work in forks of this process, which inherit all that it has imported and made; what a fork may take and say
format_version: the version of everything that turns a record into text, and the upgrades of older texts to it
garbage_collection: work whose objects nearly all stay, which garbage collection would scan over and over
installed_torch: which torch and Triton are installed, by their metadata, and what depends on the release
json_files: our JSON files: all written the same way, and read strictly, since they may come from another machine
lines: how text is split into lines everywhere: Python, the page in a browser and a diff must agree on line numbers
name_matching: names as users give them, by part or pattern; an unknown one is an error that names those close
program_call: one call of a program, as it is asked for
quantity: how many of something, in words; of several, the first ones and how many more there are
regular_expressions: what every layer applies to texts: several at once, and what leaves out numbers or addresses
sessions: processes that are started in a session of their own, so that they can be ended with all that they start
surplus: what of one side is more than the other has, where several may be alike
"""
