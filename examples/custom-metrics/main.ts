// Serves metrics to autoscalers of the cluster of the current kubeconfig context, or of the pod that it runs in.
import { apiServer } from "wherry/apiserver";
import { createManager } from "wherry/controller";
import { connect } from "wherry/kubeconfig";
import { customMetrics, externalMetricsVersion } from "./custom-metrics.ts";
import { annotatedMetrics } from "./metrics-provider.ts";

const [namespace = "", name = ""] = (process.env.SERVICE ?? "").split("/");
const connection = await connect();
const { client } = connection;
const provider = annotatedMetrics(client);
const server = apiServer({
  name: "custom-metrics",
  versions: [...customMetrics(client, provider), externalMetricsVersion(client, provider)],
  ...(name !== "" && { service: { namespace, name } }),
});
const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
try {
  await createManager({ ...connection, runnables: [server] }).run({ signal: stop.signal });
} finally {
  connection.close();
}
