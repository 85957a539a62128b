import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import { linuxPod } from "./linux.test-support.ts";
import { kernelHostname, podHostname } from "./pod-hostname.ts";

const long = "x".repeat(60);

each<[string, object, object, string]>([
  ["the name of the pod", {}, {}, "p | "],
  ["a shortened name", {}, { name: `${long}.--.y` }, `${long} | `],
  ["its own", { hostname: "h" }, {}, "h | "],
  ["a subdomain", { subdomain: "s" }, {}, "p | s.ns.svc.cluster.local"],
  ["an override", { hostname: "h", subdomain: "s", hostnameOverride: "a.b" }, {}, "a.b | "],
])("podHostname: %s", (_, spec, metadata, expected) => {
  const { hostname, domain } = podHostname(linuxPod(spec, metadata), "cluster.local");
  expect(`${hostname} | ${domain}`).toBe(expected);
});

each<[object, string]>([
  [{ hostname: "A" }, 'pod Hostname "A" is not a valid DNS label: '],
  [{ subdomain: "A" }, 'pod Subdomain "A" is not a valid DNS label: '],
  [{ hostnameOverride: "A" }, 'pod HostnameOverride "A" is not a valid DNS subdomain: '],
])("podHostname: %j is invalid", (spec, message) => {
  expect(() => podHostname(linuxPod(spec), "cluster.local")).toThrow(message);
});

each<[boolean, string, string]>([
  [false, "s.example", "h"],
  [true, "s.example", "h.s.example"],
  [true, "", "h"],
  [true, "x".repeat(62), `h.${"x".repeat(62)}`],
])("kernelHostname: setHostnameAsFQDN %s and domain %s", (setHostnameAsFQDN, domain, expected) => {
  expect(kernelHostname({ hostname: "h", domain }, linuxPod({ setHostnameAsFQDN }))).toBe(expected);
});

each<[number]>([[63]])("kernelHostname: a name of %d characters more is too long", (length) => {
  const domain = "x".repeat(length);
  const pod = linuxPod({ setHostnameAsFQDN: true });
  expect(() => kernelHostname({ hostname: "h", domain }, pod)).toThrow(
    `failed to construct FQDN from pod hostname and cluster domain, FQDN h.${domain} is too long (64 characters is the max, 65 characters requested)`,
  );
});
