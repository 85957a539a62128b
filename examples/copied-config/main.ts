// Runs the controller with the current kubeconfig context, or in a pod.
import { hostname } from "node:os";
import { createManager, managerProbes } from "wherry/controller";
import { connect } from "wherry/kubeconfig";
import { copiedConfig } from "./copied-config.ts";

const connection = await connect();
const manager = createManager({
  ...connection,
  host: hostname(),
  controllers: [copiedConfig],
  leaderElection: { lease: { namespace: connection.namespace, name: "copied-config" } },
});
manager.add(managerProbes(manager, { port: 8081, address: "0.0.0.0" }));
const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
try {
  await manager.run({ signal: stop.signal });
} finally {
  connection.close();
}
