# Tests by the folder that they stand in. A name begins with its folder, so that
# `ctest -R ^unit` picks one kind.

# ./run builds a release where nothing is installed that only tests need.
pkg_check_modules(CMOCKA IMPORTED_TARGET cmocka)
if(NOT CMOCKA_FOUND)
	if(NOT CMAKE_BUILD_TYPE STREQUAL Debug)
		message(STATUS "No cmocka: no tests in this build")
		return()
	endif()
	message(FATAL_ERROR "cmocka is missing (Debian: libcmocka-dev); ./test installs it")
endif()
set(test_libraries helper sampling query store analysis export config collectors model base PkgConfig::CMOCKA)

# A line "# label: long" keeps a script out of the quick run, "# timeout: N" gives it N seconds; in C
# "/* label: long */". The label slow keeps a test out of the builds with tsan and clang as well, nosan
# out of those with a sanitizer, single out of tsan (one thread, or threads that others try); there may
# be several. Exit status 77 is a skip, and the last line said is its reason.
function(test_properties test source)
	set_tests_properties(${test} PROPERTIES SKIP_RETURN_CODE 77)
	file(STRINGS ${source} label REGEX "^(#|/\\*) label: " LIMIT_COUNT 1)
	if(label)
		string(REGEX REPLACE "^(#|/\\*) label: ([a-z]+( [a-z]+)*).*" "\\2" label "${label}")
		string(REPLACE " " ";" label "${label}")
		set_tests_properties(${test} PROPERTIES LABELS "${label}")
	endif()
	file(STRINGS ${source} timeout REGEX "^(#|/\\*) timeout: " LIMIT_COUNT 1)
	if(timeout)
		string(REGEX REPLACE "^(#|/\\*) timeout: ([0-9]+).*" "\\2" timeout "${timeout}")
	else()
		set(timeout 240)
	endif()
	set_tests_properties(${test} PROPERTIES TIMEOUT "${timeout}")
endfunction()

