import type { Fields, Row } from "./rows.ts";

/** An argument of a command, or the row of a tree it was called on; neither when the person is to be asked. */
export interface Call<T = Fields> {
	readonly argument: T | undefined;
	readonly row: Row | undefined;
	/** All rows that were selected when it was called on one of them, that one included. */
	readonly rows?: readonly Row[];
	/** Id of the connection that the person has chosen, which an error is about. */
	connection?: string;
}
