/** The codicons that the panel shows; the build packs their glyphs and no others. */
export const ICONS = [
	"account",
	"add",
	"arrow-down",
	"arrow-up",
	"attach",
	"check",
	"checklist",
	"chevron-down",
	"chevron-left",
	"chevron-right",
	"circle-slash",
	"close",
	"comment",
	"comment-discussion",
	"copy",
	"debug-continue",
	"debug-stop",
	"diff",
	"edit",
	"ellipsis",
	"error",
	"file",
	"file-media",
	"fold",
	"go-to-file",
	"graph",
	"insert",
	"issues",
	"lightbulb",
	"list-unordered",
	"loading",
	"markdown",
	"open-preview",
	"package",
	"plug",
	"question",
	"refresh",
	"repo-forked",
	"search",
	"selection",
	"send",
	"settings",
	"squirrel",
	"tag",
	"tools",
	"trash",
	"unfold",
	"warning",
] as const;

/** The name of one of them. */
export type IconName = (typeof ICONS)[number];

/** The icon of a tool by its name; that of tools in general where the panel has no such glyph. */
export function iconNamed(name: string): IconName {
	return ICONS.find((known) => known === name) ?? "tools";
}
