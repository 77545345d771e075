import type { AnyShape, Shape, ValueOf } from "./shape.ts";

/** Parameter of an operation (contract section 4) by its wire name; `body` for a body. */
export interface Parameter<T, R extends boolean = boolean> {
	readonly in: "path" | "query" | "header" | "form" | "body";
	readonly shape: Shape<T>;
	readonly required: R;
}

/** Operation of the service (contract sections 4, 5 and 7). */
export interface AnyOperation {
	readonly tag: "pet" | "store" | "user";
	readonly method: "GET" | "POST" | "PUT" | "DELETE";
	/** With the names of its path parameters in braces. */
	readonly path: string;
	readonly parameters: Readonly<Record<string, Parameter<unknown>>>;
	/** Format of its body; `json or xml` follows the connection. */
	readonly takes?: "json" | "json or xml" | "form" | "multipart";
	/** Format of its reply; `json or xml` follows the connection. */
	readonly gives: "json" | "json or xml";
	/** Null for none. */
	readonly security: "petstore_auth" | "api_key" | null;
	readonly writes: boolean;
	readonly deprecated: boolean;
	/** True if any reply means success: the contract does not define one. */
	readonly anyReply: boolean;
	readonly reply: Shape<unknown>;
	/** Meanings of the documented failures, by status. */
	readonly errors: Readonly<Record<number, string>>;
}

/** Parameters of an operation. */
export type ParametersOf<O extends AnyOperation> = Given<O["parameters"]>;

/** Data of an operation; null if any reply is accepted. */
export type DataOf<O extends AnyOperation> = O["anyReply"] extends false
	? ValueOf<O["reply"]>
	: ValueOf<O["reply"]> | null;

type Given<P> = {
	readonly [K in keyof P as P[K] extends { readonly required: true } ? K : never]: TypeOf<P[K]>;
} & {
	readonly [K in keyof P as P[K] extends { readonly required: true } ? never : K]?: TypeOf<P[K]> | undefined;
};
type TypeOf<P> = P extends { readonly shape: infer S } ? ValueOf<S> : never;

/** Operation with the types of its parameters and data. */
type TypedOperation<P, S, A> = AnyOperation & { readonly parameters: P; readonly reply: S; readonly anyReply: A };

/** Operation of a method and path. Defaults: both formats, no security, no listed failure, any reply to a write. */
export function operation<
	const R extends `${AnyOperation["method"]} /${AnyOperation["tag"]}${string}`,
	const P extends Readonly<Record<string, Parameter<unknown>>>,
	S extends AnyShape,
	A extends boolean = R extends `GET ${string}` ? false : true,
>(
	request: R,
	parts: Partial<Pick<AnyOperation, "takes" | "gives" | "security" | "deprecated" | "errors">> & {
		readonly parameters?: P;
		readonly reply: S;
		readonly anyReply?: A;
	},
): TypedOperation<P, S, A> {
	const [, method, path = "", tag] = /^(\w+) (\/(\w+).*)$/.exec(request) ?? [];
	const writes = method !== "GET";
	const usual = { gives: "json or xml", security: null, deprecated: false, errors: {}, parameters: {} } as const;
	// The pattern allows only these methods and tags, and the defaults have the types of the usual.
	return { ...usual, method, path, tag, writes, anyReply: writes, ...parts } as TypedOperation<P, S, A>;
}
