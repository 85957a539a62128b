import { command, type Output } from "../../cli/command.ts";
import { boolFlag, choiceFlag } from "../../cli/flag.ts";
import { toYaml } from "../../schema/yaml/yaml.ts";
import type { Entry } from "../../store/store.ts";
import { asJson, asYaml } from "../commands/decode/decode-objects.ts";
import { withStore } from "./command-store.ts";
import { counted } from "./counted.ts";
import { hexDump } from "./hex-dump.ts";
import { isLeaseKey, keptLease } from "./lease-key.ts";
import { revisionFlag } from "./revision-flag.ts";
import { holdsSecret, readStored, type StoredValue, withoutSecrets } from "./stored-object.ts";
import { tableText } from "./terminal.ts";

/** The flag that shows the data of secrets. */
export const secretFlags = {
  "show-secrets": boolFlag({ usage: "show the data of secrets, not only its length" }),
};

/** Shows the object stored under a key. */
export const getCommand = command({
  name: "get",
  short: "Show the object stored under a key",
  long: `Show the object that is stored under a key, now or as of a revision that is still kept.

The data of secrets is replaced by its length, unless --show-secrets is given. -o raw prints the
bytes before encryption, and -o table the revision, version and size of the key. For a value that cannot be
decoded, the reason and the first bytes are shown; encrypted values are decrypted if their keys
are at hand: see --encryption-provider-config.

Exit codes: 0 on success, 1 when there is no such key or it cannot be decoded, 2 when the command
line is invalid.`,
  arguments: "KEY",
  arity: { min: 1 },
  examples: `  # Show an object as YAML
  wherry store get --data-dir ./data /registry/pods/default/web

  # Show it as of a revision
  wherry store get --data-dir ./data /registry/pods/default/web --rev 1234 -o json

  # Decode the stored bytes with another command
  wherry store get --data-dir ./data /registry/pods/default/web -o raw | wherry decode`,
  flags: {
    rev: revisionFlag("show the object as of this `REVISION`; 0 for the current one"),
    output: choiceFlag({
      short: "o",
      usage: "the output `FORMAT`: yaml, json, raw or table",
      choices: ["yaml", "json", "raw", "table"],
      default: "yaml",
    }),
    ...secretFlags,
  },
  run: (context) =>
    withStore(context, async (store) => {
      const { flags, args, streams } = context;
      const [key = ""] = args;
      const entry = await store.get(key, flags.rev || undefined);
      if (!entry) throw new Error(notFound(key, flags.rev));
      show(entry, { ...flags, output: streams.stdout, format: flags.output });
      return 0;
    }),
});

interface Showing {
  readonly output: Output;
  readonly format: "yaml" | "json" | "raw" | "table";
  readonly "show-secrets": boolean;
}

function show(entry: Entry, showing: Showing): void {
  const { output, format } = showing;
  const { key, value } = entry;
  const stored = readStored(value);
  const isHidden = holdsSecret(key, stored) && !showing["show-secrets"];
  if (format === "raw") {
    if (isHidden) throw new Error(`${key} holds a secret: print it with --show-secrets`);
    process.stdout.write(value);
  } else if (format === "table") output.write(tableText(heading, [toRow(entry, stored)]));
  else if (isLeaseKey(key)) output.write(leaseText(entry, format));
  else if (stored.object) {
    const object = showing["show-secrets"] ? stored.object : withoutSecrets(stored.object);
    output.write(format === "json" ? asJson(object) : asYaml(object));
  } else {
    if (format === "yaml" && !isHidden) output.write(hexDump(value.subarray(0, mostShown)));
    throw new Error(undecoded(entry, stored.opaque));
  }
}

/** The message for a key that does not exist. */
export const notFound = (key: string, revision = 0): string =>
  `there is no key ${key}${revision === 0 ? "" : ` at revision ${revision}`}: list the keys with "wherry store ls"`;

/** How many bytes of a value that cannot be decoded are shown. */
const mostShown = 1024;

function undecoded({ key, value }: Entry, opaque: string): string {
  const size = counted(value.length, "byte");
  return `${key} (${size}) cannot be decoded: ${opaque}: print its bytes with -o raw`;
}

function leaseText(entry: Entry, format: "json" | "yaml"): string {
  const lease = keptLease(entry);
  return format === "json" ? `${JSON.stringify(lease, undefined, 2)}\n` : toYaml(lease);
}

const heading = ["CREATED", "REVISION", "VERSION", "SIZE", "KIND", "KEY"];

function toRow(entry: Entry, { object }: StoredValue): string[] {
  const { key, createRevision, modRevision, version, value } = entry;
  const kind = object ? `${object.kind}.${object.apiVersion}` : "-";
  return [...[createRevision, modRevision, version, value.length].map(String), kind, key];
}
