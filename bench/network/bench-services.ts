import { Service } from "../../src/api/core/v1/service/service.ts";
import { EndpointSlice, serviceNameLabel } from "../../src/api/discovery/v1/endpoint-slice.ts";
import type { Client } from "../../src/client/client.ts";

const namespace = "default";
const atOnce = 32;

/** Creates services from one number to another, each with ten endpoints. */
export async function createServices(
  client: Client,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  let next = from;
  const work = async (): Promise<void> => {
    for (let number = next++; number < to; number = next++) await createService(client, number);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

async function createService(client: Client, number: number): Promise<void> {
  const name = `service-${number}`;
  await client.create(Service, {
    metadata: { namespace, name },
    spec: { ports: [{ port: 80 }] },
  });
  await client.create(EndpointSlice, {
    metadata: { namespace, name, labels: { [serviceNameLabel]: name } },
    addressType: "IPv4",
    ports: [{ protocol: "TCP", port: 8080 }],
    endpoints: Array.from({ length: 10 }, (_, i) => ({
      addresses: [`10.${100 + (number >> 8)}.${number & 255}.${i + 1}`],
      conditions: { ready: true },
    })),
  });
}

/** The addresses of the service that changes, and of the pods to which it may lead. */
export const probeAddress = "10.96.0.250";
export const probeEndpoints = ["10.88.0.1", "10.88.0.2"] as const;

/** Has the service lead to one endpoint: port 80 to 8080, and 81 to 9000. */
export async function moveProbe(client: Client, endpoint: string): Promise<void> {
  const name = "probe";
  const ports = [
    { name: "probe", protocol: "TCP", port: 80, targetPort: 8080 },
    { name: "transfer", protocol: "TCP", port: 81, targetPort: 9000 },
  ];
  const slice = {
    metadata: { namespace, name, labels: { [serviceNameLabel]: name } },
    addressType: "IPv4",
    ports: ports.map(({ name, protocol, targetPort }) => ({ name, protocol, port: targetPort })),
    endpoints: [{ addresses: [endpoint], conditions: { ready: true } }],
  };
  const found = await client.get(EndpointSlice, { namespace, name }).catch(() => undefined);
  if (found) {
    const { resourceVersion = "" } = found.metadata;
    const metadata = { ...slice.metadata, resourceVersion };
    await client.update(EndpointSlice, { ...slice, metadata });
    return;
  }
  await client.create(Service, {
    metadata: { namespace, name },
    spec: { clusterIP: probeAddress, ports },
  });
  await client.create(EndpointSlice, slice);
}
