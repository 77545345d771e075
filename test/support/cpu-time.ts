/** The result of some work and the processor time it took, which unlike a clock's hardly grows while others work, too. */
export function measured<T>(work: () => T): { readonly result: T; readonly cpuMs: number } {
	const begun = process.cpuUsage();
	const result = work();
	const { user, system } = process.cpuUsage(begun);
	return { result, cpuMs: (user + system) / 1000 };
}
