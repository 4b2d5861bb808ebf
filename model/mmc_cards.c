#include "model/mmc_cards.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "model/node_file.h"

static bool is_known(const struct mmc_cards *cards, const char *real)
{
	for (size_t i = 0; i < cards->n; i++)
		if (real[0] && !strcmp(cards->v[i].real, real))
			return true;
	return false;
}

static int identify(struct hw *hw, struct mmc_card *card)
{
	struct text text = TEXT_IN(card->identity);

	if (card->disk[0])
		return block_identity(hw, card->disk, false, card->identity,
				      sizeof(card->identity));
	if (strspn(card->cid, "0") != strlen(card->cid))
		text_printf(&text, "cid:%s", card->cid);
	return 0;
}

/* "" for a file that is not there; an error only when there was no descriptor to look with. */
static int read_text(struct hw *hw, const char *dir, const char *attr, char *buf, size_t size)
{
	int r = hw_read_line(hw, buf, size, "%s/%s", dir, attr);

	if (r < 0)
		buf[0] = '\0';
	return is_want(r) ? r : 0;
}

/* Of a card that is there: dir leads to it. */
static int add_card(struct hw *hw, struct mmc_cards *cards, const char *name, const char *disk,
		    const char *dir)
{
	char real[HW_PATH_MAX];

	int r = cards->n < MMC_CARDS_MAX ? hw_look(hw, "%s", dir) : -ENOENT;

	if (r < 0)
		return is_want(r) ? r : 0;
	r = hw_real_path(hw, real, sizeof(real), "%s", dir);
	if (is_want(r))
		return r;
	if (r < 0)
		real[0] = '\0';
	if (is_known(cards, real))
		return 0;

	struct mmc_card *grown = realloc(cards->v, (cards->n + 1) * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	cards->v = grown;

	struct mmc_card *card = &cards->v[cards->n++];

	*card = (struct mmc_card){0};
	snprintf(card->name, sizeof(card->name), "%s", name);
	snprintf(card->disk, sizeof(card->disk), "%s", disk);
	snprintf(card->dir, sizeof(card->dir), "%s", dir);
	memcpy(card->real, real, sizeof(card->real));
	r = read_text(hw, dir, "type", card->type, sizeof(card->type));
	if (r == 0)
		r = read_text(hw, dir, "cid", card->cid, sizeof(card->cid));
	return r < 0 ? r : identify(hw, card);
}

static bool is_number(const char *s)
{
	return *s && strspn(s, "0123456789") == strlen(s);
}

/* mmcblk0, and none of its areas and partitions. */
static int add_disks(struct hw *hw, struct mmc_cards *cards)
{
	static const char prefix[] = "mmcblk";
	CLEANUP(hw_names_done) struct hw_names names = {0};
	char block[HW_PATH_MAX], dir[HW_PATH_MAX];
	int r = hw_list(hw, &names, prefix, "sys/block");

	if (r < 0 && !is_want(r))
		r = hw_list(hw, &names, prefix, "sys/class/block");
	for (size_t i = 0; i < names.n && r >= 0; i++) {
		struct text path = TEXT_IN(dir);

		if (!is_number(names.v[i] + sizeof(prefix) - 1))
			continue;
		r = block_dir(hw, names.v[i], block, sizeof(block));
		if (r < 0) {
			r = is_want(r) ? r : 0;
			continue;
		}
		text_printf(&path, "%s/device", block);
		r = path.truncated ? 0 : add_card(hw, cards, names.v[i], names.v[i], dir);
	}
	return r;
}

static int add_cards_of(struct hw *hw, struct mmc_cards *cards, const char *host)
{
	CLEANUP(hw_names_done) struct hw_names names = {0};
	char prefix[NODE_NAME_MAX], dir[HW_PATH_MAX];
	struct text start = TEXT_IN(prefix);
	int r = 0;

	text_printf(&start, "%s:", host);
	r = hw_list(hw, &names, prefix, "sys/class/mmc_host/%s", host);
	if (r < 0)
		return search_error(r);
	for (size_t i = 0; i < names.n && r >= 0; i++) {
		struct text path = TEXT_IN(dir);

		text_printf(&path, "sys/class/mmc_host/%s/%s", host, names.v[i]);
		r = path.truncated ? 0 : add_card(hw, cards, names.v[i], "", dir);
	}
	return r;
}

/* Cards that no block driver has taken. */
static int add_rest(struct hw *hw, struct mmc_cards *cards)
{
	CLEANUP(hw_names_done) struct hw_names hosts = {0};
	int r = hw_list(hw, &hosts, "", "sys/class/mmc_host");

	cards->n_hosts = hosts.n;
	for (size_t i = 0; i < hosts.n && r >= 0; i++)
		r = add_cards_of(hw, cards, hosts.v[i]);
	return r;
}

static int tell_apart(struct hw *hw, struct mmc_cards *cards)
{
	CLEANUP(freep) const char **names = calloc(cards->n + 1, sizeof(*names));
	CLEANUP(freep) char **identities = calloc(cards->n + 1, sizeof(*identities));

	if (!names || !identities)
		return -ENOMEM;
	for (size_t i = 0; i < cards->n; i++) {
		names[i] = cards->v[i].disk;
		identities[i] = cards->v[i].identity;
	}
	return block_tell_apart(hw, names, identities, cards->n, NODE_IDENTITY_MAX);
}

int mmc_cards_find(struct hw *hw, struct mmc_cards *ret)
{
	CLEANUP(mmc_cards_done) struct mmc_cards cards = {0};
	int r_disks = add_disks(hw, &cards);
	int r_rest = is_want(r_disks) ? r_disks : add_rest(hw, &cards);

	if (is_want(r_rest))
		return r_rest;

	int r = tell_apart(hw, &cards);

	if (r < 0)
		return r;
	cards.error = r_disks < 0 && r_rest < 0 ? r_disks : 0;
	*ret = cards;
	cards = (struct mmc_cards){0};
	return 0;
}

void mmc_cards_done(struct mmc_cards *cards)
{
	free(cards->v);
	*cards = (struct mmc_cards){0};
}
