import { expect } from "vitest";
import {
  type Answer,
  type Api,
  configMap,
  configMaps,
  failure,
  names,
  numbers,
  type SuiteTest,
} from "./harness-suite.ts";

/** Lists: pages, versions, selectors. */
export function listsSuite(test: SuiteTest): void {
  test("all pages of a list are of one resourceVersion, whatever is written meanwhile", async (api) => {
    for (const n of numbers(10)) await api.create(configMaps, configMap(`n${n}`));
    const first = await api.read(`${configMaps}?limit=4`);
    expect([names(first), first.metadata.remainingItemCount]).toEqual([
      ["n0", "n1", "n2", "n3"],
      6,
    ]);
    await api.delete(`${configMaps}/n5`);
    await api.create(configMaps, configMap("n55"));
    await api.replace(`${configMaps}/n6`, configMap("n6", { data: { changed: "yes" } }));
    const second = await api.read(`${configMaps}?limit=4&continue=${first.metadata.continue}`);
    expect([names(second), second.metadata.remainingItemCount]).toEqual([
      ["n4", "n5", "n6", "n7"],
      2,
    ]);
    const third = await api.read(`${configMaps}?limit=4&continue=${second.metadata.continue}`);
    expect([names(third), third.metadata]).toEqual([
      ["n8", "n9"],
      { resourceVersion: first.metadata.resourceVersion },
    ]);
    expect(second.items[2]?.data).toEqual(undefined);
    expect(second.metadata.resourceVersion).toEqual(first.metadata.resourceVersion);
  });

  test("pages of all namespaces and of a selection continue where the last one ended", async (api) => {
    for (const namespace of ["x", "y", "z"]) {
      const metadata = { name: namespace };
      await api.create("/api/v1/namespaces", { kind: "Namespace", apiVersion: "v1", metadata });
      for (const n of numbers(4))
        await api.create(`/api/v1/namespaces/${namespace}/configmaps`, {
          ...configMap(`n${n}`),
          metadata: { name: `n${n}`, labels: { odd: String(n % 2) } },
        });
    }
    const all = await pagesOf(api, "/api/v1/configmaps?limit=5");
    // Those twelve, and one that every cluster has.
    expect(all.map((page) => page.length)).toEqual([5, 5, 3]);
    expect(new Set(all.flat()).size).toEqual(13);
    const odd = await pagesOf(api, "/api/v1/configmaps?limit=2&labelSelector=odd%3D1");
    expect(odd).toEqual([
      ["x/n1", "x/n3"],
      ["y/n1", "y/n3"],
      ["z/n1", "z/n3"],
    ]);
  });

  test("a continue token that is too old is rejected with a token that continues regardless", async (api) => {
    for (const n of numbers(4)) await api.create(configMaps, configMap(`n${n}`));
    const first = await api.read(`${configMaps}?limit=2`);
    await api.create(configMaps, configMap("n25"));
    await api.harness.store.compact(await api.harness.store.currentRevision());
    const path = `${configMaps}?limit=2&continue=${first.metadata.continue}`;
    const gone = await api.get(path);
    expect(failure(gone)).toEqual([
      410,
      "Expired",
      "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.",
    ]);
    const rest = await api.read(`${configMaps}?limit=9&continue=${gone.body.metadata.continue}`);
    expect(names(rest)).toEqual(["n2", "n25", "n3"]);
  });

  test("a list is as recent as resourceVersion and resourceVersionMatch require", async (api) => {
    const first = await api.create(configMaps, configMap("a"));
    await api.create(configMaps, configMap("b"));
    const old = first.metadata.resourceVersion;
    const { resourceVersion: now } = (await api.read(configMaps)).metadata;
    const list = async (query: string) => {
      const { status, body } = await api.get(`${configMaps}?${query}`);
      return status === 200
        ? `${names(body)} at ${body.metadata.resourceVersion === old ? "old" : "now"}`
        : `${status} ${body.message}`;
    };
    const forbidden = 'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden:';
    const cells: readonly (readonly [query: string, wanted: string])[] = [
      ["", "a,b at now"],
      ["resourceVersion=0", "a,b at now"],
      [`resourceVersion=${old}`, "a,b at now"],
      [`resourceVersion=${now}`, "a,b at now"],
      [`resourceVersion=${old}&limit=5`, "a at old"],
      [`resourceVersion=${old}&resourceVersionMatch=Exact`, "a at old"],
      [`resourceVersion=${old}&resourceVersionMatch=Exact&limit=5`, "a at old"],
      [`resourceVersion=${old}&resourceVersionMatch=NotOlderThan`, "a,b at now"],
      [`resourceVersion=${old}&resourceVersionMatch=NotOlderThan&limit=5`, "a,b at now"],
      ["resourceVersion=0&resourceVersionMatch=NotOlderThan", "a,b at now"],
      ["resourceVersion=0&limit=5", "a,b at now"],
      [
        "resourceVersionMatch=Exact",
        `422 ${forbidden} resourceVersionMatch is forbidden unless resourceVersion is provided`,
      ],
      [
        "resourceVersion=0&resourceVersionMatch=Exact",
        `422 ${forbidden} resourceVersionMatch "exact" is forbidden for resourceVersion "0"`,
      ],
      [
        "resourceVersion=5&resourceVersionMatch=Other",
        '422 ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Unsupported value: "Other": supported values: "Exact", "NotOlderThan", ""',
      ],
    ];
    const seen: [string, string][] = [];
    for (const [query] of cells) seen.push([query, await list(query)]);
    expect(seen).toEqual(cells);
  });

  test("a list waits for a future resourceVersion, for a limited time", async (api) => {
    const { metadata } = await api.create(configMaps, configMap("a"));
    const current = Number(metadata.resourceVersion);
    const soon = api.get(`${configMaps}?resourceVersion=${current + 1}`);
    await api.create(configMaps, configMap("b"));
    expect(names((await soon).body)).toEqual(["a", "b"]);
    const never = await whileTimePasses(api, api.get(`${configMaps}?resourceVersion=1000000`));
    expect([failure(never), never.headers["retry-after"]]).toEqual([
      [504, "Timeout", `Timeout: Too large resource version: 1000000, current: ${current + 1}`],
      "1",
    ]);
    const one = await whileTimePasses(api, api.get(`${configMaps}/a?resourceVersion=1000000`));
    expect(failure(one)).toEqual(failure(never));
  });

  test("a list at a compacted resourceVersion is Gone", async (api) => {
    const { metadata } = await api.create(configMaps, configMap("a"));
    await api.create(configMaps, configMap("b"));
    await api.harness.store.compact(await api.harness.store.currentRevision());
    const path = `${configMaps}?resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=Exact`;
    expect(failure(await api.get(path))).toEqual([
      410,
      "Expired",
      "The resourceVersion for the provided list is too old.",
    ]);
  });

  test("lists are selected by labels and by fields", async (api) => {
    for (const [name, tier] of Object.entries({ a: "web", b: "db", c: "web" }))
      await api.create(configMaps, { ...configMap(name), metadata: { name, labels: { tier } } });
    const list = async (query: string) => {
      const { status, body } = await api.get(`${configMaps}?${query}`);
      return status === 200 ? names(body).join() : `${status} ${body.message}`;
    };
    expect([
      await list("labelSelector=tier%3Dweb"),
      await list("labelSelector=tier+notin+(web),tier"),
      await list("labelSelector=!tier"),
      await list("fieldSelector=metadata.name%3Db"),
      await list("fieldSelector=metadata.name!%3Db"),
      await list("fieldSelector=metadata.name%3Da&labelSelector=tier%3Ddb"),
      await list("fieldSelector=data%3Db"),
    ]).toEqual([
      "a,c",
      "b",
      "",
      "b",
      "a,c",
      "",
      '400 "data" is not a known field selector: only "metadata.name", "metadata.namespace"',
    ]);
    expect((await api.get(`${configMaps}?labelSelector=tier%3D%3D%3D`)).status).toEqual(400);
  });
}

async function pagesOf(api: Api, path: string): Promise<string[][]> {
  const pages: string[][] = [];
  let page = await api.read(path);
  for (;;) {
    pages.push(page.items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
    if (page.metadata.continue === undefined) return pages;
    page = await api.read(`${path}&continue=${page.metadata.continue}`);
  }
}

/** Moves the server's clock on until the answer is there. */
async function whileTimePasses(api: Api, answer: Promise<Answer>): Promise<Answer> {
  let done = false;
  const settled = answer.finally(() => {
    done = true;
  });
  while (!done) {
    await api.harness.clock.advance(500);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return settled;
}
