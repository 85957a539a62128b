// Records what another API server decides and audits, as our tests compare it: npm run record-access -- KUBE-APISERVER
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";

const [program] = process.argv.slice(2);
if (program === undefined) {
  console.error("give the path of a kube-apiserver; etcd must be in the PATH");
  process.exit(2);
}
const tests = [
  "src/cluster/commands/apiserver/access-decisions.test.ts",
  "src/cluster/auditing/audited-requests.test.ts",
];
const { status } = spawnSync("npx", ["vitest", "run", ...tests], {
  env: { ...process.env, WHERRY_RECORDED_APISERVER: resolve(program) },
  stdio: "inherit",
});
process.exit(status ?? 1);
