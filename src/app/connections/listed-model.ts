import { invalid } from "#base/errors.ts";
import {
	allOptional,
	anything,
	convert,
	flag,
	type Infer,
	integer,
	list,
	map,
	number,
	object,
	oneOf,
	optional,
	trimmed,
	union,
} from "#base/schema.ts";

const COST = number({ min: 0 });

/** Price of a million tokens, as a person writes it. */
export const PRICE = object({ input: COST, output: COST, cached: optional(COST), currency: optional(trimmed()) });

const NONE = convert(flag(), (value, { service, field }): false => {
	if (value) throw invalid(service, field, 'must be "adaptive", "enabled" or false');
	return value;
});

const TOKENS = integer({ min: 1 });

/** Model that a connection lists, with what the person says of it. */
export const LISTED_MODEL = object({
	/** Name in a request. */
	name: trimmed(),
	/** Name for a person. */
	label: optional(trimmed()),
	/** Abilities, which take precedence over those that the service names. */
	capabilities: optional(
		object(
			allOptional({
				...{ tools: flag(), toolChoice: flag(), images: flag(), documents: flag() },
				...{ sampling: flag(), prefill: flag(), caching: flag() },
				...{ thinking: union(oneOf("adaptive", "enabled"), NONE), efforts: list(trimmed()) },
			}),
		),
	),
	limits: optional(object(allOptional({ contextTokens: TOKENS, maxOutputTokens: TOKENS }))),
	price: optional(PRICE),
	/** Fields that every request to the model has in its body. */
	extraBody: optional(map(anything())),
});

/** Model that a connection lists. */
export type ListedModel = Infer<typeof LISTED_MODEL>;
