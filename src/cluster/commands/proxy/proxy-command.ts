import { writeFile } from "node:fs/promises";
import type { Server } from "node:http";
import { hostname } from "node:os";
import { Node } from "../../../api/core/v1/node/node.ts";
import { ticksOf } from "../../../base/clock.ts";
import { errorMessage } from "../../../base/error-message.ts";
import type { Log } from "../../../base/log.ts";
import { MetricsRegistry } from "../../../base/metrics-registry.ts";
import { aborted } from "../../../base/on-abort.ts";
import { command } from "../../../cli/command.ts";
import { UsageError } from "../../../cli/parse-flags.ts";
import { createClient } from "../../../client/client.ts";
import { createInformers } from "../../../client/informer/informers.ts";
import { measured } from "../../../client/measured.ts";
import { httpsTransport } from "../../../kubeconfig/https-transport.ts";
import { changeSettings } from "../../../network/kernel-settings.ts";
import { adjustConntrack } from "../../../network/proxy/conntrack-settings.ts";
import { removeServiceProxy } from "../../../network/proxy/kernel.ts";
import {
  closePages,
  healthPages,
  type ProxyPages,
  plainPage,
  servePages,
  statusPages,
} from "../../../network/proxy/proxy-pages.ts";
import { openServiceProxy, type ServiceProxy } from "../../../network/proxy/service-proxy.ts";
import { readGiven } from "../../../platform/given-files.ts";
import { hostAddress } from "../../../platform/host-address.ts";
import { addProcessMetrics } from "../../../platform/process-metrics.ts";
import { realClock } from "../../../platform/real-clock.ts";
import { systemRandom } from "../../../platform/system-entropy.ts";
import { toYaml } from "../../../schema/yaml/yaml.ts";
import { componentConnection } from "../../component/component-connection.ts";
import type { FeatureSettings } from "../../flags/feature-gates-flag.ts";
import { ignoredFeatures } from "../../flags/ignored-features.ts";
import { shownMetrics } from "../../flags/metrics-flags.ts";
import { loggingProblems } from "../../flags/observing-flags.ts";
import { notices, refusals } from "../../flags/server-flag.ts";
import { warningsOf } from "../../flags/settings-without-effect.ts";
import { printVersion, reportedVersion } from "../../flags/version-flag.ts";
import { logChoice, openLog } from "../../opening/open-log.ts";
import {
  conntrackSettings,
  proxySettings,
  unsupportedProxySettings,
} from "./configured-settings.ts";
import { ignoredSettings } from "./ignored-settings.ts";
import { parseProxyConfiguration } from "./parse-proxy-configuration.ts";
import type { ProxyConfiguration } from "./proxy-configuration.ts";
import { configurationOf, type ProxyFlags, proxyFlags } from "./proxy-flags.ts";
import { runUserspace } from "./run-userspace.ts";
import { proxyConfigurationProblems } from "./validate-proxy-configuration.ts";

