import { command, type Output } from "../../cli/command.ts";
import { boolFlag, choiceFlag } from "../../cli/flag.ts";
import { withStore } from "./command-store.ts";
import { counted } from "./counted.ts";
import { listAll, listLevel, type TreeItem } from "./key-tree.ts";
import { internalFlags, isShown } from "./lease-key.ts";
import { revisionFlag } from "./revision-flag.ts";
import { isTerminal, lineText, printable, tableText } from "./terminal.ts";

/** Lists keys as ls lists files. */
export const lsCommand = command({
  name: "ls",
  short: "List keys, one level at a time",
  long: `List the keys below PREFIX, one level at a time: a name that ends in "/" has keys below it. With
--recursive, list all keys below PREFIX.

With --long, each line shows the revision of the last write, the number of writes since the key
was created, the size in bytes, and the key; for a name that ends in "/", the number of keys
below it. The output is a table on a terminal; elsewhere values are separated by tabs.

Keys that record leases of etcd's API (see "wherry store serve") are only shown with --internal.
To see the values, use "wherry store get".

Exit codes: 0 on success, 1 when there is no such key, 2 when the command line is invalid.`,
  arguments: "[PREFIX]",
  arity: { max: 1 },
  examples: `  # List the first level, and the namespaces with pods
  wherry store ls --data-dir ./data
  wherry store ls --data-dir ./data /registry/pods

  # Find the largest values
  wherry store ls --data-dir ./data -rl | sort -k3n | tail`,
  flags: {
    recursive: boolFlag({ short: "r", usage: "list all keys below the prefix" }),
    long: boolFlag({ short: "l", usage: "show revision, version and size" }),
    ...internalFlags,
    rev: revisionFlag("list as of this `REVISION`; 0 for the current one"),
    output: choiceFlag({
      short: "o",
      usage: "the output format: text for reading, json for programs",
      choices: ["text", "json"],
      default: "text",
    }),
  },
  run: (context) =>
    withStore(context, async (store) => {
      const { flags, args, streams } = context;
      const [prefix = ""] = args;
      const revision = flags.rev || (await store.currentRevision());
      const list = flags.recursive ? listAll : listLevel;
      const items = (await list(store, prefix, revision)).filter((item) =>
        isShown("folder" in item ? item.folder : item.entry.key, prefix, flags.internal),
      );
      if (items.length === 0 && prefix !== "") throw new Error(`there is no key below ${prefix}`);
      if (flags.output === "json") {
        streams.stdout.write(`${JSON.stringify(items.map(toJson), undefined, 2)}\n`);
      } else if (flags.long) {
        const rows = items.map((item) => [...countsOf(item), nameOf(item, streams.stdout)]);
        streams.stdout.write(
          isTerminal(streams.stdout) ? tableText(heading, rows) : lineText(rows),
        );
      } else
        streams.stdout.write(items.map((item) => `${nameOf(item, streams.stdout)}\n`).join(""));
      return 0;
    }),
});

const nameOf = (item: TreeItem, output: Output): string =>
  printable(output, "folder" in item ? item.folder : item.entry.key);

const heading = ["REVISION", "VERSION", "SIZE", "KEY"];

function countsOf(item: TreeItem): string[] {
  if ("folder" in item) return ["-", "-", counted(item.keys, "key")];
  const { value, modRevision, version } = item.entry;
  return [modRevision, version, value.length].map(String);
}

function toJson(item: TreeItem): object {
  if ("folder" in item) return item;
  const { key, value, createRevision, modRevision, version } = item.entry;
  return { key, createRevision, modRevision, version, size: value.length };
}
