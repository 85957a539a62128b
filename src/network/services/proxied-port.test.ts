import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import type { Service } from "../../api/core/v1/service/service.ts";
import { proxiedPorts } from "./proxied-port.ts";

const service = (spec: object, labels?: Readonly<Record<string, string>>) =>
  ({
    metadata: { name: "web", namespace: "default", ...(labels && { labels }) },
    spec: { clusterIP: "10.0.0.9", clusterIPs: ["10.0.0.9"], ports: [{ port: 80 }], ...spec },
    status: { loadBalancer: {} },
  }) as unknown as Service;

each<[name: string, service: Service, clusterIPs: readonly string[]]>([
  ["one family", service({}), ["10.0.0.9"]],
  ["both families", service({ clusterIPs: ["10.0.0.9", "fd00::9"] }), ["10.0.0.9", "fd00::9"]],
  ["a headless service", service({ clusterIP: "None", clusterIPs: ["None"] }), []],
  ["an external name", service({ type: "ExternalName" }), []],
  [
    "a service of another proxy",
    service({}, { "service.kubernetes.io/service-proxy-name": "other" }),
    [],
  ],
  [
    "a service labelled as headless",
    service({}, { "service.kubernetes.io/headless": "" }),
    ["10.0.0.9"],
  ],
])("proxiedPorts: %s", (_, one, clusterIPs) => {
  expect(proxiedPorts(one).map(({ clusterIP }) => clusterIP)).toEqual(clusterIPs);
});
