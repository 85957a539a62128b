// Runs the controller in a pod, or on a machine with the current kubeconfig context.
import { parseKey } from "wherry/client";
import { createManager, managerProbes } from "wherry/controller";
import { connect } from "wherry/kubeconfig";
import { ingressProxy, ingressStatus } from "./ingress-controller.ts";

const { HTTP_PORT = "8080", HTTPS_PORT = "8443", PROXY_SERVICE = "ingress/ingress" } = process.env;
const connection = await connect();
let isServing = false;
const manager = createManager({
  ...connection,
  controllers: [ingressStatus(parseKey(PROXY_SERVICE))],
  runnables: [
    ingressProxy({
      ...{ httpPort: Number(HTTP_PORT), httpsPort: Number(HTTPS_PORT) },
      onServing: () => {
        isServing = true;
      },
    }),
  ],
  readyChecks: {
    proxy() {
      if (!isServing) throw new Error("the routes are not known yet");
    },
  },
});
manager.add(managerProbes(manager, { port: 8081, address: "0.0.0.0" }));
const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
try {
  await manager.run({ signal: stop.signal });
} finally {
  connection.close();
}
