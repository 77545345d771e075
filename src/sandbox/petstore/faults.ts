import { flag, type Infer, list, oneOf } from "#base/schema.ts";
import { anyYear, WHOLE_REPLY_FAULTS } from "#sandbox/faults.ts";
import { shape } from "#sandbox/strict.ts";
import { OPERATION_NAMES } from "./route.ts";

/** Faults of the pet store: standing ones, and those of a request by its `x-sandbox` header, which take precedence. */
export const petstoreFaults = shape(
	{},
	{
		...WHOLE_REPLY_FAULTS,
		/** Limits the faults above to these operations. */
		on: list(oneOf(...OPERATION_NAMES), { min: 1 }),

		/** Another client changes each pet right after it was read by id. */
		changeAfterRead: flag(),
		/** Lifetime of a sign-in token; 3,600 by default. Up to 0, it has expired on arrival. */
		tokenSeconds: anyYear,
	},
);

/** Faults of the pet store. */
export type PetstoreFaults = Infer<typeof petstoreFaults>;
