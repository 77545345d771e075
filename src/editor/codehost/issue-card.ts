import type * as vscode from "vscode";
import type { Issue } from "#api/codehost/model.ts";
import { plainLine } from "../plain-line.ts";
import { Card } from "../tree.ts";
import { issueFacts, titleOf } from "./issue-text.ts";

/** Characters of a body that a card shows. */
const BODY_IN_CARD = 400;

/** What is known of an issue, for a hover. */
export function issueCard(issue: Issue | undefined, repository: string): vscode.MarkdownString | undefined {
	if (issue === undefined) return undefined;
	const card = new Card().title(`#${issue.number} ${titleOf(issue)}`).fact("Repository", repository);
	for (const [name, value] of issueFacts(issue)) card.fact(name, value);
	const body = plainLine(issue.body?.slice(0, BODY_IN_CARD) ?? null);
	if (body !== "") card.rule().text(body);
	return card.markdown;
}
