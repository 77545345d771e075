import { ClientError } from "#base/errors.ts";
import { isRecord } from "../http/json.ts";
import type { Installation, InstallationToken, Issue, Label, RawRecord, Repository, User } from "./model.ts";

/** The error of a reply that has not the shape it should have: `path` is where, such as `[3].number`. */
export function malformed(path: string, rule: string): ClientError {
	const place = path === "" ? "it" : path;
	const facts = path === "" ? {} : { field: path };
	return new ClientError("codehost", "malformed", `The reply is not what it should be: ${place} ${rule}.`, facts);
}

/** The owner of a token (contract section 2, "User profile"). */
export function decodeUser(json: unknown): User {
	const raw = recordAt(json, "");
	return { login: nameAt(raw, "login"), name: textIn(raw, "name"), htmlUrl: textIn(raw, "html_url"), raw };
}

/** A repository (contract section 2). */
export function decodeRepository(json: unknown): Repository {
	const raw = recordAt(json, "");
	const fullName = nameAt(raw, "full_name");
	if (!/^[^\s/]+\/[^\s/]+$/.test(fullName)) throw malformed("full_name", "has not the form owner/repo");
	return {
		fullName,
		description: textIn(raw, "description"),
		htmlUrl: textIn(raw, "html_url"),
		isPrivate: flagIn(raw, "private"),
		isArchived: flagIn(raw, "archived"),
		openIssues: countIn(raw, "open_issues_count"),
		raw,
	};
}

/** One page of issues (contract section 2). */
export function decodeIssues(json: unknown): readonly Issue[] {
	return listAt(json, "").map((item, index) => decodeIssue(item, `[${index}]`));
}

function decodeIssue(json: unknown, path: string): Issue {
	const raw = recordAt(json, path);
	return {
		number: integerAt(raw, "number", path),
		title: textAt(raw, "title", path),
		state: textIn(raw, "state"),
		stateReason: textIn(raw, "state_reason"),
		body: textIn(raw, "body"),
		labels: labelsIn(raw["labels"]),
		author: loginOf(raw["user"]) ?? loginOf(raw["author"]),
		assignees: assigneesIn(raw),
		milestone: isRecord(raw["milestone"]) ? textIn(raw["milestone"], "title") : null,
		htmlUrl: textIn(raw, "html_url"),
		createdAt: timeIn(raw, "created_at"),
		updatedAt: timeIn(raw, "updated_at"),
		closedAt: timeIn(raw, "closed_at"),
		comments: countIn(raw, "comments"),
		isPullRequest: isRecord(raw["pull_request"]),
		raw,
	};
}

/**
 * The installations of an app. Their shape is not documented: a list, or a list under `installations`, of records of
 * which only the `id` is needed.
 */
export function decodeInstallations(json: unknown): readonly Installation[] {
	const path = isRecord(json) && "installations" in json ? "installations" : "";
	const list = isRecord(json) && path !== "" ? json[path] : json;
	return listAt(list, path).map((item, index) => {
		const raw = recordAt(item, `${path}[${index}]`);
		const suspended = raw["suspended_at"] ?? null;
		return {
			id: integerAt(raw, "id", `${path}[${index}]`),
			account: loginOf(raw["account"]) ?? textIn(raw, "account"),
			appId: countIn(raw, "app_id"),
			suspendedAt: timeIn(raw, "suspended_at"),
			suspended: (suspended !== null && suspended !== false && suspended !== "") || raw["suspended"] === true,
			raw,
		};
	});
}

/** A fresh installation token (contract section 2); an unusable `expires_at` is null. */
export function decodeInstallationToken(json: unknown): Omit<InstallationToken, "serverTime"> {
	const raw = recordAt(json, "");
	const token = nameAt(raw, "token");
	if (!/^[\x21-\x7e]+$/.test(token)) throw malformed("token", "has a character that a header cannot carry");
	return { token, expiresAt: timeIn(raw, "expires_at") };
}

function recordAt(value: unknown, path: string): RawRecord {
	if (!isRecord(value)) throw malformed(path, value === undefined ? "is missing" : "is not an object");
	return value;
}

function listAt(value: unknown, path: string): readonly unknown[] {
	if (!Array.isArray(value)) throw malformed(path, "is not a list");
	return value;
}

function textAt(record: RawRecord, name: string, parent = ""): string {
	const value = record[name];
	if (typeof value === "string") return value;
	throw malformed(pathOf(parent, name), value === undefined ? "is missing" : "is not text");
}

/** A required text that means nothing when it is empty. */
function nameAt(record: RawRecord, name: string): string {
	const value = textAt(record, name);
	if (value.trim() === "") throw malformed(name, "is empty");
	return value;
}

function integerAt(record: RawRecord, name: string, parent: string): number {
	const value = record[name];
	if (typeof value === "number" && Number.isSafeInteger(value)) return value;
	throw malformed(pathOf(parent, name), value === undefined ? "is missing" : "is not a whole number");
}

function pathOf(parent: string, name: string): string {
	return parent === "" ? name : `${parent}.${name}`;
}

function textIn(record: RawRecord, name: string): string | null {
	const value = record[name];
	return typeof value === "string" ? value : null;
}

function flagIn(record: RawRecord, name: string): boolean | null {
	const value = record[name];
	return typeof value === "boolean" ? value : null;
}

function countIn(record: RawRecord, name: string): number | null {
	const value = record[name];
	return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** An ISO 8601 time as milliseconds since the epoch; one without a zone is UTC. */
function timeIn(record: RawRecord, name: string): number | null {
	const value = record[name];
	if (typeof value !== "string" || !/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(value)) return null;
	const time = Date.parse(/(?:[Zz]|[+-]\d\d:?\d\d)$/.test(value) ? value : `${value}Z`);
	return Number.isNaN(time) ? null : time;
}

function loginOf(value: unknown): string | null {
	return isRecord(value) ? textIn(value, "login") : null;
}

function assigneesIn(raw: RawRecord): readonly string[] {
	const listed = raw["assignees"];
	const all = Array.isArray(listed) && listed.length > 0 ? listed : [raw["assignee"]];
	return all.map(loginOf).filter((login) => login !== null);
}

function labelsIn(value: unknown): readonly Label[] {
	if (!Array.isArray(value)) return [];
	return value.flatMap((item: unknown) => {
		if (typeof item === "string") return [{ name: item, color: null }];
		const name = isRecord(item) ? textIn(item, "name") : null;
		if (!isRecord(item) || name === null) return [];
		const color = /^#?([0-9a-f]{6})$/i.exec(textIn(item, "color") ?? "")?.[1] ?? null;
		return [{ name, color }];
	});
}
