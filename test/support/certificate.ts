import { generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** A key and a certificate that it signed itself, PEM. */
export interface SelfSigned {
	readonly key: string;
	readonly cert: string;
}

/** Makes a certificate for host names, valid for a day: tests need no key on disk and no tool that may be missing. */
export function selfSigned(...hosts: readonly string[]): SelfSigned {
	return selfSignedUntil(86_400_000, ...hosts);
}

/** Makes one that ends so many milliseconds from now. */
export function selfSignedUntil(endsIn: number, ...hosts: readonly string[]): SelfSigned {
	const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
	const algorithm = sequence(oid("1.2.840.10045.4.3.2"));
	const name = sequence(element(0x31, sequence(oid("2.5.4.3"), element(0x0c, Buffer.from(hosts[0] ?? "test")))));
	const validity = sequence(time(-7_200_000), time(endsIn));
	const names = sequence(...hosts.map((host) => element(0x82, Buffer.from(host))));
	const extensions = element(
		0xa3,
		sequence(
			sequence(oid("2.5.29.17"), element(0x04, names)),
			sequence(
				oid("2.5.29.19"),
				element(0x01, Buffer.from([0xff])),
				element(0x04, sequence(element(0x01, Buffer.from([0xff])))),
			),
		),
	);
	const version = element(0xa0, element(0x02, Buffer.from([2])));
	const serial = element(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)]));
	const keyInfo = publicKey.export({ type: "spki", format: "der" });
	const body = sequence(version, serial, algorithm, name, validity, name, keyInfo, extensions);
	const signature = element(0x03, Buffer.concat([Buffer.from([0]), sign("sha256", body, privateKey)]));
	const lines =
		sequence(body, algorithm, signature)
			.toString("base64")
			.match(/.{1,64}/g) ?? [];
	return {
		key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
		cert: `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`,
	};
}

/** One DER element: tag, length, content. */
function element(tag: number, content: Buffer): Buffer {
	const { length } = content;
	const long = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
	return Buffer.concat([Buffer.from([tag, ...(length < 128 ? [length] : long)]), content]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
	return element(0x30, Buffer.concat(parts));
}

function oid(dotted: string): Buffer {
	const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
	const bytes = [first * 40 + second];
	for (const part of rest) {
		const groups = [part & 127];
		for (let left = part >> 7; left > 0; left >>= 7) groups.unshift((left & 127) | 128);
		bytes.push(...groups);
	}
	return element(0x06, Buffer.from(bytes));
}

function time(fromNow: number): Buffer {
	const text = new Date(Date.now() + fromNow)
		.toISOString()
		.replace(/[-:T]|\.\d+/g, "")
		.slice(2);
	return element(0x17, Buffer.from(text));
}
