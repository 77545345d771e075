const KB = 1_024;
const MB = 1_024 * KB;

/**
 * Limits of time, size and count that keep one service or one file from stopping the window. Every reader takes its limit
 * from here. Times are milliseconds, sizes bytes unless the name says characters.
 */
export const LIMITS = {
	/** A socket, TLS included, has to be there within this time. */
	connectMs: 10_000,
	/** Code hosts and pet stores: time to the first byte of a reply. */
	firstByteMs: 30_000,
	/** Code hosts and pet stores: time between two pieces of a body. */
	betweenBytesMs: 30_000,
	/** An interactive read with all its tries and waits. */
	readMs: 45_000,
	/** Messages: time to the first byte of a reply of a service in the cloud. */
	cloudFirstByteMs: 60_000,
	/** Messages: time to the first byte of a reply of an engine on this machine, which may have to load its model first. */
	localFirstByteMs: 600_000,
	/** Content blocks of one reply; more are counted and left out. */
	replyBlocks: 1_000,
	/** Text of one reply, malformed events and comments included; a larger one fails and keeps what has come. */
	replyBytes: 16 * MB,
	/** Arrays and objects inside each other in JSON of a service or a file. */
	jsonDepth: 100,
	/** Models of one service. */
	models: 5_000,
	/** A body that is taken in whole. */
	bodyBytes: 16 * MB,
	/** A body of a reply that is no success. */
	failureBodyBytes: 64 * KB,
	/** Names of content codings that one reply may have. */
	contentCodings: 3,
	/** Tags in one search by tags. */
	tags: 10,
	/** Characters of one tag in a search by tags. */
	tagCharacters: 100,
	/** Characters of any other text in the input of a tool. */
	toolTextCharacters: 1_000,
	/** Items of a list that a tool writes, such as the tags of a pet. */
	toolListItems: 50,
	/** Result of a tool, without our own lines around it. */
	toolResultBytes: 64 * KB,
	/** Calls of one reply that are run. */
	toolCalls: 32,
	/** Calls of one reply that run at once. */
	toolCallsAtOnce: 4,
	/** Requests to services that the tools make for one message before the person is asked. */
	toolRequests: 100,
	/** Results of tools that one message gets before the person is asked. */
	messageResultBytes: 256_000,
	/** A line of a journal. */
	journalLineBytes: 32 * MB,
	/** An image in a message: 5 MB in base64, the most that services take. */
	imageBytes: 3.75 * MB,
	/** Pixels of an image: decoded, each takes four bytes of memory. */
	imagePixels: 100_000_000,
	/** Characters of an inventory: reading one of a million statuses would block for seconds. */
	inventoryCharacters: 256 * KB,
	/** An image that is picked, before it is scaled down. */
	pickedImageBytes: 32 * MB,
	/** A pasted private key or certificate, in characters. */
	pemCharacters: 64 * KB,
} as const;
