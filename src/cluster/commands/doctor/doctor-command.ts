import { resolve } from "node:path";
import { command } from "../../../cli/command.ts";
import { stringFlag, type Values } from "../../../cli/flag.ts";
import { UsageError } from "../../../cli/parse-flags.ts";
import { type Connection, connect } from "../../../kubeconfig/connect.ts";
import { defaultName, knownRecord } from "../../up/cluster-record.ts";
import { accessChecks } from "./checks/access-checks.ts";
import { certificateChecks } from "./checks/certificate-checks.ts";
import type { Check } from "./checks/check.ts";
import { fileChecks } from "./checks/file-checks.ts";
import { nodeChecks } from "./checks/node-checks.ts";
import { serverChecks } from "./checks/server-checks.ts";
import { workloadChecks } from "./checks/workload-checks.ts";
import { gatherFacts } from "./gather-facts.ts";
import { printReport, reportJson, runChecks } from "./report.ts";

/** The checklist, in the order in which it is printed. */
export const doctorChecks: readonly Check[] = [
  ...serverChecks,
  ...fileChecks,
  ...certificateChecks(Date.now),
  ...accessChecks,
  ...nodeChecks,
  ...workloadChecks,
];

const doctorFlags = {
  cluster: stringFlag({ usage: 'the `NAME` of a cluster of "wherry up"', default: defaultName }),
  "data-dir": stringFlag({ usage: "the data `DIR` of another cluster or API server" }),
  kubeconfig: stringFlag({
    usage: "the kubeconfig `FILE` of an administrator, for a cluster whose files are elsewhere",
  }),
  context: stringFlag({ usage: "the context to use in it (default: the current one)" }),
  output: stringFlag({
    short: "o",
    usage: "the form of the output: text or json",
    default: "text",
  }),
};

/** Checks how secure a running cluster is. */
export const doctorCommand = command({
  name: "doctor",
  short: "Check how secure a running cluster is",
  long: `Check how secure a running cluster is: how its server was started, who can read its files, who has which
rights, how its kubelets are configured, and what its pods may do. Nothing is changed.

A fault is wrong in any cluster; advice depends on what the cluster is for. Each is printed with its reason and
its fix. What the caller cannot read is unknown: an administrator on the machine of the server sees all.

Exit codes: 0 without faults, 1 with some, 2 when the command line is invalid.`,
  arity: { max: 0 },
  examples: `  # Check the cluster of "wherry up"
  wherry doctor

  # Check another cluster, and print what is wrong
  wherry doctor --kubeconfig admin.kubeconfig -o json | jq '.[] | select(.state == "fault")'`,
  flags: doctorFlags,
  async run({ flags, streams }) {
    if (!["text", "json"].includes(flags.output))
      throw new UsageError(`unknown output "${flags.output}": choose text or json`);
    const { connection, dataDir } = await sourcesOf(flags);
    try {
      const facts = await gatherFacts({ client: connection.client, dataDir });
      const results = runChecks(doctorChecks, facts);
      if (flags.output === "json") streams.stdout.write(`${reportJson(results)}\n`);
      else printReport(results, streams.stdout);
      return results.some(({ state }) => state === "fault") ? 1 : 0;
    } finally {
      connection.close();
    }
  },
});

/** A kubeconfig alone says nothing of files. */
async function sourcesOf(
  flags: Values<typeof doctorFlags>,
): Promise<{ readonly connection: Connection; readonly dataDir: string | undefined }> {
  const { kubeconfig, context } = flags;
  if (kubeconfig !== "")
    return {
      connection: await connect({
        path: kubeconfig,
        context: context || undefined,
        inCluster: false,
      }),
      dataDir: undefined,
    };
  const dataDir =
    flags["data-dir"] === ""
      ? (await knownRecord(flags.cluster)).dataDir
      : resolve(flags["data-dir"]);
  const path = `${dataDir}/admin.kubeconfig`;
  return { connection: await connect({ path, inCluster: false }), dataDir };
}
