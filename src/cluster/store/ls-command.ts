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
  long: `List the keys below PREFIX, one level at a time: what ends in "/" has keys below it. With
--recursive all keys below it are listed.

With --long each line has the revision that last wrote the key, how often it was written
since it was created, its size in bytes, and the key; for what ends in "/", how many keys
are below it. On a terminal it is a table; elsewhere tabs stand between the values.

Keys in which a server of etcd's API keeps leases (see "wherry store serve") are only shown
with --internal. What keys hold is not shown: see "wherry store get".

Exit codes: 0, 1 when there is no such key, 2 when the command line is invalid.`,
  arguments: "[PREFIX]",
  arity: { max: 1 },
  examples: `  # What is there?
  wherry store ls --data-dir ./data
  wherry store ls --data-dir ./data /registry/pods

  # The largest values
  wherry store ls --data-dir ./data -rl | sort -k3n | tail`,
  flags: {
    recursive: boolFlag({ short: "r", usage: "list all keys below the prefix" }),
    long: boolFlag({ short: "l", usage: "show revision, version and size" }),
    ...internalFlags,
    rev: revisionFlag("list as of this `REVISION`; the current one if 0"),
    output: choiceFlag({
      short: "o",
      usage: "how to show it: text for people, json for programs",
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
