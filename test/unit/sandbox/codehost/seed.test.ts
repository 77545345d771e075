import { strict as assert } from "node:assert";
import { test } from "node:test";
import { seededRepository } from "#sandbox/codehost/seed.ts";

const DAY = 24 * 60 * 60_000;
const PROJECTS = ["exchange/switchboard", "ada/garden"].map((path) => {
	const [owner = "", name = ""] = path.split("/");
	return { path, issues: seededRepository(owner, name)?.issues() ?? [] };
});
const ALL = PROJECTS.flatMap(({ issues }) => issues);

test("two projects have forty issues in all, with titles that do not repeat", () => {
	assert.equal(ALL.length, 40);
	assert.equal(new Set(ALL.map(({ title }) => title)).size, 40);
	assert.ok(ALL.some(({ milestone }) => milestone !== undefined));
	assert.ok(ALL.some(({ assignee }) => assignee !== undefined));
	assert.ok(ALL.some(({ body }) => /^- \[x\] .*\n- \[ \] /m.test(body ?? "")));
});

test("the dates of a project lie in the past year, in the order of its numbers", () => {
	for (const { path, issues } of PROJECTS) {
		for (const [at, { number, createdAt, updatedAt, closedAt }] of issues.entries()) {
			const where = `${path}#${number}`;
			assert.equal(number, at + 1);
			assert.ok(createdAt > Date.now() - 366 * DAY && createdAt > (issues[at - 1]?.createdAt ?? 0), where);
			assert.ok(createdAt < updatedAt && updatedAt < Date.now(), where);
			assert.ok(closedAt === null || closedAt === updatedAt, where);
		}
	}
});

test("a reference to another issue leads to one of the project", () => {
	for (const { path, issues } of PROJECTS) {
		const references = issues.flatMap(({ body }) => [...(body ?? "").matchAll(/#(\d+)/g)].map(([, to]) => Number(to)));
		assert.ok(references.length > 3, path);
		for (const to of references) assert.ok(to >= 1 && to <= issues.length, `${path}#${to}`);
	}
});

test("hundreds of issues stand in repositories that say that they are generated", () => {
	for (const [name, count] of [
		["paging", 250],
		["archive", 10_000],
	] as const) {
		const repository = seededRepository("exchange", name);
		assert.equal(repository?.issues().length, count);
		assert.match(repository?.description ?? "", /generated issues/);
	}
});
