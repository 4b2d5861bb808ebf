#include "config/config.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <ini.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "config/plain_file.h"

/* inih cuts lines at 200 bytes in silence, so a longer one is refused before it gets there. */
#define LINE_MAX_BYTES 196
#define FILE_LINES_MAX 10000

struct setting {
	const struct option_spec *spec;
	char *text;
	int64_t number;
	bool is_set;
	unsigned file, line; /* where it was set last; file 0: no file */
	char *where;         /* the same in words, also of the default */
};

struct config {
	struct setting *settings;
	size_t n_settings;
	char *errors[CONFIG_ERRORS_MAX];
	size_t n_errors;
	unsigned n_files;
	pthread_mutex_t lock; /* of the numbers, once there are threads */
};

/* State while one file is read. */
struct input {
	struct config *config;
	FILE *file;
	const char *name;
	unsigned line;
	bool broken;          /* reading stopped */
	bool unknown_section; /* said already; its keys are not */
};

void config_complain(struct config *config, const char *fmt, ...)
{
	va_list args;
	char *message = NULL;

	if (config->n_errors >= CONFIG_ERRORS_MAX)
		return;
	va_start(args, fmt);
	int n = vasprintf(&message, fmt, args);
	va_end(args);
	if (n >= 0)
		config->errors[config->n_errors++] = message;
}

static int set(struct config *config, struct setting *setting, const char *value, const char *where)
{
	char why[512];
	struct text text = TEXT_IN(why);
	int64_t number = 0;
	int r = option_parse(setting->spec, value, &number, &text);

	if (r < 0) {
		config_complain(config, "%s: [%s] %s = %.*s %s", where, setting->spec->section,
				setting->spec->key, OPTION_TEXT_MAX, value, why);
		return -EINVAL;
	}

	CLEANUP(freep) char *copy = strdup(value);
	char *place = strdup(where);

	if (!copy || !place) {
		free(place);
		return -ENOMEM;
	}
	free(setting->text);
	free(setting->where);
	setting->where = place;
	setting->text = copy;
	copy = NULL;
	setting->number = number;
	return 0;
}

static const struct option_spec *spec_at(const struct option_spec *more, size_t i)
{
	return i < N_OPTIONS ? &option_table[i] : &more[i - N_OPTIONS];
}

int config_new(const struct option_spec *more, size_t n_more, struct config **ret)
{
	CLEANUP(config_freep) struct config *config = calloc(1, sizeof(*config));

	if (!config)
		return -ENOMEM;
	config->settings = calloc(N_OPTIONS + n_more, sizeof(*config->settings));
	if (!config->settings)
		return -ENOMEM;
	config->n_settings = N_OPTIONS + n_more;
	pthread_mutex_init(&config->lock, NULL);
	for (size_t i = 0; i < config->n_settings; i++) {
		config->settings[i].spec = spec_at(more, i);

		int r = set(config, &config->settings[i], config->settings[i].spec->initial,
			    "default");

		if (r < 0)
			return r;
	}
	*ret = config;
	config = NULL;
	return 0;
}

void config_free(struct config *config)
{
	if (!config)
		return;
	for (size_t i = 0; i < config->n_settings; i++) {
		free(config->settings[i].text);
		free(config->settings[i].where);
	}
	for (size_t i = 0; i < config->n_errors; i++)
		free(config->errors[i]);
	free(config->settings);
	free(config);
}

void config_freep(struct config **config)
{
	config_free(*config);
}

static bool has_section(const struct config *config, const char *section)
{
	for (size_t i = 0; i < config->n_settings; i++)
		if (!strcmp(config->settings[i].spec->section, section))
			return true;
	return false;
}

static struct setting *find_setting(struct config *config, const char *section, const char *key)
{
	for (size_t i = 0; i < config->n_settings; i++) {
		struct setting *s = &config->settings[i];

		if (!strcmp(s->spec->section, section) && !strcmp(s->spec->key, key))
			return s;
	}
	return NULL;
}

