#include "model/pci.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/macros.h"

static bool take_hex(struct slice *rest, size_t min, size_t max)
{
	size_t n = 0;

	while (n < rest->len && n <= max && isxdigit((unsigned char)rest->p[n]))
		n++;
	*rest = (struct slice){rest->p + n, rest->len - n};
	return n >= min && n <= max;
}

static bool take_char(struct slice *rest, char c)
{
	if (!rest->len || *rest->p != c)
		return false;
	*rest = (struct slice){rest->p + 1, rest->len - 1};
	return true;
}

bool pci_is_address(struct slice text)
{
	return take_hex(&text, 4, 8) && take_char(&text, ':') && take_hex(&text, 2, 2) &&
	       take_char(&text, ':') && take_hex(&text, 2, 2) && take_char(&text, '.') &&
	       take_hex(&text, 1, 1) && !text.len;
}

int pci_class(struct hw *hw, const char *dir)
{
	int64_t class;
	int r = hw_read_i64(hw, &class, "%s/class", dir);

	if (r < 0)
		return r;
	return class < 0 || class > 0xffffff ? -EINVAL : (int)(class >> 8);
}

int pci_find_class(struct hw *hw, int class, char address[PCI_ADDRESS_MAX])
{
	CLEANUP(hw_names_done) struct hw_names names = {0};
	char dir[HW_PATH_MAX];
	int r = hw_list(hw, &names, "", "sys/bus/pci/devices");

	for (size_t i = 0; i < names.n && r >= 0; i++) {
		struct text path = TEXT_IN(dir);

		text_printf(&path, "sys/bus/pci/devices/%s", names.v[i]);
		if (pci_is_address(slice_of(names.v[i])) && pci_class(hw, dir) == class)
			return slice_copy(slice_of(names.v[i]), address, PCI_ADDRESS_MAX);
	}
	return r < 0 ? r : -ENOENT;
}

int pci_parse_speed(const char *text, int64_t *ret_mtps)
{
	struct slice rest = slice_of(text), number, unit;
	int64_t mtps;

	if (!slice_token(&rest, &number) || slice_is(number, "Unknown"))
		return -ENODATA;
	if (!slice_token(&rest, &unit) || !slice_is(unit, "GT/s") ||
	    parse_fixed_slice(number, 3, &mtps) < 0 || mtps <= 0 || mtps > 1000000)
		return -EINVAL;
	*ret_mtps = mtps;
	return 0;
}

int64_t pci_speed_of_generation(uint32_t generation)
{
	static const int64_t mtps[] = {0, 2500, 5000, 8000, 16000, 32000, 64000};

	return generation < ARRAY_SIZE(mtps) ? mtps[generation] : 0;
}

int pci_parse_width(const char *text, int64_t *ret_lanes)
{
	/* All ones in the 6 bits of the register, and what the kernel prints without the register.
	 */
	static const int64_t all_ones = 63, no_register = 255;
	int64_t lanes;

	if (!strncmp(text, "Unknown", strlen("Unknown")))
		return -ENODATA;
	if (parse_i64(text, &lanes) < 0 || lanes < 0)
		return -EINVAL;
	if (lanes == all_ones)
		return -ENODEV;
	if (lanes == no_register)
		return -ENODATA;
	if (lanes > 32)
		return -EINVAL;
	*ret_lanes = lanes;
	return 0;
}

/* Splits off the last word of a line. */
static bool take_last(struct slice *line, struct slice *ret_word)
{
	size_t end = line->len, start;

	while (end && line->p[end - 1] == ' ')
		end--;
	for (start = end; start && line->p[start - 1] != ' ';)
		start--;
	*ret_word = (struct slice){line->p + start, end - start};
	while (start && line->p[start - 1] == ' ')
		start--;
	line->len = start;
	return ret_word->len && line->len;
}

int pci_parse_aer(struct slice text, int64_t *ret_total, struct text *kinds)
{
	static const char total[] = "TOTAL_ERR_";
	struct slice line, number;
	bool found = false;
	int64_t value;

	while (slice_line(&text, &line)) {
		if (!take_last(&line, &number) || parse_i64_slice(number, &value) < 0 || value < 0)
			continue;
		if (line.len > sizeof(total) - 1 && !memcmp(line.p, total, sizeof(total) - 1)) {
			*ret_total = value;
			found = true;
		} else if (value > 0) {
			text_str(kinds, kinds->len ? ", " : "");
			text_mem(kinds, line.p, line.len);
		}
	}
	return found ? 0 : -EBADMSG;
}

int pci_parse_chosen(struct slice text, struct slice *ret_word)
{
	struct slice before, word;

	if (!slice_until(&text, '[', &before) || !slice_until(&text, ']', &word) || !word.len)
		return -EINVAL;
	*ret_word = word;
	return 0;
}

static bool is_one_of(const char *word, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(word, words[i]))
			return true;
	return false;
}

int pci_is_awake(const char *power_state, const char *runtime_status)
{
	static const char *const sleeping[] = {"D1", "D2", "D3hot", "D3cold"};
	static const char *const resting[] = {"suspended", "suspending", "resuming"};
	static const char *const active[] = {"active", "unsupported"};

	if (power_state && strcmp(power_state, "D0") != 0)
		return is_one_of(power_state, sleeping, ARRAY_SIZE(sleeping)) ? 0 : -ENODATA;
	if (!runtime_status || is_one_of(runtime_status, active, ARRAY_SIZE(active)))
		return 1;
	return is_one_of(runtime_status, resting, ARRAY_SIZE(resting)) ? 0 : -ENODATA;
}

void pci_identity(const char *dir, const char *ids, char *buf, size_t size)
{
	static const char top[] = "sys/devices/";
	struct slice rest =
		slice_of(dir + (strncmp(dir, top, sizeof(top) - 1) ? 0 : sizeof(top) - 1));
	struct text out = text_in(buf, size);
	struct slice part;

	text_str(&out, "path:");
	for (bool first = true; rest.len; first = false) {
		if (!slice_until(&rest, '/', &part)) {
			part = rest;
			rest.len = 0;
		}
		if (!first)
			text_char(&out, '/');
		if (pci_is_address(part))
			text_mem(&out, part.p + part.len - strlen("00.0"), strlen("00.0"));
		else
			text_mem(&out, part.p, part.len);
	}
	if (*ids)
		text_printf(&out, "@%s", ids);
	if (out.truncated)
		text_reset(&out);
}

int64_t pci_speed_limit(struct hw *hw, const char *dir)
{
	static const char *const names[] = {"max-link-speed", "fsl,max-link-speed"};

	for (size_t n = 0; n < ARRAY_SIZE(names); n++) {
		char buf[8];
		uint32_t cell = 0;

		if (hw_read(hw, buf, sizeof(buf), "%s/of_node/%s", dir, names[n]) != 4)
			continue;
		for (size_t i = 0; i < 4; i++)
			cell = cell << 8 | (unsigned char)buf[i];
		return pci_speed_of_generation(cell);
	}
	return 0;
}

const char *pci_class_name(int class)
{
	static const struct {
		int class;
		const char *name;
	} names[] = {
		{PCI_CLASS_NVME, "NVMe controller"},    {PCI_CLASS_AHCI, "AHCI controller"},
		{PCI_CLASS_UFS, "UFS host controller"}, {PCI_CLASS_SD, "SD host controller"},
		{PCI_CLASS_BRIDGE, "PCI bridge"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].class == class)
			return names[i].name;
	return class >= 0 && (class & 0xff00) == PCI_CLASS_STORAGE ? "storage controller"
								   : "PCI function";
}
