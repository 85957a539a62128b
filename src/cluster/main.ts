import { command } from "../cli/command.ts";
import { runProgram } from "../cli/run-program.ts";
import { kubernetesVersion, version } from "./version.ts";

const root = command({
  name: "wherry",
  short: "Kubernetes in TypeScript",
  long: "Kubernetes in TypeScript: a cluster in a second, on a laptop, in CI, in a unit test.",
  commands: [
    {
      name: "up",
      short: "Start a cluster in the background",
      load: async () => (await import("./up/up-command.ts")).upCommand,
    },
    {
      name: "down",
      short: "Stop a cluster",
      load: async () => (await import("./up/down-command.ts")).downCommand,
    },
    {
      name: "status",
      short: "Show the status of a cluster",
      load: async () => (await import("./up/status-command.ts")).statusCommand,
    },
    {
      name: "logs",
      short: "Show the log of a cluster",
      load: async () => (await import("./up/logs-command.ts")).logsCommand,
    },
    {
      name: "list",
      short: "List clusters",
      load: async () => (await import("./up/list-command.ts")).listCommand,
    },
    {
      name: "delete",
      short: "Delete a cluster and its data",
      load: async () => (await import("./up/delete-command.ts")).deleteCommand,
    },
    {
      name: "cluster-server",
      short: "Run the background process of a cluster; use wherry up instead",
      hidden: true,
      load: async () => (await import("./up/cluster-server-command.ts")).clusterServerCommand,
    },
    {
      name: "kubectl",
      short: "Control a cluster with the commands of kubectl",
      load: async () => (await import("./commands/kubectl/kubectl-command.ts")).kubectlCommand,
    },
    {
      name: "crd",
      short: "Generate, compare and type the definitions of custom kinds",
      load: async () => (await import("./commands/crd/crd-command.ts")).crdCommand,
    },
    {
      name: "init",
      short: "Write a new operator in TypeScript",
      load: async () => (await import("./commands/init/init-command.ts")).initCommand,
    },
    {
      name: "envtest",
      short: "Run an operator's Go tests on Wherry",
      load: async () => (await import("./commands/envtest/envtest-command.ts")).envtestCommand,
    },
    {
      name: "envtest-etcd",
      short: "Run etcd for a test environment; use wherry envtest instead",
      hidden: true,
      load: async () =>
        (await import("./commands/envtest/etcd-program-command.ts")).etcdProgramCommand,
    },
    {
      name: "decode",
      short: "Convert objects between YAML, JSON and protobuf",
      load: async () => (await import("./commands/decode/decode-command.ts")).decodeCommand,
    },
    {
      name: "token",
      short: "Manage the tokens with which machines join a cluster",
      load: async () => (await import("./commands/token/token-command.ts")).tokenCommand,
    },
    {
      name: "certs",
      short: "Show and renew the certificates of a cluster",
      load: async () => (await import("./commands/certs/certs-command.ts")).certsCommand,
    },
    {
      name: "doctor",
      short: "Check how secure a running cluster is",
      load: async () => (await import("./commands/doctor/doctor-command.ts")).doctorCommand,
    },
    {
      name: "join",
      short: "Make this machine a node of a cluster",
      load: async () => (await import("./commands/join/join-command.ts")).joinCommand,
    },
    {
      name: "leave",
      short: "Undo that this machine is a node",
      load: async () => (await import("./commands/leave/leave-command.ts")).leaveCommand,
    },
    {
      name: "image",
      short: "Manage the images of an engine",
      load: async () => (await import("./commands/image/image-command.ts")).imageCommand,
    },
    {
      name: "store",
      short: "Inspect and maintain a cluster's store",
      load: async () => (await import("./store/store-command.ts")).storeCommand,
    },
    {
      name: "engine",
      short: "Run the container engine of a node",
      load: async () => (await import("./commands/engine/engine-command.ts")).engineCommand,
    },
    {
      name: "cni",
      short: "Connect the pods of any runtime, by CNI",
      load: async () => (await import("./commands/cni/cni-command.ts")).cniCommand,
    },
    {
      name: "node",
      short: "Run the agent of a node",
      load: async () => (await import("./commands/node/node-command.ts")).nodeCommand,
    },
    {
      name: "dns",
      short: "Run the DNS server of a cluster",
      load: async () => (await import("./commands/dns/dns-command.ts")).dnsCommand,
    },
    {
      name: "proxy",
      short: "Run the service proxy of a node",
      load: async () => (await import("./commands/proxy/proxy-command.ts")).proxyCommand,
    },
    {
      name: "server",
      short: "Run a cluster in the foreground",
      load: async () => (await import("./commands/server/server-command.ts")).serverCommand,
    },
    {
      name: "apiserver",
      short: "Run the API server",
      load: async () => (await import("./commands/apiserver/apiserver.ts")).apiserverCommand,
    },
    {
      name: "controller-manager",
      short: "Run the controllers",
      load: async () =>
        (await import("./commands/controller-manager/controller-manager.ts"))
          .controllerManagerCommand,
    },
    {
      name: "scheduler",
      short: "Run the scheduler",
      load: async () =>
        (await import("./commands/scheduler/scheduler-command.ts")).schedulerCommand,
    },
  ],
});

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  // The first signal starts an orderly stop; the second has no listener left and ends the process.
  process.once(signal, () => stop.abort(new Error(`received ${signal}`)));
}
// A reader of our output may close it early, as `head` does: that is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

runProgram(
  {
    root,
    version: `wherry ${version} (Kubernetes ${kubernetesVersion})`,
    streams: { stdout: process.stdout, stderr: process.stderr },
    signal: stop.signal,
  },
  process.argv.slice(2),
).then(
  (code) => {
    process.exitCode = code;
  },
  // Commands report expected errors themselves: any other error is a bug, shown with its stack.
  (error: unknown) => {
    process.exitCode = 1;
    throw error;
  },
);
