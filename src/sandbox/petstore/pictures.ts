import type { ServerResponse } from "node:http";
import { imageTypeOf } from "#base/image.ts";

/** Pictures of the animals: PNG in base64, 64 pixels wide. */
const DRAWN = {
	dog: "iVBORw0KGgoAAAANSUhEUgAAAEAAAABABAMAAABYR2ztAAAAElBMVEXd4O7Bq1yNejXw6dEYGBzWhDw9tmABAAABPElEQVR42u3UUW7DIAwGYNJeAJP2PfzZAULZDtCNC0wT97/KFCBNMRCkaU/T/BCp8VfbgIgQ//Fn42xoaaROkEJQiEUI6OKvgE55ouUETAzcANAjFAAGkIH1l2QTANAZmDOgSoCiAwfPPYYamPgIHGg+AltFNkR8oVxMX+7gQ8QXcPcA3p1iQ8QZ8fEagJodGEgzuljh4jpAOceXkcCLiwvdABgglRaqdANQft4c6B4ICWutNeV5PoC13n8FoQqwdhjtm/fe2lRiznYyFrgGkEpMz2chQ4G1wmcEC5DfEBOAvfr1SUTFxRkiiFED5xzI8u7loHJDhx2YSofQYweydr8N7R3q34atR6PAPgWNja9L3O11G2Uzv0VNEB0LkwOqHMVxCSriYMJaiYE6JegnQHY69MHYA3Swjb8KvgFjQ2QrMZNOTAAAAABJRU5ErkJggg==",
	cat: "iVBORw0KGgoAAAANSUhEUgAAAEAAAABABAMAAABYR2ztAAAAElBMVEXd7uXBXJCNNWLw0eEYGBy1kaNQYsgwAAABbklEQVR42u3UvY7CMAwA4JSqe13oTl3YQbk+ALqw06J7/1c5JS4Q/wSGWy8DUpoPx/lxnPtvWasRT+xDh3vW3yAOon+UANusj4iowMC7GmRZoA2eaTUFMLCeTvL1ny52RgYoaOsmgJ81Bb4P9O0I1EpgWMehUznSVgLkQgPImprBuTxAFK0EC3CgDrziQAVwZw5AATEONzHexI9rnt1gzBFTOAQSIQDA1gDfX5cU4B6MJGYAuB4S2F1TJAOEQBGCBSDlcHnlYIFdoFXQTMYUb3fqI6gsABL03gNsfTqW3rkKJfAR3H0SbbxEYhlb7/2Ufgh0eNOAGqWADFQc9KlWclBnYFpTYCDuRByM6pxm2IhXp4nLnOIqZroui6yN7Fb2a7EVt/tkg6e4PQq+GOHxZBTPq7dewloUlgKzOOyNqPBG1uYigKpN+Qqp2kR+FI0ErVilvpMCzJ8AGGAs7dLjKdy/y1GCygLur2D8BCiFX3WCXVUZES/7AAAAAElFTkSuQmCC",
	bird: "iVBORw0KGgoAAAANSUhEUgAAAEAAAABABAMAAABYR2ztAAAAElBMVEXu391ctME1gY3WhDzisYwYGByCf7MaAAAA9UlEQVR42u3VwQ6DIAwG4CI8gDXxLiS7u+ADuMwHmAff/1UWFINKW+J1WU8kfv6tYBTgX79ZChGxdB1rHiDKQkWAUoAVQAjoHpbvEcCnnXkQwpdlZnoY7/0gAO1DPbFdmMfwEXA7YS4gExEgsuJ6PR/DTKNCUaSz4o9sj3COidhA40KRYL8/ipoGTQSWiDgBZ0vA5T0uwN4H6gwcloClN0oA2RBQiOjEwyDB+TQocImouYiyQF6kF3OLET4SFTeo2V9qrokeYHqFRcVspx7A9+uKmSIBoKc4AEX2OIBVkGCEJDoRUKX7MniLX3zTg5b/CWMJ3K4v4kM/csj1EbMAAAAASUVORK5CYII=",
	fish: "iVBORw0KGgoAAAANSUhEUgAAAEAAAABABAMAAABYR2ztAAAAElBMVEXu5N1cmcE1ao0YGBzR4/C/xclI1kB/AAABAUlEQVR42u2UMQ6DMAxFTVV2fhA7GHGAlhtU6Z4gcf+rVISGxCEgda34U4of/nbsQnTpX2VxGr7xouYwXvKq7jzBCbEBPKwPigS9MZyY2fgXRAnwUty695m5ysUBLKmdmcnHAV9RSCDjaCjpp0gAWAe0RwmWQkWNBaDGhyCkgwVqPe5SCIf+tQdEj/0oAcS3tPRQ74Bg4AA1PiUwEGVugZn90RwBnT+a3KA4EGLWAmDfZlSl1u/ohjt/CiZ3rXXiIWdVNlrbLcUGZNdBrYBKxh0vlEtQxuud2RhDU+JBNo5X/n9GecKNcUrWPqrj2/4OICpnYA4/E4vc56K6PpmXftQHXAs7xGPsi2UAAAAASUVORK5CYII=",
	rabbit:
		"iVBORw0KGgoAAAANSUhEUgAAAEAAAABABAMAAABYR2ztAAAAElBMVEXu3ehcwYA1jVTR8NwYGBylz7SanH+jAAABSUlEQVR42pXTwW6EIBAGYKjZu7/KfUu29yXUB9D6AFLD+79Kg7Bq1hmwcyFxvswIDELsATzTWgsqZErIDMBxPYVLCXAAMJjTSoO2D80rtCywAUgs/VqJAk4FYHkQaktYmwVGFYArAbQZ0CMtPJgvAf6g8sCpAkhHeAWEE+fA83VnRNziPfNAQK1HDcOCddYMN3FxWmOUQF0C9C5FtXVgSpgdgN1EroQ8gpZ+ed1nSDYj3QPANAXwmAYQI1UBjV3Bz/dA/YQEunEKPcYHB5rYYgotFLmJwz/QoBu2Xaj8MfBAee9yQFnvF0Of9S18ttZ7a5nLiCCEYUG7A/o2i0BtoGYGJgIH7m3GHj09L7HEsua5d1GV3sVLsHmhtQYarWc+n4IWjc6Lj0Nef2UbhKjzBagS+i1O8/IO7vkO5x6/utBD/x/MJXC/CP4AxeBgLfSQ6AQAAAAASUVORK5CYII=",
	turtle:
		"iVBORw0KGgoAAAANSUhEUgAAAEAAAABABAMAAABYR2ztAAAAElBMVEXn3e5bjTWIwVze8NGcvoPP1smPRAblAAABJElEQVR42u2UTXKDMAyFKVPvI4fs8Qs5AFGyb8gFgN7/Lh3ZBNlg0k0XXaCFh7E+W08/uCh22+1/24OImm33QMHqN8eDnd6eFztk/KWEF2clS5/4DJq+IKIn34nOzMsgJQAMRJaZB2LmdnEFXGtBREfxyXJNVZRwbgZustxFhQIjHFnnJUwApzLxAs4JcIgAQCKohtsGcBKgmrKIgO4FkL/8m9mlQDkDFT+kGsOi2mYGhOky7RgVOIYqLfs1+kpPKjjf0A8FprG4pIBRoA2fQNpyBXySZAFkYjxnDTWAy/oKy1MVyGffZ2RqDmYBdLHfZiZfq+lTWPlNVG/CBoCQoW/v+rfQ3fI3wGArRBPNWC4L1FH/10Cnm5/KJjG+ogHZ39K/th/gNUHoUJwoPgAAAABJRU5ErkJggg==",
};

