import { strict as assert } from "node:assert";
import { test } from "node:test";
import { routeOf } from "#sandbox/codehost/route.ts";

test("a path is one endpoint or none, its segments decoded", () => {
	assert.deepEqual(routeOf("/repos/a%20b/c.d/issues"), { endpoint: "issues", segments: ["a b", "c.d"] });
	assert.deepEqual(routeOf("/repos/a/b"), { endpoint: "repository", segments: ["a", "b"] });
	assert.deepEqual(routeOf("/app/installations/12/access_tokens"), { endpoint: "access-token", segments: ["12"] });
	assert.deepEqual(routeOf("/user"), { endpoint: "user", segments: [] });
	assert.deepEqual(routeOf("/repos/%/b"), { endpoint: "repository", segments: ["%", "b"] });
	for (const path of ["", "/", "/User", "/app/installations/-1/access_tokens", "/repos//b", "/x/user"]) {
		assert.equal(routeOf(path), undefined, path);
	}
});