static const char *section_at(const struct config *config, size_t i)
{
	return config->settings[i].spec->section;
}

static bool same_section_before(const struct config *config, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (!strcmp(section_at(config, j), section_at(config, i)))
			return true;
	return false;
}

static void list_sections(const struct config *config, struct text *text)
{
	for (size_t i = 0; i < config->n_settings; i++)
		if (!same_section_before(config, i))
			text_printf(text, "%s[%s]", text->len ? ", " : "", section_at(config, i));
}

static void list_keys(const struct config *config, const char *section, struct text *text)
{
	for (size_t i = 0; i < config->n_settings; i++)
		if (!strcmp(section_at(config, i), section))
			text_printf(text, "%s%s", text->len ? ", " : "",
				    config->settings[i].spec->key);
}

/* inih tells of a section only with its first key, and an empty one would never be checked. */
static void check_section(struct input *input, const char *line)
{
	char section[64], known[1024];
	struct text text = TEXT_IN(known);
	size_t len = strcspn(line + 1, "]");

	if (line[1 + len] != ']')
		return;
	snprintf(section, sizeof(section), "%.*s", (int)MIN(len, sizeof(section) - 1), line + 1);
	input->unknown_section = !has_section(input->config, section);
	if (!input->unknown_section)
		return;
	list_sections(input->config, &text);
	config_complain(input->config, "%s:%u: unknown section [%s]; allowed: %s", input->name,
			input->line, section, known);
}

static void skip_line(FILE *file)
{
	for (int c = fgetc(file); c != EOF && c != '\n';)
		c = fgetc(file);
}

/* What inih gets in place of a line that was refused. */
static char *blank_line(char *buf)
{
	buf[0] = '\n';
	buf[1] = '\0';
	return buf;
}

/* fgets() for inih that counts lines and refuses what inih would cut. */
static char *read_line(char *buf, int size, void *arg)
{
	struct input *input = arg;
	char line[LINE_MAX_BYTES + 2];
	size_t len = 0;
	int c = 0;

	if (input->broken || size < (int)sizeof(line))
		return NULL;
	while (len < sizeof(line) - 1 && (c = fgetc(input->file)) != EOF) {
		line[len++] = (char)c;
		if (c == '\n')
			break;
	}
	if (!len)
		return NULL;
	line[len] = '\0';
	if (++input->line > FILE_LINES_MAX) {
		config_complain(input->config, "%s: more than %d lines", input->name,
				FILE_LINES_MAX);
		input->broken = true;
		return NULL;
	}
	if (memchr(line, '\0', len)) {
		config_complain(input->config, "%s:%u: not a text", input->name, input->line);
		input->broken = true;
		return NULL;
	}
	if (line[len - 1] != '\n' && c != EOF) {
		skip_line(input->file);
		config_complain(input->config, "%s:%u: longer than %d bytes", input->name,
				input->line, LINE_MAX_BYTES);
		return blank_line(buf);
	}

	const char *start = line + strspn(line, " \t\r\n");

	/* Without its indent, a line is never taken as a continuation of the one before. */
	if (*start == '[')
		check_section(input, start);
	if (!*start)
		return blank_line(buf);
	memcpy(buf, start, len - (size_t)(start - line) + 1);
	return buf;
}

static void unknown_key(struct input *input, const char *section, const char *key)
{
	char known[1024];
	struct text text = TEXT_IN(known);

	if (!*section) {
		config_complain(input->config, "%s:%u: %s stands before any [section]", input->name,
				input->line, key);
		return;
	}
	list_keys(input->config, section, &text);
	config_complain(input->config, "%s:%u: unknown key %s in [%s]; allowed: %s", input->name,
			input->line, key, section, known);
}

