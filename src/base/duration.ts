/** Duration in its largest telling unit: `40 s`, `52 min`, `3 h`, `6 days`. */
export function msInWords(ms: number): string {
	const seconds = Math.max(0, Math.ceil(ms / 1000));
	if (seconds < 90) return `${seconds} s`;
	const minutes = Math.round(ms / 60_000);
	if (minutes < 120) return `${minutes} min`;
	const hours = Math.round(minutes / 60);
	return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}

const UNITS = [
	["year", 31_557_600_000],
	["month", 2_629_800_000],
	["day", 86_400_000],
	["hour", 3_600_000],
	["minute", 60_000],
] as const;

/** Time relative to now: `3 days ago`, or `just now` for one under a minute ago, or ahead by another clock. */
export function timeAgo(at: number, now: number): string {
	const unit = UNITS.find(([, ms]) => now - at >= ms);
	if (unit === undefined) return "just now";
	return new Intl.RelativeTimeFormat("en").format(-Math.floor((now - at) / unit[1]), unit[0]);
}

/** Time in the zone of this machine: `November 25, 2026 at 9:05 PM`. */
export function exactTime(at: number): string {
	return new Date(at).toLocaleString("en", { dateStyle: "long", timeStyle: "short" });
}
