// Under Jest, which requires.
const { ConfigMap } = require("wherry/api");
const { StatusError } = require("wherry/client");
const { controller, createManager } = require("wherry/controller");
const { startCluster } = require("wherry/testing");

test("a cluster on a virtual clock, and a controller in it", async () => {
  const cluster = await startCluster({ clock: "virtual" });
  const seen = [];
  const watching = controller({
    name: "watching",
    for: ConfigMap,
    async reconcile(key) {
      seen.push(key.name);
    },
  });
  const stop = new AbortController();
  const running = createManager({ ...cluster, controllers: [watching] }).run({
    signal: stop.signal,
  });
  await cluster.client.create(ConfigMap, { metadata: { name: "a" } });
  await cluster.settled();
  expect(seen).toContain("a");
  const missing = cluster.client.get(ConfigMap, { name: "b" });
  await expect(missing).rejects.toBeInstanceOf(StatusError);
  stop.abort();
  await cluster.advance("1s");
  await running;
  await cluster.close();
});
