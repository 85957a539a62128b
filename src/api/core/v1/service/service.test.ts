import { expect, test } from "vitest";
import { applyDefaults } from "../../../../schema/language/defaults.ts";
import { normalise } from "../../../../schema/language/normalise.ts";
import type { At } from "../../../../schema/language/report.ts";
import { expectRecorded, recordedCases } from "../../../recorded.test-support.ts";
import { Service } from "./service.ts";
import { normaliseClusterIps, patchAllocatedValues } from "./service-allocation.ts";
import { initIpFamilies } from "./service-ip-families.ts";
import type { ServiceBody, ServiceDraft } from "./service-spec.ts";

/** Stands in for the allocators, which know what is free. */
function allocate(service: ServiceDraft, old: ServiceBody | undefined, at: At): void {
  const { spec } = service;
  if (old) patchAllocatedValues(service, old);
  normaliseClusterIps(service, old);
  initIpFamilies(service, at, { old, families: ["IPv4"] });
  if (at.errors.length > 0 || spec.type === "ExternalName") return;
  spec.clusterIPs ??= ["10.0.0.99"];
  spec.clusterIP ??= "10.0.0.99";
  if (spec.type === "ClusterIP") return;
  for (const [i, port] of (spec.ports ?? []).entries()) port.nodePort ??= 31000 + i;
  if (spec.type === "LoadBalancer" && spec.externalTrafficPolicy === "Local")
    spec.healthCheckNodePort ??= 31111;
}

const allocated = ["clusterIP", "clusterIPs", "healthCheckNodePort", "ports.*.nodePort"];
const allocatorErrors = /out of range|nodePort twice|nodePort \+ 1/;

for (const recorded of recordedCases("services")) {
  if (allocatorErrors.test(recorded.name)) continue;
  test(`Service: ${recorded.name}`, () => {
    expect.hasAssertions();
    expectRecorded(Service as never, recorded, {
      begin: allocate,
      without: allocated.map((path) => `spec.${path}`),
    });
  });
}

const defaulted: readonly [name: string, spec: object, expected: object][] = [
  [
    "affinity by address gets a timeout, even where half of it was given",
    { sessionAffinity: "ClientIP", sessionAffinityConfig: { clientIP: {} } },
    { sessionAffinityConfig: { clientIP: { timeoutSeconds: 10800 } } },
  ],
  [
    "without affinity there is nothing to configure",
    { sessionAffinityConfig: { clientIP: { timeoutSeconds: 1 } } },
    { sessionAffinity: "None", sessionAffinityConfig: undefined },
  ],
  [
    "a port leads to the same port of the pods",
    { ports: [{ port: 80 }, { port: 81, targetPort: "" }, { port: 82, targetPort: "web" }] },
    {
      ports: [
        { port: 80, targetPort: 80, protocol: "TCP" },
        { port: 81, targetPort: 81, protocol: "TCP" },
        { port: 82, targetPort: "web", protocol: "TCP" },
      ],
    },
  ],
  [
    "external addresses ask for a policy",
    { externalIPs: ["192.0.2.1"] },
    { externalTrafficPolicy: "Cluster", internalTrafficPolicy: "Cluster" },
  ],
  [
    "an external name has no policies",
    { type: "ExternalName" },
    { externalTrafficPolicy: undefined, internalTrafficPolicy: undefined },
  ],
];

for (const [name, spec, expected] of defaulted)
  test(`Service: ${name}`, () => {
    const object = normalise(Service.struct, { metadata: { name: "s" }, spec })?.value;
    applyDefaults(Service.struct, object);
    const found = Object.keys(expected).map((key) => [key, object?.spec[key as "type"]]);
    expect(Object.fromEntries(found)).toEqual(expected);
  });
