import { expect, test } from "vitest";
import { validateHostAliases } from "./host-alias.ts";
import { faults } from "./pod.test-support.ts";

test("validateHostAliases: addresses are IP addresses, names are DNS names", () => {
  const aliases = [
    { ip: "192.0.2.1", hostnames: ["a", "a.b"] },
    { ip: "" },
    { ip: "::1", hostnames: ["A"] },
  ];
  expect(faults((at) => validateHostAliases(aliases, at))).toEqual([
    '[1].ip: Invalid value: "": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    "[2].hostnames[0]: Invalid value: \"A\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
  ]);
});
