/** Duration in its largest telling unit: `40 s`, `52 min`, `3 h`, `6 days`. */
export function msInWords(ms: number): string {
	const seconds = Math.max(0, Math.ceil(ms / 1000));
	if (seconds < 90) return `${seconds} s`;
	const minutes = Math.round(ms / 60_000);
	if (minutes < 120) return `${minutes} min`;
	const hours = Math.round(minutes / 60);
	return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}
