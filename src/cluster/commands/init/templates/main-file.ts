import type { ProjectNames } from "../project-names.ts";

/** The program of the operator. */
export const mainFile = ({ name, file, value }: ProjectNames): string =>
  `// Runs the operator: by the current context of kubectl, or in a pod.
import { hostname } from "node:os";
import { createManager, managerProbes, webhookServer } from "wherry/controller";
import { connect } from "wherry/kubeconfig";
import { ${value}Controller } from "./${file}-controller.ts";
import { ${value}Webhook } from "./${file}-webhook.ts";

const connection = await connect();
const { namespace } = connection;
/** The service of the pods; without it, the API server calls this machine. */
const { WEBHOOK_SERVICE: service } = process.env;
const webhooks = webhookServer({
  name: "${name}",
  webhooks: [${value}Webhook],
  ...(service && { service: { namespace, name: service } }),
});
const manager = createManager({
  ...connection,
  host: hostname(),
  controllers: [${value}Controller],
  runnables: [webhooks],
  readyChecks: {
    webhooks() {
      if (!webhooks.isInstalled) throw new Error("the API server does not know of them yet");
    },
  },
  leaderElection: { lease: { namespace, name: "${name}" }, releaseOnStop: true },
});
const { PROBES_PORT: port } = process.env;
if (port) manager.add(managerProbes(manager, { port: Number(port), address: "0.0.0.0" }));

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
try {
  await manager.run({ signal: stop.signal });
} finally {
  connection.close();
}
`;
