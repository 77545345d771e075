/** Messages between panel and host about attachments of a message and how they are found. */

/** Media type of the rows of our own trees when they are dragged. */
export const PANEL_ROWS_TYPE = "application/vnd.switchboard.rows";

/** A chip: what is attached to a turn, without its text. */
export interface AttachmentView {
	readonly id: string;
	/** Kind of its source, such as `file`; it chooses the icon. */
	readonly kind: string;
	readonly label: string;
	/** The size of its text in UTF-8. */
	readonly bytes: number;
	/** The address it was taken from. */
	readonly source?: string;
	/** An image: the panel asks for its bytes by the hash. */
	readonly image?: { readonly hash: string; readonly width: number; readonly height: number };
}

/** Draft of one conversation: text and attachments that are not sent. */
export interface DraftView {
	readonly text: string;
	readonly attachments: readonly AttachmentView[];
	/** Text typed in place of its turns; absent where there is none. */
	readonly edits?: readonly TurnEdit[];
}

/** Text typed in place of a turn. */
export interface TurnEdit {
	/** The turn. */
	readonly message: string;
	readonly text: string;
}

/** One row of the list under the composer's `@` or `/`. */
export interface SuggestionView {
	readonly id: string;
	/** A kind of attachment, `prompt`, or `settings`; it chooses the icon. */
	readonly kind: string;
	readonly label: string;
	readonly detail?: string;
	/** Choosing it puts this behind the `@` in place of what was typed there, and the search goes on. */
	readonly next?: string;
}

/** Character that starts a list: `@` for things to attach, `/` for saved prompts. */
export type Trigger = "@" | "/";

/** From the host to the panel. */
export type ContextToPanel =
	/** Attachments of the message that is being written. */
	| { readonly type: "attachments"; readonly conversation: string; readonly attachments: readonly AttachmentView[] }
	/** All text typed so far, where another panel was typed in. */
	| { readonly type: "typed"; readonly conversation: string; readonly text: string }
	/** The answer to `want-image`: base64, for a blob. */
	| { readonly type: "image"; readonly hash: string; readonly mediaType: string; readonly data: string }
	/** An image that was picked outside of the panel, in base64: it comes back as `paste-image` with that key, scaled. */
	| { readonly type: "picked-image"; readonly key: string; readonly mediaType: string; readonly data: string }
	/** The answer to `suggest`; more of the same `request` may follow while `more` is true. */
	| {
			readonly type: "suggestions";
			readonly request: number;
			readonly items: readonly SuggestionView[];
			readonly more: boolean;
	  };
