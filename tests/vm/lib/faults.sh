# shellcheck shell=bash
# docs/FAULTS.md, from the heads of the scenarios.

faults_page()
{
	local name

	cat <<-END
	<!-- Made by tests/vm/vm faults from tests/vm/scenarios; a test compares. -->
	# Faults, and what flashscope shows of them

	Each of these is made in a guest with real kernel drivers (QEMU without KVM, emulated UFS, eMMC, SD
	and NVMe) and judged by what the daemon answered and by its file: \`tests/vm/vm NAME\`. Scenarios of
	the set "short" run in \`./test\`, all in \`./test --full\`.

	END
	for name in $(fault_names); do
		cat <<-END
		## $name: $(header "$name" title)

		- **Fault**: $(header "$name" fault)
		- **How it is made**: $(header "$name" made)
		- **What must show**: $(header "$name" shows)
		- Kernels: $(header "$name" kernels); set: $(header "$name" set)

		END
	done
}
