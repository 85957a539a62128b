import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  deleteEntry,
  flattenedKubeconfig,
  listContexts,
  minifiedKubeconfig,
  renameContext,
  setEntry,
  useContext,
} from "../../src/kubeconfig/edit-kubeconfig.ts";
import type { Kubeconfig } from "../../src/kubeconfig/kubeconfig.ts";
import { loadKubeconfig, resolvedKubeconfig } from "../../src/kubeconfig/load-kubeconfig.ts";
import { modifyKubeconfig } from "../../src/kubeconfig/modify-kubeconfig.ts";
import { requires, testWith } from "../requires.ts";
import { testDir } from "../support/apiserver.test-support.ts";

const whole = testWith(requires("kubectl"));

/** Three files of a list, of which the first is missing, with names that are there twice. */
const files = {
  "b/two": `
apiVersion: v1
kind: Config
clusters:
- name: one
  cluster: {server: "https://one.two:1", certificate-authority: ca.crt}
- name: only-two
  cluster:
    server: https://x
    extensions: [{name: e, extension: {apiVersion: example.com/v1, kind: Some, a: [1, {b: c}]}}]
contexts:
- {name: here, context: {cluster: one, user: jane, namespace: n1}}
users:
- name: jane
  user: {client-certificate: ../jane.crt, client-key: sub/jane.key}
preferences: {colors: true}
extensions: [{name: top, extension: {apiVersion: example.com/v1, kind: Some, v: 2}}]
`,
  "c/three": JSON.stringify({
    clusters: [{ name: "one", cluster: { server: "https://one.three:1", "tls-server-name": "t" } }],
    contexts: [
      { name: "here", context: { cluster: "other", user: "other" } },
      { name: "there", context: { cluster: "one", user: "exec" } },
    ],
    "current-context": "there",
    users: [
      { name: "jane", user: { token: "abc" } },
      {
        name: "exec",
        user: {
          exec: {
            apiVersion: "client.authentication.k8s.io/v1beta1",
            command: "./plugin",
            env: [{ name: "A", value: "b" }],
          },
        },
      },
    ],
  }),
};

interface Place {
  readonly dir: string;
  readonly env: { readonly KUBECONFIG: string; readonly PATH: string; readonly HOME: string };
  kubectl(...args: string[]): string;
}

function place(content: Readonly<Record<string, string>> = files): Place {
  const dir = testDir();
  for (const sub of ["b", "c", "b/sub"]) mkdirSync(join(dir, sub));
  for (const [name, text] of Object.entries(content)) writeFileSync(join(dir, name), text);
  for (const name of ["b/ca.crt", "jane.crt", "b/sub/jane.key"])
    writeFileSync(join(dir, name), `of ${name}`);
  const list = ["a/missing", ...Object.keys(files)].map((name) => join(dir, name));
  const env = { KUBECONFIG: list.join(":"), PATH: process.env.PATH ?? "", HOME: dir };
  return {
    dir,
    env,
    kubectl: (...args) => execFileSync("kubectl", args, { env, cwd: dir, encoding: "utf8" }),
  };
}

/** What kubectl shows of a list of files. */
const viewed = ({ kubectl }: Place, ...flags: string[]): unknown =>
  plain(JSON.parse(kubectl("config", "view", "--raw", "-o", "json", ...flags)) as object);

whole("what several files say together is what kubectl says", async () => {
  const at = place();
  const { config } = await loadKubeconfig({ env: at.env });
  expect(plain(config)).toEqual(viewed(at));
  expect(config["current-context"]).toBe("there");
});

whole("the same for one context, and without files", async () => {
  const at = place();
  at.kubectl("config", "use-context", "here");
  const loaded = await loadKubeconfig({ env: at.env });
  expect(plain(minifiedKubeconfig(loaded.config))).toEqual(viewed(at, "--minify"));
  const flat = await flattenedKubeconfig(minifiedKubeconfig(resolvedKubeconfig(loaded)));
  expect(plain(flat)).toEqual(viewed(at, "--minify", "--flatten"));
});

whole("contexts are listed as kubectl lists them", async () => {
  const at = place();
  const { config } = await loadKubeconfig({ env: at.env });
  const rows = at.kubectl("config", "get-contexts", "--no-headers").trimEnd().split("\n");
  expect(
    listContexts(config).map(({ isCurrent, name, cluster, user, namespace }) =>
      [isCurrent ? "*" : "", name, cluster, user, namespace].join(" ").trim(),
    ),
  ).toEqual(rows.map((row) => row.trim().replaceAll(/ +/g, " ")));
});

