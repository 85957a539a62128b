import { expect, test } from "vitest";
import { kubeletOf } from "./kubelet-connection.ts";

const node = (addresses: Record<string, string>, port?: number) => ({
  status: {
    addresses: Object.entries(addresses).map(([type, address]) => ({ type, address })),
    ...(port !== undefined && { daemonEndpoints: { kubeletEndpoint: { Port: port } } }),
  },
});

test.each([
  [{ ExternalIP: "9.9.9.9", InternalIP: "10.0.0.1" }, undefined, "10.0.0.1:10250"],
  [{ InternalIP: "10.0.0.1", Hostname: "n1" }, 1234, "n1:1234"],
  [{ ExternalDNS: "e", InternalDNS: "i" }, 0, "i:10250"],
  [{ InternalIP: "fd00::1" }, 10250, "[fd00::1]:10250"],
] as const)("kubeletOf: %j at port %s", (addresses, port, host) => {
  expect(kubeletOf(node(addresses, port), {})).toMatchObject({ scheme: "https", host });
});

test("kubeletOf: the order of addresses can be chosen", () => {
  const both = node({ Hostname: "n1", ExternalIP: "9.9.9.9" });
  expect(kubeletOf(both, { preferredAddressTypes: ["ExternalIP"] }).host).toBe("9.9.9.9:10250");
  expect(() => kubeletOf(both, { preferredAddressTypes: ["InternalIP"] })).toThrow(
    "no preferred addresses found; known addresses: [{Hostname n1} {ExternalIP 9.9.9.9}]",
  );
});

test("kubeletOf: the certificate is verified if a CA is configured", () => {
  const { tls } = kubeletOf(node({ Hostname: "n" }), { ca: "A", clientCert: "B", clientKey: "C" });
  expect(tls).toEqual({ ca: "A", cert: "B", key: "C", insecure: false });
  expect(kubeletOf(node({ Hostname: "n" }), {}).tls.insecure).toBe(true);
});
