import { flag, type Infer, list, oneOf } from "#base/schema.ts";
import { anyYear, WHOLE_REPLY_FAULTS } from "#sandbox/faults.ts";
import { shape } from "#sandbox/strict.ts";
import { OPERATION_NAMES } from "./route.ts";

/**
 * Faults of the pet store: given at the start (`petstore` of the options, or `SWITCHBOARD_SANDBOX_PETSTORE` as JSON),
 * changed by `sandbox.petstore.behave`, or for one request by the header `x-sandbox`, whose fields win. All of it combines.
 */
export const petstoreFaults = shape(
	{},
	{
		...WHOLE_REPLY_FAULTS,
		/** Restricts the faults above to these operations. */
		on: list(oneOf(...OPERATION_NAMES), { min: 1 }),

		/** Each pet is changed by another client right after it was read by its id. */
		changeAfterRead: flag(),
		/** Lifetime of the token that a sign-in gives; 3,600 by default. Not above 0, it has expired on arrival. */
		tokenSeconds: anyYear,
	},
);

/** Faults of the pet store. */
export type PetstoreFaults = Infer<typeof petstoreFaults>;
