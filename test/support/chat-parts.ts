import { Drafts } from "#app/chat/drafts.ts";
import { DiskErrorReporter, type JournalFiles } from "#app/chat/journal-files.ts";
import type { ChatParameters } from "#app/chat/parameters.ts";
import { RefusedParameters } from "#app/chat/refused-parameters.ts";
import type { SessionParts } from "#app/chat/session.ts";
import { ToolApprovals } from "#app/chat/tool-box.ts";
import { capabilitiesOf } from "#app/connections/model-capabilities.ts";
import type { ProbeResult } from "#app/connections/probe-result.ts";
import { ConnectionRegistry } from "#app/connections/registry.ts";
import { Vault } from "#app/connections/vault.ts";
import { Redactor } from "#base/redaction.ts";
import { FakeClock } from "./fake-clock.ts";
import { MemoryLog, MemorySecrets, MemorySettings, MemoryStore } from "./memory-editor.ts";
import { ScriptedSender } from "./scripted-sender.ts";

/** Connection to a messages service with nothing special about it. */
export const MESSAGES = { service: "messages", label: "A", baseUrl: "https://a.example", profile: "custom" } as const;

/** Everything a conversation works with, with the editor's storage in memory and a service that waits for the test. */
export function chatParts() {
	const clock = new FakeClock();
	const log = new MemoryLog();
	const secrets = new MemorySecrets();
	const settings = new MemorySettings();
	const sender = new ScriptedSender();
	const probes: { baseUrl: string; key: string | undefined }[] = [];
	const verdict: { result: ProbeResult } = { result: { ms: 1, status: 400 } };
	const registry = new ConnectionRegistry({
		settings,
		vault: new Vault(secrets, new Redactor(), log),
		clock,
		log,
		probe: async ({ baseUrl }, key) => {
			probes.push({ baseUrl, key });
			return verdict.result;
		},
	});
	const defaults: { value: ChatParameters } = { value: { model: "default", maxTokens: 100 } };
	const opened: { connection: string; key: string | undefined }[] = [];
	const refused = new RefusedParameters(new MemoryStore());
	const redactor = new Redactor();
	const secretFilter = {
		ready: async () => undefined,
		redact: <T>(value: T) => redactor.leaving(value),
		heldBack: (text: string) => redactor.heldBack(text),
	};
	const parts: SessionParts = {
		registry,
		clock,
		log,
		open: async ({ id }, key) => {
			opened.push({ connection: id, key });
			return sender;
		},
		defaults: () => defaults.value,
		refused,
		secretFilter,
		capabilities: capabilitiesOf,
		modelFor: (connection, named) => named || (connection?.model ?? defaults.value.model ?? ""),
		loadModels: async () => undefined,
		approvals: new ToolApprovals(new MemoryStore()),
		toolRounds: () => 25,
		chosen: () => registry.list("messages")[0],
	};
	const nowhere = { read: () => Promise.reject(new Error("no disk")), write: async () => {}, remove: async () => {} };
	const files = nowhere as unknown as JournalFiles;
	const drafts = new Drafts({ files, clock, log, secretFilter }, new DiskErrorReporter(String));
	return {
		parts,
		drafts,
		redactor,
		clock,
		log,
		secrets,
		settings,
		sender,
		registry,
		probes,
		verdict,
		defaults,
		refused,
		opened,
	};
}
