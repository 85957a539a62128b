import { expect, test } from "vitest";
import type { UsageError } from "../../cli/parse-flags.ts";
import { apiserverFlags } from "../commands/apiserver/flags/apiserver-flags.ts";
import { parseConfigFile } from "./config-file.ts";

const head = "apiVersion: wherry.dev/v1alpha1\nkind: ApiServerConfiguration\n";
const parse = (text: string) =>
  Object.fromEntries(parseConfigFile(text, { path: "f.yaml", flags: apiserverFlags }));

test("parseConfigFile: values are read as on a command line, scalars and lists", () => {
  const text = `${head}flags:
  data-dir: ./data
  secure_port: 8443
  event-ttl: 2h
  anonymous-auth: false
  goaway-chance: 0.01
  authorization-mode: [Node, RBAC]
  cors-allowed-origins:
  - '//example\\.com(:|$)'
  - '^https://a$'
  service-account-issuer: https://a,b
  runtime-config: [api/beta=true, "batch/v1=false"]
  service-node-port-range: 30000-30100
  api-audiences: []
`;
  expect(parse(text)).toEqual({
    "data-dir": "./data",
    "secure-port": 8443,
    "event-ttl": 7_200_000,
    "anonymous-auth": false,
    "goaway-chance": 0.01,
    "authorization-mode": ["Node", "RBAC"],
    "cors-allowed-origins": ["//example\\.com(:|$)", "^https://a$"],
    "service-account-issuer": ["https://a,b"],
    "runtime-config": new Map([
      ["api/beta", "true"],
      ["batch/v1", "false"],
    ]),
    "service-node-port-range": { first: 30000, last: 30100 },
    "api-audiences": [],
  });
});

test("parseConfigFile: a file without flags is empty", () => {
  expect(parse(head)).toEqual({});
  expect(parse(`${head}flags:\n`)).toEqual({});
});

const wrong: [text: string, problems: string[]][] = [
  [
    `${head}flags:\n  secure-prot: 1\n  secure-port: 1\n  secure_port: 2\n  __proto__: 3\n`,
    [
      'f.yaml:4: unknown flag "secure-prot": did you mean secure-port?',
      "f.yaml:6: flag secure-port is given twice",
      'f.yaml:7: unknown flag "__proto__"',
    ],
  ],
  [`${head}\nflag: {}\n`, ['f.yaml:4: unknown key "flag": did you mean flags?']],
  [`${head}flags: [a]\n`, ["f.yaml:3: flags must be a map from names of flags to their values"]],
  [
    `${head}flags:\n  secure-port: [1]\n  event-ttl:\n  bind-address: {}\n  data-dir: [a]\n`,
    [
      "f.yaml:4: flag secure-port takes one value, not a list",
      "f.yaml:5: flag event-ttl has no value: add one, or remove the flag",
      "f.yaml:6: flag bind-address must be a scalar or a list of scalars",
      "f.yaml:7: flag data-dir takes one value, not a list",
    ],
  ],
  [
    `${head}flags:\n  secure-port: many\n  config: x\n`,
    [
      'f.yaml:4: invalid argument "many" for "--secure-port" flag: strconv.ParseInt: parsing "many": invalid syntax',
      'f.yaml:5: unknown flag "config"',
    ],
  ],
  [
    "kind: Pod\napiVersion: v1\n",
    [
      "f.yaml:1: this is not a configuration: it must have kind: ApiServerConfiguration and apiVersion: wherry.dev/v1alpha1",
    ],
  ],
  ["- a\n", ["f.yaml does not hold a configuration"]],
  ["a: [\n", ["f.yaml cannot be read as YAML: line 1: did not find expected node content"]],
];
test.each(wrong)("parseConfigFile: rejects %j, with the line", (text, problems) => {
  let fault: UsageError | undefined;
  try {
    parse(text);
  } catch (error) {
    fault = error as UsageError;
  }
  expect(fault?.problems).toEqual(problems);
});
