import { errorMessage } from "../../base/error-message.ts";
import { command } from "../../cli/command.ts";
import { intFlag, stringFlag } from "../../cli/flag.ts";
import { serverCommand, serverFlags } from "../commands/server/server-command.ts";
import { boundLog } from "./bounded-log.ts";
import { followClusterContext } from "./follow-cluster-context.ts";

/** The message that the process of a cluster sends to the process that started it. */
export interface ClusterReady {
  readonly ready: true;
}

const maxLogBytes = 10 * 1024 * 1024;

/** The process that `wherry up` starts in the background: `wherry server` with a log of limited size. */
export const clusterServerCommand = command({
  ...serverCommand,
  name: "cluster-server",
  short: "Run the background process of a cluster; use wherry up instead",
  hidden: true,
  flags: {
    ...serverFlags,
    "cluster-name": stringFlag({ usage: "the name of the cluster" }),
    "real-nodes": intFlag({ usage: "the number of nodes that are boxes of this machine" }),
    "node-range": stringFlag({ usage: "the range of the boxes' addresses" }),
    "pod-range": stringFlag({ usage: "the range of the addresses of pods in boxes" }),
    gateway: stringFlag({ usage: "the address at which boxes reach the API server" }),
    "ipv6-prefix": stringFlag({ usage: "the prefix of all addresses of IPv6, if there are any" }),
    "log-file": stringFlag({
      usage: "the `FILE` to which standard output and standard error are redirected",
    }),
  },
  async run(context) {
    const { flags, streams } = context;
    const path = String(flags["log-file"]);
    if (path !== "") boundLog([process.stdout, process.stderr], { path, maxBytes: maxLogBytes });
    const stdout = {
      write(text: string): void {
        streams.stdout.write(text);
        if (text.startsWith("ready: ")) notifyParent({ ready: true });
      },
    };
    const name = String(flags["cluster-name"]);
    const dataDir = String(flags["data-dir"]);
    const onError = (error: unknown): void => {
      streams.stderr.write(`the kubeconfig was not changed: ${errorMessage(error)}\n`);
    };
    const following = name === "" ? undefined : followClusterContext({ name, dataDir, onError });
    try {
      return await serverCommand.run?.({ ...context, streams: { ...streams, stdout } });
    } finally {
      await following?.close();
    }
  },
});

/** Sends a message to the parent process, which may have ended. */
function notifyParent(message: ClusterReady): void {
  if (!process.send || !process.connected) return;
  process.send(message, () => {
    if (process.connected) process.disconnect();
  });
}
