import { setTimeout as delay } from "node:timers/promises";
import type { Locator } from "playwright-core";
import type { Driver } from "../panel/driver.ts";
import { insist, until } from "./until.ts";

/** Waits for the newest notification that says this. Under test the editor shows none by itself, so its list is opened. */
export async function noticeIn({ workbench, execute }: Driver, text: string | RegExp): Promise<Locator> {
	const shown = workbench.page.locator(".notifications-center .notification-list-item", { hasText: text }).first();
	await until(async () => {
		await execute("notifications.showList");
		return shown.isVisible();
	}, `a notification that says ${text}`);
	return shown;
}

/**
 * Presses a button of a notification, with which it goes: by a key, for a click would land on the list's header where that
 * stands over it. What comes while it is drawn anew is lost.
 */
export async function pressIn(notice: Locator, name: string): Promise<void> {
	const button = notice.getByRole("button", { name });
	await button.waitFor();
	const isGone = async () => {
		if (await button.isVisible()) return false;
		// While it is drawn anew it is not there either.
		await delay(200);
		return !(await button.isVisible());
	};
	await insist(() => button.press("Enter", { timeout: 5_000 }), isGone, { what: `${name} to be taken` });
}
