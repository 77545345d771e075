import type { ServerResponse } from "node:http";

/** The exchanges of a room that are under way. */
export class Visits {
	readonly #open = new Set<AbortController>();

	/** Number of open exchanges. */
	get size(): number {
		return this.#open.size;
	}

	/**
	 * Does the work of one exchange; its signal is aborted when the client goes away or the room is closed. Then the
	 * response is destroyed, whatever the work made of it; any other error is passed on.
	 */
	async during(response: ServerResponse, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
		const visit = new AbortController();
		const onClose = () => visit.abort(new Error("The client went away."));
		response.once("close", onClose);
		this.#open.add(visit);
		try {
			await work(visit.signal);
		} catch (error) {
			if (!visit.signal.aborted) throw error;
			response.destroy();
		} finally {
			this.#open.delete(visit);
			response.off("close", onClose);
		}
	}

	/** Cuts off what is under way. */
	close(): void {
		for (const visit of this.#open) visit.abort(new Error("The sandbox was closed."));
	}
}
