import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { CodehostConnection } from "#app/connections/connection.ts";
import { openWindow } from "../../support/codehost-window.ts";
import { serve } from "../../support/recording-server.ts";
import { type Deed, scriptedPerson } from "../../support/scripted-person.ts";

const { REPOSITORY_COMMANDS } = await import("#editor/codehost/repository-commands.ts");

/** Hosts that list some repositories, and a person who adds one with these deeds. */
async function adding(t: TestContext, profiles: readonly CodehostConnection["profile"][], deeds: readonly Deed[]) {
	const window = await openWindow(t);
	const { registry } = window;
	const hosts = await Promise.all(
		profiles.map((_, at) =>
			serve(t, ({ path }) => {
				if (path.startsWith("/user/repos"))
					return { body: [{ full_name: `host${at}/site` }, { full_name: "acme/app" }] };
				if (path.startsWith("/repos/acme/gone")) return { status: 404, body: { message: "Not Found" } };
				return { body: { login: "ada", full_name: path.slice("/repos/".length) } };
			}),
		),
	);
	const connections = await Promise.all(
		hosts.map(({ origin }, at) => {
			const draft = { service: "codehost", label: `Host ${at}`, baseUrl: origin, credential: { kind: "pat" } } as const;
			return registry.add({ ...draft, profile: profiles[at] }, "a-token");
		}),
	);
	const again = async (deeds: readonly Deed[]) => {
		const person = scriptedPerson(deeds);
		const { run } = REPOSITORY_COMMANDS.find(({ id }) => id === "switchboard.codehost.addRepository") ?? assert.fail();
		return { ...person, added: await Reflect.apply(run, undefined, [{}, window, ""]) };
	};
	return { ...window, ...(await again(deeds)), again, hosts, ids: connections.map(({ id }) => id) };
}

test("a repository that a host lists is picked, and its connection follows from it", async (t) => {
	const { questions, added, ids } = await adding(t, ["github-enterprise", "gitea"], [{ choose: /host1\/site/ }]);
	assert.deepEqual(added, { repository: "host1/site", connection: ids[1] });
	const [{ rows = [] } = {}] = questions;
	assert.deepEqual(
		[...rows].sort(),
		["acme/app", "acme/app", "host0/site", "host1/site"].map((n) => `$(repo) ${n}`),
	);
	assert.equal(questions.length, 1);
});

test("a host of the contract is asked for no list, and any name can be typed", async (t) => {
	const { added, hosts, ids } = await adding(t, ["custom"], [{ type: "acme/other" }]);
	assert.deepEqual(added, { repository: "acme/other", connection: ids[0] });
	assert.ok(hosts[0]?.requests.every(({ path }) => !path.startsWith("/user/repos")));
});

test("a refused name stays with its reason, and one of two hosts is asked for", async (t) => {
	const { questions, added, ids } = await adding(
		t,
		["custom", "custom"],
		[{ type: "acme/gone" }, { choose: /Host 1/ }, { type: "acme/app" }, { choose: /Host 1/ }],
	);
	assert.deepEqual(added, { repository: "acme/app", connection: ids[1] });
	const [, , again] = questions;
	assert.deepEqual([again?.value, again?.rows], ["acme/gone", ["$(warning) acme/gone"]]);
	assert.match(again?.details[0] ?? "", /\(404\)/);
});

test("a repository that was removed is offered again, and one that was added is not", async (t) => {
	const { repositories, ids, again } = await adding(t, ["github-enterprise"], [{ choose: /acme\/app/ }]);
	const [connection = ""] = ids;
	await repositories.remove(await repositories.add({ repository: "acme/old", connection }));
	assert.deepEqual((await again([])).questions[0]?.rows, ["$(repo) acme/old", "$(repo) host0/site"]);
});
