import { expect } from "vitest";
import { type Api, configMap, configMaps, numbers, type SuiteTest } from "./harness-suite.ts";

/** Many clients at once. */
export function concurrencySuite(test: SuiteTest): void {
  test("64 writers that read and update one object lose no update", async (api) => {
    await api.create(configMaps, configMap("counter", { data: { n: "0" } }));
    await Promise.all(numbers(64).map(() => increment(api)));
    expect((await api.read(`${configMaps}/counter`)).data).toEqual({ n: "64" });
  });

  test("concurrent patches of different fields do not conflict", async (api) => {
    await api.create(configMaps, configMap("shared"));
    const answers = await Promise.all(
      numbers(5).map((n) =>
        api.patch(`${configMaps}/shared`, "merge-patch", { data: { [`k${n}`]: "v" } }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(Object.keys((await api.read(`${configMaps}/shared`)).data)).toEqual([
      "k0",
      "k1",
      "k2",
      "k3",
      "k4",
    ]);
  });

  test("of many concurrent creates of one name, one succeeds", async (api) => {
    const answers = await Promise.all(
      numbers(20).map(() => api.post(configMaps, configMap("one"))),
    );
    const codes = answers.map(({ status }) => status).sort();
    expect(codes).toEqual([201, ...new Array<number>(19).fill(409)]);
  });

  test("names that are generated concurrently differ", async (api) => {
    const body = { ...configMap(""), metadata: { generateName: "g-" } };
    const made = await Promise.all(numbers(50).map(() => api.create(configMaps, body)));
    expect(new Set(made.map(({ metadata }) => metadata.name)).size).toEqual(50);
  });

  test("20 watchers receive the same sequence, each change once", async (api) => {
    const { resourceVersion: from } = (await api.read(configMaps)).metadata;
    const path = `${configMaps}?watch=1&resourceVersion=${from}`;
    const early = await Promise.all(numbers(10).map(() => api.watch(path)));
    await Promise.all(numbers(15).map((n) => lifetime(api, `n${n}`)));
    const late = await Promise.all(numbers(10).map(() => api.watch(path)));
    const seen: string[][] = [];
    for (const watch of [...early, ...late]) {
      const events: string[] = [];
      for (const _ of numbers(45)) {
        const event = await watch.next();
        const { name, resourceVersion } = event?.object.metadata ?? {};
        events.push(`${resourceVersion} ${event?.type} ${name}`);
      }
      seen.push(events);
    }
    const [first = []] = seen;
    expect(seen).toEqual(seen.map(() => first));
    const revisions = first.map((line) => Number(line.split(" ")[0]));
    expect(revisions).toEqual(numbers(45).map((n) => Number(from) + 1 + n));
    for (const n of numbers(15))
      expect(
        first.filter((line) => line.endsWith(` n${n}`)).map((line) => line.split(" ")[1]),
      ).toEqual(["ADDED", "MODIFIED", "DELETED"]);
  });
}

async function increment(api: Api): Promise<void> {
  for (;;) {
    const current = await api.read(`${configMaps}/counter`);
    const n = String(Number(current.data.n) + 1);
    const { status } = await api.put(`${configMaps}/counter`, { ...current, data: { n } });
    if (status === 200) return;
    expect(status).toEqual(409);
  }
}

async function lifetime(api: Api, name: string): Promise<void> {
  await api.create(configMaps, configMap(name));
  await api.replace(`${configMaps}/${name}`, configMap(name, { data: { k: "v" } }));
  await api.delete(`${configMaps}/${name}`);
}
