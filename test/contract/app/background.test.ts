import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { refreshInBackground } from "#app/codehost/issue-lists.ts";
import { appSecret } from "#app/connections/codehost-secret.ts";
import { tokenWords } from "#editor/connections/connection-facts.ts";
import { troubleOf } from "#editor/words/codehost-words.ts";
import { describeStatus } from "#editor/words/status-words.ts";
import { openWindow, refreshesUnderWay } from "../../support/codehost-window.ts";
import { until } from "../../support/until.ts";

const MINUTE_MS = 60_000;

/** A window with the lists of an app's connection, which are refreshed every twenty minutes of the time that is let pass. */
async function refreshedApp(context: TestContext) {
	// Time is let pass while a token may be on its way, which is then no silence of the service.
	const window = await openWindow(context, {}, { silenceLimitMs: Number.MAX_SAFE_INTEGER });
	const { addApp, clock, keys, lists, registry, repositories, requests, statuses } = window;
	const { id } = await addApp();
	const added = [];
	for (const name of ["switchboard", "archive"]) {
		added.push(await repositories.add({ connection: id, repository: `exchange/${name}` }));
	}
	// As after a reload of the window there is no token yet.
	await registry.replaceSecret(id, appSecret({ privateKey: await keys.app.privateKeyPem() }));
	const begin = () => {
		const options = { clock, focused: () => true, intervalMs: () => 20 * MINUTE_MS };
		const refresher = refreshInBackground(lists, repositories, statuses, options);
		context.after(() => refresher.dispose());
	};
	const underWay = refreshesUnderWay(lists);
	/** The statuses of what is asked while so many hours pass. */
	const asked = async (hours: number) => {
		requests.length = 0;
		for (let minutes = 0; minutes < hours * 60; minutes += 10) {
			clock.advance(10 * MINUTE_MS);
			await until(() => underWay() === 0, "the refreshes to end");
		}
		return requests.map(({ method, status }) => `${method} ${status}`);
	};
	/** What the status bar, the row of the connection and its Token row say. */
	const told = () => {
		const [urgent] = statuses.urgencies();
		const now = clock.now();
		return [
			urgent === undefined ? null : describeStatus([urgent], [], now)?.text,
			troubleOf(statuses.of(id)) ?? null,
			tokenWords(statuses.of(id), now),
		];
	};
	return { ...window, id, loaded: added.map((each) => lists.of(each)), begin, asked, told };
}

const NO_TOKEN = "refused by the service";

for (const [what, message, bar, row] of [
	["an installation", "Not Found", "$(circle-slash) Host: app not installed", "app not installed"],
	["an app", "Integration not found", "$(key) Host: app unknown", "app unknown"],
] as const) {
	test(`${what} that the service no longer knows is reported and retried only by hand`, async (t) => {
		const { sandbox, loaded, begin, asked, told, clients, id, registry } = await refreshedApp(t);
		const [first, second] = loaded;
		assert.equal(told()[2], undefined);
		sandbox.codehost.behave({ on: ["access-token"], fail: { status: 404, message } });
		await Promise.all([first?.load(), second?.load()]);
		begin();
		assert.deepEqual(told(), [bar, row, NO_TOKEN]);
		assert.deepEqual(await asked(24), []);
		// The app may still be known while its installation is not.
		await (await clients.open(id)).app?.client.listInstallations();
		assert.deepEqual(told(), [bar, row, NO_TOKEN]);
		assert.deepEqual(await asked(2), []);
		sandbox.codehost.behave({});
		assert.deepEqual([await first?.retry(), await second?.retry()], [true, true]);
		assert.deepEqual(told().slice(0, 2), [null, null]);
		assert.ok((await asked(2)).length > 0, "it goes on once a person has asked and all was well");
		await (await clients.open(id)).app?.tokens.renew();
		sandbox.codehost.behave({ on: ["access-token"], fail: { status: 404, message } });
		sandbox.codehost.credentials.revokeTokens();
		// Of two repositories only the first finds it out.
		assert.deepEqual(await asked(24), ["GET 401", "POST 404"]);
		assert.deepEqual(told(), [bar, row, NO_TOKEN]);
		sandbox.codehost.behave({});
		const { credential } = registry.require(id, "codehost");
		assert.ok(credential.kind === "app");
		const installationId = sandbox.keys.codehost.app.installationIdWithoutIssues;
		await registry.edit(id, { credential: { ...credential, installationId } });
		assert.deepEqual(told().slice(0, 2), [null, null], "another installation is none that was refused");
	});
}

test("a repository that is not found leaves the app and other repositories alone", async (t) => {
	const { sandbox, loaded, begin, asked, told } = await refreshedApp(t);
	for (const list of loaded) await list.load();
	begin();
	sandbox.codehost.behave({ on: ["issues"], fail: { status: 404 } });
	assert.ok((await asked(4)).includes("GET 404"));
	assert.deepEqual(told().slice(0, 2), [null, null]);
	sandbox.codehost.behave({});
	assert.ok((await asked(4)).includes("GET 304"));
});
