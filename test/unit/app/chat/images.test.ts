import assert from "node:assert/strict";
import { readdir, readFile, utimes } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { askOnce } from "#app/chat/ask-once.ts";
import { type Attachment, attachmentView } from "#app/chat/attachments.ts";
import { Branches } from "#app/chat/branches.ts";
import { exportJson, exportMarkdown, importJson } from "#app/chat/export-conversation.ts";
import { forkAt } from "#app/chat/fork.ts";
import { imageAttachment, imagesOf, withImages } from "#app/chat/images.ts";
import { inputMessages } from "#app/chat/input-messages.ts";
import { nextTurn } from "#app/chat/request.ts";
import { CONTRACT_CAPABILITIES } from "#app/connections/model-capabilities.ts";
import { LIMITS } from "#base/limits.ts";
import { chatWindow, storageFolder } from "../../../support/chat-window.ts";
import { settle } from "../../../support/scripted-sender.ts";

/** A PNG of 8 x 5 pixels, as far as its header. */
function png(last: number, length = 30): Uint8Array<ArrayBuffer> {
	const bytes = new Uint8Array(length);
	bytes.set([
		0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 8, 0, 0, 0, 5,
	]);
	bytes[length - 1] = last;
	return bytes;
}

const BASE64 = Buffer.from(png(1)).toString("base64");

async function setUp(context: TestContext) {
	const folder = await storageFolder(context);
	const path = join(folder, "conversations");
	const alive = new Set<number>();
	const images = async () => (await readdir(path)).filter((name) => name.endsWith(".image"));
	/** Makes all images as old as the epoch. */
	const age = async () => {
		for (const name of await images()) await utimes(join(path, name), 0, 0);
	};
	return { path, images, age, open: () => chatWindow(context, { folder, alive }) };
}

async function attached(
	{ images }: { readonly images: Awaited<ReturnType<typeof chatWindow>>["store"]["images"] },
	last = 1,
) {
	return { id: `a${last}`, ...imageAttachment("cat.png", await images.keep(png(last))) } satisfies Attachment;
}

test("the bytes of an image are stored once, however often it is attached", async (context) => {
	const { open, images, path } = await setUp(context);
	const [one, other] = [await open(), await open()];
	const kept = await Promise.all([one, one, one].map(({ store }) => store.images.keep(png(1))));
	kept.push(await other.store.images.keep(png(1)));
	const [{ hash, ...facts } = assert.fail()] = kept;
	assert.deepEqual(new Set(kept.map((each) => each.hash)), new Set([hash]));
	assert.deepEqual(facts, { mediaType: "image/png", bytes: 30, width: 8, height: 5 });
	assert.deepEqual(await images(), [`${hash}.image`]);
	assert.deepEqual(await readFile(join(path, `${hash}.image`)), Buffer.from(png(1)));
});

test("only PNG, JPEG, WebP and GIF of a bounded size are kept, and only they are read", async (context) => {
	const { open } = await setUp(context);
	const { images } = (await open()).store;
	const bmp = Uint8Array.from([0x42, 0x4d, 0, 0]);
	for (const odd of [bmp, new Uint8Array(), new TextEncoder().encode("<svg/>")]) {
		await assert.rejects(images.keep(odd), { code: "invalid", message: /^Unsupported image format/ });
	}
	await images.keep(png(1, LIMITS.imageBytes));
	const bomb = png(1);
	bomb.set([0, 0, 0x75, 0x30, 0, 0, 0x75, 0x30], 16);
	const sizeless = Uint8Array.from([0xff, 0xd8, 0xff, 0xff, 0xc0, ...Array(20).fill(0xff)]);
	for (const each of [bomb, sizeless]) {
		await assert.rejects(images.keep(each), { code: "invalid", message: /too many pixels/ });
	}
	await assert.rejects(images.keep(png(1, LIMITS.imageBytes + 1)), {
		code: "invalid",
		message: /^The image is too large/,
	});
	for (const hash of ["../conversations/index", "", "0".repeat(64)]) assert.equal(await images.read(hash), undefined);
});

