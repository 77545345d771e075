import type * as vscode from "vscode";
import type { Issue } from "#api/codehost/model.ts";
import { excerpt } from "#base/excerpt.ts";
import { plainLine } from "../kit/text.ts";
import { Card } from "../tree.ts";
import { issueFacts, titleOf } from "./issue-text.ts";

/** Characters of a body that a card shows. */
const BODY_IN_CARD = 400;

/** Hover of an issue. */
export function issueCard(issue: Issue | undefined, repository: string): vscode.MarkdownString | undefined {
	if (issue === undefined) return undefined;
	const card = new Card().title(`#${issue.number} ${titleOf(issue)}`).fact("Repository", repository);
	for (const [name, value] of issueFacts(issue)) card.fact(name, value);
	const body = plainLine(excerpt(issue.body ?? "", BODY_IN_CARD));
	if (body !== "") card.rule().text(body);
	return card.markdown;
}
