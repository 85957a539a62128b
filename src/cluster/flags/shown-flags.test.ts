import { expect, test } from "vitest";
import { apiserverFlags } from "../commands/apiserver/flags/apiserver-flags.ts";
import { givenFlags } from "../commands/apiserver/flags/given-flags.test-support.ts";
import { shownFlags } from "./shown-flags.ts";

const shown = (...args: string[]) => shownFlags(apiserverFlags, givenFlags(args).flags);

const values: [args: string[], name: string, value: string][] = [
  [[], "anonymous-auth", "true"],
  [[], "advertise-address", "<nil>"],
  [["--advertise-address=10.0.0.5"], "advertise-address", "10.0.0.5"],
  [[], "event-ttl", "1h0m0s"],
  [["--request-timeout=90s"], "request-timeout", "1m30s"],
  [["-v=4"], "v", "4"],
  [["--goaway-chance=0.01"], "goaway-chance", "0.01"],
  [[], "api-audiences", "[]"],
  [["--authorization-mode=Node,RBAC"], "authorization-mode", "[Node,RBAC]"],
  [["--runtime-config=b=true,a"], "runtime-config", "a=,b=true"],
  [["--service-node-port-range=30000+10"], "service-node-port-range", "30000-30010"],
  [["--tls-sni-cert-key=c,k:a,b", "--tls-sni-cert-key=d,l"], "tls-sni-cert-key", "[c,k:a,b;d,l]"],
  [["--feature-gates=A=true,kube:B=false,C=true"], "feature-gates", ":A=true,:C=true,kube:B=false"],
  [
    ["--service-account-key-file=a", "--service-account-key-file=b"],
    "service-account-key-file",
    "[a,b]",
  ],
];
test.each(values)("shown flags: after %j, %s is %s", (args, name, value) => {
  expect(shown(...args)[name]).toBe(value);
});

test("shown flags: shows all flags as text", () => {
  const all = shown();
  expect(Object.keys(all)).toEqual(Object.keys(apiserverFlags));
  expect(Object.values(all).filter((value) => /object|undefined/.test(value))).toEqual([]);
});

test("shown flags: hides passwords", () => {
  const all = shown("--service-account-jwks-uri=https://me:secret@x/y");
  expect(all["service-account-jwks-uri"]).toBe("CLASSIFIED");
  expect(shown("--service-account-jwks-uri=https://x/y@z")["service-account-jwks-uri"]).toBe(
    "https://x/y@z",
  );
});
