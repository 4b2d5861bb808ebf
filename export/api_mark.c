/* The body of a request, read with json-c. */
#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/parse.h"
#include "export/api.h"

static void json_putp(struct json_object **object)
{
	json_object_put(*object);
}

static int take_text(struct json_object *value, char *buf, size_t size)
{
	const char *text = json_object_get_string(value);

	if (json_object_get_type(value) != json_type_string)
		return -EINVAL;
	/* Also a text with a NUL inside is refused. */
	if (strlen(text) != (size_t)json_object_get_string_len(value))
		return -EINVAL;
	return slice_copy(slice_of(text), buf, size) < 0 ? -EINVAL : 0;
}

static int take_bool(struct json_object *value, bool *ret)
{
	if (json_object_get_type(value) != json_type_boolean)
		return -EINVAL;
	*ret = json_object_get_boolean(value);
	return 0;
}

/* A whole number from 1 on. */
static int take_number(struct json_object *value, int64_t *ret)
{
	if (json_object_get_type(value) != json_type_int)
		return -EINVAL;
	*ret = json_object_get_int64(value);
	return *ret > 0 ? 0 : -EINVAL;
}

static int take_member(struct api_mark_request *request, const char *key, struct json_object *value)
{
	if (!strcmp(key, "label"))
		return take_text(value, request->label, sizeof(request->label));
	if (!strcmp(key, "from"))
		return take_text(value, request->from, sizeof(request->from));
	if (!strcmp(key, "to"))
		return take_text(value, request->to, sizeof(request->to));
	if (!strcmp(key, "ufs_monitor"))
		return take_bool(value, &request->ufs_monitor);
	if (!strcmp(key, "ufs_monitor_ms"))
		return take_number(value, &request->ufs_monitor_ms);
	return strcmp(key, "end") != 0 ? -ENOENT : take_number(value, &request->end_id);
}

/* Names of members as constants, since the document goes away. */
static const char *known_name(const char *key)
{
	static const char *const names[] = {"label",       "from",           "to",
					    "ufs_monitor", "ufs_monitor_ms", "end"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], key))
			return names[i];
	return "";
}

static int take_members(struct json_object *object, struct api_mark_request *request,
			const char **ret_why, const char **ret_parameter)
{
	struct json_object_iterator it = json_object_iter_begin(object);
	struct json_object_iterator end = json_object_iter_end(object);

	for (; !json_object_iter_equal(&it, &end); json_object_iter_next(&it)) {
		const char *key = json_object_iter_peek_name(&it);
		int r = take_member(request, key, json_object_iter_peek_value(&it));

		if (r == 0)
			continue;
		*ret_parameter = known_name(key);
		*ret_why = r == -ENOENT
				   ? "the body has a member that is none of label, from, to, "
				     "ufs_monitor, ufs_monitor_ms and end"
				   : "the value has the wrong type, is too long or not above 0";
		return -EINVAL;
	}
	return 0;
}

static int check(const struct api_mark_request *request, const char **ret_why,
		 const char **ret_parameter)
{
	*ret_parameter = "label";
	if (request->end_id) {
		*ret_why = "a mark is either started with a label or ended by its id";
		return *request->label || *request->from || *request->to || request->ufs_monitor ||
				       request->ufs_monitor_ms
			       ? -EINVAL
			       : 0;
	}
	if (request->ufs_monitor_ms && !request->ufs_monitor) {
		*ret_parameter = "ufs_monitor_ms";
		*ret_why = "a mark that does not ask for the UFS monitor bounds nothing";
		return -EINVAL;
	}
	if (*request->to && request->ufs_monitor) {
		*ret_parameter = "ufs_monitor";
		*ret_why = "a mark that is over asks for nothing";
		return -EINVAL;
	}
	*ret_why = "a mark needs a label";
	if (!*request->label)
		return -EINVAL;
	*ret_parameter = "from";
	*ret_why = "a mark with an end needs its start";
	return *request->to && !*request->from ? -EINVAL : 0;
}

/* json-c keeps the last of two members of one name. Values are plain here, so each colon outside of
 * a text belongs to a member. */
static size_t count_members(const char *body, size_t len)
{
	bool in_text = false;
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		if (in_text && body[i] == '\\')
			i++;
		else if (body[i] == '"')
			in_text = !in_text;
		else if (!in_text && body[i] == ':')
			n++;
	}
	return n;
}

int api_parse_mark(const char *body, size_t len, struct api_mark_request *ret, const char **ret_why,
		   const char **ret_parameter)
{
	struct api_mark_request request = {0};
	CLEANUP(json_putp) struct json_object *object = NULL;
	struct json_tokener *tokener = json_tokener_new_ex(4);

	*ret_parameter = "";
	*ret_why = "the body is no JSON object";
	if (!tokener)
		return -ENOMEM;
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	object = json_tokener_parse_ex(tokener, body, (int)MIN(len, (size_t)INT32_MAX));

	enum json_tokener_error error = json_tokener_get_error(tokener);
	size_t end = json_tokener_get_parse_end(tokener);

	json_tokener_free(tokener);
	if (error != json_tokener_success || end != len ||
	    json_object_get_type(object) != json_type_object)
		return -EINVAL;

	int r = take_members(object, &request, ret_why, ret_parameter);

	if (r < 0)
		return r;
	*ret_why = "a member is given twice";
	if (count_members(body, len) != (size_t)json_object_object_length(object))
		return -EINVAL;
	r = check(&request, ret_why, ret_parameter);
	if (r < 0)
		return r;
	*ret = request;
	return 0;
}
