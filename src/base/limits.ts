const KB = 1_024;
const MB = 1_024 * KB;

/** Limits that keep one service or file from stopping the window: times in ms, sizes in bytes unless named. */
export const LIMITS = {
	/** Timeout of a connection, TLS included. */
	connectMs: 10_000,
	/** Code hosts and pet stores: time to the first byte of a reply. */
	firstByteMs: 30_000,
	/** Code hosts and pet stores: time between two pieces of a body. */
	betweenBytesMs: 30_000,
	/** Total time of an interactive read, retries and their waits included. */
	readMs: 45_000,
	/** Messages: time to the first byte of a reply from a cloud service. */
	cloudFirstByteMs: 60_000,
	/** Messages: time to the first byte of a reply from a local engine, which may have to load its model first. */
	localFirstByteMs: 600_000,
	/** Content blocks of one reply; more are counted and left out. */
	replyBlocks: 1_000,
	/** Text of one reply, malformed events and comments included. A larger reply fails and keeps what has arrived. */
	replyBytes: 16 * MB,
	/** Nesting of arrays and objects in JSON from a service or a file. */
	jsonDepth: 100,
	models: 5_000,
	/** Body of a successful reply. */
	bodyBytes: 16 * MB,
	/** Body of an error reply. */
	failureBodyBytes: 64 * KB,
	/** Names of content codings that one reply may have. */
	contentCodings: 3,
	tags: 10,
	/** Characters of one tag in a search by tags. */
	tagCharacters: 100,
	/** Characters of any other text in the input of a tool. */
	toolTextCharacters: 1_000,
	/** Items of a list that a tool writes, such as the tags of a pet. */
	toolListItems: 50,
	/** Result of one tool call, without the lines that Switchboard adds. */
	toolResultBytes: 64 * KB,
	/** Calls of one reply that are run. */
	toolCalls: 32,
	/** Calls of one reply that run at once. */
	toolCallsAtOnce: 4,
	/** Requests of the tools of one message before the person is asked. */
	toolRequests: 100,
	/** Tool results of one message before the person is asked. */
	messageResultBytes: 256_000,
	journalLineBytes: 32 * MB,
	/** Image in a message: 5 MB in base64, the maximum of most services. */
	imageBytes: 3.75 * MB,
	/** Pixels of an image. Decoded, each takes four bytes of memory. */
	imagePixels: 100_000_000,
	/** Characters of an inventory. One with a million statuses would block for seconds. */
	inventoryCharacters: 256 * KB,
	/** An image that is picked, before it is scaled down. */
	pickedImageBytes: 32 * MB,
	/** Settings of another tool that connections are imported from, in characters. */
	importCharacters: 256 * KB,
	/** Characters of a list of pets or users that is imported. */
	listCharacters: 8 * MB,
	/** Pets of one list that is imported; each takes up to three requests. */
	importedPets: 2_000,
	/** A pasted private key or certificate, in characters. */
	pemCharacters: 64 * KB,
} as const;
