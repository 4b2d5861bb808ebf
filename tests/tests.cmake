# Tests by the folder that they stand in. A name begins with its folder, so that
# `ctest -R ^unit` picks one kind; the label slow keeps a test out of the quick run.

pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
set(test_libraries sampling query store export config collectors model base PkgConfig::CMOCKA)

add_test(NAME check.layers COMMAND ${CMAKE_SOURCE_DIR}/tools/check_layers)

file(GLOB unit_tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/unit/test_*.c)
foreach(source IN LISTS unit_tests)
	get_filename_component(name ${source} NAME_WE)
	string(REPLACE test_ unit. test_name ${name})
	add_executable(${name} ${source})
	set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
	target_link_libraries(${name} PRIVATE ${test_libraries})
	target_compile_definitions(${name} PRIVATE TEST_SOURCE_DIR="${CMAKE_SOURCE_DIR}/tests")
	add_test(NAME ${test_name} COMMAND ${name})
endforeach()

# A fuzz target runs on its corpus and on mutations of it; tests/fuzz/run_corpus.c is the driver.
file(GLOB fuzz_targets CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/fuzz/fuzz_*.c)
foreach(source IN LISTS fuzz_targets)
	get_filename_component(name ${source} NAME_WE)
	string(REPLACE fuzz_ "" short ${name})
	add_executable(${name} ${source} ${CMAKE_SOURCE_DIR}/tests/fuzz/run_corpus.c)
	set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
	target_link_libraries(${name} PRIVATE ${test_libraries})
	add_test(NAME fuzz.${short} COMMAND ${name} ${CMAKE_SOURCE_DIR}/tests/fuzz/corpus/${short})
endforeach()

# System tests drive the built binaries; exit status 77 is a skip. A line "# label: slow" in the
# script keeps it out of the quick run, "# timeout: N" gives it N seconds.
file(GLOB system_tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/system/*.sh)
foreach(source IN LISTS system_tests)
	get_filename_component(name ${source} NAME_WE)
	add_test(NAME system.${name} COMMAND bash ${source} ${CMAKE_BINARY_DIR})
	set_tests_properties(system.${name} PROPERTIES SKIP_RETURN_CODE 77)
	file(STRINGS ${source} label REGEX "^# label: ")
	if(label)
		string(REPLACE "# label: " "" label "${label}")
		set_tests_properties(system.${name} PROPERTIES LABELS "${label}")
	endif()
	file(STRINGS ${source} timeout REGEX "^# timeout: ")
	if(timeout)
		string(REPLACE "# timeout: " "" timeout "${timeout}")
	else()
		set(timeout 60)
	endif()
	set_tests_properties(system.${name} PROPERTIES TIMEOUT "${timeout}")
endforeach()
