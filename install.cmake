# What is installed, and where: by GNUInstallDirs, units where systemd looks for them. Included by
# CMakeLists.txt.
include(GNUInstallDirs)

# Android has folders of its own: what a vendor partition takes.
if(FLASHSCOPE_ANDROID)
	install(TARGETS flashscope flashscoped flashscope-helper RUNTIME DESTINATION vendor/bin)
	install(FILES init.rc/flashscoped.rc DESTINATION vendor/etc/init)
	install(FILES init.rc/flashscope.conf DESTINATION vendor/etc)
	return()
endif()

function(systemd_dir variable name fallback)
	if(NOT DEFINED CACHE{${variable}})
		pkg_get_variable(dir systemd ${name})
		if(NOT dir)
			set(dir ${fallback})
		endif()
		set(${variable} ${dir} CACHE PATH "${name} of systemd")
	endif()
endfunction()
systemd_dir(SYSTEMD_UNIT_DIR systemdsystemunitdir /lib/systemd/system)
systemd_dir(SYSUSERS_DIR sysusersdir /usr/lib/sysusers.d)
systemd_dir(TMPFILES_DIR tmpfilesdir /usr/lib/tmpfiles.d)

# The paths of configuration, state and runtime that the programs have built in, unless the prefix says
# otherwise.
set(bindir ${CMAKE_INSTALL_FULL_BINDIR})
set(sbindir ${CMAKE_INSTALL_FULL_SBINDIR})
set(sysconfdir /etc)
set(localstatedir /var)
set(runstatedir /run)

function(generate source result)
	configure_file(${CMAKE_SOURCE_DIR}/${source}.in ${CMAKE_BINARY_DIR}/install/${result} @ONLY)
endfunction()

install(TARGETS flashscope RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# The daemon finds the helper beside itself.
install(TARGETS flashscoped flashscope-helper RUNTIME DESTINATION ${CMAKE_INSTALL_SBINDIR})
install(FILES docs/flashscope.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES docs/flashscoped.8 docs/flashscope-helper.8 DESTINATION ${CMAKE_INSTALL_MANDIR}/man8)
install(FILES README.md docs/METRICS.md docs/openapi.json docs/deploy/systemd.md schema/FORMAT.md
	DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(units "")
foreach(unit flashscoped.service flashscoped.socket flashscope-helper.service flashscope-helper.socket)
	generate(systemd/${unit} ${unit})
	list(APPEND units ${CMAKE_BINARY_DIR}/install/${unit})
endforeach()
generate(systemd/sysusers.conf flashscope.sysusers)
generate(systemd/tmpfiles.conf flashscope.tmpfiles)
generate(packaging/busybox/S60flashscoped S60flashscoped)
install(FILES ${units} DESTINATION ${SYSTEMD_UNIT_DIR})
install(FILES ${CMAKE_BINARY_DIR}/install/flashscope.sysusers DESTINATION ${SYSUSERS_DIR}
	RENAME flashscope.conf)
install(FILES ${CMAKE_BINARY_DIR}/install/flashscope.tmpfiles DESTINATION ${TMPFILES_DIR}
	RENAME flashscope.conf)
# Where there is no systemd it is copied to /etc/init.d.
install(PROGRAMS ${CMAKE_BINARY_DIR}/install/S60flashscoped
	DESTINATION ${CMAKE_INSTALL_DATADIR}/flashscope/busybox)

# A configuration that is there already stays. The example is what the option table says, where the
# program can be run here.
install(CODE "
	if(NOT EXISTS \"\$ENV{DESTDIR}${sysconfdir}/flashscope/flashscope.conf\")
		file(INSTALL \"${CMAKE_SOURCE_DIR}/packaging/flashscope.conf\"
			DESTINATION \"${sysconfdir}/flashscope\")
	endif()
	execute_process(COMMAND \"$<TARGET_FILE:flashscoped>\" --dump-config
		OUTPUT_VARIABLE example RESULT_VARIABLE result ERROR_QUIET)
	if(result EQUAL 0)
		file(WRITE \"${CMAKE_BINARY_DIR}/install/flashscope.conf.example\" \"\${example}\")
		file(INSTALL \"${CMAKE_BINARY_DIR}/install/flashscope.conf.example\"
			DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}\")
	endif()")
