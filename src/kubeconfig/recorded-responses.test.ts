import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readRecorded } from "../../test/facts.ts";
import { StatusError } from "../api/meta/v1/status-error.ts";
import { VirtualClock } from "../base/virtual-clock.ts";
import { createClient } from "../client/client.ts";
import { createDiscovery } from "../client/discovery/discovery.ts";
import { createRestMapper } from "../client/discovery/rest-mapper.ts";
import { type RecordedCall, recordedCall } from "../client/recorded-call.test-support.ts";
import {
  type ReceivedRequest,
  type RecordedCase,
  type RecordedServer,
  type RecordedStep,
  recordedServer,
} from "../client/recorded-server.test-support.ts";
import { refused, scriptedTransport } from "../client/scripted-transport.test-support.ts";
import { type HttpsTransport, httpsTransport } from "./https-transport.ts";

const families = ["apply", "defaulted", "invalid", "patches", "rbac", "rest"];

const cases = readCases();

describe("a client gets the recorded responses of a real server", () => {
  let server: RecordedServer;
  let transport: HttpsTransport;
  beforeAll(async () => {
    server = await recordedServer();
    transport = httpsTransport({ server: server.url });
  });
  afterAll(async () => {
    transport.close();
    await server.close();
  });

  test("nearly all recorded requests can be made with the client's calls, and every call is used", () => {
    const count = new Map<string, number>();
    for (const [, , { by }] of cases) count.set(by, (count.get(by) ?? 0) + 1);
    const raw = count.get("raw") ?? 0;
    expect([...count.keys()].sort()).toEqual([
      "apply",
      "create",
      "delete",
      "deleteCollection",
      "get",
      "list",
      "patch.json",
      "patch.merge",
      "patch.strategic",
      "raw",
      "subresource.apply",
      "subresource.create",
      "subresource.patch",
      "subresource.update",
      "update",
      "watch",
    ]);
    expect(cases.length).toBeGreaterThan(2100);
    expect(cases.length - raw).toBeGreaterThan(1900);
  });

  const recorded = (name: string) => cases.find(([found]) => found === name)?.[1].response;

  test("discovery reads a real server's aggregated document", async () => {
    const whole = recorded("rest/raw/aggregated or plain");
    const { transport } = scriptedTransport(({ path }) =>
      path === "/api" ? (whole ?? {}) : { ...whole, body: { items: [] } },
    );
    const client = createClient(transport, { clock: new VirtualClock(0) });
    const { groups, resources, failures } = await createDiscovery(client).apis();
    expect(groups).toEqual([{ name: "", versions: ["v1"], preferredVersion: "v1" }]);
    expect([resources.length, failures.size]).toEqual([17, 0]);
    const pods = resources.find(({ plural }) => plural === "pods");
    expect(pods).toMatchObject({ kind: "Pod", shortNames: ["po"], categories: ["all"] });
    expect(pods?.subresources.map(({ name }) => name)).toContain("ephemeralcontainers");
  });

  test("discovery reads a real server's documents of group versions", async () => {
    const { transport } = scriptedTransport(
      ({ path }) => recorded(`rest/raw/${path}`) ?? refused(503, "ServiceUnavailable", path),
    );
    const discovery = createDiscovery(createClient(transport, { clock: new VirtualClock(0) }));
    const { groups, resources, failures } = await discovery.apis();
    // The list of groups was recorded, and the resources of some of them.
    const served = new Set(resources.map(({ group }) => group));
    expect([...served].sort()).toEqual([
      "authorization.k8s.io",
      "coordination.k8s.io",
      "discovery.k8s.io",
      "storage.k8s.io",
    ]);
    const versions = groups.flatMap(({ versions }) => versions).length;
    expect(failures.size).toBe(versions - served.size);
    const leases = resources.find(({ plural }) => plural === "leases");
    expect(leases?.storageVersionHash).toBeTypeOf("string");
    const mapper = createRestMapper(discovery);
    expect(await mapper.named("sc")).toMatchObject({ kind: "StorageClass", scope: "Cluster" });
  });

  test.each(cases)("%s", async (_, { request, response }, call) => {
    const received = server.play(response);
    const warnings: string[] = [];
    const client = createClient(transport, {
      clock: new VirtualClock(0),
      namespace: call.namespace,
      impersonate: call.as,
      retry: { maxRetries: 0 },
      onWarning: (text) => warnings.push(text),
    });
    const outcome = await call.run(client).catch((error: unknown) => error);
    expect(received.map(sent)).toEqual([wanted(request, call)]);
    expect(shown(outcome)).toEqual(expected(response, call));
    if (call.by !== "raw") expect(warnings).toEqual(warned(response));
  });
});

