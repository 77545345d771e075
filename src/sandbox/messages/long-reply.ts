import type { LongReply } from "./behaviour.ts";

const WORDS =
	"socket cord switch panel signal line board operator number exchange call ring answer listen relay lamp plug circuit trunk route carrier tone dial wire busy naïve façade 交換 電話 🔌".split(
		" ",
	);

/** Generated markdown of the asked length; the same numbers give the same text. */
export function generateReply({ kilobytes, seed = 1, shape = "mixed" }: LongReply): string {
	const length = kilobytes * 1024;
	const write = new Writer(seed);
	switch (shape) {
		case "mixed":
			return fill(length, { next: (n) => `${write.section(n)}\n\n` });
		case "table":
			return fill(length, {
				head: "| # | Name | Route | State |\n| ---: | :--- | --- | :-: |\n",
				next: (n) => write.row(n),
			});
		case "list":
			return fill(length, { next: (n) => write.item(n) });
		case "fence":
			return fill(length, { head: "```ts\n", next: (n) => write.codeLine(n), foot: "```\n" });
		case "prose":
			return fill(length, { next: () => `${write.sentence(12)} ` });
	}
}

interface Parts {
	readonly head?: string;
	readonly next: (n: number) => string;
	readonly foot?: string;
}

function fill(length: number, { head = "", next, foot = "" }: Parts): string {
	const parts = [head];
	let size = head.length + foot.length;
	for (let n = 0; size < length; n++) {
		const part = next(n);
		parts.push(part);
		size += part.length;
	}
	return parts.join("") + foot;
}

/** Writes units of markdown from a sequence of pseudo-random numbers (a Weyl sequence with a mixing step). */
class Writer {
	#state: number;

	constructor(seed: number) {
		this.#state = seed >>> 0;
	}

	#below(limit: number): number {
		this.#state = (this.#state + 0x9e3779b9) >>> 0;
		let mixed = this.#state;
		mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b);
		mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b);
		return ((mixed ^ (mixed >>> 16)) >>> 0) % limit;
	}

	#words(n: number): string {
		return Array.from({ length: n }, () => WORDS[this.#below(WORDS.length)]).join(" ");
	}

	sentence(n: number): string {
		const words = this.#words(n);
		return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
	}

	/** One of the kinds of block, all in turn. */
	section(n: number): string {
		const title = `${"#".repeat(2 + (n % 3))} ${this.#words(3)}`;
		switch (n % 6) {
			case 0:
				return `${title}\n\n${this.sentence(20)} ${this.sentence(14)} See **${this.#words(2)}** and \`${this.#words(1)}()\`.`;
			case 1:
				return Array.from({ length: 5 }, (_, i) => this.item(i))
					.join("")
					.trimEnd();
			case 2:
				return `| Name | Count |\n| --- | ---: |\n${Array.from({ length: 4 }, () => `| ${this.#words(2)} | ${this.#below(1000)} |`).join("\n")}`;
			case 3:
				return `\`\`\`ts\n${Array.from({ length: 6 }, (_, i) => this.codeLine(i)).join("")}\`\`\``;
			case 4:
				return `> ${this.sentence(10)}\n>\n> ${this.sentence(8)}`;
			default:
				return `${this.sentence(24)} A [${this.#words(2)}](https://example.com/${this.#below(1000)}), *${this.#words(2)}*, and ${this.sentence(9)}`;
		}
	}

	row(n: number): string {
		return `| ${n} | ${this.#words(2)} | \`${this.#words(1)}\` → ${this.#words(1)} | ${this.#below(2) === 0 ? "up" : "down"} |\n`;
	}

	item(n: number): string {
		const depth = n % 3;
		return `${"  ".repeat(depth)}- ${this.#words(4)} **${this.#words(1)}** ${this.#words(3)}\n`;
	}

	codeLine(n: number): string {
		return `const value${n} = connect("${this.#words(1)}", { lamp: ${this.#below(100)}, busy: ${this.#below(2) === 0} }); // ${this.#words(3)}\n`;
	}
}
