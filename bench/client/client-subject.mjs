// One client in a process of its own: node --expose-gc client-subject.mjs WHICH PORT PODS EVENTS
// Prints what it measured as JSON.
const [which, port, pods, events] = process.argv.slice(2);
const server = `http://127.0.0.1:${port}`;
const empty = await memory();
const start = performance.now();
const follow = which === "wherry" ? await wherry() : await clientNode();
const importMs = performance.now() - start;
if (port === undefined) {
  console.log(JSON.stringify({ importMs }));
  process.exit();
}

let updates = 0;
let reached = () => {};
const all = /** @type {Promise<void>} */ (new Promise((resolve) => (reached = resolve)));
const syncing = performance.now();
const known = await follow(() => {
  if (++updates === Number(events)) reached();
});
const syncMs = performance.now() - syncing;
if (known() !== Number(pods)) throw new Error(`${known()} pods arrived, not ${pods}`);
const after = await memory();
const changing = performance.now();
await fetch(`${server}/changes`);
await all;
const changeMs = performance.now() - changing;
console.log(
  JSON.stringify({
    importMs,
    syncMs,
    rssMb: (after.rss - empty.rss) / 2 ** 20,
    heapMb: (after.heapUsed - empty.heapUsed) / 2 ** 20,
    eventsPerSecond: (Number(events) * 1000) / changeMs,
  }),
);
process.exit();

/** What is in use once everything that is not has been collected. */
async function memory() {
  for (let i = 0; i < 5; i++) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return process.memoryUsage();
}

/** @typedef {(onUpdate: () => void) => Promise<() => number>} Follow */

/** @returns {Promise<Follow>} */
async function wherry() {
  const [{ connect }, { createInformers }, { Pod }] = await Promise.all([
    import("wherry/kubeconfig"),
    import("wherry/client"),
    import("wherry/api"),
  ]);
  return async (onUpdate) => {
    const connection = await connect({ kubeconfig: kubeconfig(server) });
    const informers = createInformers(connection);
    const informer = informers.of(Pod);
    informer.addHandler({ updated: onUpdate });
    await informer.synced();
    return () => informer.list().length;
  };
}

/** @returns {Promise<Follow>} */
async function clientNode() {
  const { CoreV1Api, KubeConfig, makeInformer } = await import("@kubernetes/client-node");
  return async (onUpdate) => {
    const config = new KubeConfig();
    config.loadFromString(kubeconfig(server));
    const api = config.makeApiClient(CoreV1Api);
    const informer = makeInformer(config, "/api/v1/pods", () => api.listPodForAllNamespaces());
    informer.on("update", onUpdate);
    informer.on("error", (error) => {
      throw error;
    });
    await informer.start();
    return () => informer.list().length;
  };
}

/** @param {string} address */
function kubeconfig(address) {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "bench",
    clusters: [{ name: "bench", cluster: { server: address, "insecure-skip-tls-verify": true } }],
    users: [{ name: "bench", user: { token: "bench" } }],
    contexts: [{ name: "bench", context: { cluster: "bench", user: "bench" } }],
  });
}
