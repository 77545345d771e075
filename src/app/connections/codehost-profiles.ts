import type { CodehostProfile } from "#api/codehost/model.ts";
import { type Infer, list, map, nullable, object, optional, refine, trimmed } from "#base/schema.ts";
import { HEADER_LIST, HEADER_NAME, HEADER_VALUE, type Preset, profile } from "./fields.ts";

/** Also accepts plain JSON: some hosts answer 406 on routes without a media type of their own. */
const contractProfile: CodehostProfile = {
	versionHeader: "X-Service-Api-Version",
	version: "2022-11-28",
	accept: "application/vnd.service+json, application/json;q=0.9",
	patPrefixes: { fineGrained: ["service_pat_"], classic: [] },
	// The contract names only the first; hosts that send the others mostly use these names.
	rateLimitHeaders: { remaining: "X-RateLimit-Remaining", limit: "X-RateLimit-Limit", reset: "X-RateLimit-Reset" },
};

const githubProfile: CodehostProfile = {
	repositoryList: { pat: "/user/repos", installation: "/installation/repositories" },
	versionHeader: "X-GitHub-Api-Version",
	version: "2022-11-28",
	accept: "application/vnd.github+json",
	rateLimitHeaders: contractProfile.rateLimitHeaders,
	patPrefixes: { fineGrained: ["github_pat_"], classic: ["ghp_"] },
	issueQuery: "state labels sort direction since creator assignee mentioned milestone per_page page".split(" "),
};

/** The presets of a code host by the name that settings and automation use. */
export const CODEHOST_PRESETS = {
	sandbox: {
		label: "Built-in Sandbox",
		profile: {
			...contractProfile,
			patPrefixes: { fineGrained: ["service_pat_"], classic: ["svc_"] },
			issueQuery: "state labels sort direction creator assignee mentioned per_page page".split(" "),
		},
	},
	github: {
		label: "GitHub",
		baseUrl: "https://api.github.com",
		keyPage: "https://github.com/settings/personal-access-tokens",
		appPage: "https://github.com/settings/apps",
		profile: githubProfile,
	},
	"github-enterprise": {
		label: "GitHub Enterprise Server",
		shortLabel: "GitHub",
		detail: "On a host of your own",
		exampleBaseUrl: "https://github.example.com",
		apiPath: "/api/v3",
		profile: githubProfile,
	},
	gitea: {
		label: "Gitea or Forgejo",
		shortLabel: "Gitea",
		detail: "On a host of your own, or Codeberg",
		exampleBaseUrl: "https://codeberg.org",
		apiPath: "/api/v1",
		kind: "pat",
		profile: {
			accept: "application/json",
			rateLimitHeaders: contractProfile.rateLimitHeaders,
			issueQuery: "state type labels since created_by assigned_by mentioned_by milestones limit page".split(" "),
			issueQueryNames: { creator: "created_by", assignee: "assigned_by", mentioned: "mentioned_by" },
			// Pull requests are left out unless they are asked for.
			fixedIssueQuery: { type: "issues", limit: "50" },
			readPath: "/repos/search",
			repositoryList: { pat: "/user/repos" },
		},
	},
	custom: {
		label: "Custom Code Host",
		shortLabel: "Code host",
		detail: "Any service that speaks the code host's API",
		profile: contractProfile,
	},
} as const satisfies Record<string, Preset & { readonly profile: CodehostProfile }>;

const HEADERS = refine(
	object(
		{
			versionHeader: optional(HEADER_NAME),
			/** Null to send no version, for a service that refuses unknown ones. */
			version: optional(nullable(HEADER_VALUE)),
			accept: optional(HEADER_LIST),
			issueQuery: optional(list(trimmed())),
			/** The service's own names of parameters by the usual ones, such as `creator`. */
			issueQueryNames: optional(map(trimmed())),
			rateLimitHeaders: optional(
				object(
					{ remaining: HEADER_NAME, limit: optional(HEADER_NAME), reset: optional(HEADER_NAME) },
					{ strict: true },
				),
			),
		},
		{ strict: true },
	),
	({ versionHeader, version = null }) =>
		(versionHeader === undefined) === (version === null) ? undefined : "must have versionHeader and version together",
);

/** Schema of the profile of a code host in a connection. */
export const CODEHOST_PROFILE = profile(CODEHOST_PRESETS, HEADERS);

/** Profile setting of a code host: a preset's name or headers; missing ones are the contract's. */
export type CodehostProfileSetting = Infer<typeof CODEHOST_PROFILE>;

/** Query parameters that may be sent with a listing of issues, by the names that are understood for them. */
export function issueParametersOf(setting: CodehostProfileSetting): readonly string[] {
	const { issueQuery = [], issueQueryNames = {} } = codehostProfileOf(setting);
	return [...issueQuery, ...Object.keys(issueQueryNames)];
}

/** The names and values that a profile stands for. */
export function codehostProfileOf(setting: CodehostProfileSetting): CodehostProfile {
	if (typeof setting === "string") return CODEHOST_PRESETS[setting].profile;
	const { version = contractProfile.version, ...named } = setting;
	const { versionHeader, version: _, ...unversioned } = { ...contractProfile, ...named };
	if (version === null || versionHeader === undefined || version === undefined) return unversioned;
	return { ...unversioned, versionHeader, version };
}
