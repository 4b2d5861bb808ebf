# Static programs with musl, by Debian's gcc. FLASHSCOPE_STATIC_ARCH is aarch64 or x86_64; the libraries
# are made by tools/static_libraries when they are not there yet.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${FLASHSCOPE_STATIC_ARCH})
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES FLASHSCOPE_STATIC_ARCH)
set(static_dir "$ENV{FLASHSCOPE_STATIC_DIR}")
if(NOT static_dir)
	execute_process(COMMAND ${CMAKE_CURRENT_LIST_DIR}/../tools/static_libraries ${FLASHSCOPE_STATIC_ARCH}
		OUTPUT_VARIABLE static_dir OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
	if(failed)
		message(FATAL_ERROR "tools/static_libraries ${FLASHSCOPE_STATIC_ARCH} failed")
	endif()
	set(ENV{FLASHSCOPE_STATIC_DIR} "${static_dir}")
endif()

# The specs are part of the compiler: CMAKE_C_FLAGS on a command line would replace them among the
# flags, and then the headers of glibc are taken without a word.
set(triplet ${FLASHSCOPE_STATIC_ARCH}-linux-gnu)
set(CMAKE_C_COMPILER ${triplet}-gcc "-specs=${static_dir}/musl.specs")
set(CMAKE_AR ${triplet}-gcc-ar CACHE FILEPATH "")
set(CMAKE_RANLIB ${triplet}-gcc-ranlib CACHE FILEPATH "")
set(CMAKE_STRIP ${triplet}-strip CACHE FILEPATH "")
set(CMAKE_C_FLAGS_INIT "-fPIE -ffunction-sections -fdata-sections -fno-asynchronous-unwind-tables")
# Kernels with pages of 16 KiB load no program whose segments are aligned to less.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static-pie -Wl,-z,max-page-size=16384 -Wl,--gc-sections")

set(ENV{PKG_CONFIG_LIBDIR} "${static_dir}/lib/pkgconfig")
set(ENV{PKG_CONFIG_PATH} "")
set(CMAKE_FIND_ROOT_PATH "${static_dir}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
if(FLASHSCOPE_STATIC_ARCH STREQUAL aarch64)
	set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static)
endif()
