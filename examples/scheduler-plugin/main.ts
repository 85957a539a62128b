// Runs a scheduler with the plugin, with the current kubeconfig context or in a pod.
import { readFile } from "node:fs/promises";
import { createManager } from "wherry/controller";
import { connect } from "wherry/kubeconfig";
import { createScheduler, parseConfiguration } from "wherry/scheduler";
import { quietNodes } from "./quiet-nodes.ts";

const connection = await connect();
const configuration = parseConfiguration(await readFile("scheduler.yaml", "utf8"));
const scheduler = createScheduler({ configuration, plugins: { QuietNodes: quietNodes } });
const manager = createManager({
  ...connection,
  runnables: [scheduler],
  leaderElection: { lease: { namespace: "kube-system", name: "quiet-scheduler" } },
});
const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
try {
  await manager.run({ signal: stop.signal });
} finally {
  connection.close();
}
