/** Behaviours asked for by a header are remembered up to this many. */
const MOST_ASKED = 1000;

/** The faults that can be limited to a number of requests. */
export type CountedFault = "drop" | "fail" | "redirect";

/** Faults that are counted; without a number of times a fault never ends. */
export interface CountedFaults {
	readonly drop?: number;
	readonly fail?: { readonly status: number; readonly times?: number };
	readonly redirect?: { readonly times?: number };
}

interface Run {
	readonly used: Map<CountedFault, number>;
	/** Begins again when it is spent, as there is no other moment to begin again. */
	readonly repeats: boolean;
}

/**
 * Counts the requests that faults have hit. Those of the standing behaviour are counted from when it was given; those of
 * a header for each text of the header, and begin again after one request that was answered.
 */
export class FaultCounts {
	#standing: Run = { used: new Map(), repeats: false };
	readonly #asked = new Map<string, Run>();

	/** Begins anew for a new standing behaviour. */
	restart(): void {
		this.#standing = { used: new Map(), repeats: false };
	}

	/** The fault that hits this request, if one does; that counts as a hit. `header` is the header that asked for it. */
	hit({ drop, fail, redirect }: CountedFaults, header: string | undefined): CountedFault | undefined {
		const run = header === undefined ? this.#standing : this.#askedRun(header);
		if (drop !== undefined && isDue(run, "drop", drop)) return "drop";
		if (fail !== undefined && isDue(run, "fail", fail.times)) return "fail";
		if (redirect !== undefined && isDue(run, "redirect", redirect.times)) return "redirect";
		return undefined;
	}

	#askedRun(header: string): Run {
		const run = this.#asked.get(header) ?? { used: new Map(), repeats: true };
		this.#asked.delete(header);
		this.#asked.set(header, run);
		for (const oldest of this.#asked.keys()) {
			if (this.#asked.size <= MOST_ASKED) break;
			this.#asked.delete(oldest);
		}
		return run;
	}
}

function isDue({ used, repeats }: Run, fault: CountedFault, times = Number.POSITIVE_INFINITY): boolean {
	const count = used.get(fault) ?? 0;
	if (count < times) {
		used.set(fault, count + 1);
		return true;
	}
	if (repeats) used.delete(fault);
	return false;
}
