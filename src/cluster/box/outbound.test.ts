import { join } from "node:path";
import { expect } from "vitest";
import { runScript } from "../../../test/project.ts";
import { requires, testWith } from "../../../test/requires.ts";
import { mustRun } from "../../platform/run-child.ts";
import { boxesFolder, testBox } from "./box.test-support.ts";

/** Runs a program in a network namespace and with a /run of its own, which stand for the machine's. */
async function onMachine(program: string, ...args: readonly string[]): Promise<unknown> {
  const script = `
    mount -t tmpfs tmpfs /run
    echo 0 > /proc/sys/net/ipv4/ip_forward
    echo 0 > /proc/sys/net/ipv6/conf/all/forwarding
    exec "$@"`;
  const command = [process.execPath, runScript, join(import.meta.dirname, program), ...args];
  const found = await mustRun("unshare", [
    "--net",
    "--mount",
    "sh",
    "-c",
    script,
    "sh",
    ...command,
  ]);
  return JSON.parse(found);
}

testWith(requires("containers", "boxes", "nft"))(
  "nodes reach each other and the outside while a cluster wants it, and the machine forwards no longer",
  async () => {
    const parent = boxesFolder();
    const options = [testBox(parent, 1), testBox(parent, 2)];
    const off = {
      ...{ otherNode: false, outside: false, forwards: "0" },
      ...{ tables: 0, hasState: false, refused: [] },
    };
    const on = { otherNode: true, forwards: "1", tables: 1, hasState: true };
    const nodes = options[0]?.gateway.replace(/1$/, "0/24");
    expect(await onMachine("outbound.test-support.ts", JSON.stringify(options))).toEqual({
      before: off,
      warnings: [],
      during: { ...on, outside: true, refused: [nodes, "10.244.0.0/16"] },
      withOther: { ...on, outside: false, refused: ["10.7.0.0/24", "10.8.0.0/16"] },
      withFirewall: [expect.stringContaining("drops forwarded packets")],
      // Others rely on it now.
      forOthers: { ...off, forwards: "1", tables: 1 },
      after: off,
      withBoth: {
        ...{ forwards: "1", routers: "2", refused: 2 },
        tables: expect.stringMatching(/^table ip6 wherry-nodes-/),
      },
      afterBoth: { forwards: "0", routers: "1", tables: "", refused: 0 },
    });
  },
);
