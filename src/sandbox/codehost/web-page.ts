import type { ServerResponse } from "node:http";

/**
 * The page behind every `html_url`, for whoever opens one in a browser. It needs no credential and so shows nothing but
 * where the data is.
 */
export function sendWebPage(response: ServerResponse, path: string): void {
	const name = path.slice("/web/".length).replace(/[^\w/.-]/g, "");
	response.writeHead(200, {
		"content-type": "text/html; charset=utf-8",
		"content-security-policy": "default-src 'none'",
		"x-content-type-options": "nosniff",
	});
	response.end(
		`<!doctype html><title>${name}</title><h1>${name}</h1><p>The built-in sandbox has no pages: this one lives in your editor.</p>`,
	);
}
