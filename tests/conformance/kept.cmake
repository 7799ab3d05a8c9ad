# flyball_return_if_kept(<output> <name> <files>...): what Go makes of these files is kept under their
# digest, outside of the tree and for every checkout. It depends on nothing else: upstream's version is
# in go.mod. Where it is kept, it is copied to <output>, and the script that calls this is done;
# elsewhere flyball_keep(<output>) keeps it once it is made.
if(DEFINED ENV{XDG_CACHE_HOME})
  set(kept_folder "$ENV{XDG_CACHE_HOME}/flyball/go")
else()
  set(kept_folder "$ENV{HOME}/.cache/flyball/go")
endif()

# A macro, so that its return() is the caller's.
macro(flyball_return_if_kept OUTPUT NAME)
  set(digests "")
  set(files ${ARGN})
  list(SORT files)
  foreach(file IN LISTS files)
    file(SHA256 "${file}" digest)
    cmake_path(GET file FILENAME filename)
    string(APPEND digests "${filename} ${digest}\n")
  endforeach()
  string(SHA256 digest "${digests}")
  string(SUBSTRING ${digest} 0 32 digest)
  set(kept_file "${kept_folder}/${NAME}-${digest}")
  if(EXISTS "${kept_file}")
    file(TOUCH_NOCREATE "${kept_file}")
    file(COPY_FILE "${kept_file}" "${OUTPUT}")
    return()
  endif()
endmacro()

# It gets its name last, so that what has the name is whole. What nobody used for a month goes.
macro(flyball_keep OUTPUT)
  string(RANDOM LENGTH 12 part)
  file(MAKE_DIRECTORY "${kept_folder}")
  file(COPY_FILE "${OUTPUT}" "${kept_folder}/${part}.part")
  file(RENAME "${kept_folder}/${part}.part" "${kept_file}")
  execute_process(COMMAND find "${kept_folder}" -type f -mtime +30 -delete)
endmacro()
