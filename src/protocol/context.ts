/** Messages between panel and host about attachments and suggestions. */

/** Media type of dragged rows of our own trees. */
export const PANEL_ROWS_TYPE = "application/vnd.switchboard.rows";

/** Attachment without its text, for a chip. */
export interface AttachmentView {
	readonly id: string;
	/** Kind of its source, such as `file`; determines the icon. */
	readonly kind: string;
	readonly label: string;
	/** Size of its text in UTF-8. */
	readonly bytes: number;
	readonly source?: string;
	/** Image, whose bytes the panel requests by the hash. */
	readonly image?: { readonly hash: string; readonly width: number; readonly height: number };
}

/** Unsent text and attachments of a conversation. */
export interface DraftView {
	readonly text: string;
	readonly attachments: readonly AttachmentView[];
	/** The last one last. */
	readonly edits?: readonly TurnEdit[];
}

/** Unsent edit of a turn. */
export interface TurnEdit {
	readonly message: string;
	readonly text: string;
}

/** Row of the suggestions for an `@` or `/` in the composer. */
export interface SuggestionView {
	readonly id: string;
	/** Kind of attachment, `prompt`, or `settings`; determines the icon. */
	readonly kind: string;
	readonly label: string;
	readonly detail?: string;
	/** Text that replaces the query when the row is chosen, to search further. */
	readonly next?: string;
}

/** Message of the host about attachments, suggestions or typed text. */
export type ContextToPanel =
	/** Attachments of the draft. */
	| { readonly type: "attachments"; readonly conversation: string; readonly attachments: readonly AttachmentView[] }
	/** Whole text typed in another panel. */
	| { readonly type: "typed"; readonly conversation: string; readonly text: string }
	/** Answer to `want-image`, in base64. */
	| { readonly type: "image"; readonly hash: string; readonly mediaType: string; readonly data: string }
	/** Image picked outside of the panel, in base64, which comes back scaled as `paste-image` with that key. */
	| { readonly type: "picked-image"; readonly key: string; readonly mediaType: string; readonly data: string }
	/** Answer to `suggest`, followed by others of its `request` while `more` is true. */
	| {
			readonly type: "suggestions";
			readonly request: number;
			readonly items: readonly SuggestionView[];
			readonly more: boolean;
	  };
