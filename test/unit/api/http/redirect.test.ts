import { strict as assert } from "node:assert";
import { test } from "node:test";
import { followedUrl } from "#api/http/redirect.ts";
import { ClientError } from "#base/errors.ts";

const error = new ClientError("petstore", "not-found", "Moved", { status: 302 });
const follow = (location: string, redirects = 0) =>
	followedUrl({ location, from: new URL("http://host/v2/pet/1"), redirects, error }).href;

test("a redirect within the origin is followed, its fragment dropped", () => {
	assert.equal(follow("../order/2?a=b#c"), "http://host/v2/order/2?a=b");
});

test("a redirect to another origin, scheme, port or user is not followed", () => {
	for (const location of ["https://host/v2", "http://host:81/v2", "//other/v2", "http://me:pw@host/v2"]) {
		assert.throws(() => follow(location), { reason: "other-origin", status: 302 });
	}
});

test("redirects end somewhere", () => {
	assert.throws(() => follow("/again", 5), /in a circle, or more than 5 times/);
	assert.throws(() => follow("http://["), error);
});
