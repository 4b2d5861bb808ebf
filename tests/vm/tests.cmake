# One test for each scenario and kernel. Those of the set "short", on their first kernel, run in
# ./test; the label long leaves the others to ./test --full.
file(GLOB vm_scenarios CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/scenarios/*)
foreach(source IN LISTS vm_scenarios)
	get_filename_component(name ${source} NAME)
	set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
	file(STRINGS ${source} kernels REGEX "^# kernels: ")
	string(REGEX REPLACE "^# kernels: " "" kernels "${kernels}")
	string(REPLACE " " ";" kernels "${kernels}")
	file(STRINGS ${source} short REGEX "^# set: short")
	foreach(kernel IN LISTS kernels)
		set(test vm.${name}.${kernel})
		add_test(NAME ${test} COMMAND ${CMAKE_CURRENT_LIST_DIR}/vm --build ${CMAKE_BINARY_DIR}
			--kernel ${kernel} ${name})
		set(labels vm nosan)
		if(NOT short)
			list(APPEND labels long)
		endif()
		set_tests_properties(${test} PROPERTIES LABELS "${labels}" SKIP_RETURN_CODE 77
			RESOURCE_LOCK vm TIMEOUT 1800)
		set(short "")
	endforeach()
endforeach()
