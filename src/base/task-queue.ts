/** Function that runs tasks one after the other, each also after one that has failed. */
export function taskQueue() {
	let last: Promise<unknown> = Promise.resolve();
	return <T>(task: () => T | Promise<T>): Promise<T> => {
		const done = last.then(task);
		last = done.catch(() => undefined);
		return done;
	};
}