# Checks of the tree itself.
file(GLOB check_tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/check/*.sh)
foreach(source IN LISTS check_tests)
	get_filename_component(name ${source} NAME_WE)
	add_test(NAME check.${name} COMMAND bash ${source} ${CMAKE_BINARY_DIR})
	test_properties(check.${name} ${source})
endforeach()

file(GLOB unit_tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/unit/test_*.c)
foreach(source IN LISTS unit_tests)
	get_filename_component(name ${source} NAME_WE)
	string(REPLACE test_ unit. test_name ${name})
	add_executable(${name} ${source})
	set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
	target_link_libraries(${name} PRIVATE ${test_libraries})
	if(name MATCHES "http|daemon")
		target_link_libraries(${name} PRIVATE daemon)
	endif()
	if(name MATCHES "helper")
		target_link_libraries(${name} PRIVATE helper)
	endif()
	target_compile_definitions(${name} PRIVATE TEST_SOURCE_DIR="${CMAKE_SOURCE_DIR}/tests")
	add_test(NAME ${test_name} COMMAND ${name})
	test_properties(${test_name} ${source})
endforeach()

# These run on a history in memory instead of a file.
target_sources(test_query PRIVATE tests/unit/fake_reader.c)
target_sources(test_query_ambiguity PRIVATE tests/unit/fake_reader.c)

# A fuzz target runs on its corpus and on mutations of it; tests/fuzz/run_corpus.c is the driver. A line
# "/* mutations: N */" makes it N of each file, where one run takes long.
file(GLOB fuzz_targets CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/fuzz/fuzz_*.c)
foreach(source IN LISTS fuzz_targets)
	get_filename_component(name ${source} NAME_WE)
	string(REPLACE fuzz_ "" short ${name})
	add_executable(${name} ${source} ${CMAKE_SOURCE_DIR}/tests/fuzz/run_corpus.c)
	set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
	target_link_libraries(${name} PRIVATE ${test_libraries})
	if(name MATCHES "http|daemon")
		target_link_libraries(${name} PRIVATE daemon)
	endif()
	if(name MATCHES "helper")
		target_link_libraries(${name} PRIVATE helper)
	endif()
	if(name MATCHES "helper")
		target_link_libraries(${name} PRIVATE helper)
	endif()
	file(STRINGS ${source} mutations REGEX "^/\\* mutations: " LIMIT_COUNT 1)
	if(mutations)
		string(REGEX REPLACE ".*: ([0-9]+).*" "\\1" mutations "${mutations}")
		target_compile_definitions(${name} PRIVATE N_MUTATIONS=${mutations})
	endif()
	add_test(NAME fuzz.${short} COMMAND ${name} ${CMAKE_SOURCE_DIR}/tests/fuzz/corpus/${short})
	test_properties(fuzz.${short} ${source})
	set_tests_properties(fuzz.${short} PROPERTIES TIMEOUT 600)
endforeach()

# Of the command: what it has instead of libcurl and libsmartcols, where these are there, and what takes
# foreign bytes apart.
target_sources(test_cli_answer PRIVATE cli/http_answer.c)
target_sources(fuzz_http_answer PRIVATE cli/http_answer.c)
target_sources(fuzz_journal_entry PRIVATE cli/kernel_log_json.c)
if(SMARTCOLS_FOUND AND CURL_FOUND)
	command(flashscope_plain plain plain)
	set_target_properties(flashscope_plain PROPERTIES
		RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
endif()

# Programs that system tests use: a loop around the sampler, a writer that is made to be killed, one
# that talks to the helper, a kernel without a system call, a starter that passes sockets, a
# service manager's ear, and a file system that does not answer.
add_executable(kill_writer ${CMAKE_SOURCE_DIR}/tests/system/kill_writer.c)
target_link_libraries(kill_writer PRIVATE store)
set_target_properties(kill_writer PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
add_executable(queries_file ${CMAKE_SOURCE_DIR}/tests/system/queries_file.c)
target_link_libraries(queries_file PRIVATE store)
set_target_properties(queries_file PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
add_executable(lane_watch ${CMAKE_SOURCE_DIR}/tests/system/lane_watch.c)
target_link_libraries(lane_watch PRIVATE sampling)
set_target_properties(lane_watch PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
add_executable(helper_client ${CMAKE_SOURCE_DIR}/tests/system/helper_client.c)
target_link_libraries(helper_client PRIVATE sampling)
set_target_properties(helper_client PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
add_executable(without_openat2 ${CMAKE_SOURCE_DIR}/tests/system/without_openat2.c)
set_target_properties(without_openat2 PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
add_executable(pass_sockets ${CMAKE_SOURCE_DIR}/tests/system/pass_sockets.c)
set_target_properties(pass_sockets PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
add_executable(notify_listen ${CMAKE_SOURCE_DIR}/tests/system/notify_listen.c)
set_target_properties(notify_listen PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
pkg_check_modules(FUSE3 IMPORTED_TARGET fuse3)
if(FUSE3_FOUND)
	add_executable(hangfs ${CMAKE_SOURCE_DIR}/tests/system/hangfs.c)
	target_link_libraries(hangfs PRIVATE PkgConfig::FUSE3 Threads::Threads)
	set_target_properties(hangfs PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
endif()

# System tests drive the built binaries.
file(GLOB system_tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/system/*.sh)
foreach(source IN LISTS system_tests)
	get_filename_component(name ${source} NAME_WE)
	add_test(NAME system.${name} COMMAND bash ${source} ${CMAKE_BINARY_DIR})
	test_properties(system.${name} ${source})
	# They wait more than they compute: they begin first, and the rest fills the time.
	set_tests_properties(system.${name} PROPERTIES COST 1000)
endforeach()

# Benches are built with everything, so that they do not rot, and run by tests/bench/run alone.
file(GLOB benches CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/bench/bench_*.c)
foreach(source IN LISTS benches)
	get_filename_component(name ${source} NAME_WE)
	add_executable(${name} ${source})
	set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
	target_link_libraries(${name} PRIVATE ${test_libraries})
endforeach()

# Real kernels in QEMU.
include(${CMAKE_CURRENT_LIST_DIR}/vm/tests.cmake)
