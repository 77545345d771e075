/** The marks of ASCII that HTML has names for. */
const MARKS: Readonly<Record<string, string>> = {
	...{ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " ", Tab: "\t", NewLine: "\n", excl: "!", num: "#" },
	...{ dollar: "$", percnt: "%", lpar: "(", rpar: ")", ast: "*", plus: "+", comma: ",", period: ".", sol: "/" },
	...{ colon: ":", semi: ";", equals: "=", quest: "?", commat: "@", lsqb: "[", lbrack: "[", bsol: "\\", rsqb: "]" },
	...{ rbrack: "]", Hat: "^", lowbar: "_", grave: "`", lcub: "{", lbrace: "{", verbar: "|", vert: "|", rcub: "}" },
	...{ rbrace: "}" },
};

/** Those of Latin-1, from 161 on. */
const LATIN1 =
	"iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para " +
	"middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave " +
	"Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute " +
	"Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave " +
	"iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml";

const BY_NAME: ReadonlyMap<string, string> = new Map([
	...LATIN1.split(" ").map((name, at): [string, string] => [name, String.fromCharCode(161 + at)]),
	...Object.entries(MARKS),
]);

/** A text without entities of XML and HTML: those of numbers, of the marks of ASCII, and of Latin-1. */
export function withoutEntities(text: string): string {
	return text.replace(/&(?:#(\d{1,9})|#x([\da-f]{1,8})|(\w{1,8}));/gi, (all, decimal, hex, name) => {
		if (name !== undefined) return BY_NAME.get(name) ?? all;
		const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
		return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "";
	});
}
