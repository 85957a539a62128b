import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Deployment } from "../../src/api/apps/v1/deployment.ts";
import { SeededRandom } from "../../src/base/random.ts";
import { shapeOf } from "../../src/schema/language/shape.ts";
import { createThreeWayMergePatch } from "../../src/schema/strategic-merge/create-merge-patch.ts";
import { describeWith, requires } from "../requires.ts";
import { openTour, type Row, type Tour, testCommands } from "./kubectl.test-support.ts";
import { manifests } from "./kubectl-manifests.test-support.ts";

const key = "kubectl.kubernetes.io/last-applied-configuration";

describeWith(requires("kubectl"))("kubectl apply on the client's side", () => {
  let tour: Tour;
  beforeAll(async () => {
    const env = { EDITOR: "sed -i 's/replicas: 2/replicas: 5/'", TMPDIR: "." };
    tour = await openTour({ ...manifests, ...stores }, { env });
    const created = "create -f deployment.yaml -f pod.yaml";
    expect(await tour.run(created)).toMatchObject({ code: 0 });
  });
  afterAll(() => tour.close());

  testCommands(() => tour, [...applied, ...lastApplied]);

  test("kubectl apply sends the patch that we make", async () => {
    const chance = new SeededRandom(36);
    for (let round = 0; round < 12; round++) {
      await tour.run(`apply --validate=false -f ${written("asked.json", randomStore(chance))}`);
      const { metadata } = await live(tour);
      const changed = randomStore(chance);
      changed.metadata.annotations = metadata.annotations;
      await tour.run(`replace --validate=false -f ${written("live.json", changed)}`);
      const modified = randomStore(chance);
      const current = await live(tour);
      const file = written("now.json", modified);
      const { printed } = await tour.run(`apply --validate=false -f ${file} -v=10`);
      const sent = sentPatch(printed);
      modified.metadata.annotations = { [key]: sent.metadata.annotations[key] ?? "" };
      const original = JSON.parse(current.metadata.annotations[key] ?? "{}") as Store;
      expect(patch({ original, modified, current, overwrite: true })).toEqual(sent);
    }
  });

  test("kubectl apply --overwrite=false shows the conflict that we find", async () => {
    const original = randomStore(new SeededRandom(1));
    await tour.run(`apply -f ${written("asked.json", original)}`);
    await tour.run(`patch deploy random -p '{"spec":{"replicas":7}}'`);
    const current = await live(tour);
    const spec = { ...original.spec, replicas: 8 };
    const file = written("now.json", { ...original, spec });
    const { code, printed } = await tour.run(`apply --overwrite=false -f ${file}`);
    expect(code).toBe(1);
    // What kubectl notes in the object is part of both sides.
    const note = printed.match(/\nmodified:\n(.*)\n/)?.[1] ?? "";
    const modified = JSON.parse(note) as Store;
    const last = JSON.parse(current.metadata.annotations[key] ?? "") as Store;
    expect(printed).toContain(conflict({ original: last, modified, current, overwrite: false }));
  });

  const written = (name: string, document: object): string => {
    writeFileSync(join(tour.dir, name), JSON.stringify(document));
    return name;
  };
});

interface Store {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { name: string; annotations: Record<string, string> };
  readonly spec: object;
}
type Documents = Parameters<typeof createThreeWayMergePatch>[1];
type Stores = { [K in "original" | "modified" | "current"]: Store } & { overwrite: boolean };

const patch = (documents: Stores) =>
  createThreeWayMergePatch(shapeOf(Deployment.struct), documents as unknown as Documents);

function conflict(documents: Stores): string {
  try {
    patch(documents);
    return "there is none";
  } catch (error) {
    return (error as Error).message.trimEnd();
  }
}

async function live(tour: Tour): Promise<Store> {
  return JSON.parse(
    (await tour.run("get deploy random -o json --show-managed-fields")).printed,
  ) as Store;
}

/** The body of the PATCH, from what kubectl logs. */
function sentPatch(log: string): Store {
  const [, body = '"{}"'] = log.match(/"Request Body" body=("\{.*")$/m) ?? [];
  return JSON.parse(JSON.parse(body) as string) as Store;
}

/** A Deployment with some of all that patches treat in ways of their own. */
function randomStore(random: SeededRandom): Store {
  const below = (limit: number) => Math.floor(random.next() * limit);
  const pick = <T>(from: readonly T[]): T => from[below(from.length)] as T;
  const some = <T>(from: readonly T[], least = 0): T[] => {
    const left = [...from];
    const count = least + below(from.length + 1 - least);
    return Array.from({ length: count }, () => left.splice(below(left.length), 1)[0] as T);
  };
  const maybe = (part: object): object => (below(2) === 0 ? part : {});
  const container = (name: string) => ({
    name,
    image: pick(["i:1", "i:2"]),
    ...maybe({ args: some(["a", "b", "c"]) }),
    ...maybe({ env: some(["A", "B", "C"]).map((env) => ({ name: env, value: pick(["1", "2"]) })) }),
    ...maybe({ ports: some([80, 53, 443]).map((containerPort) => ({ containerPort })) }),
  });
  const source = () =>
    pick<object>([{ emptyDir: {} }, { configMap: { name: "c" } }, { secret: { secretName: "s" } }]);
  const strategy = () =>
    pick<object>([{ type: "Recreate" }, { rollingUpdate: { maxSurge: pick([1, 2]) } }]);
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: {
      name: "random",
      ...{ namespace: "default", finalizers: some(["f/a", "f/b", "f/c"]) },
      ...maybe({ labels: { [pick(["x", "y"])]: pick(["1", "2"]) } }),
      annotations: {},
    },
    spec: {
      ...maybe({ replicas: below(3) }),
      ...maybe({ strategy: strategy() }),
      selector: { matchLabels: { app: "a" } },
      template: {
        metadata: { labels: { app: "a" } },
        spec: {
          containers: some(["a", "b", "c", "d"], 1).map(container),
          ...maybe({ volumes: some(["u", "v", "w"]).map((name) => ({ name, ...source() })) }),
          ...maybe({ imagePullSecrets: some(["p", "q"]).map((name) => ({ name })) }),
          ...maybe({ tolerations: some([{ key: "k" }, { key: "l", operator: "Exists" }]) }),
        },
      },
    },
  };
}

