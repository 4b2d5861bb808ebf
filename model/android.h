/* What an Android system says of its own build, in the files of its properties.
 * https://source.android.com/docs/core/architecture/configuration/add-system-properties */
#pragma once

#include "base/macros.h"
#include "base/parse.h"

struct hw;

#define ANDROID_TYPE_MAX 32

/* The value of a property in the text of such a file: "key=value" in a line of its own; the first
 * one counts. -ENOENT. */
int android_property(struct slice text, const char *key, struct slice *ret);

/* ro.build.type of this system: "user" is what is sold, "userdebug" and "eng" are for those who
 * work on it. "user" when its files differ. -ENOENT: there is no such file, it is no Android;
 * -ENODATA: none of them says; else the error of one that is there and cannot be read. */
MUST_CHECK int android_build_type(struct hw *hw, char buf[ANDROID_TYPE_MAX]);
