import type { IssueQuery } from "#api/codehost/model.ts";
import { type ListIssuesResult, listIssues } from "#app/codehost/results.ts";
import { invalid } from "#base/errors.ts";
import { fieldsOf, requiredText } from "../arguments.ts";
import type { CodehostParts } from "./call.ts";

/** Lists issues as the service sends them, of any repository that the connection can read. */
export async function listIssuesOf(argument: unknown, parts: CodehostParts): Promise<ListIssuesResult> {
	const fields = fieldsOf(argument) ?? {};
	const { id } = parts.registry.require(requiredText(fields, "connection"), "codehost");
	const { query, limit } = fields;
	if (query !== undefined && !isQuery(query)) {
		throw invalid("codehost", "query", "must be an object of texts, numbers, true or false, or lists of texts");
	}
	if (limit !== undefined && typeof limit !== "number") throw invalid("codehost", "limit", "must be a number");
	return listIssues(parts.clients, { connection: id, repository: requiredText(fields, "repository"), query, limit });
}

function isQuery(value: unknown): value is IssueQuery {
	if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
	return Object.values(value).every(
		(each: unknown) =>
			["string", "number", "boolean"].includes(typeof each) ||
			(Array.isArray(each) && each.every((item) => typeof item === "string")),
	);
}
