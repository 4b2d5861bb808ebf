/* A JSON document that was received, for reading. Values are asked for by a path of keys
 * ("store.last_commit.age_ms"); what is missing or of another type is "", 0, false or NULL, so that
 * a newer or older daemon does not stop the reader. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"

struct tree;

/* -EBADMSG when it is no JSON, -ENOMEM. */
MUST_CHECK int tree_parse(const char *text, size_t len, struct tree **ret);
void tree_free(struct tree *tree);
void tree_freep(struct tree **tree);

/* Below, tree may be NULL, and path "" is tree itself. Results belong to the document. */
struct tree *tree_get(struct tree *tree, const char *path);
const char *tree_text(struct tree *tree, const char *path);
int64_t tree_i64(struct tree *tree, const char *path);
bool tree_bool(struct tree *tree, const char *path);

/* Members of an object. */
size_t tree_n_keys(struct tree *object);
/* In the order of the document; NULL past the end. */
const char *tree_key(struct tree *tree, size_t index);
/* Elements of an array. */
size_t tree_n(struct tree *array);
struct tree *tree_at(struct tree *array, size_t index);

/* As JSON again. The text belongs to the document, until the next call. */
const char *tree_json(struct tree *tree);
/* Takes a member out of an object, if it has it; what was got of it is no longer valid. */
void tree_remove(struct tree *object, const char *key);