function readCases(): (readonly [name: string, recorded: RecordedCase, call: RecordedCall])[] {
  return families
    .flatMap(readRecorded<RecordedCase>)
    .map((recorded) => [recorded.name, recorded, recordedCall(recorded.request)] as const);
}

/** The parts of a request that are compared: the rest is up to the transport. */
function sent({ method, path, query, headers, text }: ReceivedRequest): object {
  const type = headers["content-type"];
  return {
    method,
    path: decodeURIComponent(path),
    query: sorted(query),
    accept: acceptOf(String(headers.accept)),
    identity: identityOf(headers),
    ...(text !== "" && { type, body: parsed(text) }),
  };
}

/** The same parts of a recorded request. */
function wanted({ method, path, headers = {}, body }: RecordedStep, { by }: RecordedCall): object {
  const [bare = "", query = ""] = path.split("?");
  const given = body ?? (by.startsWith("delete") ? {} : undefined);
  return {
    method,
    path: decodeURIComponent(bare),
    query: sorted(by === "watch" ? query.replace("watch=1", "watch=true") : query),
    accept: acceptOf(headers.accept ?? "application/json, */*"),
    identity: identityOf(headers),
    ...(given !== undefined &&
      given !== "" && {
        type: headers["content-type"] ?? "application/json",
        body: typeof given === "string" ? parsed(given) : deleteOptions(given as object, by),
      }),
  };
}

/** Delete options name their kind, also where the recorder left it out. */
const deleteOptions = (body: object, by: string): object =>
  by.startsWith("delete") ? { apiVersion: "v1", kind: "DeleteOptions", ...body } : body;

const sorted = (query: string): string[][] =>
  [...new URLSearchParams(query)].sort(([a], [b]) => ((a ?? "") < (b ?? "") ? -1 : 1));

/** A media type with its parameters sorted; of metadata requests only the preferred type. */
const acceptOf = (accept: string): string[] =>
  (accept.includes("as=Partial") ? (accept.split(",")[0] ?? "") : accept)
    .split(";")
    .map((part) => part.trim())
    .sort();

const identityOf = (headers: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name.startsWith("impersonate-"))
      .map(([name, value]) => [name, String(value)]),
  );

/** The outcome of a call as a value. */
function shown(outcome: unknown): unknown {
  if (outcome instanceof StatusError) return errorValue(outcome);
  if (outcome instanceof Error) throw outcome;
  const { events, error } = (outcome ?? {}) as { events?: unknown; error?: unknown };
  return events && error ? { events, error: errorValue(error as StatusError) } : outcome;
}

const errorValue = ({ reason, message, code, details }: StatusError): object => ({
  refused: { reason, message, code, details },
});

/** The expected outcome of a call. */
function expected({ status, body }: RecordedCase["response"], { by }: RecordedCall): unknown {
  if (by === "raw") return { status, value: body === "" ? undefined : body };
  if (status >= 400)
    return by === "watch"
      ? { events: [], error: refusedBy(body, status) }
      : refusedBy(body, status);
  if (by === "watch") return eventsOf(typeof body === "string" ? body : JSON.stringify(body));
  if (by === "deleteCollection") return undefined;
  const { kind, apiVersion, items } = body as RecordedList;
  if (by === "delete" && kind === "Status") return undefined;
  if (by !== "list") return body;
  const own = kind.startsWith("PartialObjectMetadata")
    ? { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1" }
    : { kind: kind.replace(/List$/, ""), apiVersion };
  return { ...(body as object), items: (items ?? []).map((item) => ({ ...own, ...item })) };
}

interface RecordedList {
  readonly kind: string;
  readonly apiVersion: string;
  readonly items?: readonly object[];
}

function refusedBy(body: unknown, status: number): object {
  const { reason = "", message = "", code = status, details } = body as Record<string, unknown>;
  return { refused: { reason, message, code, details } };
}

/** The events of a watch; an error event ends it. */
function eventsOf(text: string): object {
  const events = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { type: string; object: Record<string, unknown> });
  const last = events.at(-1);
  if (last?.type !== "ERROR") return { events };
  return { events: events.slice(0, -1), error: refusedBy(last.object, 500) };
}

/** The texts of warnings, which were recorded as headers. */
const warned = ({ headers = {} }: RecordedCase["response"]): string[] =>
  [headers.warning ?? []].flat().map((line) => {
    const quoted = line.slice(line.indexOf('"') + 1, line.lastIndexOf('"'));
    return quoted.replaceAll('\\"', '"').replaceAll("\\\\", "\\");
  });

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
