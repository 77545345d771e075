import { percentDecoded } from "#base/escaped.ts";
import { sizeWords } from "#base/tokens.ts";
import type { AttachmentView } from "#protocol/context.ts";
import { el, icon, iconButton } from "./dom.ts";
import type { IconName } from "./icons.ts";
import type { Images } from "./images.ts";

interface ChipEvents {
	open(id: string): void;
	remove?(id: string): void;
	readonly images: Images;
}

const ICONS: Readonly<Record<string, IconName>> = {
	selection: "selection",
	file: "file",
	problems: "warning",
	diff: "diff",
	terminal: "terminal",
	issue: "issues",
	issues: "issues",
	pet: "squirrel",
	order: "package",
	prompt: "comment",
	settings: "settings",
	image: "file-media",
};

/** Creates the icon of a kind of attachment or suggestion. */
export function kindIcon(kind: string): HTMLElement {
	return icon(ICONS[kind] ?? "file");
}

/** Creates a list of chips, each of which opens the source of an attachment. */
export function chipList(attachments: readonly AttachmentView[], events: ChipEvents): HTMLElement {
	return el("ul", {
		class: "chips bare-list",
		attributes: { "aria-label": "Attached" },
		children: attachments.map((attachment) => chip(attachment, events)),
	});
}

function chip(attachment: AttachmentView, { open, remove, images }: ChipEvents): HTMLElement {
	const { id, kind, label, bytes, source = "", image } = attachment;
	const size = image === undefined ? sizeWords(bytes) : `${image.width} × ${image.height}`;
	const place = percentDecoded(source.replace(/^file:\/\//, "").replace(/#L\d+-L\d+$/, "")) ?? source;
	const words = () => [
		el("span", { class: "chip-label one-line", text: label }),
		el("span", { class: "chip-size", text: size }),
	];
	const button = el("button", {
		class: "chip-open word-button",
		attributes: {
			title: [`${label}, ${size}`, place].filter(Boolean).join("\n"),
			...(image === undefined ? {} : { "aria-label": label }),
		},
		children: image === undefined ? [kindIcon(kind), ...words()] : [images.thumbnail(image.hash, label)],
		click: () => open(id),
	});
	const item = el("li", {
		class: image === undefined ? "chip" : "chip picture",
		attributes: { "data-id": id, "data-kind": kind },
		children: [button],
	});
	if (remove !== undefined) item.append(iconButton("close", `Remove ${label}`, () => remove(id)));
	return item;
}
