import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { ErrorCountdown } from "#editor/codehost/error-countdown.ts";
import { errorLook } from "#editor/codehost/issue-list-look.ts";
import { ADA, codehostWindow } from "../../../support/codehost-window.ts";

/** A window whose only list could not be loaded for a limit that opens in so many seconds, and what its error said. */
async function failed(context: TestContext, retryAfterSeconds: number) {
	const parts = await codehostWindow(context);
	const repository = await parts.repositories.add({ connection: ADA, repository: "exchange/switchboard" });
	const list = parts.lists.of(repository);
	const drawn: string[] = [];
	const place = () => ({ label: "Ada", isGone: false, isTakenElsewhere: false, now: parts.clock.now() });
	const words = () => errorLook(list, place()).description ?? "";
	const countdown = new ErrorCountdown({ ...parts, draw: () => drawn.push(words()) });
	context.after(() => countdown.dispose());
	parts.sandbox.codehost.behave({ fail: { status: 429, retryAfterSeconds, times: 1 } });
	assert.equal(await list.load(), false);
	return { ...parts, list, drawn, words, countdown };
}

test("the time to come back that an error tells grows shorter, until it can be asked again now", async (context) => {
	const { clock, drawn, words } = await failed(context, 111);
	assert.equal(words(), "It can be asked again in 2 min.");
	clock.advance(35_000);
	assert.equal(drawn.length, 35);
	assert.equal(drawn.at(-1), "It can be asked again in 76 s.");
	clock.advance(76_000);
	assert.equal(drawn.at(-1), "It can be asked again now.");
	clock.advance(60_000);
	assert.equal(drawn.length, 111);
});

test("minutes are not drawn each second", async (context) => {
	const { clock, drawn } = await failed(context, 720);
	clock.advance(300_000);
	assert.equal(drawn.length, 10);
	assert.match(drawn.at(-1) ?? "", /in 7 min/);
});

test("an error that was mended is not counted down, nor one after the end", async (context) => {
	const { clock, list, drawn } = await failed(context, 111);
	clock.advance(1_000);
	assert.equal(await list.retry(), true);
	clock.advance(10_000);
	assert.equal(drawn.length, 1);
	const other = await failed(context, 111);
	other.countdown.dispose();
	other.clock.advance(10_000);
	assert.equal(other.drawn.length, 0);
});
