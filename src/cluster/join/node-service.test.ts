import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { joinedConfiguration, nodeArguments, usualDns } from "./joined-node.ts";
import { nodeService } from "./node-service.ts";

each<[word: string, written: string]>([
  ["/usr/bin/node", "/usr/bin/node"],
  ["--node-labels=a.b/c=d,e=f", "--node-labels=a.b/c=d,e=f"],
  ["a b", '"a b"'],
  ["50%", "50%%"],
  ["$HOME", "$$HOME"],
  ['a"b\\c', '"a\\"b\\\\c"'],
  ["", '""'],
])("nodeService: the word %j is written %s", (word, written) => {
  expect(nodeService(["/node", word])).toContain(`\nExecStart=/node ${written}\n`);
});

test("nodeService: it restarts always, and stopping it leaves containers alone", () => {
  const text = nodeService(["/node"]);
  for (const line of ["Restart=always", "KillMode=process", "Delegate=yes"])
    expect(text.split("\n")).toContain(line);
});

test("nodeArguments: paths are absolute, and flags of the user come last", () => {
  const folders = { rootDir: "/k", dataDir: "/e", runDir: "/r" };
  expect(nodeArguments({ folders, nodeName: "n", flags: ["--v=2"] }).join(" ")).toBe(
    "--kubeconfig /k/kubeconfig --config /k/config.yaml --root-dir /k --cert-dir /k/pki --data-dir /e --run-dir /r --hostname-override n --network routes,proxy,policies,dns --v=2",
  );
});

each<[flags: readonly string[]]>([
  [["--network", ""]],
  [["--network="]],
  [["--network", "routes"]],
])("nodeArguments: the user chooses the network by %j", (flags) => {
  const folders = { rootDir: "/k", dataDir: "/e", runDir: "/r" };
  const all = nodeArguments({ folders, nodeName: "n", flags });
  expect(all.slice(all.indexOf("n") + 1)).toEqual(flags);
});

test("joinedConfiguration: certificates are requested, and nobody is let in without one", () => {
  const given = { ca: "/ca", clusterDns: "10.0.0.10", hasSystemd: true };
  expect(joinedConfiguration(given)).toMatchObject({
    cgroupDriver: "systemd",
    rotateCertificates: true,
    serverTLSBootstrap: true,
    authentication: { anonymous: { enabled: false } },
    authorization: { mode: "Webhook" },
  });
});

each<[kubernetes: string, dns: string]>([
  ["10.96.0.1", "10.96.0.10"],
  ["fd00::1", "fd00::a"],
  ["", "10.0.0.10"],
])("usualDns: beside %s it is %s", (kubernetes, dns) => {
  expect(usualDns(kubernetes)).toBe(dns);
});