/** Animal with a picture. */
export type Kind = keyof typeof DRAWN;

/** Animals with a picture. */
export const KINDS: readonly Kind[] = ["dog", "cat", "bird", "fish", "rabbit", "turtle"];

/** Seeded and uploaded pictures of pets. */
export class Pictures {
	readonly #uploads = new Map<string, { readonly bytes: Buffer; readonly type: string }>();

	/** Keeps an upload; returns its name below the address of the pictures, or undefined if it is no picture. */
	keep(petId: bigint, bytes: Buffer): string | undefined {
		const image = imageTypeOf(bytes);
		if (image === undefined) return undefined;
		const name = `upload-${petId}-${this.#uploads.size + 1}.${image.suffix}`;
		this.#uploads.set(name, { bytes, type: image.type });
		return name;
	}

	/** Sends a picture, or 404. Needs no credential, as photo addresses have none. */
	send(response: ServerResponse, name: string): void {
		const kind = KINDS.find((each) => name.startsWith(`${each}-`));
		const drawn = kind && { bytes: Buffer.from(DRAWN[kind], "base64"), type: "image/png" };
		const found = this.#uploads.get(name) ?? drawn;
		response.writeHead(found === undefined ? 404 : 200, {
			"content-type": found?.type ?? "text/plain",
			"content-length": found?.bytes.length ?? 0,
			"content-security-policy": "default-src 'none'; sandbox",
			"x-content-type-options": "nosniff",
			"cache-control": "no-cache",
		});
		response.end(found?.bytes);
	}
}
