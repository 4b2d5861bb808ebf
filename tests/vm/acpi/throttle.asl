/* Clocks for two CPUs and a thermal zone that throttles them. The registers are the scratch bytes of
 * serial ports (COM2, COM3 and COM4 at 2FFh, 3EFh and 2EFh), so the machine needs four of these. The
 * guest sets N degrees by writing N to port 2EFh. */
DefinitionBlock ("", "SSDT", 2, "FLSCOP", "THROTTLE", 1)
{
	External (\_SB.CPUS.C000, DeviceObj)
	External (\_SB.CPUS.C001, DeviceObj)

	Scope (\_SB.CPUS.C000)
	{
		Name (_PCT, Package () {
			ResourceTemplate () { Register (SystemIO, 8, 0, 0x2FF) },
			ResourceTemplate () { Register (SystemIO, 8, 0, 0x2FF) }
		})
		Name (_PSS, Package () {
			Package () { 2400, 3000, 10, 10, 0, 0 },
			Package () { 1600, 2000, 10, 10, 1, 1 },
			Package () { 800, 1000, 10, 10, 2, 2 }
		})
		Name (_PPC, 0)
		Name (_PSD, Package () { Package () { 5, 0, 0, 0xFC, 1 } })
	}

	Scope (\_SB.CPUS.C001)
	{
		Name (_PCT, Package () {
			ResourceTemplate () { Register (SystemIO, 8, 0, 0x3EF) },
			ResourceTemplate () { Register (SystemIO, 8, 0, 0x3EF) }
		})
		Name (_PSS, Package () {
			Package () { 1800, 1500, 10, 10, 0, 0 },
			Package () { 1200, 1000, 10, 10, 1, 1 },
			Package () { 600, 500, 10, 10, 2, 2 }
		})
		Name (_PPC, 0)
		Name (_PSD, Package () { Package () { 5, 0, 1, 0xFC, 1 } })
	}

	Scope (\_SB)
	{
		OperationRegion (DEGR, SystemIO, 0x2EF, 1)
		Field (DEGR, ByteAcc, NoLock, Preserve) { DEG, 8 }
		Device (COLD)
		{
			Name (_HID, "FLS0001")
			Method (_INI, 0) { DEG = 45 }
			Method (_STA, 0) { Return (0x0F) }
		}
	}

	Scope (\_TZ)
	{
		ThermalZone (TZ00)
		{
			/* Tenths of a kelvin; 120 C is critical, 90 C passive. */
			Method (_TMP, 0, Serialized) { Return (2732 + (\_SB.DEG * 10)) }
			Name (_CRT, 3932)
			Name (_PSV, 3632)
			Name (_PSL, Package () { \_SB.CPUS.C000, \_SB.CPUS.C001 })
			Name (_TC1, 4)
			Name (_TC2, 3)
			Name (_TSP, 10)
			Name (_TZP, 10)
		}
	}
}
