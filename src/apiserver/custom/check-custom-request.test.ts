import { afterAll, beforeAll, expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import type { TestRequest } from "../in-process.test-support.ts";
import { type CustomServer, gear, gears, openCustom, version } from "./custom.test-support.ts";

let custom: CustomServer;
beforeAll(async () => {
  custom = await openCustom();
  await custom.define({
    versions: [
      version({ subresources: { status: {} } }),
      version({ name: "v0", storage: false, served: false }),
    ],
  });
  await custom.define({ scope: "Cluster", names: { plural: "worlds", kind: "World" } });
  await custom.ask({ method: "POST", path: gears, body: gear("kept") });
});
afterAll(() => custom.close());

const put = (path: string, body: object): TestRequest => ({ method: "PUT", path, body });
const notFound = "the server could not find the requested resource";
/** What no definition serves is nobody's: it is told so without a Status. */
const nobodys = "404 page not found\n";

each<[what: string, request: TestRequest, status: number, message: string]>([
  ["a version that is not served", { path: "/apis/g.io/v0/gears" }, 404, nobodys],
  ["a version that there is not", { path: "/apis/g.io/v9/gears" }, 404, nobodys],
  [
    "a resource in a namespace that has none",
    { path: "/apis/g.io/v1/namespaces/default/worlds" },
    404,
    notFound,
  ],
  ["an object without its namespace", { path: "/apis/g.io/v1/gears/kept" }, 404, notFound],
  [
    "to create without a namespace",
    { method: "POST", path: "/apis/g.io/v1/gears", body: gear("a") },
    404,
    notFound,
  ],
  [
    "a subresource that is not defined",
    { path: "/apis/g.io/v1/worlds/w/status" },
    404,
    'worlds.g.io "w" not found',
  ],
  [
    "to create a subresource",
    { method: "POST", path: `${gears}/kept/status`, body: gear("kept") },
    405,
    'create is not supported on resources of kind "gears.g.io"',
  ],
  ["to replace what has no name", put(gears, gear("a")), 400, "name must be provided"],
  [
    "to send protobuf",
    {
      method: "POST",
      path: gears,
      body: "k8s",
      headers: { "content-type": "application/vnd.kubernetes.protobuf" },
    },
    415,
    "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf",
  ],
  [
    "a strategic merge patch",
    {
      method: "PATCH",
      path: `${gears}/kept`,
      body: {},
      headers: { "content-type": "application/strategic-merge-patch+json" },
    },
    415,
    "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
  ],
  [
    "to replace without a version",
    put(`${gears}/kept`, gear("kept")),
    422,
    'gears.g.io "kept" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
  ],
  [
    "an object of another version",
    { method: "POST", path: gears, body: { ...gear("a"), apiVersion: "g.io/v2" } },
    400,
    "the API version in the data (g.io/v2) does not match the expected API version (g.io/v1)",
  ],
  [
    "an object without a version",
    { method: "POST", path: gears, body: { kind: "Gear" } },
    400,
    "the API version in the data () does not match the expected API version (g.io/v1)",
  ],
  [
    "an object without a kind",
    { method: "POST", path: gears, body: { apiVersion: "g.io/v1" } },
    400,
    `the object provided is unrecognized (must be of type Gear): Object 'Kind' is missing in '{"apiVersion":"g.io/v1"}' ({"apiVersion":"g.io/v1"})`,
  ],
  [
    "metadata of wrong types",
    { method: "POST", path: gears, body: gear("a", { metadata: { name: 1 } }) },
    400,
    'Gear in version "v1" cannot be handled as a Gear: json: cannot unmarshal number into Go struct field ObjectMeta.name of type string',
  ],
  [
    "a field that cannot be selected on",
    { path: `${gears}?fieldSelector=spec.size=1` },
    400,
    "field label not supported: spec.size",
  ],
])("rejected request: %s", async (_, request, status, message) => {
  const answer = await custom.ask(request);
  expect([answer.status, answer.body.message ?? answer.body]).toEqual([status, message]);
});

test("a HEAD is a GET, whose body is not sent", async () => {
  const { status } = await custom.ask({ method: "HEAD", path: `${gears}/kept` });
  const { status: absent } = await custom.ask({ method: "HEAD", path: `${gears}/absent` });
  expect([status, absent]).toEqual([200, 404]);
});

test("a version that is deprecated is warned of, even where the request is rejected", async () => {
  await custom.define({
    names: { plural: "cogs", kind: "Cog" },
    versions: [version({ deprecated: true })],
  });
  const cogs = "/apis/g.io/v1/namespaces/default/cogs";
  const warnings = async (path: string) => (await custom.ask({ path })).headers.warning;
  const warning = ['299 - "g.io/v1 Cog is deprecated"'];
  expect(await warnings(cogs)).toEqual(warning);
  expect(await warnings(`${cogs}/a/status`)).toEqual(warning);
  expect(await warnings("/apis/g.io/v1/cogs/a")).toBeUndefined();
});
