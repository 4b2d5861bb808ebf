# What is installed, and where: by GNUInstallDirs, units where systemd looks for them. Included by
# CMakeLists.txt.

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

# The folders that the programs have built in; cmake --install --prefix leaves them as they are.
set(bindir ${CMAKE_INSTALL_FULL_BINDIR})
set(sbindir ${CMAKE_INSTALL_FULL_SBINDIR})
set(sysconfdir ${CMAKE_INSTALL_FULL_SYSCONFDIR})
set(localstatedir ${CMAKE_INSTALL_FULL_LOCALSTATEDIR})
set(runstatedir ${CMAKE_INSTALL_FULL_RUNSTATEDIR})

# systemd makes folders for a unit below /var/lib and /run alone. Others are made by tmpfiles.d.
if(localstatedir STREQUAL /var)
	set(state_directory "StateDirectory=flashscope\nStateDirectoryMode=0750")
else()
	set(state_directory "# Made by tmpfiles.d.\nReadWritePaths=${localstatedir}/lib/flashscope")
endif()
set(sockets "# The sockets of flashscope-helper.socket and flashscoped.socket lie there as well, and are theirs.")
set(monitors "# It names the UFS monitors that are switched on, for one that is started after a kill.")
if(runstatedir STREQUAL /run)
	set(runtime_directory "RuntimeDirectory=flashscope\n${sockets}\nRuntimeDirectoryPreserve=yes")
	set(helper_directory
		"RuntimeDirectory=flashscope-helper\nRuntimeDirectoryMode=0700\n${monitors}\nRuntimeDirectoryPreserve=yes")
	set(helper_tmpfile "")
else()
	set(runtime_directory "${sockets}\nReadWritePaths=${runstatedir}/flashscope")
	set(helper_directory "${monitors}\nReadWritePaths=${runstatedir}/flashscope-helper")
	set(helper_tmpfile "d ${runstatedir}/flashscope-helper 0700 root root -\n")
endif()

# With the paths of the configured prefix, to be taken from the build tree.
function(generate source result)
	configure_file(${CMAKE_SOURCE_DIR}/${source}.in ${CMAKE_BINARY_DIR}/install/${result} @ONLY)
endfunction()

# The prefix is known for certain when it is installed: cmake --install --prefix has another one. What else
# there is of @ stands in what is generated already.
function(install_generated source result destination name permissions)
	generate(${source} ${result})
	set(bindir "@bindir@")
	set(sbindir "@sbindir@")
	configure_file(${CMAKE_SOURCE_DIR}/${source}.in ${CMAKE_BINARY_DIR}/install/without_prefix/${result} @ONLY)
	install(CODE "
		set(bindir \"${CMAKE_INSTALL_BINDIR}\")
		set(sbindir \"${CMAKE_INSTALL_SBINDIR}\")
		foreach(dir bindir sbindir)
			if(NOT IS_ABSOLUTE \"\${\${dir}}\")
				set(\${dir} \"\${CMAKE_INSTALL_PREFIX}/\${\${dir}}\")
			endif()
		endforeach()
		configure_file(\"${CMAKE_BINARY_DIR}/install/without_prefix/${result}\" \"${CMAKE_BINARY_DIR}/install/installed/${result}\" @ONLY)")
	install(${permissions} ${CMAKE_BINARY_DIR}/install/installed/${result} DESTINATION ${destination}
		RENAME ${name})
endfunction()

# A page that is readable in the tree, where it has the usual folders. var/run/flashscoped.sock is none.
function(with_folders source result)
	file(READ ${CMAKE_SOURCE_DIR}/${source} page)
	string(REPLACE "/etc/flashscope" "${sysconfdir}/flashscope" page "${page}")
	string(REPLACE "/var/lib/flashscope" "${localstatedir}/lib/flashscope" page "${page}")
	string(REGEX REPLACE "([^a-z])/run/flashscope" "\\1${runstatedir}/flashscope" page "${page}")
	file(WRITE ${CMAKE_BINARY_DIR}/install/pages/${result} "${page}")
	set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
endfunction()

install(TARGETS flashscope RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# The daemon finds the helper beside itself.
install(TARGETS flashscoped flashscope-helper RUNTIME DESTINATION ${CMAKE_INSTALL_SBINDIR})
foreach(page flashscope.1 flashscoped.8 flashscope-helper.8)
	with_folders(docs/${page} ${page})
	string(REGEX REPLACE ".*\\." "" section ${page})
	install(FILES ${CMAKE_BINARY_DIR}/install/pages/${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
endforeach()
with_folders(packaging/flashscope.conf flashscope.conf)
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
		file(INSTALL \"${CMAKE_BINARY_DIR}/install/pages/flashscope.conf\"
			DESTINATION \"${sysconfdir}/flashscope\")
	endif()
	execute_process(COMMAND \"$<TARGET_FILE:flashscoped>\" --dump-config
		OUTPUT_VARIABLE example RESULT_VARIABLE result ERROR_QUIET)
	if(result EQUAL 0)
		file(WRITE \"${CMAKE_BINARY_DIR}/install/flashscope.conf.example\" \"\${example}\")
		file(INSTALL \"${CMAKE_BINARY_DIR}/install/flashscope.conf.example\"
			DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}\")
	endif()")
