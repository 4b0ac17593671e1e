// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Trees: a random priority with each node, and no parent has a lower one than its
 * children, so the depth is that of a tree of keys in random order.
 */
#include "../kernel.h"

/* Where the pointer to @node is. */
static struct rb_node **rb_link(struct rb_node *node, struct rb_root *root)
{
	if (!node->parent)
		return &root->rb_node;
	return node->parent->left == node ? &node->parent->left :
					    &node->parent->right;
}

/* @node and its parent change places, and stay in order. */
static void rb_rise(struct rb_node *node, struct rb_root *root)
{
	struct rb_node *parent = node->parent, *moved;

	*rb_link(parent, root) = node;
	node->parent = parent->parent;
	if (parent->left == node) {
		moved = node->right;
		parent->left = moved;
		node->right = parent;
	} else {
		moved = node->left;
		parent->right = moved;
		node->left = parent;
	}
	if (moved)
		moved->parent = parent;
	parent->parent = node;
}

struct rb_node *rb_find_add(struct rb_node *node, struct rb_root *root,
			    int (*cmp)(struct rb_node *node,
				       const struct rb_node *other))
{
	struct rb_node **link = &root->rb_node, *parent = NULL;

	while (*link) {
		int order = cmp(node, *link);

		if (!order)
			return *link;
		parent = *link;
		link = order < 0 ? &parent->left : &parent->right;
	}
	*node = (struct rb_node) {
		.parent = parent, .priority = get_random_u32(),
	};
	*link = node;
	while (node->parent && node->parent->priority < node->priority)
		rb_rise(node, root);
	return NULL;
}

struct rb_node *rb_find(const void *key, const struct rb_root *root,
			int (*cmp)(const void *key, const struct rb_node *node))
{
	struct rb_node *node = root->rb_node;

	while (node) {
		int order = cmp(key, node);

		if (!order)
			break;
		node = order < 0 ? node->left : node->right;
	}
	return node;
}

void rb_erase(struct rb_node *node, struct rb_root *root)
{
	struct rb_node *child;

	while (node->left && node->right)
		rb_rise(node->left->priority > node->right->priority ?
				node->left : node->right, root);
	child = node->left ?: node->right;
	*rb_link(node, root) = child;
	if (child)
		child->parent = node->parent;
}

struct rb_node *rb_first(const struct rb_root *root)
{
	struct rb_node *node = root->rb_node;

	while (node && node->left)
		node = node->left;
	return node;
}

struct rb_node *rb_next(const struct rb_node *node)
{
	if (node->right) {
		const struct rb_root right = { node->right };

		return rb_first(&right);
	}
	while (node->parent && node->parent->right == node)
		node = node->parent;
	return node->parent;
}

static struct rb_node *rb_deepest(struct rb_node *node)
{
	while (node && (node->left || node->right))
		node = node->left ?: node->right;
	return node;
}

struct rb_node *sim_rb_first_postorder(const struct rb_root *root)
{
	return rb_deepest(root->rb_node);
}

struct rb_node *sim_rb_next_postorder(const struct rb_node *node)
{
	struct rb_node *parent = node->parent;

	if (parent && parent->left == node && parent->right)
		return rb_deepest(parent->right);
	return parent;
}
