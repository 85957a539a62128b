import { command } from "../../cli/command.ts";
import { boolFlag, choiceFlag } from "../../cli/flag.ts";
import type { Entry } from "../../store/store.ts";
import { asJson, asYaml } from "../decode-objects.ts";
import { withStore } from "./open-store.ts";
import { revisionFlag } from "./revision-flag.ts";
import { holdsSecret, readStored, type StoredValue, withoutSecrets } from "./stored-object.ts";
import { tableText } from "./terminal.ts";

/** What a secret's data are shown with. */
export const secretFlags = {
  "show-secrets": boolFlag({ usage: "show what is in secrets, not only how long it is" }),
};

/** Shows the object that a key holds. */
export const getCommand = command({
  name: "get",
  short: "Show what a key holds",
  long: `Show the object that a key holds, now or as of a revision that is still kept.

What is in secrets is not shown, but its length, unless --show-secrets is given. With
-o raw the bytes are printed as they are stored; with -o table what is known of the key.

Exit codes: 0, 1 when there is no such key or it cannot be decoded, 2 when the command line
makes no sense.`,
  arguments: "KEY",
  arity: { min: 1 },
  examples: `  # An object as YAML
  wherry store get --data-dir ./data /registry/pods/default/web

  # The same as it was at a revision
  wherry store get --data-dir ./data /registry/pods/default/web --rev 1234 -o json`,
  flags: {
    rev: revisionFlag("show it as of this `REVISION`; the current one if 0"),
    output: choiceFlag({
      short: "o",
      usage: "the `FORMAT` to print: yaml, json, raw or table",
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
      const stored = readStored(entry.value);
      if (flags.output === "raw") {
        if (holdsSecret(key, stored) && !flags["show-secrets"])
          throw new Error(`${key} holds a secret: add --show-secrets to print it as it is`);
        process.stdout.write(entry.value);
        return 0;
      }
      if (flags.output === "table") {
        streams.stdout.write(tableText(heading, [toRow(entry, stored)]));
        return 0;
      }
      if (!stored.object)
        throw new Error(`${key} cannot be decoded: ${stored.opaque}: print its bytes with -o raw`);
      const object = flags["show-secrets"] ? stored.object : withoutSecrets(stored.object);
      streams.stdout.write(flags.output === "json" ? asJson(object) : asYaml(object));
      return 0;
    }),
});

/** What is said of a key that is not there. */
export const notFound = (key: string, revision = 0): string =>
  `there is no key ${key}${revision === 0 ? "" : ` at revision ${revision}`}: see "wherry store ls" for what is there`;

const heading = ["CREATED", "REVISION", "VERSION", "SIZE", "KIND", "KEY"];

function toRow(entry: Entry, { object }: StoredValue): string[] {
  const { key, createRevision, modRevision, version, value } = entry;
  const kind = object ? `${object.kind}.${object.apiVersion}` : "-";
  return [...[createRevision, modRevision, version, value.length].map(String), kind, key];
}