/** A change by kubectl, and by us. */
const changes: readonly (readonly [string[], (config: Kubeconfig) => Kubeconfig])[] = [
  [["use-context", "here"], (config) => useContext(config, "here")],
  [["rename-context", "there", "where"], (config) => renameContext(config, "there", "where")],
  [["delete-context", "here"], (config) => deleteEntry(config, "contexts", "here")],
  [["delete-cluster", "only-two"], (config) => deleteEntry(config, "clusters", "only-two")],
  [["delete-user", "exec"], (config) => deleteEntry(config, "users", "exec")],
  [
    ["set-context", "there", "--namespace=deep"],
    (config) => setEntry(config, "contexts", { name: "there", namespace: "deep" }),
  ],
  [
    ["set-context", "new", "--cluster=one", "--user=jane"],
    (config) => setEntry(config, "contexts", { name: "new", cluster: "one", user: "jane" }),
  ],
  [
    ["set-cluster", "one", "--server=https://other"],
    (config) => setEntry(config, "clusters", { name: "one", server: "https://other" }),
  ],
  [
    ["set-credentials", "fresh", "--token=t"],
    (config) => setEntry(config, "users", { name: "fresh", token: "t" }),
  ],
  [["unset", "current-context"], (config) => ({ ...config, "current-context": "" })],
  [
    ["unset", "contexts.here.namespace"],
    (config) => setEntry(config, "contexts", { name: "here", namespace: undefined }),
  ],
];

for (const [args, edit] of changes)
  whole(`kubectl config ${args.join(" ")} changes the same in the same files`, async () => {
    const [theirs, ours] = [place(), place()];
    theirs.kubectl("config", ...args);
    await modifyKubeconfig({ env: ours.env }, edit);
    for (const name of Object.keys(files))
      expect([name, parsed(ours, name)]).toEqual([name, parsed(theirs, name)]);
    // And each is what the other takes it for.
    expect(plain((await loadKubeconfig({ env: theirs.env })).config)).toEqual(viewed(theirs));
    expect(plain((await loadKubeconfig({ env: ours.env })).config)).toEqual(viewed(ours));
    for (const name of ["a/missing", ...Object.keys(files)])
      expect(existsSync(join(ours.dir, `${name}.lock`))).toBe(false);
  });

/** A file as kubectl reads it. */
function parsed({ dir, kubectl }: Place, name: string): unknown {
  const path = join(dir, name);
  const text = kubectl("config", "view", "--raw", "-o", "json", `--kubeconfig=${path}`);
  return plain(JSON.parse(text) as object);
}

whole("a lock of kubectl's is respected, by both in the same words", async () => {
  const at = place();
  const lock = join(at.dir, "c/three.lock");
  writeFileSync(lock, "");
  await expect(
    modifyKubeconfig({ env: at.env }, (config) => useContext(config, "here")),
  ).rejects.toThrow(`open ${lock}: file exists`);
  expect(() => at.kubectl("config", "use-context", "here")).toThrow(`open ${lock}: file exists`);
  expect(existsSync(lock)).toBe(true);
});

test("unknown fields are kept, and unchanged files are not written", async () => {
  const at = place({
    ...files,
    "c/three": JSON.stringify({
      contexts: [{ name: "there", mine: 1, context: { cluster: "one", user: "u", other: [2] } }],
      custom: { a: "b" },
    }),
  });
  const before = statSync(join(at.dir, "b/two"));
  const text = readFileSync(join(at.dir, "b/two"), "utf8");
  await modifyKubeconfig({ env: at.env }, (config) =>
    setEntry(config, "contexts", { name: "there", namespace: "n" }),
  );
  expect(readFileSync(join(at.dir, "b/two"), "utf8")).toBe(text);
  expect(statSync(join(at.dir, "b/two")).mtimeMs).toBe(before.mtimeMs);
  expect((await loadKubeconfig({ path: join(at.dir, "c/three") })).config).toMatchObject({
    contexts: [
      {
        name: "there",
        mine: 1,
        context: { cluster: "one", user: "u", other: [2], namespace: "n" },
      },
    ],
    custom: { a: "b" },
  });
});

test("a new file is readable by its owner only; an existing one keeps its mode", async () => {
  const at = place();
  const path = join(at.dir, "new/config");
  await modifyKubeconfig({ path }, (config) =>
    setEntry(config, "users", { name: "u", token: "t" }),
  );
  expect(statSync(path).mode & 0o777).toBe(0o600);
  writeFileSync(join(at.dir, "open"), "{}", { mode: 0o644 });
  await modifyKubeconfig({ path: join(at.dir, "open") }, (config) => ({
    ...config,
    "current-context": "x",
  }));
  expect(statSync(join(at.dir, "open")).mode & 0o777).toBe(0o644);
});

/** A kubeconfig without what says nothing, and what kubectl fills in. */
const plain = (config: object): unknown =>
  substance({ apiVersion: "v1", kind: "Config", ...config });

/** Without nulls, empty texts, lists and objects. */
function substance(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(substance);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value)
    .map(([name, member]) => [name, substance(member)] as const)
    .filter(([name, member]) => !isNothing(member) && !filledIn.has(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, byName(member)]));
}

const filledIn: ReadonlySet<string> = new Set(["interactiveMode"]);

function isNothing(value: unknown): boolean {
  if (value === null || value === undefined || value === "" || value === false) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

function byName(value: unknown): unknown {
  if (!Array.isArray(value) || !value.every((item) => isNamed(item))) return value;
  return value.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

const isNamed = (item: unknown): item is { readonly name: string } =>
  typeof item === "object" && item !== null && "name" in item;
