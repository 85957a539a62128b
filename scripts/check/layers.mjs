// @ts-check
/**
 * The architecture, as data. A folder of src/ may import itself, what it `uses` ("*": everything but
 * testing), and the npm `packages` listed. A finer entry (`store/lmdb`) replaces that of its parent
 * for its files, may import its parent, and is not meant where only its parent is named. `pure`
 * folders touch nothing but their parameters, and run in browsers. Read top to bottom.
 * @typedef {{ uses: readonly string[], pure?: true, packages?: readonly string[] }} Layer
 * @type {Readonly<Record<string, Layer>>}
 */
export const layers = {
  base: { uses: [], pure: true },
  platform: { uses: ["base"] },
  cli: { uses: ["base", "schema"], pure: true },
  schema: { uses: ["base"], pure: true, packages: ["js-yaml"] },
  cel: { uses: ["base", "schema"], pure: true },
  api: { uses: ["base", "schema", "cel"], pure: true },
  store: { uses: ["base"], pure: true },
  "store/lmdb": { uses: ["base", "platform"], packages: ["lmdb"] },
  "store/etcd": { uses: ["base", "platform"] },
  "store/serve": { uses: ["base", "platform", "store/etcd"] },
  apiserver: { uses: ["base", "schema", "cel", "api", "store"], pure: true },
  "apiserver/http": { uses: ["base", "schema", "api", "store", "platform"] },
  client: { uses: ["base", "schema", "api"], pure: true },
  "custom-kinds": { uses: ["base", "schema", "cel", "api", "apiserver", "client"], pure: true },
  kubeconfig: { uses: ["base", "schema", "api", "client", "platform"] },
  "controller-runtime": { uses: ["base", "schema", "api", "client"], pure: true },
  controllers: { uses: ["base", "schema", "api", "client", "controller-runtime"], pure: true },
  scheduler: { uses: ["base", "schema", "api", "client", "controller-runtime"], pure: true },
  cri: { uses: ["base"], pure: true },
  "cri/containerd": { uses: ["base", "platform"] },
  engine: { uses: ["base", "platform", "cri"], packages: ["@lydell/node-pty"] },
  kubelet: { uses: ["base", "schema", "api", "client", "controller-runtime", "cri"], pure: true },
  "kubelet/host": {
    uses: ["base", "schema", "api", "client", "controller-runtime", "cri", "platform"],
  },
  network: { uses: ["base", "schema", "api", "client", "controller-runtime", "platform", "cri"] },
  kubectl: { uses: ["base", "schema", "api", "client", "kubeconfig", "cli", "platform", "cri"] },
  console: { uses: ["base", "schema", "api", "client"], pure: true },
  cluster: { uses: ["*"] },
  testing: { uses: ["*"] },
};
