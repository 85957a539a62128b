import { expect } from "vitest";
import {
  type Answer,
  configMap,
  configMaps,
  failure,
  pods,
  type SuiteTest,
} from "./harness-suite.ts";

const depth = 20_000;
const start = '{"metadata":{"name":"a"},';

/** Bodies that are refused, and in which words. */
const bodies: readonly (readonly [title: string, body: string | Uint8Array, wanted: RegExp])[] = [
  ["nothing", "", /^400 .*unexpected end of JSON input/],
  ["a truncated object", '{"metadata":{"name":"a"', /^400 .*unexpected end of JSON input/],
  ["a truncated string", '{"metadata":{"name":"a', /^400 .*unexpected end of JSON input/],
  [
    "two documents",
    '{"metadata":{"name":"a"}}{}',
    /^400 .*invalid character '{' after top-level value/,
  ],
  ["a list", "[]", /^400 .*cannot unmarshal array into Go value/],
  ["a number", "12", /^400 .*cannot unmarshal number into Go value/],
  ["a bare word", "hello", /^400 .*invalid character 'h' looking for beginning of value/],
  ["deep lists", "[".repeat(depth), /^400 /],
  ["deep objects", `${start}"data":${'{"a":'.repeat(depth)}1${"}".repeat(depth)}}`, /^400 /],
  [
    "deep objects in a field that nobody knows",
    `${start}"x":${'{"a":'.repeat(depth)}1${"}".repeat(depth)}}`,
    /^400 .*exceeded max depth/,
  ],
  [
    "a name that is a number",
    '{"metadata":{"name":1}}',
    /^400 .*cannot unmarshal number into Go struct field ObjectMeta\.metadata\.name of type string/,
  ],
  [
    "a map that is a list",
    `${start}"data":[]}`,
    /^400 .*cannot unmarshal array into Go struct field ConfigMap\.data of type map\[string\]string/,
  ],
  [
    "another kind",
    '{"kind":"Pod","apiVersion":"v1"}',
    /^400 .*Pod in version "v1" cannot be handled as a ConfigMap/,
  ],
  [
    "a kind that does not exist",
    '{"kind":"X","apiVersion":"y/v1"}',
    /^400 .*no kind "X" is registered for version "y\/v1"/,
  ],
];

