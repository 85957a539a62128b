// A server with pods in two namespaces, without TLS: in `few` and `many` as many as the two arguments say.
import { Namespace } from "../../src/api/core/v1/namespace.ts";
import { Pod } from "../../src/api/core/v1/pod/pod.ts";
import { ServiceAccount } from "../../src/api/core/v1/service-account.ts";
import { listen } from "../../src/apiserver/http/listen.ts";
import { admin, openServer } from "../../src/apiserver/in-process.test-support.ts";
import { noLog } from "../../src/base/log.ts";
import { VirtualClock } from "../../src/base/virtual-clock.ts";
import { createClient } from "../../src/client/client.ts";
import { inProcessTransport } from "../../src/cluster/in-process/in-process-transport.ts";
import { typicalPod } from "../typical-pod.ts";

const clock = new VirtualClock(Date.UTC(2026, 0, 1));
const cluster = await openServer(clock);
const client = createClient(inProcessTransport(cluster.handle, admin), { clock });
await createPods("few", Number(process.argv[2]));
await createPods("many", Number(process.argv[3]));
const listener = await listen({
  host: "127.0.0.1",
  port: 0,
  log: noLog,
  handler: (request) => cluster.handle({ ...request, signal: request.signal, peer: admin }),
});
console.log(`port ${listener.port}`);

async function createPods(namespace: string, count: number): Promise<void> {
  await client.create(Namespace, { metadata: { name: namespace } });
  await client.create(ServiceAccount, { metadata: { name: "web", namespace } });
  for (let i = 0; i < count; i++) {
    const metadata = { ...typicalPod.metadata, name: `web-7d4b9c6f5d-${i}`, namespace };
    await client.create(Pod, { ...typicalPod, metadata } as never);
  }
}
