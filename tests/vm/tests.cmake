# One test for each scenario and kernel. A plain ctest leaves them out, since each takes a minute or
# so: `ctest -C vm` adds the set "short" on its first kernel, as ./test does, `ctest -C vm-all` all, as
# ./test --full does. Those of the set "bench" are no tests.
file(GLOB vm_scenarios CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/scenarios/*)
foreach(source IN LISTS vm_scenarios)
	file(STRINGS ${source} bench REGEX "^# set: bench")
	if(bench)
		continue()
	endif()
	get_filename_component(name ${source} NAME)
	set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
	file(STRINGS ${source} kernels REGEX "^# kernels: ")
	string(REGEX REPLACE "^# kernels: " "" kernels "${kernels}")
	string(REPLACE " " ";" kernels "${kernels}")
	file(STRINGS ${source} short REGEX "^# set: short")
	foreach(kernel IN LISTS kernels)
		set(test vm.${name}.${kernel})
		set(configurations vm-all)
		if(short)
			list(APPEND configurations vm)
		endif()
		add_test(NAME ${test} CONFIGURATIONS ${configurations}
			COMMAND ${CMAKE_CURRENT_LIST_DIR}/vm --build ${CMAKE_BINARY_DIR}
			--kernel ${kernel} ${name})
		# One after the other, beside all others: they begin first.
		set_tests_properties(${test} PROPERTIES LABELS vm SKIP_RETURN_CODE 77
			RESOURCE_LOCK vm TIMEOUT 1800 COST 2000)
		set(short "")
	endforeach()
endforeach()
