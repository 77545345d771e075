declare module "commonmark-spec" {
	/** The examples of the CommonMark specification; tabs are written as `→`. */
	export const tests: readonly { readonly markdown: string; readonly number: number; readonly section: string }[];
}
