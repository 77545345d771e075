import { usableTime } from "#base/clock.ts";

/** RFC 3339, also without the zone or its colon, and with a space before the time. */
const ISO = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)([.,]\d+)?\s*(Z|[+-]\d\d(?::?\d\d)?)?$/i;

/** Digits up to which a number is seconds since the epoch, not milliseconds. */
const LONGEST_SECONDS = 11;

/**
 * Time in a service's text, in epoch milliseconds; null for none. Known are RFC 3339, HTTP and `date` forms, and
 * seconds or milliseconds since the epoch. Without a zone it is UTC; an ambiguous zone such as `CST` gives null.
 */
export function timeOf(text: string): number | null {
	const given = text.trim();
	if (/^\d{9,16}$/.test(given)) return usableTime(Number(given) * (given.length <= LONGEST_SECONDS ? 1_000 : 1));
	const iso = ISO.exec(given);
	if (iso !== null) return parsed(isoText(iso));
	// A date needs a year and a month's name: Date.parse takes "5" for one too.
	if (given.length > 64 || !/[a-z]{3}/i.test(given) || !/\b\d{4}\b/.test(given)) return null;
	if (/\b[ECMP][SD]T\b(?!\))/i.test(given)) return null;
	const zoned = /\b(?:GMT|UTC?|Z)\b|[+-]\d\d:?\d\d\b/i.test(given);
	return parsed(zoned ? given : `${given} UTC`);
}

/** Time that a person entered, as sent: RFC 3339, or other forms in UTC. Null for other text and impossible days. */
export function wireTime(text: string): string | null {
	const given = text.trim();
	const day = ISO.exec(given)?.[1];
	const time = timeOf(given);
	if (day === undefined || time === null) return null;
	// Date.parse takes the 31st of every month for a day.
	if (new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day) !== true) return null;
	const exact = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(given);
	return exact ? given : new Date(time).toISOString();
}

function isoText([, day, time, fraction = "", zone = "Z"]: RegExpExecArray): string {
	const sign = /^z$/i.test(zone)
		? "Z"
		: zone.replace(/^(...):?(\d\d)?$/, (_, hours, minutes = "00") => `${hours}:${minutes}`);
	return `${day}T${time}${fraction.replace(",", ".")}${sign}`;
}

function parsed(text: string): number | null {
	return usableTime(Date.parse(text));
}
