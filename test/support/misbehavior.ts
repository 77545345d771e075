import { jsonContent } from "#sandbox/http.ts";
import { toXml } from "#sandbox/petstore/xml.ts";
import type { Alteration } from "#sandbox/service.ts";

/** Changes a header of every good reply: gets its value and the address that was requested, gives its new value, if any. */
function withHeader(name: string, change: (value: string, url: URL) => string | undefined): Alteration {
	return (reply, { response, url }) => {
		const { [name]: own = response.getHeader(name)?.toString() ?? "", ...headers } = reply.headers ?? {};
		const value = change(own, url);
		response.removeHeader(name);
		return { ...reply, headers: { ...headers, ...(value !== undefined && { [name]: value }) } };
	};
}

/** Changes the body of every good reply that has one, before it is written. */
export function withBody(change: (body: unknown) => unknown): Alteration {
	return (reply) => (reply.body === undefined ? reply : { ...reply, body: change(reply.body) });
}

/** Changes the text of every good reply. */
export function withText(change: (text: string) => string): Alteration {
	return (reply) => ({
		...reply,
		write: (value) => {
			const { type, text } = (reply.write ?? jsonContent)(value);
			return { type, text: change(text) };
		},
	});
}

/** Changes each object of a reply, which is one or a list of them. */
function withObjects(change: (one: Readonly<Record<string, unknown>>) => object): Alteration {
	const changed = (one: unknown) =>
		typeof one === "object" && one !== null ? change(Object.fromEntries(Object.entries(one))) : one;
	return withBody((body) => (Array.isArray(body) ? body.map(changed) : changed(body)));
}

/** Puts a field wrong wherever there is one; without a value it is left out. */
export function withField(field: string, value?: unknown): Alteration {
	return withObjects((one) => {
		const { [field]: own, ...rest } = one;
		if (own === undefined) return one;
		return value === undefined ? rest : { ...rest, [field]: value };
	});
}

/** The fields that the code host's contract names for each of its objects, which the first one tells from the others. */
const NAMED = [["token", "expires_at"], ["full_name"], ["title", "number"], ["login"], ["id"]] as const;

/** Leaves out every field that the code host's contract does not name. */
export const lean = withObjects((one) => {
	const named = NAMED.find(([first]) => first in one) ?? [];
	return Object.fromEntries(named.map((field) => [field, one[field]]));
});

/** Links a page only to the next one. */
export const nextOnly = withHeader("link", (link) => /<[^>]*>; rel="next"/.exec(link)?.[0]);

/** Links the last page to the first one. */
export const circularLinks = withHeader("link", (link, url) => {
	const first = new URL(url);
	first.searchParams.set("page", "1");
	return link.includes('rel="next"') ? link : `<${first}>; rel="next"`;
});

/** Links pages to another origin, at another path if one is given. */
export const foreignLinks = (path = "") =>
	withHeader("link", (link, { origin }) => link.replaceAll(origin, `https://evil.example${path}`));

/** Counts the items of a listing, in place of links to its other pages. */
export const unlinkedPages =
	(total: number): Alteration =>
	(reply, context) => {
		context.response.setHeader("x-total-count", `${total}`);
		return withHeader("link", () => undefined)(reply, context);
	};

/** Sets the number of requests that are left, as the code host tells it. */
export function requestsLeft(count: number): Alteration {
	return withHeader("x-ratelimit-remaining", () => `${count}`);
}

/** Answers changes of the pet store with nothing, or with an ApiResponse. */
export function changesAnswered(how: "empty" | "api-response", status = 200): Alteration {
	return (reply, { request }) => {
		if (request.method === "GET") return reply;
		if (how === "empty") return { ...reply, status, write: () => ({ type: "application/json", text: "" }) };
		const isXml = request.headers.accept?.startsWith("application/xml") ?? false;
		return {
			status,
			body: { code: 200, type: "unknown", message: "done" },
			write: (said) => (isXml ? { type: "application/xml", text: toXml("ApiResponse", said) } : jsonContent(said)),
		};
	};
}
