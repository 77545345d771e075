/** What the panel is measured with: texts of about a given length in characters, the same on every run. */
export type TextKind = "mixed" | "table" | "list" | "fence" | "paragraph";

const WORDS =
	"the reply arrives in small pieces while a person reads and nothing that was shown may move or be lost again because of what comes next".split(
		" ",
	);

/** Makes a text of `length` characters. */
export function benchText(kind: TextKind, length: number): string {
	const random = generator(kind.length * 7919);
	const parts: string[] = [HEADS[kind]];
	let size = 0;
	for (let i = 0; size < length; i += 1) {
		const part = PARTS[kind](random, i);
		parts.push(part);
		size += part.length;
	}
	return parts.join("").slice(0, length);
}

const HEADS: Readonly<Record<TextKind, string>> = {
	mixed: "",
	table: "| Name | Meaning | Count |\n|:-----|:-------:|------:|\n",
	list: "",
	fence: "```ts\n",
	paragraph: "",
};

type Random = (below: number) => number;

const PARTS: Readonly<Record<TextKind, (random: Random, i: number) => string>> = {
	mixed: mixedPart,
	table: (random, i) => `| ${words(random, 3)} | ${words(random, 5)} | ${i} |\n`,
	list: (random, i) => `- item ${i}: ${words(random, 8)}\n`,
	fence: (random, i) => `\tconst value${i} = compute("${words(random, 3)}", ${random(1000)});\n`,
	paragraph: (random) => `${words(random, 12)} **${words(random, 2)}** `,
};

function mixedPart(random: Random, i: number): string {
	switch (i % 8) {
		case 0:
			return `## ${words(random, 4)}\n\n`;
		case 2:
			return `${Array.from({ length: 6 }, () => `- ${words(random, 9)} \`code\` ${words(random, 3)}`).join("\n")}\n\n`;
		case 4: {
			const lines = Array.from({ length: 14 }, (_, n) => `\tconst v${n} = call("${words(random, 2)}", ${n});`);
			return `\`\`\`ts\nexport function f${i}(): void {\n${lines.join("\n")}\n}\n\`\`\`\n\n`;
		}
		case 6: {
			const rows = Array.from({ length: 7 }, (_, n) => `| ${words(random, 2)} | ${words(random, 4)} | ${n} |`);
			return `| Name | Meaning | N |\n|---|---|--:|\n${rows.join("\n")}\n\n`;
		}
		default:
			return `${words(random, 40)} **${words(random, 3)}** and *${words(random, 2)}*, see [${words(random, 2)}](https://example.org/${i}). ${words(random, 25)}.\n\n`;
	}
}

function words(random: Random, count: number): string {
	return Array.from({ length: count }, () => WORDS[random(WORDS.length)]).join(" ");
}

/** A small generator with a fixed seed: the same text on every machine. */
function generator(seed: number): Random {
	let state = seed;
	return (below) => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return Math.floor((state / 2 ** 32) * below);
	};
}
