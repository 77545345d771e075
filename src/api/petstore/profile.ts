/** Base path and format of a pet store. */
export interface PetstoreProfile {
	/** Put between the base URL and the paths of contract section 4, `/v2` there; empty for none. */
	readonly basePath: string;
	/** Format of bodies where the contract leaves the choice. */
	readonly format: "json" | "xml";
}

/** The names of the contract (sections 1 and 9), in JSON. */
export const contractProfile: PetstoreProfile = { basePath: "/v2", format: "json" };
