import { generateKeyPair, type KeyObject } from "node:crypto";

/** An app on an account. */
export interface Installation {
	readonly id: number;
	/** The login of the user or organization. */
	readonly account: string;
	/** The names of its repositories that the app may reach. */
	readonly repositories: "all" | readonly string[];
	/** True if it may read issues. */
	readonly issues: boolean;
	readonly suspended: boolean;
}

/** An app: an identity of its own, proved by its key. */
export interface App {
	/** The App ID. */
	readonly id: number;
	readonly slug: string;
	readonly key: AppKey;
	readonly installations: readonly Installation[];
}

/** An app's RSA key of 2048 bits, made when it is first asked for: the start of the sandbox does not wait for it. */
export class AppKey {
	#making: Promise<string> | undefined;
	#publicKey: KeyObject | undefined;

	/** Public key that verifies the app's JWTs; undefined until the private key was given out. */
	get publicKey(): KeyObject | undefined {
		return this.#publicKey;
	}

	/** The private key as PKCS#1 PEM, the form in which code hosts hand it out. */
	pem(): Promise<string> {
		this.#making ??= new Promise((resolve, reject) => {
			generateKeyPair("rsa", { modulusLength: 2048 }, (error, publicKey, privateKey) => {
				if (error !== null) return reject(error);
				this.#publicKey = publicKey;
				resolve(privateKey.export({ type: "pkcs1", format: "pem" }).toString());
			});
		});
		return this.#making;
	}
}

/** The installation of the main app on the organization with everything in it. The other app has one with the same id. */
export const INSTALLATION_ID = 7001;

/** The apps of a start; their ids are the same at each, their keys are not. */
export function createApps(): { readonly app: App; readonly otherApp: App } {
	const whole = { id: INSTALLATION_ID, repositories: "all", issues: true, suspended: false } as const;
	return {
		app: {
			id: 100_001,
			slug: "night-operator",
			key: new AppKey(),
			installations: [
				{ ...whole, account: "exchange" },
				{ ...whole, id: 7002, account: "ada", repositories: ["garden"] },
				{ ...whole, id: 7003, account: "party-line", suspended: true },
				{ ...whole, id: 7004, account: "lin", issues: false },
			],
		},
		otherApp: {
			id: 100_002,
			slug: "day-operator",
			key: new AppKey(),
			installations: [{ ...whole, account: "lin" }],
		},
	};
}
