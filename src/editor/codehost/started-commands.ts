import type { AddedRepository } from "#app/codehost/repositories.ts";
import type { StartedIssue } from "#app/codehost/started-issue.ts";
import { HAS, VIEWS } from "#app/contributions.ts";
import { invalid } from "#base/errors.ts";
import { flag, optional, trimmed } from "#base/schema.ts";
import { chooseGitRepository, type GitRepository, gitRepositories, remotesOf } from "../git.ts";
import { type Call, commandsOf, onRows } from "../kit/command.ts";
import { withoutIcons } from "../kit/plain.ts";
import { choose, notify } from "../kit/prompts.ts";
import type { RepositoryRoom } from "./codehost.ts";
import { ISSUE, issueOf } from "./issue-commands.ts";
import { openIssue } from "./references.ts";

const define = commandsOf<RepositoryRoom>({ service: "codehost", palette: false });

/** Commands about the issue that is worked on. */
export const STARTED_COMMANDS = [
	define("switchboard.codehost.startWorking", "Start Working on Issue", {
		palette: HAS.codehost,
		menus: [onRows(VIEWS.issues, "=~ /^issue\\b(?!.*\\bcurrent\\b)/ && !listMultiSelection", "2_work@1")],
		input: { ...ISSUE, folder: optional(trimmed()) },
		gives: ["{repository, connection, number, title, folder, branch, before?}"],
		async run(call, room, title) {
			const found = await issueOf(call, room, title);
			const git = found && (await folderFor(found.repository, call, room, title));
			if (found === undefined || git === undefined) return undefined;
			const from = git.state.HEAD?.name;
			const started = await room.started.start(found, git);
			const { indexChanges, workingTreeChanges } = git.state;
			const isDirty = indexChanges.length + workingTreeChanges.length > 0 && from !== started.branch;
			const sentence = `Your uncommitted changes came along to ${started.branch}. Commit or stash them there.`;
			if (call.argument === undefined && isDirty) void notify("Information", sentence);
			return started;
		},
	}),
	define("switchboard.codehost.stopWorking", "Stop Working on Issue", {
		menus: [onRows(VIEWS.issues, "=~ /^issue\\b.*\\bcurrent\\b/ && !listMultiSelection", "2_work@1")],
		input: { stay: optional(flag()) },
		gives: ["{repository, connection, number, title, folder, branch, before?, now}"],
		async run({ argument, row }, { started }) {
			const issue = started.current();
			const isAsked = issue !== undefined && argument === undefined && row === undefined;
			const step = isAsked ? await askStep(issue) : argument?.stay ? "stay" : "back";
			if (step === "open") return openIssue({ ...issue });
			return step && started.stop(step === "stay");
		},
	}),
];

/** Folder of a call, the only one whose remote leads to the issue's repository, or the one that the person picks. */
async function folderFor(
	added: AddedRepository,
	{ argument }: Call<{ readonly folder?: string }>,
	{ repositories }: RepositoryRoom,
	title: string,
): Promise<GitRepository | undefined> {
	const all = await gitRepositories();
	// The editor sees a change of a remote only after a while.
	await Promise.all(all.map((each) => each.status()));
	const folder = argument?.folder;
	const own = all.filter((each) => repositories.isAt(added, remotesOf([each])));
	const isOwn = own.length > 0;
	const fit = folder !== undefined ? all.filter(({ rootUri }) => rootUri.fsPath === folder) : isOwn ? own : all;
	if (fit.length === 1 && (argument !== undefined || isOwn)) return fit[0];
	const placeholder = isOwn ? undefined : `No remote leads to ${added.repository}. In which folder?`;
	if (argument === undefined) return chooseGitRepository(title, fit, placeholder);
	throw invalid("codehost", "folder", "must be the folder of an open git repository; of several it names one");
}

/** Asks for a step from the current issue: to open it, or to stop and go back, or stay on its branch. */
function askStep({ number, title, branch, before = branch }: StartedIssue) {
	return choose<"open" | "back" | "stay">({ title: `Working on #${number}`, placeholder: title }, [
		{ label: "Open Issue", value: "open" },
		{ label: "Stop Working on Issue", description: withoutIcons(`go back to ${before}`), value: "back" },
		{ label: "Stop and Stay Here", description: withoutIcons(`stay on ${branch}`), value: "stay" },
	]);
}
