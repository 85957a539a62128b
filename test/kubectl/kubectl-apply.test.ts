import { afterAll, beforeAll } from "vitest";
import { describeWith, requires } from "../requires.ts";
import { openTour, type Row, type Tour, testCommands } from "./kubectl.test-support.ts";

const config = (name: string, data: Readonly<Record<string, string>>, labels = "") =>
  [
    "apiVersion: v1",
    "kind: ConfigMap",
    "metadata:",
    `  name: ${name}`,
    ...(labels === "" ? [] : [`  labels: {${labels}}`]),
    "data:",
    ...Object.entries(data).map(([key, value]) => `  ${key}: "${value}"`),
    "",
  ].join("\n");

const deployment = (image: string, replicas = "") => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
${replicas === "" ? "" : `  replicas: ${replicas}\n`}  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
      - name: c
        image: ${image}
`;

const files = {
  "one.yaml": config("one", { a: "1", b: "1" }),
  "one-a.yaml": config("one", { a: "2" }),
  "one-b.yaml": config("one", { b: "2" }),
  "moved.yaml": config("moved", { a: "1" }),
  "moved-later.yaml": config("moved", { a: "2", b: "1" }),
  "set-1.yaml": `${config("p1", { a: "1" }, "set: s")}---\n${config("p2", { a: "1" }, "set: s")}`,
  "set-2.yaml": config("p1", { a: "2" }, "set: s"),
  "web.yaml": deployment("c:1", "2"),
  "web-image.yaml": deployment("c:2"),
  "bad.yaml": config("bad", { a: "1" }).replace("\ndata:", "\nbogus: x\ndata:"),
  "json.json": JSON.stringify({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "json" },
    data: { a: "1" },
  }),
};

const data = (name: string) => `get configmap ${name} -o jsonpath='{.data}'`;
const owners = (what: string) =>
  `get ${what} --show-managed-fields -o jsonpath='{range .metadata.managedFields[*]}{.manager} {.operation} {.subresource}{"\\n"}{end}'`;

const conflict = [
  'error: Apply failed with 1 conflict: conflict with "kubectl": .data.a',
  "Please review the fields above--they currently have other managers. Here",
  "are the ways you can resolve this warning:",
  "* If you intend to manage all of these fields, please re-run the apply",
  "  command with the `--force-conflicts` flag.",
  "* If you do not intend to manage all of the fields, please edit your",
  "  manifest to remove references to the fields that should keep their",
  "  current managers.",
  "* You may co-own fields by updating your manifest to match the existing",
  "  value; in this case, you'll become the manager if the other manager(s)",
  "  stop managing the field (remove it from their configuration).",
  "See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts",
];

const serverSide: Row[] = [
  ["apply --server-side -f one.yaml", "configmap/one serverside-applied"],
  ["apply --server-side -f one.yaml", "configmap/one serverside-applied"],
  [owners("configmap one"), "kubectl Apply"],
  ["apply --server-side --field-manager=other -f one-a.yaml", conflict, 1],
  [
    "apply --server-side --field-manager=other --force-conflicts -f one-a.yaml",
    "configmap/one serverside-applied",
  ],
  [data("one"), '{"a":"2","b":"1"}'],
  [owners("configmap one"), ["kubectl Apply", "other Apply"]],
  // What kubectl gives up and nobody else owns goes away.
  ["apply --server-side -f one-b.yaml --force-conflicts", "configmap/one serverside-applied"],
  [data("one"), '{"a":"2","b":"2"}'],
  [
    "apply --server-side -f one-b.yaml --dry-run=server",
    "configmap/one serverside-applied (server dry run)",
  ],
  ["apply --server-side -f json.json", "configmap/json serverside-applied"],
  [
    "apply --server-side -f bad.yaml",
    /failed to create typed patch object \(.*\/bad; \/v1, Kind=ConfigMap\): \.bogus: field not declared in schema/,
    1,
  ],
  ["apply --server-side -f bad.yaml --validate=false", /\.bogus: field not declared in schema/, 1],
  ["diff --server-side -f one-b.yaml", ""],
  [
    "diff --server-side -f one.yaml --force-conflicts",
    /\n- {2}b: "2"\n\+ {2}a: "1"\n|\n- {2}a: "2"\n- {2}b: "2"\n\+ {2}a: "1"\n\+ {2}b: "1"\n/,
    1,
  ],
];

const status: Row[] = [
  ["apply --server-side -f web.yaml", "deployment.apps/web serverside-applied"],
  ["scale deployment web --replicas=5", "deployment.apps/web scaled"],
  [owners("deployment web"), ["kubectl Apply", "kubectl Update scale"]],
  [
    "apply --server-side -f web.yaml",
    /conflict with "kubectl" with subresource "scale" using apps\/v1: \.spec\.replicas/,
    1,
  ],
  ["apply --server-side -f web-image.yaml", "deployment.apps/web serverside-applied"],
  [
    "get deployment web -o jsonpath='{.spec.replicas} {.spec.template.spec.containers[0].image}'",
    "5 c:2",
  ],
  [
    `patch deployment web --subresource=status --type=merge -p '{"status":{"observedGeneration":1}}'`,
    "deployment.apps/web patched",
  ],
  [
    owners("deployment web"),
    ["kubectl Apply", "kubectl Update scale", "kubectl-patch Update status"],
  ],
  [
    "get deployment web --subresource=scale -o jsonpath='{.spec.replicas} {.status.selector}'",
    "5 app=web",
  ],
];

/** From client-side to server-side apply, and back. */
const migration: Row[] = [
  ["apply -f moved.yaml", "configmap/moved created"],
  [owners("configmap moved"), "kubectl-client-side-apply Update"],
  ["apply --server-side -f moved-later.yaml", "configmap/moved serverside-applied"],
  [data("moved"), '{"a":"2","b":"1"}'],
  [owners("configmap moved"), ["kubectl-last-applied Apply", "kubectl Apply"]],
  ["apply view-last-applied configmap moved -o json", /"b": "1"/],
  ["apply --server-side -f moved.yaml", "configmap/moved serverside-applied"],
  [data("moved"), '{"a":"1"}'],
  ["apply -f moved-later.yaml", "configmap/moved configured"],
  [data("moved"), '{"a":"2","b":"1"}'],
];

const pruning: Row[] = [
  [
    "apply --server-side --prune -l set=s -f set-1.yaml",
    "error: --prune is in alpha and doesn't currently work on objects created by server-side apply",
    1,
  ],
  [
    "apply --prune -l set=s --prune-allowlist=core/v1/ConfigMap -f set-1.yaml",
    ["configmap/p1 created", "configmap/p2 created"],
  ],
  [
    "apply --prune -l set=s --prune-allowlist=core/v1/ConfigMap -f set-2.yaml",
    ["configmap/p1 configured", "configmap/p2 pruned"],
  ],
  ["get configmap -l set=s -o name", "configmap/p1"],
];

describeWith(requires("kubectl"))("kubectl applies, on the server's side", () => {
  let tour: Tour;
  beforeAll(async () => {
    tour = await openTour(files);
  });
  afterAll(() => tour.close());

  testCommands(() => tour, [...serverSide, ...status, ...migration, ...pruning]);
});
