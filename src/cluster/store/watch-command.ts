import { command, type Output } from "../../cli/command.ts";
import { boolFlag, choiceFlag } from "../../cli/flag.ts";
import type { StoreEvent } from "../../store/store.ts";
import { asCompactJson, asYaml } from "../commands/decode/decode-objects.ts";
import { withStore } from "./command-store.ts";
import { changesText, describeVersion, typeColours } from "./described-version.ts";
import { secretFlags } from "./get-command.ts";
import { internalFlags, isShown } from "./lease-key.ts";
import { revisionFlag } from "./revision-flag.ts";
import { readStored, type StoredValue, withoutSecrets } from "./stored-object.ts";
import { isTerminal, painted, printable } from "./terminal.ts";

/** Shows changes as they happen, until a signal interrupts it. */
export const watchCommand = command({
  name: "watch",
  short: "Show changes as they happen",
  long: `Show changes of keys that begin with PREFIX as they happen, until interrupted. Each line shows the
revision, the type of change, the version of the key, the size in bytes, and the key.

With --from, the changes after that revision come first, as far as they are kept. --changes shows
the changed fields below each line; -o yaml and -o json show the objects.

The data of secrets is replaced by its length, unless --show-secrets is given. Keys that record
leases of etcd's API are only shown with --internal. If a server runs on the data directory, its
writes are read from its files; the server is not contacted.

Exit codes: 0 when interrupted, 1 when the revision is no longer kept, 2 when the command line is
invalid.`,
  arguments: "[PREFIX]",
  arity: { max: 1 },
  examples: `  # Watch all writes
  wherry store watch --data-dir ./data

  # Watch the changed fields of pods, from a revision on
  wherry store watch --data-dir ./data /registry/pods/ --from 1234 --changes`,
  flags: {
    from: revisionFlag("show changes after this `REVISION`; 0 for the current one"),
    changes: boolFlag({ usage: "show what changed, field by field" }),
    output: choiceFlag({
      short: "o",
      usage: "the output `FORMAT`: text, json (one event per line) or yaml",
      choices: ["text", "json", "yaml"],
      default: "text",
    }),
    ...secretFlags,
    ...internalFlags,
  },
  run: (context) =>
    withStore(context, async (store) => {
      const { flags, args, streams, signal } = context;
      const [prefix = ""] = args;
      const from = flags.from || (await store.currentRevision());
      const show = { text: asText, json: asJsonLine, yaml: asDocument }[flags.output];
      for await (const { events } of store.watch(prefix, { from, signal }))
        for (const event of events.filter(({ key }) => isShown(key, prefix, flags.internal)))
          streams.stdout.write(
            show(event, {
              output: streams.stdout,
              showChanges: flags.changes,
              showSecrets: flags["show-secrets"],
            }),
          );
      return 0;
    }),
});

interface Showing {
  readonly output: Output;
  readonly showChanges: boolean;
  readonly showSecrets: boolean;
}

function asText(event: StoreEvent, { output, showChanges, showSecrets }: Showing): string {
  const { revision, key, entry } = event;
  const type = typeOf(event);
  const cells = [
    String(revision),
    type,
    String(entry?.version ?? "-"),
    String(entry?.value.length ?? "-"),
  ];
  const wide = isTerminal(output);
  const padded = wide ? cells.map((cell) => cell.padEnd(8)) : cells;
  padded[1] = painted(output, typeColours[type], padded[1] ?? "");
  const line = `${padded.join(wide ? " " : "\t")}${wide ? " " : "\t"}${printable(output, key)}\n`;
  return showChanges ? `${line}${changesText(describeVersion(event, showSecrets), output)}` : line;
}

function asJsonLine(event: StoreEvent, showing: Showing): string {
  const head = JSON.stringify(headOf(event));
  const { object, opaque } = objectOf(event, showing);
  if (object) return `${head.slice(0, -1)},"object":${asCompactJson(object)}}\n`;
  return opaque === undefined ? `${head}\n` : `${JSON.stringify({ ...headOf(event), opaque })}\n`;
}

function asDocument(event: StoreEvent, showing: Showing): string {
  const { revision, type, key } = headOf(event);
  const { object, opaque } = objectOf(event, showing);
  const note = opaque === undefined ? "" : `# not decoded: ${opaque}\n`;
  return `---\n# revision ${revision}: ${type} ${key}\n${object ? asYaml(object) : note}`;
}

const typeOf = ({ entry }: StoreEvent) =>
  entry === undefined ? "deleted" : entry.version === 1 ? "created" : "updated";

const headOf = (event: StoreEvent) => ({
  revision: event.revision,
  type: typeOf(event),
  key: event.key,
  ...(event.entry && { version: event.entry.version }),
});

/** The entry after a write, or before a deletion. */
function objectOf(event: StoreEvent, { showSecrets }: Showing): Partial<StoredValue> {
  const entry = event.entry ?? event.previous;
  if (!entry) return {};
  const stored = readStored(entry.value);
  if (!stored.object || showSecrets) return stored;
  return { object: withoutSecrets(stored.object) };
}