const store = (metadata: string, spec: string): string => `apiVersion: apps/v1
kind: Deployment
metadata: {name: store, labels: {${metadata}}}
spec:
  selector: {matchLabels: {app: store}}
${spec}`;

const stores = {
  "one.yaml": store(
    "app: store, tier: front",
    `  replicas: 2
  template:
    metadata: {labels: {app: store}}
    spec:
      containers:
      - {name: web, image: "web:1", env: [{name: A, value: "1"}, {name: B, value: "2"}], args: [a, b]}
      - {name: log, image: "log:1"}
      volumes:
      - {name: data, emptyDir: {}}
      - {name: conf, configMap: {name: conf}}
`,
  ),
  "two.yaml": store(
    "app: store",
    `  strategy: {type: Recreate}
  template:
    metadata: {labels: {app: store}}
    spec:
      containers:
      - {name: cache, image: "cache:1"}
      - {name: web, image: "web:2", env: [{name: C, value: "3"}, {name: A, value: "1"}], args: [b]}
      volumes:
      - {name: conf, configMap: {name: conf}}
      - {name: data, secret: {secretName: data}}
`,
  ),
};

/** What somebody else adds to the Deployment. */
const added = JSON.stringify({
  metadata: { labels: { own: "1" } },
  spec: {
    template: {
      spec: {
        containers: [
          { name: "web", env: [{ name: "Z", value: "9" }] },
          { name: "extra", image: "extra:1" },
        ],
      },
    },
  },
});

const containers =
  "get deploy store -o jsonpath='{range .spec.template.spec.containers[*]}{.name} {.image} {.env[*].name} {.args}{\"\\n\"}{end}'";

const applied: Row[] = [
  ["apply -f one.yaml", "deployment.apps/store created"],
  ["apply -f one.yaml", "deployment.apps/store unchanged"],
  [`patch deploy store -p '${added}'`, "deployment.apps/store patched"],
  ["apply -f two.yaml --dry-run=server", "deployment.apps/store configured (server dry run)"],
  ["diff -f two.yaml", /\n-\s+tier: front\n[\s\S]*\n\+\s+type: Recreate\n/, 1],
  ["apply -f two.yaml", "deployment.apps/store configured"],
  [
    "get deploy store -o jsonpath='{.metadata.labels} {.spec.replicas} {.spec.strategy}'",
    '{"app":"store","own":"1"} 1 {"type":"Recreate"}',
  ],
  [containers, ["extra extra:1", "cache cache:1", 'web web:2 Z C A ["b"]']],
  [
    "get deploy store -o jsonpath='{.spec.template.spec.volumes}'",
    '[{"configMap":{"defaultMode":420,"name":"conf"},"name":"conf"},{"name":"data","secret":{"defaultMode":420,"secretName":"data"}}]',
  ],
  ["diff -f two.yaml", ""],
  // The order of containers is said again, since there are more than were asked for.
  ["apply -f two.yaml", "deployment.apps/store configured"],
  ["apply -f one.yaml -o jsonpath='{.spec.strategy.type}'", "RollingUpdate"],
  [containers, ["extra extra:1", 'web web:1 Z A B ["a","b"]', "log log:1"]],
];

const missing = (what: string): string =>
  `Warning: resource ${what} is missing the ${key} annotation which is required by kubectl apply. kubectl apply should only be used on resources created declaratively by either kubectl create --save-config or kubectl apply. The missing annotation will be patched automatically.`;

const lastApplied: Row[] = [
  [
    "apply view-last-applied deploy store",
    /^apiVersion: apps\/v1\nkind: Deployment\n[\s\S]*\n {2}replicas: 2\n/,
  ],
  ["apply set-last-applied -f two.yaml", "deployment.apps/store configured"],
  ["apply set-last-applied -f two.yaml", "set-last-applied store: no changes required."],
  ["apply view-last-applied deploy/store -o json", /"type": "Recreate"/],
  ["apply set-last-applied -f one.yaml", "deployment.apps/store configured"],
  ["apply edit-last-applied deploy store", "deployment.apps/store edited"],
  ["apply view-last-applied deploy store", /\n {2}replicas: 5\n/],
  [
    "apply set-last-applied -f pod.yaml",
    "error: no last-applied-configuration annotation found on resource: web, to create the annotation, run the command with --create-annotation",
    1,
  ],
  ["apply set-last-applied -f pod.yaml --create-annotation", "pod/web configured"],
  ["apply -f pod.yaml", "pod/web configured"],
  ["apply -f pod.yaml", "pod/web unchanged"],
  ["apply -f deployment.yaml", ["deployment.apps/shop configured", missing("deployments/shop")]],
  ["apply -f deployment.yaml", "deployment.apps/shop unchanged"],
];
