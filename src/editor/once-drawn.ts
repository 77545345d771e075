/** How often something is tried before what the editor says of it is believed. */
const TRIES = 10;

/** How long the editor needs to draw rows anew, and a busy one somewhat longer. Milliseconds. */
const DRAWN_MS = 100;

/**
 * Does something with a row of a tree. While the editor draws the rows around it anew it does not find it and refuses, so
 * that is tried again; rejects as the last try did.
 */
export async function onceDrawn(
	work: () => PromiseLike<void>,
	pause: (ms: number) => Promise<void> = (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
): Promise<void> {
	for (let left = TRIES - 1; left > 0; left -= 1) {
		try {
			return await work();
		} catch {
			await pause(DRAWN_MS);
		}
	}
	await work();
}