test("an image outlives a restart, a fork, and an export and import elsewhere", async (context) => {
	const { open } = await setUp(context);
	const first = await open();
	const image = await attached(first.store);
	const session = first.conversations.create("seen");
	first.store.drafts.attach("seen", image);
	first.store.drafts.attach("seen", await attached(first.store, 2));
	assert.equal(first.store.drafts.of("seen").attachments.length, 2, "two images under one name are two");
	const reply = session.send("Who is that?", first.store.drafts.take("seen", [image]));
	await first.until(() => first.sender.replies.length > 0);
	await first.sender.answer("A cat");
	const { session: fork } = forkAt((await reply).id, session, { ...first, drafts: first.store.drafts });
	assert.deepEqual(imagesOf(fork.state), [image.image.hash]);
	await first.store.flush();
	first.close();

	const { store } = await open();
	const found = (await store.open("seen")) ?? assert.fail();
	assert.equal(store.drafts.of("seen").attachments[0]?.image?.bytes, 30);
	const exported = { ...found, title: "T", path: new Branches(found).path };
	assert.match(exportMarkdown(exported), /^<p>Image, 8 x 5 PNG: cat\.png<\/p>$/m);
	assert.doesNotMatch(exportMarkdown(exported), /base64|iVBOR/);
	const images = [(await store.images.base64(image.image.hash)) ?? ""];
	const imported = importJson(exportJson({ ...exported, images }));
	assert.deepEqual(imported.images, [BASE64]);

	const elsewhere = await (await setUp(context)).open();
	for (const data of imported.images) await elsewhere.store.images.keep(Uint8Array.from(Buffer.from(data, "base64")));
	await elsewhere.store.add("again", imported);
	const [hash = ""] = imagesOf((await elsewhere.store.read("again")) ?? assert.fail());
	assert.equal(await elsewhere.store.images.base64(hash), BASE64);
});

test("an image goes when the last that refers to it is gone for good, and not before", async (context) => {
	const { open, images, age } = await setUp(context);
	const window = await open();
	const { store, clock, conversations } = window;
	const all = await Promise.all([1, 2, 3, 4].map((last) => attached(store, last)));
	const [inTurn, inDraft, inQueue] = all;
	if (inTurn === undefined || inDraft === undefined || inQueue === undefined) assert.fail();
	await store.add("doomed", {
		entries: [{ ...nextTurn({ text: "look", attachments: [inTurn] }), id: "t1" }],
		chosen: [],
		facts: { queue: [{ id: "q1", text: "and there", attachments: [inQueue] }] },
	});
	store.drafts.attach(conversations.create("draft").id, inDraft);
	await store.clean();
	assert.equal((await images()).length, 4, "what was written just now may belong to what is not saved yet");
	await age();
	await store.change("doomed", { t: "gone", at: clock.now() });
	await store.clean();
	assert.equal((await images()).length, 3);
	await store.change("doomed", { t: "gone", at: null });
	assert.deepEqual(imagesOf((await store.read("doomed")) ?? assert.fail()), [inTurn.image.hash, inQueue.image.hash]);
	await store.change("doomed", { t: "gone", at: clock.now() });
	clock.sleep(25 * 3600_000);
	await store.clean();
	assert.deepEqual(await images(), [`${inDraft.image.hash}.image`]);
});

test("only a model that sees gets an image's bytes, and a kept request has its hash", async (context) => {
	const { open } = await setUp(context);
	const { store, parts, sender, registry } = await open();
	const image = await attached(store);
	const turn = nextTurn({ text: "Who?", attachments: [image] });
	const blind = inputMessages([turn]).map(({ content }) => content);
	assert.match(String(blind[0]), /Image: cat\.png\n```\nImage, 8 x 5 PNG: not shown to you, .*\n```\n\nWho\?$/s);
	const messages = inputMessages([turn], { ...CONTRACT_CAPABILITIES, images: true });
	const asked: string[] = [];
	const seeing = {
		...parts,
		image: (hash: string) => store.images.base64(hash),
		asked: (_: string, { request }: object & { readonly request: unknown }) => void asked.push(JSON.stringify(request)),
	};
	const connection = registry.list("messages")[0]?.id;
	const options = { signal: new AbortController().signal, onText: () => undefined };
	void askOnce({ caller: "test", connection, messages }, seeing, options);
	while (sender.replies.length === 0) await settle();
	const source = { type: "base64", media_type: "image/png", data: BASE64 };
	const text = { type: "text", text: "Who?" };
	assert.deepEqual(sender.last.request.messages, [{ role: "user", content: [{ type: "image", source }, text] }]);
	assert.match(asked.join(), new RegExp(image.image.hash));
	assert.doesNotMatch(asked.join(), new RegExp(BASE64.slice(0, 20)));
	const gone = await withImages({ ...sender.last.request, messages }, async () => undefined);
	assert.match(
		JSON.stringify(gone.messages),
		/\{"type":"text","text":"\[An image was here[^{]*\{"type":"text","text":"Who/,
	);
});

test("the chip of an image has its hash and its size, of its bytes and in pixels", async (context) => {
	const { open } = await setUp(context);
	const image = await attached((await open()).store);
	const { hash } = image.image;
	const chip = { id: "a1", kind: "image", label: "cat.png", bytes: 30, image: { hash, width: 8, height: 5 } };
	assert.deepEqual(attachmentView(image), chip);
});
