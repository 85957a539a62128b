import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { command } from "../../../cli/command.ts";
import { boolFlag } from "../../../cli/flag.ts";
import { UsageError } from "../../../cli/parse-flags.ts";
import { joinedFiles } from "../../join/joined-node.ts";
import { leaveCluster } from "../../join/leave-cluster.ts";
import { openLog } from "../../opening/open-log.ts";
import { removeService } from "../join/enable-service.ts";
import { folderFlags } from "../join/join-command.ts";

/** Undoes "wherry join". */
export const leaveCommand = command({
  name: "leave",
  short: "Undo that this machine is a node",
  long: `Undo "wherry join" on this machine: its service of systemd is removed, all its pods end, and what the agent
has made is removed: interfaces, routes, rules and addresses of the network, cgroups, mounts, the credentials
of the node, and the files below --root-dir. Settings of the kernel that the agent has changed get the values
that they had. An agent that runs without the service must be stopped first.

Images in --data-dir and the data of local volumes stay, and so does what a user has put in --root-dir.

The cluster is not told, as a node must not delete itself. Before, have its pods move; after that, delete it:
  kubectl drain NODE --ignore-daemonsets --delete-emptydir-data
  wherry leave                # on the machine
  kubectl delete node NODE

Exit codes: 0 when the machine is no node any more; 1 when something could not be removed, or the answer was
no; 2 when the command line is invalid. It can be repeated.`,
  arity: { max: 0 },
  flags: {
    ...folderFlags,
    yes: boolFlag({ short: "y", usage: "leave without asking for confirmation" }),
  },
  async run({ flags, streams, signal }) {
    const rootDir = resolve(flags["root-dir"]);
    const { kubeconfig } = joinedFiles(rootDir);
    if (!existsSync(kubeconfig))
      throw new Error(`this machine has not joined a cluster: there is no ${kubeconfig}`);
    if (!flags.yes && !(await confirmed(signal))) {
      streams.stderr.write("Nothing was removed.\n");
      return 1;
    }
    await removeService();
    const folders = { rootDir, dataDir: flags["data-dir"], runDir: flags["run-dir"] };
    const problems = await leaveCluster(folders, openLog());
    for (const problem of problems) streams.stderr.write(`not removed: ${problem}\n`);
    if (problems.length > 0) return 1;
    streams.stdout.write(
      'This machine is no node any more. Delete it from the cluster with "kubectl delete node".\n',
    );
    return 0;
  },
});

async function confirmed(signal: AbortSignal): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new UsageError(
      "standard input is not a terminal, so there is nobody to confirm: give --yes",
    );
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const question = "End all pods of this machine, and remove its node? [y/N] ";
    return /^y(es)?$/i.test((await reader.question(question, { signal })).trim());
  } finally {
    reader.close();
  }
}
