/** How what a service demands of a password begins; what a person has made up rarely does. */
const BEGINNING =
	/^(?:must|should|may|can|cannot|needs?|is|was|has|have|does|do|too|not|no|at|min|minimum|max|maximum)\s/;

/** All words that a rule is made of: one other word, and it may be the password itself. */
const WORDS = new Set(
	`a again all already an and any are as at be been before blank both can cannot case changed character characters chars
	common consist contain contains correct different digit digits do does each either empty equal exceed expired fewer
	field from had has have in include includes incorrect invalid is it least length less letter letters long longer
	lower lowercase mark marks match matches max maximum may min minimum missing mixed more most must need needs new no
	nor not null number numbers of old one only or other present previous provided punctuation required reset same
	short shorter should size space spaces special string strong supplied symbol symbols than that the three to too two
	upper uppercase use used user username valid value weak was with without wrong`.split(/\s+/),
);

/** A number is a part of a rule only where it says of what: alone it may be somebody's PIN. */
const COUNT =
	/(?<![\w-])\d{1,3}(?:\s?(?:-|to|and|or)\s?\d{1,3})?(?=\s(?:characters?|chars|letters?|digits?|numbers?|symbols?)\b)/g;

/**
 * Whether a text that stands where a password may stand plainly says what one must be like, such as `must have 8 characters`.
 */
export function isPasswordRule(text: string): boolean {
	const said = text.trim().toLowerCase().replace(COUNT, "");
	const words = said.split(/[\s.!:]+/).filter((word) => word !== "");
	return BEGINNING.test(said) && words.every((word) => WORDS.has(word));
}
