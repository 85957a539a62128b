import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { operations, prepare } from "./apiserver-cpu.ts";
import { connectBy } from "./apiserver-http1.ts";
import { startWherry, stop } from "./apiserver-process.ts";
import { verdict } from "./apiserver-verdict.ts";
import { contender, inFlight, measureInTurns } from "./processor-time.ts";

const policy = `apiVersion: audit.k8s.io/v1
kind: Policy
rules: [{level: Metadata}]
`;

const perSecond = 1000;
const measured = ["create ConfigMap", "GET Pod"];

/** The processor time that two audit events of each request take, at a rate of requests, as a part of one processor. */
export async function benchAudit(work: string): Promise<void> {
  const file = join(work, "policy.yaml");
  writeFileSync(file, policy);
  const log = join(work, "audit.log");
  const flags = [`--audit-policy-file=${file}`, `--audit-log-path=${log}`];
  const plain = { server: await startWherry(join(work, "plain")), pki: join(work, "plain", "pki") };
  const audited = {
    server: await startWherry(join(work, "audited"), "apiserver", ...flags),
    pki: join(work, "audited", "pki"),
  };
  for (const { server, pki } of [plain, audited]) await prepare(server, pki);
  console.log(`\nprocessor time of auditing, ${inFlight} requests in flight`);
  for (const operation of operations("HTTP/1.1").filter(({ name }) => measured.includes(name))) {
    const contenders = [plain, audited].map(({ server, pki }) =>
      contender(server, operation, connectBy("HTTP/1.1", server.port, pki)),
    );
    const before = statSync(log).size;
    const [without = 0, withAudit = 0] = await measureInTurns(contenders);
    if (statSync(log).size === before) throw new Error("nothing was audited");
    console.log(
      `${operation.name.padEnd(20)} ${without.toFixed(0)} µs; audited ${withAudit.toFixed(0)} µs (${(withAudit / without).toFixed(2)} ×)`,
    );
    const share = ((withAudit - without) * perSecond * 100) / 1e6;
    verdict(`${perSecond} audited requests a second, ${operation.name}`, share, {
      most: 15,
      unit: "% of a processor",
    });
    for (const each of contenders) each.connection.close();
  }
  await Promise.all([plain, audited].map(({ server }) => stop(server)));
}
