import { command } from "../../cli/command.ts";
import { choiceFlag } from "../../cli/flag.ts";
import { toYaml } from "../../schema/yaml/yaml.ts";
import { withStore } from "./command-store.ts";
import { describeVersion, versionText } from "./described-version.ts";
import { notFound, secretFlags } from "./get-command.ts";
import { keyHistory } from "./key-history.ts";

/** Shows every version of a key that is kept, and what changed between them. */
export const historyCommand = command({
  name: "history",
  short: "Show the versions of a key, field by field",
  long: `Show every version of a key that the store still keeps, oldest first: its revision, who wrote it
and when, and the fields that differ from the version before.

The writer and the time come from managedFields; a deletion only has a revision. How far back the
history goes depends on compaction: an API server keeps the last 5 to 10 minutes
(--etcd-compaction-interval). For all keys below a prefix use "wherry store watch --from".

The data of secrets is replaced by its length, unless --show-secrets is given.

Exit codes: 0 on success, 1 when no version of the key is kept, 2 when the command line is
invalid.`,
  arguments: "KEY",
  arity: { min: 1 },
  examples: `  # Find out who scaled a deployment
  wherry store history --data-dir ./data /registry/deployments/default/web

  # The same as JSON
  wherry store history --data-dir ./data /registry/deployments/default/web -o json`,
  flags: {
    output: choiceFlag({
      short: "o",
      usage: "the output `FORMAT`: text, json or yaml",
      choices: ["text", "json", "yaml"],
      default: "text",
    }),
    ...secretFlags,
  },
  run: (context) =>
    withStore(context, async (store) => {
      const { flags, args, streams, signal } = context;
      const [key = ""] = args;
      const versions = await keyHistory(store, key, signal);
      if (versions.length === 0) throw new Error(notFound(key));
      const all = versions.map((version) => describeVersion(version, flags["show-secrets"]));
      if (flags.output === "json") streams.stdout.write(`${JSON.stringify(all, undefined, 2)}\n`);
      else if (flags.output === "yaml") streams.stdout.write(toYaml(all));
      else streams.stdout.write(all.map((one) => versionText(one, streams.stdout)).join(""));
      return 0;
    }),
});
