import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWith, requires } from "../../../test/requires.ts";
import { realClock } from "../../platform/real-clock.ts";
import { type EtcdServers, startEtcdServers } from "../../store/etcd/etcd-server.test-support.ts";
import { openEtcdStore } from "../../store/etcd/etcd-store.ts";
import { configMap, newFolder, put, putText, runStore } from "./store-command.test-support.ts";

const map = "/registry/configmaps/default/m";

describeWith(requires("etcd"))("wherry store on etcd", () => {
  let servers: EtcdServers;
  const run = (name: string, ...args: readonly string[]) =>
    runStore([name, "--etcd-servers", servers.endpoints.join(","), ...args]);

  beforeAll(async () => {
    servers = await startEtcdServers();
    const store = await openEtcdStore({ endpoints: servers.endpoints, clock: realClock });
    await store.commit([put(map, configMap({ a: "1" }))]);
    await store.commit([put(map, configMap({ a: "2" }))]);
    await store.commit([putText("compact_rev_key", "0")]);
    await store.commit([{ type: "delete", key: map }]);
    await store.commit([put(map, configMap({ a: "3" }))]);
    await store.close();
  });
  afterAll(() => servers.stop());

  test("lists keys, shows objects and their history", async () => {
    expect((await run("ls")).stdout).toBe("/registry/\ncompact_rev_key\n");
    expect((await run("get", map)).stdout).toContain('a: "3"');
    expect((await run("history", map)).stdout).toBe(
      `revision 2: created at 2026-01-01T00:00:00Z by kubectl-create (Update)
revision 3: updated at 2026-01-01T00:00:00Z by kubectl-create (Update)
  ~ data.a: "1" → "2"
revision 5: deleted
revision 6: created at 2026-01-01T00:00:00Z by kubectl-create (Update)
`,
    );
  });
  test("watches", async () => {
    const stop = new AbortController();
    const { stdout, code } = await runStore(
      ["watch", "--etcd-servers", servers.endpoints.join(","), "/registry/", "--from", "3"],
      {
        signal: stop.signal,
        onOutput: (text) => {
          if (text.split("\n").length > 2) stop.abort();
        },
      },
    );
    const { value } = put(map, configMap({ a: "3" }));
    expect([code, stdout]).toEqual([
      0,
      `5\tdeleted\t-\t-\t${map}\n6\tcreated\t1\t${value.length}\t${map}\n`,
    ]);
  });
  test("verify, compact, and verify again", async () => {
    const end = "no violation found\n";
    expect((await run("verify")).stdout).toBe(
      `checked 2 keys at revision 6: order and counts
checked 1 object: decoded, and named like its key
checked 1 value as bytes only: it is not a Kubernetes object
checked 5 commits after revision 1: consistent with the current keys
${end}`,
    );
    expect((await run("compact", "4")).stdout).toBe(
      "compacted: the oldest revision is now 4; the current one is 6\n",
    );
    expect(await run("verify")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("2 commits after revision 4"),
    });
    expect(await run("compact", "3")).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^Error: revision 3 has been compacted; the oldest kept is 4/),
    });
  });
  test("snapshots go from an etcd to a data directory and back into an empty etcd", async () => {
    const folder = newFolder();
    const [file, dir] = [`${folder}/backup`, `${folder}/data`];
    expect((await run("snapshot", file)).stdout).toMatch(
      /: revision 6, 2 keys, no certificates and keys, \d+ bytes\n$/,
    );
    expect((await runStore(["restore", file, "--data-dir", dir])).code).toBe(0);
    expect(await runStore(["get", "--data-dir", dir, map])).toEqual(await run("get", map));
    expect(await run("restore", file)).toEqual({
      code: 1,
      stdout: "",
      stderr: "Error: the store is not empty: a snapshot is restored into an empty one\n",
    });
    const empty = await startEtcdServers();
    try {
      const into = ["--etcd-servers", empty.endpoints.join(",")];
      expect((await runStore(["restore", file, ...into])).stdout).toBe(
        `${empty.endpoints.join(",")}: revision 3, 2 keys, no certificates and keys\n`,
      );
      expect(await runStore(["get", map, ...into])).toEqual(await run("get", map));
    } finally {
      await empty.stop();
    }
  });
});

describeWith(requires("etcd"))("wherry store on an etcd, with errors", () => {
  let servers: EtcdServers;
  beforeAll(async () => {
    servers = await startEtcdServers();
    const store = await openEtcdStore({ endpoints: servers.endpoints, clock: realClock });
    for (const a of ["1", "2", "3"]) await store.commit([put(map, configMap({ a }))]);
    await store.commit([putText("/registry/pods/default/broken", "no object")]);
    await store.compact(3);
    await store.close();
  });
  afterAll(() => servers.stop());
  const none = "/registry/none";
  const see = ': list the keys with "wherry store ls"';

  test.each<[args: string[], code: number, stderr: string]>([
    [["ls", none], 1, `there is no key below ${none}`],
    [["get", none], 1, `there is no key ${none}${see}`],
    [["get", map, "--rev", "2"], 1, "revision 2 has been compacted; the oldest kept is 3"],
    [["get", map, "--rev", "9"], 1, "revision 9 is in the future; the current one is 5"],
    [["history", none], 1, `there is no key ${none}${see}`],
    [["watch", "--from", "2"], 1, "revision 2 has been compacted; the oldest kept is 3"],
    [["compact", "9"], 1, "revision 9 is in the future; the current one is 5"],
    [["compact", "x"], 2, 'a revision is a number above 0, not "x"'],
    [["snapshot", "/no/such/place"], 1, "cannot write /no/such/place: "],
    [["restore", "/no/such/file"], 1, "/no/such/file: there is no such file"],
    [["verify"], 1, ""],
    [["serve"], 2, "--etcd-servers is already an etcd: give --data-dir instead"],
  ])("%j exits with code %d", async (args, code, stderr) => {
    const outcome = await runStore([...args, "--etcd-servers", servers.endpoints.join(",")]);
    expect(outcome).toMatchObject({
      code,
      stderr: stderr === "" ? "" : expect.stringContaining(`Error: ${stderr}`),
    });
    if (args[0] === "verify")
      expect(outcome.stdout).toBe(
        "violation: /registry/pods/default/broken: it is not a Kubernetes object\n",
      );
    else expect(outcome.stdout).toBe("");
  });
});

test("an etcd that does not respond and files that do not exist exit with code 1", async () => {
  const gone = await runStore(["ls", "--etcd-servers", "http://127.0.0.1:1"]);
  expect([gone.code, gone.stdout]).toEqual([1, ""]);
  expect(gone.stderr).toMatch(
    /^Error: no etcd server answered within 5 seconds \(http:\/\/127\.0\.0\.1:1: connect E/,
  );
  const args = ["ls", "--etcd-servers", "https://127.0.0.1:1"];
  expect(await runStore([...args, "--etcd-cafile", "/no/such"])).toEqual({
    code: 1,
    stdout: "",
    stderr:
      "Error: cannot read /no/such, given by --etcd-cafile: there is no such file; check the path\n",
  });
  expect(await runStore([...args, "--etcd-keyfile", "/no/such"])).toEqual({
    code: 2,
    stdout: "",
    stderr:
      "Error: --etcd-certfile and --etcd-keyfile must be given together\nSee 'wherry store ls --help' for usage.\n",
  });
});