/** Requests that are wrong, by accident or on purpose. */
export function hostileSuite(test: SuiteTest): void {
  test("a body that is not an object of the kind is rejected with the reason", async (api) => {
    const seen: string[] = [];
    for (const [title, body] of bodies)
      seen.push(`${title}: ${brief(await api.post(configMaps, body))}`);
    for (const [i, [title, , wanted]] of bodies.entries())
      expect(seen[i]).toMatch(new RegExp(`^${title}: ${wanted.source.slice(1)}`));
    expect((await api.read(configMaps)).items).toEqual([]);
  });

  test("bytes that are not UTF-8 become replacement characters, and names are still checked", async (api) => {
    const broken = (name: string, value: string) =>
      Buffer.from(`{"metadata":{"name":"${name}"},"data":{"k":"${value}"}}`, "latin1");
    const refused = await api.post(configMaps, broken("\xff", "v"));
    expect([refused.status, refused.body.reason]).toEqual([422, "Invalid"]);
    const kept = await api.create(configMaps, broken("a", "\xff\xc3"));
    expect(kept.data).toEqual({ k: "\ufffd\ufffd" });
  });

  test("a number is kept exactly or rejected", async (api) => {
    const grace = async (number: string) => {
      const { status, body } = await api.post(
        `${pods}?dryRun=All`,
        `{"metadata":{"name":"a"},"spec":{"terminationGracePeriodSeconds":${number},"containers":[{"name":"c","image":"i"}]}}`,
      );
      return status === 201 ? body.spec.terminationGracePeriodSeconds : [status, body.message];
    };
    const refused = (number: string) => [
      400,
      `Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal number ${number} into Go struct field PodSpec.spec.terminationGracePeriodSeconds of type int64`,
    ];
    expect([
      await grace("9007199254740991"),
      await grace("9007199254740993"),
      await grace("1e400"),
      await grace("1.5"),
      await grace(`1${"0".repeat(5000)}`),
    ]).toEqual([
      9007199254740991,
      refused("9007199254740993"),
      refused("1e400"),
      refused("1.5"),
      refused(`1${"0".repeat(5000)}`),
    ]);
  });

  test("fields of any schema are limited in depth and size", async (api) => {
    const post = async (fields: string) =>
      failure(
        await api.post(
          configMaps,
          `{"metadata":{"name":"a","managedFields":[{"fieldsV1":${fields}}]}}`,
        ),
      );
    for (const levels of [2_000, 9_000, depth]) {
      const [code, reason, message] = await post(
        `${'{"a":'.repeat(levels)}{}${"}".repeat(levels)}`,
      );
      expect([code, reason, message]).toEqual([
        400,
        "BadRequest",
        expect.stringMatching(/exceeded max depth/),
      ]);
    }
    expect(await post('{"a":9007199254740993}')).toEqual([
      400,
      "BadRequest",
      expect.stringContaining("cannot unmarshal number 9007199254740993"),
    ]);
  });

  test("keys with a meaning in JavaScript are ordinary keys", async (api) => {
    const body = `${start}"data":{"b":"1","__proto__":"2","constructor":"3","10":"4","9":"5"}}`;
    const wanted = '"data":{"10":"4","9":"5","__proto__":"2","b":"1","constructor":"3"}';
    expect((await api.post(configMaps, body)).text).toContain(wanted);
    const [one, all] = [await api.get(`${configMaps}/a`), await api.get(configMaps)];
    expect(one.text).toContain(wanted);
    expect(all.text).toContain(wanted);
    const patch = await api.call("PATCH", `${configMaps}/a`, {
      body: '{"data":{"__proto__":"changed","9":null}}',
      headers: { "content-type": "application/merge-patch+json" },
    });
    expect(patch.text).toContain(
      '"data":{"10":"4","__proto__":"changed","b":"1","constructor":"3"}',
    );
    expect(
      (await api.post(configMaps, `{"__proto__":{"x":1},"metadata":{"name":"b"}}`)).headers.warning,
    ).toEqual('299 - "unknown field \\"__proto__\\""');
  });

  test("warnings of any text and number do not break the response", async (api) => {
    const name = "\u65e5\u672c";
    const answer = await api.post(configMaps, `{"metadata":{"name":"w"},"${name}":1}`);
    expect([answer.status, answer.headers.warning !== undefined]).toEqual([201, true]);
    const env = new Array(5_000).fill(0).map((_, n) => ({ name: `N${n % 2_500}` }));
    const spec = { containers: [{ name: "c", image: "i", env }] };
    const many = await api.post(pods, { metadata: { name: "w" }, spec });
    expect(many.status).toEqual(201);
    expect(many.headers.warning?.length).toBeLessThan(10_000);
  });

  test("unknown paths are NotFound, and encoded slashes and dots lead nowhere", async (api) => {
    await api.create(configMaps, configMap("a"));
    const paths = [
      `${configMaps}/..%2fa`,
      `${configMaps}/..%2f..%2fsecrets`,
      `${configMaps}/../configmaps/a`,
      "/api/v1/namespaces/default%2fconfigmaps/configmaps/a",
      "/api/v1/namespaces/..%2fdefault/configmaps/a",
      `${configMaps}/a%00`,
      `${configMaps}/%ff`,
      `${configMaps}/a/b/c/d`,
      "/api/v1/configmaps/a",
      "/api/v1/nothing",
      "/api/v2/configmaps",
      "/apis/none/v1/things",
      "/apis//v1",
      "/nothing",
      "/.%2e/etc/passwd",
    ];
    const seen: [string, number][] = [];
    for (const path of paths) seen.push([path, (await api.get(path)).status]);
    expect(seen).toEqual(paths.map((path) => [path, 404]));
    expect((await api.get(`${configMaps}/%`)).status).toEqual(400);
    for (const name of ["%2e", "%2e%2e", "a%25b"]) {
      const { status, body } = await api.get(`${configMaps}/${name}`);
      expect([status, body.message]).toEqual([
        400,
        expect.stringMatching(/^Name parameter invalid: ".*": may not (be|contain) '/),
      ]);
    }
  });

  test("empty segments of a path are skipped", async (api) => {
    await api.create(configMaps, configMap("a"));
    const { body } = await api.get(`/${configMaps.replaceAll("/", "//")}//a/`);
    expect(body.metadata.name).toEqual("a");
  });

  test("a query that cannot be parsed is rejected", async (api) => {
    const get = async (query: string) =>
      failure(await api.get(`${configMaps}?${query}`)).slice(0, 2);
    expect([
      await get("limit=x"),
      await get("timeoutSeconds=99999999999999999999"),
      await get("continue=x"),
      await get("labelSelector=a%20in"),
      await get("fieldSelector=%3D%3D%3D"),
      await get("fieldSelector=__proto__%3D1"),
      await get("resourceVersion=x"),
      await get("resourceVersion=99999999999999999999"),
      await get("sendInitialEvents=true"),
      await get("watch=1&resourceVersionMatch=Exact"),
    ]).toEqual([
      [400, "BadRequest"],
      [400, "BadRequest"],
      [400, "BadRequest"],
      [400, "BadRequest"],
      [400, "BadRequest"],
      [400, "BadRequest"],
      [400, "BadRequest"],
      [400, "BadRequest"],
      [422, "Invalid"],
      [422, "Invalid"],
    ]);
  });

  test("a create with a resourceVersion is rejected", async (api) => {
    const version = (resourceVersion: string) => ({ metadata: { name: "a", resourceVersion } });
    expect(failure(await api.post(configMaps, version("1")))).toEqual([
      500,
      undefined,
      "resourceVersion should not be set on objects to be created",
    ]);
    await api.create(configMaps, version("0"));
  });

  test("a dry run of a creation returns the version that the client sent", async (api) => {
    for (const resourceVersion of ["1", "0", "x"]) {
      const object = { metadata: { name: "a", resourceVersion }, data: { k: "v" } };
      const { status, body } = await api.post(`${configMaps}?dryRun=All`, object);
      expect([status, body.metadata.resourceVersion]).toEqual([201, resourceVersion]);
      expect(JSON.stringify(body.metadata.managedFields)).not.toContain("resourceVersion");
    }
    expect((await api.call("GET", `${configMaps}/a`)).status).toEqual(404);
  });

  test("a patch that cannot be parsed or applied is rejected", async (api) => {
    await api.create(configMaps, configMap("a", { data: { k: "v" } }));
    const patch = async (type: "merge-patch" | "json-patch", body: string) =>
      failure(await api.patch(`${configMaps}/a`, type, body)).slice(0, 2);
    expect([
      await patch("merge-patch", "{"),
      await patch("merge-patch", "[]"),
      await patch("merge-patch", '{"data":1}'),
      await patch("merge-patch", '{"metadata":{"name":"b"}}'),
      await patch("merge-patch", `{"data":${'{"a":'.repeat(depth)}1${"}".repeat(depth)}}`),
      await patch("merge-patch", '{"metadata":{"generation":9007199254740993}}'),
      await patch("json-patch", '[{"op":"add","path":"/data/k","value":9007199254740993}]'),
      await patch("json-patch", "{}"),
      await patch("json-patch", '[{"op":"move"}]'),
      await patch("json-patch", '[{"op":"remove","path":"/data/none"}]'),
      await patch("json-patch", JSON.stringify(new Array(10_001).fill({ op: "test", path: "" }))),
    ]).toEqual([
      [400, "BadRequest"],
      [400, "BadRequest"],
      [422, "Invalid"],
      [400, "BadRequest"],
      [400, "BadRequest"],
      [422, "Invalid"],
      [422, "Invalid"],
      [400, "BadRequest"],
      [422, "Invalid"],
      [422, "Invalid"],
      [413, "RequestEntityTooLarge"],
    ]);
    const apply = await api.call("PATCH", `${configMaps}/a`, {
      body: "{}",
      headers: { "content-type": "application/json" },
    });
    expect([apply.status, apply.body.reason]).toEqual([415, "UnsupportedMediaType"]);
    expect((await api.read(`${configMaps}/a`)).data).toEqual({ k: "v" });
  });

  test("protobuf that is truncated or has no envelope of Kubernetes is rejected", async (api) => {
    const post = async (body: Uint8Array) => {
      const headers = { "content-type": "application/vnd.kubernetes.protobuf" };
      const { status, body: answer } = await api.call("POST", configMaps, { body, headers });
      return [status, answer.reason];
    };
    const bytes = (text: string) => Buffer.from(text, "latin1");
    const refused = [400, "BadRequest"];
    expect([
      await post(bytes("")),
      await post(bytes('{"metadata":{}}')),
      await post(bytes("k8s\0\x0a")),
      await post(bytes("k8s\0\x12\xff\xff\xff\xff\x0f")),
      await post(bytes("k8s\0\x12\x02\x0a\x7f")),
      await post(bytes("k8s\0\x0a\x09\x0a\x02v1\x12\x03Pod")),
    ]).toEqual([refused, refused, refused, refused, refused, refused]);
  });
}

const brief = ({ status, body }: Answer): string => `${status} ${body.message}`;
