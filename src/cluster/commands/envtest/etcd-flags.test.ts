import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { type GivenValues, parseFlag } from "../../../cli/parse-flags.ts";
import { etcdFlagProblems, etcdProgramFlags, givenListen } from "./etcd-flags.ts";

function flagsOf(args: readonly string[]): Parameters<typeof etcdFlagProblems>[0] {
  const given: GivenValues = new Map();
  for (let left = args; left.length > 0; ) left = parseFlag(left, etcdProgramFlags, given);
  const values = Object.entries(etcdProgramFlags).map(([name, { default: otherwise }]) => [
    name,
    given.get(name) ?? otherwise,
  ]);
  return Object.fromEntries(values);
}

const oneUrl = "--listen-client-urls must be one URL, such as http://127.0.0.1:2379:";

each<[args: string[], problems: string[]]>([
  [[], []],
  [["--listen-client-urls=http://[::1]:0", "--unsafe-no-fsync=true", "--name=m"], []],
  [["--listen-client-urls=http://a:1"], [`${oneUrl} http://a:1`]],
  [
    ["--listen-client-urls=http://127.0.0.1:1,http://127.0.0.1:2"],
    [`${oneUrl} http://127.0.0.1:1,http://127.0.0.1:2`],
  ],
  [
    ["--listen-client-urls=https://127.0.0.1:1"],
    ["--listen-client-urls is https exactly if --cert-file and --key-file are given"],
  ],
  [
    ["--cert-file=a"],
    [
      "--listen-client-urls is https exactly if --cert-file and --key-file are given",
      "--cert-file and --key-file must be given together",
    ],
  ],
  [
    ["--client-cert-auth"],
    ["--client-cert-auth needs --cert-file, --key-file and --trusted-ca-file"],
  ],
  [
    ["--listen-client-urls=http://10.0.0.1:1"],
    [
      "--listen-client-urls=http://10.0.0.1:1 can be reached from other machines, and every client can read all secrets: give a loopback address, or --cert-file, --key-file and --trusted-ca-file",
    ],
  ],
  [["--quota-backend-bytes=-1"], ["--quota-backend-bytes must not be negative"]],
])("etcdFlagProblems: %j", (args, problems) => {
  expect(etcdFlagProblems(flagsOf(args))).toEqual(problems);
});

test("givenListen: localhost is the loopback address", async () => {
  expect(await givenListen(flagsOf([]))).toEqual({ host: "127.0.0.1", port: 2379 });
});
