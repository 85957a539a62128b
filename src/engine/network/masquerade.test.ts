import { expect, test } from "vitest";
import { masqueradeRules } from "./masquerade.ts";

test("masqueradeRules: packets of pods that leave the bridge get the machine's address", () => {
  const rules = masqueradeRules("cni0", { base: 10 * 2 ** 24, prefixLength: 24 });
  expect(rules).toContain('ip saddr 10.0.0.0/24 oifname != "cni0" masquerade');
  // The table is replaced as a whole, also if there is none yet.
  expect(rules.split("\n").slice(0, 2)).toEqual([
    "table ip wherry-pods-cni0",
    "delete table ip wherry-pods-cni0",
  ]);
});
