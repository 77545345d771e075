import { ClientError, invalid } from "#base/errors.ts";
import { LIMITS } from "#base/limits.ts";
import { oneLine } from "#base/one-line.ts";
import { allOptional, anything, type Infer, list, map, object, parse, parsed, text, trimmed } from "#base/schema.ts";
import { LABEL } from "./connection.ts";
import { usualAddress } from "./fields.ts";
import { MESSAGES_PRESETS, MESSAGES_URL, type MessagesPreset } from "./messages-profiles.ts";

/** Most addresses of one import, all of which are asked at once. */
const MOST_ADDRESSES = 50;

/** Messages service in the settings of another tool, without its key, and without a label where only models have names. */
export type Importable = Exclude<ReturnType<typeof placedAt>, string>;

/** Entry in settings of any form. */
interface Entry {
	/** Name of an entry that is skipped. */
	readonly said: string;
	readonly label?: string | undefined;
	readonly provider?: string | undefined;
	readonly address: string | undefined;
	readonly models: readonly (string | undefined)[];
	/** Name of its only model for a person. */
	readonly shown?: string | undefined;
}

// The schemas drop what they do not name: keys, first of all.

const CONTINUE_TEXTS = { name: text(), title: text(), provider: text(), model: text(), apiBase: text(), uses: text() };
const CONTINUE_PARTS = { roles: list(text()), override: object(allOptional({ apiBase: text() })) };
const CONTINUE_MODEL = object(allOptional({ ...CONTINUE_TEXTS, ...CONTINUE_PARTS }));
const CONTINUE = object({ models: list(anything()) });
const EDITOR_MODEL = object(allOptional({ id: text(), name: text(), url: text() }));
const EDITOR = object(allOptional({ vendor: text(), name: text(), url: text(), models: list(EDITOR_MODEL) }));
const ROO = object({ providerProfiles: object({ apiConfigs: map(anything()) }) });

