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

# With the paths of the configured prefix, to be taken from the build tree.
function(generate source result)
	configure_file(${CMAKE_SOURCE_DIR}/${source}.in ${CMAKE_BINARY_DIR}/install/${result} @ONLY)
endfunction()

# The prefix is known for certain when it is installed: cmake --install --prefix has another one.
function(install_generated source result destination name permissions)
	generate(${source} ${result})
	install(CODE "
		set(bindir \"${CMAKE_INSTALL_BINDIR}\")
		set(sbindir \"${CMAKE_INSTALL_SBINDIR}\")
		foreach(dir bindir sbindir)
			if(NOT IS_ABSOLUTE \"\${\${dir}}\")
				set(\${dir} \"\${CMAKE_INSTALL_PREFIX}/\${\${dir}}\")
			endif()
		endforeach()
		set(sysconfdir \"${sysconfdir}\")
		set(localstatedir \"${localstatedir}\")
		set(runstatedir \"${runstatedir}\")
		configure_file(\"${CMAKE_SOURCE_DIR}/${source}.in\" \"${CMAKE_BINARY_DIR}/install/installed/${result}\" @ONLY)")
	install(${permissions} ${CMAKE_BINARY_DIR}/install/installed/${result} DESTINATION ${destination}
		RENAME ${name})
endfunction()

install(TARGETS flashscope RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# The daemon finds the helper beside itself.
install(TARGETS flashscoped flashscope-helper RUNTIME DESTINATION ${CMAKE_INSTALL_SBINDIR})
install(FILES docs/flashscope.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES docs/flashscoped.8 docs/flashscope-helper.8 DESTINATION ${CMAKE_INSTALL_MANDIR}/man8)
# In the folders of the tree, so that the pages find each other.
foreach(page README.md ARCHITECTURE.md HACKING.md docs/BENCHMARKS.md docs/FAULTS.md docs/METRICS.md
	docs/UFS-MONITOR.md docs/openapi.json docs/deploy/android.md docs/deploy/systemd.md schema/FORMAT.md
	schema/queries.sql)
	get_filename_component(folder ${page} DIRECTORY)
	install(FILES ${page} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder})
endforeach()

foreach(unit flashscoped.service flashscoped.socket flashscope-helper.service flashscope-helper.socket)
	install_generated(systemd/${unit} ${unit} ${SYSTEMD_UNIT_DIR} ${unit} FILES)
endforeach()
install_generated(systemd/sysusers.conf flashscope.sysusers ${SYSUSERS_DIR} flashscope.conf FILES)
install_generated(systemd/tmpfiles.conf flashscope.tmpfiles ${TMPFILES_DIR} flashscope.conf FILES)
# Where there is no systemd it is copied to /etc/init.d.
install_generated(packaging/busybox/S60flashscoped S60flashscoped
	${CMAKE_INSTALL_DATADIR}/flashscope/busybox S60flashscoped PROGRAMS)

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
