import assert from "node:assert/strict";
import { test } from "node:test";
import { Redraw } from "#app/requests/redraw.ts";
import { FakeClock } from "../../../support/fake-clock.ts";

function view({ visible }: { visible: boolean }) {
	const clock = new FakeClock();
	const seen = { visible, draws: 0, drawnAt: [] as number[] };
	const draw = () => {
		seen.draws += 1;
		seen.drawnAt.push(clock.monotonic());
	};
	const redraw = new Redraw(clock, { isVisible: () => seen.visible, draw });
	return { clock, seen, redraw };
}

test("a view that nobody sees is never drawn and keeps no timer, and is drawn once when it comes into sight", () => {
	const { clock, seen, redraw } = view({ visible: false });
	for (let count = 0; count < 1_000; count++) redraw.changed();
	assert.deepEqual([seen.draws, clock.waiting], [0, 0]);
	seen.visible = true;
	redraw.visibilityChanged();
	clock.advance(10_000);
	assert.equal(seen.draws, 1);
});

test("changes at every moment draw a view at once and then four times a second, the last change included", () => {
	const { clock, seen, redraw } = view({ visible: true });
	for (let count = 0; count < 900; count++) {
		redraw.changed();
		clock.advance(1);
	}
	clock.advance(10_000);
	assert.deepEqual(seen.drawnAt, [0, 250, 500, 750, 1_000]);
});

test("a view that went out of sight before its turn is drawn when it is back", () => {
	const { clock, seen, redraw } = view({ visible: true });
	redraw.changed();
	redraw.changed();
	seen.visible = false;
	clock.advance(1_000);
	assert.equal(seen.draws, 1);
	seen.visible = true;
	redraw.visibilityChanged();
	assert.equal(seen.draws, 2);
});

test("coming into sight alone draws nothing again", () => {
	const { clock, seen, redraw } = view({ visible: true });
	redraw.visibilityChanged();
	clock.advance(1_000);
	assert.equal(seen.draws, 0);
});
