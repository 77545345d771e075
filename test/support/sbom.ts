import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Contrib, Enums, Models, Serialize, Spec } from "@cyclonedx/cyclonedx-library";
import { ROOT } from "./paths.ts";
import { type Manifest, readManifest } from "./release.ts";

/** The parts of package-lock.json that are read here. */
interface Lock {
	readonly packages: Readonly<Record<string, { readonly integrity?: string }>>;
}

/** Makes a license of a name, which is SPDX's where it has one. No package of ours has a choice of licenses. */
const licenses = new Contrib.License.Factories.LicenseFactory(() => {
	throw new RangeError("expressions are not read");
});

/**
 * Software bill of materials, as CycloneDX: the extension and the packages that its bundles contain parts of, each with
 * the hash that package-lock.json pins. Without a time and a serial number, so that one commit has one.
 */
export function sbomOf(folders: readonly string[]): string {
	const lock: Lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
	const own = readManifest(ROOT);
	const extension = componentOf(
		Enums.ComponentType.Application,
		own,
		`pkg:vscode-extension/${own.publisher}/${own.name}`,
	);
	const bom = new Models.Bom({ metadata: new Models.Metadata({ component: extension }) });
	for (const folder of folders) {
		const manifest = readManifest(join(ROOT, folder));
		const [scope, name] = manifest.name.includes("/") ? manifest.name.split("/", 2) : ["", manifest.name];
		const path = scope === "" ? name : `${encodeURIComponent(scope ?? "")}/${name}`;
		const component = componentOf(Enums.ComponentType.Library, manifest, `pkg:npm/${path}`);
		// A linked folder of packages is found elsewhere.
		const pinned = lock.packages[folder.slice(folder.indexOf("node_modules/"))];
		const sha512 = /^sha512-(.+)$/.exec(pinned?.integrity ?? "")?.[1];
		if (sha512 !== undefined) {
			component.hashes.set(Enums.HashAlgorithm["SHA-512"], Buffer.from(sha512, "base64").toString("hex"));
		}
		bom.components.add(component);
		extension.dependencies.add(component.bomRef);
	}
	const factory = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6);
	return `${new Serialize.JsonSerializer(factory).serialize(bom, { sortLists: true, space: 2 })}\n`;
}

function componentOf(type: Enums.ComponentType, manifest: Manifest, packageUrl: string): Models.Component {
	const { name, version, license = "unknown" } = manifest;
	const purl = `${packageUrl}@${version}`;
	return new Models.Component(type, name, {
		bomRef: purl,
		purl,
		version,
		licenses: new Models.LicenseRepository([licenses.makeDisjunctive(license)]),
	});
}
