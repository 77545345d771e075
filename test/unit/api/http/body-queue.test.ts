import { strict as assert } from "node:assert";
import { test } from "node:test";
import { BodyQueue } from "#api/http/body-queue.ts";

function queue() {
	const calls: string[] = [];
	const body = new BodyQueue({
		pause: () => calls.push("pause"),
		resume: () => calls.push("resume"),
		abandon: () => calls.push("abandon"),
	});
	return { body, calls };
}

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (chunk: Uint8Array) => new TextDecoder().decode(chunk);

async function drain(body: BodyQueue): Promise<string[]> {
	const pieces: string[] = [];
	for await (const piece of body) pieces.push(text(piece));
	return pieces;
}

test("chunks that came before they were asked for arrive as one piece", async () => {
	const { body } = queue();
	for (const letter of "abc") body.push(bytes(letter));
	body.end();
	assert.deepEqual(await drain(body), ["abc"]);
});

test("chunks pushed in one turn wake a waiting reader once, with all of them", async () => {
	const { body } = queue();
	const first = body.next();
	body.push(bytes("a"));
	body.push(bytes("b"));
	assert.equal(text((await first).value ?? bytes("")), "ab");
});

test("chunks before a failure are delivered before the failure is thrown", async () => {
	const { body } = queue();
	body.push(bytes("kept"));
	body.fail(new Error("broken"));
	const seen: string[] = [];
	await assert.rejects(async () => {
		for await (const piece of body) seen.push(text(piece));
	}, /broken/);
	assert.deepEqual(seen, ["kept"]);
});

test("leaving early abandons the source, leaving after the end does not", async () => {
	const early = queue();
	early.body.push(bytes("a"));
	for await (const _ of early.body) break;
	assert.deepEqual(early.calls, ["abandon"]);
	const late = queue();
	late.body.push(bytes("a"));
	late.body.end();
	for await (const _ of late.body) break;
	assert.deepEqual(late.calls, []);
});

test("a reader that falls behind pauses the source, and resumes it when half is read", async () => {
	const { body, calls } = queue();
	for (let count = 0; count < 6; count++) body.push(new Uint8Array(60_000));
	assert.deepEqual(calls, ["pause"]);
	let length = 0;
	while (length < 240_000) length += (await body.next()).value?.length ?? 0;
	assert.deepEqual(calls, ["pause", "resume"]);
});

test("a source that pushes and ends while it is resumed keeps the order", async () => {
	let body: BodyQueue;
	const source = {
		pause() {},
		resume() {
			body.push(bytes("z"));
			body.end();
		},
		abandon() {},
	};
	body = new BodyQueue(source);
	for (let count = 0; count < 5; count++) body.push(new Uint8Array(60_000).fill(97 + count));
	const whole = (await drain(body)).join("");
	assert.equal(whole, `${["a", "b", "c", "d", "e"].map((letter) => letter.repeat(60_000)).join("")}z`);
});
