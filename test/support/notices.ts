import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { Locator } from "playwright-core";
import type { Driver } from "../panel/driver.ts";

/** Waits for the newest notification that says this. Under test the editor shows none by itself, so its list is opened. */
export async function noticeIn({ workbench, execute }: Driver, text: string): Promise<Locator> {
	const shown = workbench.page.locator(".notifications-center .notification-list-item", { hasText: text }).first();
	for (const end = Date.now() + 20_000; !(await shown.isVisible()); await delay(100)) {
		assert.ok(Date.now() < end, `no notification says ${text}`);
		await execute("notifications.showList");
	}
	return shown;
}
