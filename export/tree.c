/* struct tree is json-c's object under a name that other layers may know. */
#include "export/tree.h"

#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#define DEPTH_MAX 16
#define KEY_MAX   64

static struct json_object *object_of(struct tree *tree)
{
	return (struct json_object *)tree;
}

static struct tree *tree_of(struct json_object *object)
{
	return (struct tree *)object;
}

int tree_parse(const char *text, size_t len, struct tree **ret)
{
	struct json_tokener *tokener = json_tokener_new_ex(DEPTH_MAX);

	if (!tokener)
		return -ENOMEM;
	if (len > INT32_MAX)
		len = INT32_MAX;

	struct json_object *object = json_tokener_parse_ex(tokener, text, (int)len);
	enum json_tokener_error error = json_tokener_get_error(tokener);

	json_tokener_free(tokener);
	if (error != json_tokener_success || !object) {
		json_object_put(object);
		return -EBADMSG;
	}
	*ret = tree_of(object);
	return 0;
}

void tree_free(struct tree *tree)
{
	json_object_put(object_of(tree));
}

void tree_freep(struct tree **tree)
{
	tree_free(*tree);
}

struct tree *tree_get(struct tree *tree, const char *path)
{
	struct json_object *object = object_of(tree);
	char key[KEY_MAX];

	while (object && *path) {
		size_t len = strcspn(path, ".");

		if (len >= sizeof(key) || !json_object_is_type(object, json_type_object))
			return NULL;
		memcpy(key, path, len);
		key[len] = '\0';
		if (!json_object_object_get_ex(object, key, &object))
			return NULL;
		path += len + (path[len] == '.');
	}
	return tree_of(object);
}

const char *tree_text(struct tree *tree, const char *path)
{
	struct json_object *object = object_of(tree_get(tree, path));

	return json_object_is_type(object, json_type_string) ? json_object_get_string(object) : "";
}

int64_t tree_i64(struct tree *tree, const char *path)
{
	struct json_object *object = object_of(tree_get(tree, path));

	return json_object_is_type(object, json_type_int) ? json_object_get_int64(object) : 0;
}

bool tree_bool(struct tree *tree, const char *path)
{
	struct json_object *object = object_of(tree_get(tree, path));

	return json_object_is_type(object, json_type_boolean) && json_object_get_boolean(object);
}

size_t tree_n_keys(struct tree *object)
{
	struct json_object *o = object_of(object);

	return json_object_is_type(o, json_type_object) ? (size_t)json_object_object_length(o) : 0;
}

const char *tree_key(struct tree *tree, size_t index)
{
	struct json_object *object = object_of(tree);

	if (index >= tree_n_keys(tree))
		return NULL;

	struct json_object_iterator at = json_object_iter_begin(object);

	while (index--)
		json_object_iter_next(&at);
	return json_object_iter_peek_name(&at);
}

size_t tree_n(struct tree *array)
{
	struct json_object *object = object_of(array);

	return json_object_is_type(object, json_type_array) ? json_object_array_length(object) : 0;
}

struct tree *tree_at(struct tree *array, size_t index)
{
	return index < tree_n(array) ? tree_of(json_object_array_get_idx(object_of(array), index))
				     : NULL;
}

const char *tree_json(struct tree *tree)
{
	return json_object_to_json_string_ext(
		object_of(tree), JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
}

void tree_remove(struct tree *object, const char *key)
{
	if (json_object_is_type(object_of(object), json_type_object))
		json_object_object_del(object_of(object), key);
}