/* Returns 1 always: errors are collected with their lines. */
static int take_setting(void *arg, const char *section, const char *key, const char *value)
{
	struct input *input = arg;
	struct config *config = input->config;
	char where[512];

	if (input->unknown_section)
		return 1;

	struct setting *setting = find_setting(config, section, key);

	if (!setting) {
		unknown_key(input, section, key);
		return 1;
	}
	if (setting->file == config->n_files) {
		config_complain(config, "%s:%u: [%s] %s was already set in line %u", input->name,
				input->line, section, key, setting->line);
		return 1;
	}
	snprintf(where, sizeof(where), "%s:%u", input->name, input->line);
	if (set(config, setting, value ? value : "", where) < 0)
		return 1;
	setting->is_set = true;
	setting->file = config->n_files;
	setting->line = input->line;
	return 1;
}

int config_read(struct config *config, FILE *file, const char *name)
{
	struct input input = {.config = config, .file = file, .name = name};
	size_t n_errors = config->n_errors;

	config->n_files++;

	int r = ini_parse_stream(read_line, &input, take_setting, &input);

	if (ferror(file)) {
		config_complain(config, "%s: %s", name, strerror(EIO));
		return -EIO;
	}
	if (r > 0)
		config_complain(config, "%s:%d: neither [section], key = value nor a comment", name,
				r);
	return config->n_errors > n_errors || r ? -EINVAL : 0;
}

int config_read_file(struct config *config, const char *path)
{
	CLEANUP(fclosep) FILE *file = NULL;
	int r = plain_file_open(AT_FDCWD, path, &file);

	if (r < 0) {
		config_complain(config, "%s: %s", path, plain_file_problem(r));
		return r;
	}
	return config_read(config, file, path);
}

int config_set(struct config *config, size_t id, const char *value, const char *where)
{
	int r = set(config, &config->settings[id], value, where);

	if (r < 0)
		return r;
	config->settings[id].is_set = true;
	return 0;
}

const char *config_error(const struct config *config, size_t index)
{
	return index < config->n_errors ? config->errors[index] : NULL;
}

const char *config_text(const struct config *config, size_t id)
{
	return config->settings[id].text;
}

int64_t config_number(const struct config *config, size_t id)
{
	/* Reading changes nothing but the lock. */
	pthread_mutex_t *lock = (pthread_mutex_t *)(uintptr_t)&config->lock;

	pthread_mutex_lock(lock);

	int64_t number = config->settings[id].number;

	pthread_mutex_unlock(lock);
	return number;
}

const char *config_word(const struct config *config, size_t id)
{
	return config->settings[id].spec->words[config_number(config, id)];
}

bool config_bool(const struct config *config, size_t id)
{
	return config_number(config, id) != 0;
}

void config_replace_number(struct config *config, size_t id, int64_t number)
{
	pthread_mutex_lock(&config->lock);
	config->settings[id].number = number;
	pthread_mutex_unlock(&config->lock);
}

const struct option_spec *config_spec(const struct config *config, size_t id)
{
	return id < config->n_settings ? config->settings[id].spec : NULL;
}

bool config_is_set(const struct config *config, size_t id)
{
	return config->settings[id].is_set;
}

const char *config_where(const struct config *config, size_t id)
{
	return config->settings[id].is_set ? config->settings[id].where : NULL;
}

static void dump_setting(const struct setting *setting, FILE *out)
{
	char range[256];
	struct text text = TEXT_IN(range);

	option_range(setting->spec, &text);
	fprintf(out, "; %s\n; Allowed: %s. Default: %s.\n%s = %s\n", setting->spec->help, range,
		setting->spec->initial, setting->spec->key, setting->text);
}

void config_dump(const struct config *config, FILE *out)
{
	const char *section = NULL;

	for (size_t i = 0; i < config->n_settings; i++) {
		if (!section || strcmp(section, section_at(config, i)) != 0) {
			section = section_at(config, i);
			fprintf(out, "%s[%s]\n", i ? "\n" : "", section);
		}
		dump_setting(&config->settings[i], out);
	}
}
