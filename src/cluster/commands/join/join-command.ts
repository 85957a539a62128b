import { hostname } from "node:os";
import { resolve } from "node:path";
import { command } from "../../../cli/command.ts";
import { boolFlag, stringFlag, stringsFlag, type Values } from "../../../cli/flag.ts";
import { UsageError } from "../../../cli/parse-flags.ts";
import { runProgram } from "../../../cli/run-program.ts";
import { hasJoined, joinCluster } from "../../join/join-cluster.ts";
import { nodeArguments } from "../../join/joined-node.ts";
import { nodeService, nodeUnit } from "../../join/node-service.ts";
import { programPaths } from "../../node/program-paths.ts";
import { openLog } from "../../opening/open-log.ts";
import { version } from "../../version.ts";
import { nodeFlags } from "../node/flags/node-flags.ts";
import { nodeCommand } from "../node/node-command.ts";
import { enableService, hasSystemd } from "./enable-service.ts";

const folder = (name: "root-dir" | "data-dir" | "run-dir") =>
  stringFlag({ usage: nodeFlags[name].usage, default: nodeFlags[name].default });

/** The flags that name the folders of a machine that joins, or has joined. */
export const folderFlags = {
  "root-dir": folder("root-dir"),
  "data-dir": folder("data-dir"),
  "run-dir": folder("run-dir"),
};

const joinFlags = {
  token: stringFlag({ usage: 'the bootstrap token, of "wherry token create"' }),
  "discovery-token-ca-cert-hash": stringsFlag({
    usage: "the hash of the cluster's CA, as `sha256:HEX`; may be repeated",
  }),
  "discovery-token-unsafe-skip-ca-verification": boolFlag({
    usage: "join without a hash: everybody who knows the token can pass for the cluster",
  }),
  "node-name": stringFlag({ usage: "the `NAME` of the node (default: that of the machine)" }),
  ...folderFlags,
  service: boolFlag({ usage: `run the node as the service ${nodeUnit} of systemd` }),
  "print-service": boolFlag({ usage: "print that service, and do nothing" }),
};

type JoinFlags = Values<typeof joinFlags>;

/** Makes this machine a node, and runs it. */
export const joinCommand = command({
  name: "join",
  short: "Make this machine a node of a cluster",
  long: `Make this machine a node of a cluster, and run its agent in the foreground or, with --service, by systemd.
"wherry token create --print-join-command" prints the command line for a cluster.

The machine verifies the cluster by the token and the hash of its CA, gets a client certificate, and runs
"wherry node" with the folder --root-dir: its credentials, and the file config.yaml, a KubeletConfiguration
that is written unless it exists. Its certificates are renewed in time. A machine that has joined needs no
token: "wherry join" starts its node again. Flags after -- are those of "wherry node".

The node provides its part of the cluster's network: routes to the pods of other nodes, services, network
policies and DNS. For a cluster that has a network of its own, as those of upstream usually have, give
-- --network "".

Machines that have joined reach each other's pods, and those of nodes that "wherry up" has made on its own machine.
For the latter they need a route to the addresses of these nodes, through that machine, as they do for the API
server: ip route add 10.199.0.0/24 via 192.168.0.10

With the built-in network of pods the machine forwards packets. The settings of its kernel that change are
ip_forward, for IPv6 conf/all/forwarding and, so that it keeps its routers, accept_ra of its interfaces; the
values before are in network-settings.json in the folder --data-dir. The service proxy changes the limit and
the timeouts of tracked connections as kube-proxy does; their values before are in conntrack-settings.json.

The cluster may be one of upstream, too, where somebody has to approve the requests for serving certificates.
Upstream's kubelet joins a cluster of Wherry with --bootstrap-kubeconfig and, in its configuration,
serverTLSBootstrap: true: the server accepts only certificates of its own from kubelets.

Containers outlive the agent: to upgrade, install a new version and start it again. "wherry leave" undoes
all of this.`,
  examples: `  # On a machine of the cluster
  wherry token create --print-join-command

  # On the new machine, as a service
  wherry join 192.168.0.10:6443 --token abcdef.0123456789abcdef \\
    --discovery-token-ca-cert-hash sha256:HEX --service

  # With a label
  wherry join 192.168.0.10:6443 --token TOKEN --discovery-token-ca-cert-hash HASH -- --node-labels disk=ssd

  # In a cluster that has a network of its own
  wherry join 192.168.0.10:6443 --token TOKEN --discovery-token-ca-cert-hash HASH -- --network ""`,
  arguments: "[SERVER:PORT] [-- NODE-FLAGS]",
  arity: { max: Number.POSITIVE_INFINITY },
  flags: joinFlags,
  async run({ flags, args, streams, signal }) {
    const [server, further] = splitArguments(args);
    const nodeName = (flags["node-name"] || hostname()).trim().toLowerCase();
    const rootDir = resolve(flags["root-dir"]);
    const folders = { rootDir, dataDir: flags["data-dir"], runDir: flags["run-dir"] };
    const node = nodeArguments({ folders, nodeName, flags: further });
    const unit = (): string =>
      nodeService([process.execPath, ...process.execArgv, programPaths().program, "node", ...node]);
    if (flags["print-service"]) {
      streams.stdout.write(unit());
      return 0;
    }
    if (flags.service && !hasSystemd())
      throw new Error(
        'systemd does not run on this machine: join without --service, and have another program start "wherry join" again',
      );
    const log = openLog();
    const machine = { nodeName, rootDir, log, signal };
    if (await hasJoined(machine))
      log.info("this machine has joined a cluster already", { rootDir });
    else await joinCluster({ ...machine, ...cluster(server, flags), hasSystemd: hasSystemd() });
    if (!flags.service) return runProgram({ root: nodeCommand, version, streams, signal }, node);
    streams.stdout.write(`started the service of ${await enableService(unit())}\n`);
    return 0;
  },
});

/** The server, which may be missing, and the flags of the node. */
function splitArguments(args: readonly string[]): [server: string, further: readonly string[]] {
  const [first = "", ...rest] = args;
  return first.startsWith("-") ? ["", args] : [first, rest];
}

/** The cluster to join; throws if the flags do not say how to trust it. */
function cluster(server: string, flags: JoinFlags) {
  const caHashes = flags["discovery-token-ca-cert-hash"];
  const isUnsafe = flags["discovery-token-unsafe-skip-ca-verification"];
  const problems: string[] = [];
  if (server === "") problems.push("give the SERVER:PORT of the cluster");
  if (flags.token === "") problems.push("give --token");
  if (caHashes.length === 0 && !isUnsafe)
    problems.push(
      "give --discovery-token-ca-cert-hash, or --discovery-token-unsafe-skip-ca-verification to trust everybody who knows the token",
    );
  if (problems.length > 0) throw new UsageError(problems);
  return { server, token: flags.token, caHashes };
}
