import assert from "node:assert/strict";
import { test } from "node:test";
import { ADA, codehostWindow } from "../../support/codehost-window.ts";
import { scriptedPerson } from "../../support/scripted-person.ts";

const { ISSUE_COMMANDS } = await import("#editor/codehost/issue-commands.ts");

/** Runs a command of the Issues view as a person does. */
function ask(name: string, window: object): unknown {
	const { run } = ISSUE_COMMANDS.find(({ id }) => id === `switchboard.codehost.${name}`) ?? assert.fail(name);
	const room = { ...window, issuesTree: { refresh: () => undefined } };
	return Reflect.apply(run, undefined, [{ argument: undefined, row: undefined }, room, ""]);
}

test("issues are filtered by is: as requests are, and by state: too", async (t) => {
	const window = await codehostWindow(t);
	const { questions } = scriptedPerson([{ type: "bell is:closed" }, { type: "STATE:All" }, { type: "is:sold" }]);
	assert.deepEqual(await ask("filterIssues", window), { text: "bell", state: "closed" });
	assert.deepEqual(await ask("filterIssues", window), { text: "", state: "all" });
	assert.equal(questions[1]?.value, "bell is:closed");
	await ask("filterIssues", window);
	assert.equal(questions.at(-1)?.problem, "Write open, closed or all after is:.");
});

test("what the view shows now is marked in its lists of choices", async (t) => {
	const window = await codehostWindow(t);
	await window.repositories.add({ connection: ADA, repository: "exchange/switchboard" });
	const { questions } = scriptedPerson([{ choose: /^Assigned/ }]);
	for (const name of ["chooseQuery", "chooseQuery", "sortIssues", "groupIssues"]) await ask(name, window);
	const marked = questions.map(({ rows, descriptions }) => rows[descriptions.indexOf("current")]);
	assert.deepEqual(marked, ["All Issues", "Assigned to Me", "As the Service Lists Them", "By Repository"]);
});
