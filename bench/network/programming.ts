import { openCrashNamespace } from "../../scripts/proofs/proxy-crash/crash-namespaces.ts";
import type { Service } from "../../src/api/core/v1/service/service.ts";
import type { EndpointSlice } from "../../src/api/discovery/v1/endpoint-slice.ts";
import { frontendElements } from "../../src/network/proxy/frontend-elements.ts";
import { proxyKernel } from "../../src/network/proxy/kernel.ts";
import { ProgrammedTables } from "../../src/network/proxy/programmed-tables.ts";
import { appliedSettings, defaultProxySettings } from "../../src/network/proxy/proxy-settings.ts";
import { proxiedService } from "../../src/network/services/proxied-service.ts";
import { median } from "../engine/engine-verdict.ts";

const endpointsEach = 10;
const { tables } = appliedSettings(defaultProxySettings, {
  ...{ nodeIPs: ["192.0.2.1"], podCIDRs: ["10.1.0.0/16"], serviceCIDRs: [], machineIPs: [] },
});

/** How long it takes to program services, from objects to the kernel, in a network namespace of its own. */
export async function measureProgramming(): Promise<void> {
  const namespace = await openCrashNamespace();
  const kernel = proxyKernel(namespace.prefix);
  try {
    const changes: number[] = [];
    for (const count of [1000, 5000]) {
      const programmed = new ProgrammedTables(kernel.program);
      const set = (number: number, endpoints: number): void =>
        programmed.set(String(number), elementsOf(number, endpoints));
      let start = performance.now();
      for (let i = 0; i < count; i++) set(i, endpointsEach);
      const model = performance.now() - start;
      start = performance.now();
      await programmed.apply(tables);
      const load = performance.now() - start;
      const times: number[] = [];
      for (let i = 0; i < 21; i++) {
        start = performance.now();
        set(i, endpointsEach - 1);
        const did = await programmed.apply(tables);
        if (did !== "changes") throw new Error("the change was not one of elements");
        times.push(performance.now() - start);
      }
      const change = median(times);
      changes.push(change);
      const aim = count === 1000 ? `, together ${ms(model + load)} (aim 300 ms)` : "";
      console.log(
        `${count} services × ${endpointsEach} endpoints: ${ms(model)} to elements, ${ms(load)} to the kernel${aim}; one change ${ms(change)} (median of ${times.length}; aim 50 ms)`,
      );
    }
    const [few = 0, many = 0] = changes;
    console.log(`slope of a change: ${ms((many - few) / 4)} for each 1000 services`);
  } finally {
    namespace.close();
  }
}

function elementsOf(number: number, endpoints: number) {
  const service = {
    metadata: { namespace: "default", name: `service-${number}` },
    spec: {
      ...{ type: "ClusterIP", ports: [{ port: 80, protocol: "TCP" }] },
      clusterIPs: [`10.96.${number >> 8}.${number & 255}`],
    },
    status: { loadBalancer: {} },
  } as unknown as Service;
  const slice = {
    metadata: { namespace: "default", name: `service-${number}-a` },
    addressType: "IPv4",
    ports: [{ port: 8080, protocol: "TCP" }],
    endpoints: Array.from({ length: endpoints }, (_, i) => ({
      addresses: [`10.${1 + (number >> 8)}.${number & 255}.${i + 1}`],
      conditions: { ready: true },
    })),
  } as unknown as EndpointSlice;
  const { frontends } = proxiedService(service, [slice], { name: "node-1", zone: "" });
  return frontendElements(frontends, []);
}

const ms = (value: number): string => `${value.toFixed(1)} ms`;
