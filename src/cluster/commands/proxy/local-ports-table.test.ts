import { expect, test } from "vitest";
import type { LocalPort } from "../../../network/userspace/userspace-proxy.ts";
import { LocalPortsTable } from "./local-ports-table.ts";

const port = (service: string, more: Partial<LocalPort> = {}): LocalPort => ({
  ...{ service, name: "http", protocol: "TCP", port: 80, localPort: 8080, backends: [], ...more },
});
const pod = { namespace: "default", name: "web-1" };
const backend = { address: "10.0.0.1", port: 80, pod };

test("LocalPortsTable: all ports are told at first, then what has changed", () => {
  const table = new LocalPortsTable("api");
  const dns = port("kube-system/dns", { ...{ name: "", port: 53 }, protocol: "UDP" });
  const { localPort: _, ...unreachable } = dns;
  const first = table.update([port("default/web", { backends: [backend] }), unreachable]);
  const same = table.update([port("default/web", { backends: [backend] }), unreachable]);
  expect({ first, same, last: table.update([port("default/web")]) }).toEqual({
    first: `SERVICE           PORT          ADDRESS          ENDPOINTS
default/web       http 80/TCP   127.0.0.1:8080   1 endpoint, through the API server
kube-system/dns   53/UDP        -                UDP needs --direct
`,
    same: "",
    last: `SERVICE           PORT          ADDRESS          ENDPOINTS
default/web       http 80/TCP   127.0.0.1:8080   0 endpoints
kube-system/dns   53/UDP        -                the service is gone
`,
  });
});
