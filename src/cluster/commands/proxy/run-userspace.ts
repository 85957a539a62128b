import { noMetrics } from "../../../base/metrics.ts";
import { aborted } from "../../../base/on-abort.ts";
import type { Streams } from "../../../cli/command.ts";
import { UsageError } from "../../../cli/parse-flags.ts";
import { createClient } from "../../../client/client.ts";
import { createInformers } from "../../../client/informer/informers.ts";
import { findConnection } from "../../../kubeconfig/connect.ts";
import { dialApiStreams } from "../../../kubeconfig/dial-api-streams.ts";
import { httpsTransport } from "../../../kubeconfig/https-transport.ts";
import { openUserspaceProxy } from "../../../network/userspace/userspace-proxy.ts";
import { realClock } from "../../../platform/real-clock.ts";
import { systemRandom } from "../../../platform/system-entropy.ts";
import { userAgentOf } from "../../component/component-connection.ts";
import { reportedVersion } from "../../flags/version-flag.ts";
import { logChoice, openLog } from "../../opening/open-log.ts";
import { LocalPortsTable } from "./local-ports-table.ts";
import type { ProxyFlags } from "./proxy-flags.ts";

/** Forwards ports of this machine to services, until the signal; prints which, and what changes. */
export async function runUserspace(
  flags: ProxyFlags,
  { streams, signal }: { readonly streams: Pick<Streams, "stdout">; readonly signal: AbortSignal },
): Promise<number> {
  const services = flags.service;
  const wrong = services.filter((name) => !/^[^/]+\/[^/]+$/.test(name));
  if (wrong.length > 0)
    throw new UsageError(
      wrong.map((name) => `--service ${name}: give a namespace and a name, such as default/web`),
    );
  const found = await findConnection(flags.kubeconfig === "" ? {} : { path: flags.kubeconfig });
  const connection = {
    ...found.transport,
    ...(flags.master !== "" && { server: flags.master }),
    userAgent: userAgentOf({ component: "wherry-proxy", version: reportedVersion(flags.version) }),
  };
  const transport = httpsTransport(connection);
  const client = createClient(transport, { clock: realClock });
  const log = openLog(logChoice(flags));
  const common = { clock: realClock, random: systemRandom, log };
  const informers = createInformers({ client, ...common, metrics: noMetrics });
  const table = new LocalPortsTable(flags.direct ? "pods" : "api");
  const proxy = openUserspaceProxy({
    ...{ informers, ...common, services },
    dial: flags.direct ? undefined : dialApiStreams(connection).spdy,
    changed: (ports) => streams.stdout.write(table.update(ports)),
  });
  try {
    await aborted(signal);
    return 0;
  } finally {
    await proxy.close();
    informers.close();
    transport.close();
  }
}