/** Runs only the service proxy of a node, against an API server, until a signal stops it. */
export const proxyCommand = command({
  name: "proxy",
  short: "Run the service proxy of a node",
  long: `Run the service proxy of a node, in the foreground. It programs nftables so that traffic to
services reaches their endpoints. "wherry node --network proxy" does the same in the agent.

The flags and the file --config, a KubeProxyConfiguration, are kube-proxy's. There is one mode,
nftables; its rules are in the tables wherry-proxy, and stay when the proxy stops. --cleanup
removes them, and nothing else.

With --userspace it needs neither root nor Linux, and no node: it listens at 127.0.0.1 for each
port of each service, at the same port if that is free and allowed, and prints which. Connections
of TCP go to ready pods through the API server, as those of "kubectl port-forward" do, also to a
cluster far away. Where this machine has routes to the pods, --direct connects to their addresses,
and UDP works, too. It uses the kubeconfig that kubectl uses. Not forwarded: headless services,
external names, SCTP; session affinity is ignored. Pods of simulated nodes run no programs, so
that connections to them are refused.

Exit codes: 0 when stopped, 1 when it failed, 2 when flags or configuration are invalid.`,
  examples: `  wherry proxy --kubeconfig proxy.kubeconfig --cluster-cidr 10.244.0.0/16
  wherry proxy --cleanup
  wherry proxy --userspace --service default/web`,
  flags: proxyFlags,
  async run({ flags, given, streams, signal }) {
    if (printVersion(flags.version, streams.stdout)) return 0;
    const problems = [...loggingProblems(flags), ...refusals(proxyFlags, flags, given)];
    if (problems.length > 0) throw new UsageError(problems);
    if (flags.userspace) return runUserspace(flags, { streams, signal });
    if (given.has("service") || given.has("direct"))
      throw new UsageError(["--service and --direct need --userspace"]);
    const { value: config, warnings } = await configuration(flags);
    const found = [...proxyConfigurationProblems(config)];
    const gates = flags.config === "" ? flags["feature-gates"] : gatesOf(config);
    const ignored = await ignoredFeatures(gates, found);
    if (found.length > 0) throw new UsageError(found);
    if (flags["write-config-to"] !== "") {
      await writeFile(flags["write-config-to"], toYaml(config));
      return 0;
    }
    if (flags.cleanup) {
      await removeServiceProxy();
      return 0;
    }
    const unsupported = unsupportedProxySettings(config);
    if (unsupported.length > 0) throw new UsageError(unsupported);
    const v = given.has("v") ? flags.v : config.logging.verbosity;
    const log = openLog(logChoice({ ...flags, v }));
    for (const warning of [...notices(proxyFlags, given), ...ignored])
      log.warn("flag warning", { warning });
    for (const warning of warnings) log.warn("configuration warning", { warning });
    await protectFromOutOfMemory(config, log);
    const { kubeconfig, qps, burst } = config.clientConnection;
    const connection = await componentConnection(
      { kubeconfig, master: flags.master },
      { component: "kube-proxy", version: reportedVersion(flags.version) },
    );
    log.info("starting", { version: reportedVersion(flags.version), qps, burst });
    const metrics = new MetricsRegistry(shownMetrics(config.showHiddenMetricsForVersion));
    addProcessMetrics(metrics);
    const transport = httpsTransport(connection);
    const { host } = new URL(connection.server);
    const client = createClient(measured(transport, { metrics, ticks: ticksOf(realClock), host }), {
      clock: realClock,
    });
    const informers = createInformers({
      client,
      clock: realClock,
      random: systemRandom,
      log,
      metrics,
    });
    const nodeName = (flags["hostname-override"] || config.hostnameOverride || hostname())
      .trim()
      .toLowerCase();
    const isAny = ["0.0.0.0", "::"].includes(config.bindAddress);
    const node = isAny
      ? await client.get(Node, { name: nodeName }).catch(() => undefined)
      : undefined;
    const ofNode = (node?.status.addresses ?? [])
      .filter(({ type }) => type === "InternalIP")
      .map(({ address }) => address);
    const own = ofNode.length > 0 ? ofNode : [hostAddress() ?? "127.0.0.1"];
    const nodeIPs = isAny ? own : [config.bindAddress];
    const servers: Server[] = [];
    const proxy = openServiceProxy({
      ...{ nodeName, nodeIPs, client, informers, clock: realClock, random: systemRandom },
      ...{ log, metrics, settings: proxySettings(config) },
      // Only rules make sure that the kernel tracks connections.
      replaced: () => adjustConntrack(conntrackSettings(config), { log }),
    });
    try {
      await serve(servers, config, { proxy, metrics, log });
      await aborted(signal);
      return 0;
    } finally {
      servers.forEach(closePages);
      await proxy.close();
      informers.close();
      transport.close();
    }
  },
});

/** The configuration of the flags or, if one is given, of a file. */
async function configuration(
  flags: ProxyFlags,
): Promise<{ readonly value: ProxyConfiguration; readonly warnings: readonly string[] }> {
  if (flags.config === "") return { value: configurationOf(flags), warnings: [] };
  const text = await readGiven({ flag: "config", path: flags.config });
  const parsed = parseProxyConfiguration(text);
  if ("value" in parsed) {
    const { value, warnings } = parsed;
    // Flags say themselves that they have no effect.
    return { value, warnings: [...warnings, ...warningsOf(ignoredSettings, value)] };
  }
  throw new Error(
    `${flags.config}, given by --config, cannot be used: ${parsed.problems.join(", ")}`,
  );
}

/** The feature gates of a file, in the form of the flag. */
const gatesOf = ({ featureGates }: ProxyConfiguration): FeatureSettings =>
  new Map(Object.entries(featureGates).map(([name, isOn]) => [name, [String(isOn)]]));

/** Sets how likely the kernel ends this process when memory is short. */
async function protectFromOutOfMemory(
  { oomScoreAdj }: ProxyConfiguration,
  log: Log,
): Promise<void> {
  const path = "/proc/self/oom_score_adj";
  await changeSettings(new Map([[path, `${oomScoreAdj}`]]), undefined).catch((error: unknown) =>
    log.warn("a setting of the kernel cannot be changed", { path, reason: errorMessage(error) }),
  );
}

/** What the servers of a proxy tell. */
interface Served {
  readonly proxy: ServiceProxy;
  readonly metrics: MetricsRegistry;
  readonly log: Log;
}

async function serve(
  servers: Server[],
  config: ProxyConfiguration,
  { proxy, metrics, log }: Served,
): Promise<void> {
  const health = healthPages({ proxy, metrics, clock: realClock });
  const observing: ProxyPages = (path) =>
    path === "/metrics" ? plainPage(metrics.text()) : statusPages(path);
  for (const [address, pages] of [
    [config.healthzBindAddress, health],
    [config.metricsBindAddress, observing],
  ] as const)
    if (address !== "")
      await servePages(address, pages).then(
        (server) => servers.push(server),
        (error: unknown) => {
          if (config.bindAddressHardFail) throw error;
          log.error("listening failed", error, { address });
        },
      );
}
