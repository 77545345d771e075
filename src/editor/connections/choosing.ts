import { AsyncLocalStorage } from "node:async_hooks";

/** Choices of a person while something runs for them. */
export interface Choosing {
	/** The id of the connection. */
	connection?: string;
}

const choosing = new AsyncLocalStorage<Choosing>();

/** Runs something in which a person may choose; what they choose stands in `noted` then, also when it fails. */
export function noting<T>(noted: Choosing, run: () => T): T {
	return choosing.run(noted, run);
}

/** Notes a connection that was chosen, for the words of what fails there. */
export function noteConnection(id: string): void {
	const noted = choosing.getStore();
	if (noted !== undefined) noted.connection = id;
}
