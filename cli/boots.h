/* The boots of a file as the API has them. */
#pragma once

struct boot_story;

/* Adds one to an open array, for query_boots(); arg is the document. */
int boots_add(const struct boot_story *story, void *arg);