/** Line of YAML or JSON, with a value that is no address. A list of addresses has none. */
const SETTING = /^(?:models:$|(?:- )?\{|\[(?![\da-f]*:)|[-\w"' ]+:\s+(?!\s|\S*:(?:\/\/|\d+\b)))/;

/** Sign of a list's line, and the label of its address. */
const BEFORE_ADDRESS = /^(?:[-*]\s+)?(?:[^:./]*:\s+(?=\S*:(?:\/\/|\d+\b)))?/;

/** Text that looks like an address, without variables in it. */
const ADDRESS = /^(?=.*[.:/]|localhost$)[^\s$<>{}]{1,500}$/;

/** Word beside an address, or part of one, that may be a key. */
const KEY_LIKE = /^(?:sk|pk)[-_]|=|(?=[a-z]{0,23}\d)(?=\d{0,23}[a-z])[\da-z]{24}|[\da-z]{32}/i;

/** Text of JSON, or a comment between its texts. An end that is missing is that of the line or the whole. */
const TEXT_OR_COMMENT = /("(?:\\.|[^"\\\n])*"?)|\/\/.*|\/\*[\s\S]*?(?:\*\/|$)/g;

const PRESETS: readonly (readonly [string, MessagesPreset])[] = Object.entries(MESSAGES_PRESETS);

/**
 * Reads the services in the settings of Continue, VS Code or Roo Code, or in a list with an address a line: one for each
 * address, without those that are `kept` already, and the names of entries that have no address. Rejects with `invalid`,
 * naming the source and the line or field.
 */
export async function readImportable(settings: string, source: string, kept: readonly string[]) {
	if (settings.length > LIMITS.importCharacters) throw invalid("messages", source, "is too large");
	try {
		const lines = settings.split("\n").map((line) => line.trim());
		const isList = !lines.some((line) => SETTING.test(line));
		const entries = isList ? entriesOf(lines) : entriesIn(await parsedYaml(settings));
		const placed = entries.map(placedAt);
		const skipped = placed.filter((each) => typeof each === "string");
		const found = placed.filter((each) => typeof each === "object");
		const joined = Map.groupBy(found, ({ baseUrl }) => usualAddress(baseUrl));
		for (const baseUrl of kept) joined.delete(usualAddress(baseUrl));
		if (joined.size > MOST_ADDRESSES) throw invalid("messages", "", `has more than ${MOST_ADDRESSES} addresses`);
		const services = [...joined.values()].flatMap((all) =>
			all.slice(0, 1).map((first) => {
				const models = all.flatMap((each) => each.models).map((each) => [Object(each).name ?? each, each] as const);
				return { ...first, models: [...new Map(models).values()] };
			}),
		);
		return { services, skipped: [...new Set(skipped)] };
	} catch (error) {
		if (!(error instanceof ClientError)) throw error;
		throw invalid("messages", `${source}:`, error.message.trim());
	}
}

async function parsedYaml(settings: string): Promise<unknown> {
	const { LineCounter, parseDocument } = await import("yaml");
	const lineCounter = new LineCounter();
	// But for its comments, JSON is YAML.
	const yaml = /^\s*(?:[[{]|\/[/*])/.test(settings)
		? settings.replaceAll(TEXT_OR_COMMENT, (comment, quoted?: string) => quoted ?? comment.replaceAll(/./g, " "))
		: settings;
	const document = parseDocument(yaml, { lineCounter, merge: true, uniqueKeys: false, prettyErrors: false });
	const [error] = document.errors;
	try {
		if (error === undefined) return document.toJS({ maxAliasCount: 100 });
	} catch {
		// Unresolved or too many aliases.
	}
	// The parser's own words may quote a key.
	throw invalid("messages", "", "cannot be read", error && lineCounter.linePos(error.pos[0]).line);
}

function entriesIn(value: unknown): readonly Entry[] {
	if (Array.isArray(value)) {
		return value.flatMap((each) => {
			const { vendor: provider, name: label, url, models = [] } = parsed(EDITOR, each) ?? {};
			return (models.length === 0 ? [{ url }] : models).map(({ url: address = url, ...model }) => {
				const { id, name: shown }: Infer<typeof EDITOR_MODEL> = model;
				return { said: label ?? provider ?? "", label, provider, address, models: [id], shown };
			});
		});
	}
	if (typeof value === "object" && value !== null && "providerProfiles" in value) {
		return Object.entries(parse(ROO, value, "messages").providerProfiles.apiConfigs).map(([said, config]) => {
			const fields = Object.entries(parsed(map(anything()), config) ?? {});
			const read = (name: string) => parsed(text(), fields.find(([key]) => key.toLowerCase() === name)?.[1]);
			const provider = read("apiprovider");
			const [address, own] = [read(`${normalized(provider)}baseurl`), read(`${normalized(provider)}modelid`)];
			return { said, provider, address, models: [own ?? read("apimodelid")] };
		});
	}
	return parse(CONTINUE, value, "messages", "it").models.flatMap((each) => {
		const {
			name,
			title,
			provider,
			model,
			uses,
			override,
			roles = ["chat"],
			...own
		} = parsed(CONTINUE_MODEL, each) ?? {};
		const address = own.apiBase ?? override?.apiBase;
		if (roles.every((role) => role === "embed" || role === "rerank")) return [];
		const isChat = model !== "AUTODETECT" && roles.some((role) => ["chat", "edit", "apply"].includes(role));
		const shown = name ?? title;
		return { said: shown ?? model ?? uses ?? "", provider, address, models: isChat ? [model] : [], shown };
	});
}

function entriesOf(lines: readonly string[]): readonly Entry[] {
	return lines.flatMap((line, at) => {
		const said = `line ${at + 1}`;
		if (line === "" || line.startsWith("#")) return [];
		// An address after the first one begins an entry too.
		return line
			.replace(BEFORE_ADDRESS, "")
			.split(/[\s,;]+(?=\w+:\/\/)/)
			.map((entry) => {
				const [address, ...words] = entry.split(/:?[\s,;]+/);
				return { said, address, models: words.filter((each) => !KEY_LIKE.test(each)) };
			});
	});
}

/** Service of an entry; its name if it has no address that can be used. */
function placedAt({ said, label, provider, address, models, shown }: Entry) {
	const named = PRESETS.find(
		([name, { baseUrl }]) => baseUrl !== undefined && normalized(name) === normalized(provider),
	);
	// The default of other tools is the older address.
	const written = address?.trim() || named?.[1].otherBaseUrl || named?.[1].baseUrl || "";
	const isKey = written.split(/[/.]+/).some((part) => KEY_LIKE.test(part));
	const baseUrl = ADDRESS.test(written) && !isKey ? parsed(MESSAGES_URL, written) : undefined;
	if (baseUrl === undefined) return oneLine(said) || "an entry without a name";
	const isAt = (each: MessagesPreset) => [each.baseUrl, each.otherBaseUrl].includes(usualAddress(baseUrl));
	const [profile] = PRESETS.find(([, preset]) => isAt(preset)) ?? named ?? ["custom"];
	const names = models.flatMap((name) => parsed(trimmed({ max: 200 }), name) ?? []);
	const own = parsed(LABEL, shown);
	const listed = names.map((name) => (own === undefined || own === name ? name : { name, label: own }));
	return { label: parsed(LABEL, label), profile, baseUrl, models: listed };
}

function normalized(name = ""): string {
	return name.toLowerCase().replaceAll(/[^a-z\d]/g, "");
}
