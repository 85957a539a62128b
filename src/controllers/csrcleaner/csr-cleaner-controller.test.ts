import { expect, onTestFinished, test } from "vitest";
import { testAuthority, testRequest } from "../../../test/certificates.ts";
import { each } from "../../../test/each.ts";
import { CertificateSigningRequest } from "../../api/certificates/v1/certificate-signing-request.ts";
import { readCertificateRequest } from "../../api/certificates/x509/certificate-request.ts";
import { accountedCluster } from "../accounted-cluster.test-support.ts";
import { partsOf } from "../running.test-support.ts";
import { csrCleanerModule } from "./csr-cleaner-module.ts";
import { isAbandoned } from "./is-abandoned.ts";

const now = Date.UTC(2026, 0, 10);
const minute = 60_000;
const hours = (count: number): number => count * 60 * minute;
const ago = (ms: number): string => new Date(now - ms).toISOString().replace(".000Z", "Z");

/** A certificate, in base64, that expired so many milliseconds ago. */
function certificateUntil(ms: number): string {
  const request = testRequest({ commonName: "a" });
  const { publicKeyInfo, names } = readCertificateRequest(Buffer.from(request, "base64"));
  const pem = testAuthority(now + hours(1000)).signer.sign({
    subject: [],
    publicKey: publicKeyInfo,
    names,
    keyUsage: [],
    extKeyUsage: [],
    notBefore: now - hours(2000),
    notAfter: now - ms,
  });
  return Buffer.from(pem).toString("base64");
}
const valid = certificateUntil(-hours(1));
const expired = certificateUntil(minute);

const condition = (type: string, age: number) => ({
  type,
  status: "True",
  lastUpdateTime: ago(age),
  lastTransitionTime: ago(age),
});
type Status = CertificateSigningRequest["status"];

each<[state: string, age: number, status: Status, isOver: boolean]>([
  ["pending for a day", hours(24), {}, false],
  ["pending for longer", hours(24) + minute, {}, true],
  ["denied for an hour", hours(100), { conditions: [condition("Denied", hours(1))] }, false],
  ["denied for longer", hours(2), { conditions: [condition("Denied", hours(1) + minute)] }, true],
  ["failed for longer", hours(2), { conditions: [condition("Failed", hours(1) + minute)] }, true],
  ["approved for a day", hours(90), { conditions: [condition("Approved", hours(24))] }, false],
  ["approved for longer", hours(90), { conditions: [condition("Approved", hours(25))] }, true],
  [
    "issued for an hour",
    hours(90),
    { conditions: [condition("Approved", hours(1))], certificate: valid },
    false,
  ],
  [
    "issued for longer",
    hours(90),
    { conditions: [condition("Approved", hours(2))], certificate: valid },
    true,
  ],
  [
    "issued and expired",
    hours(90),
    { conditions: [condition("Approved", 0)], certificate: expired },
    true,
  ],
  [
    "issued, but not by a certificate that can be read",
    hours(90),
    { conditions: [condition("Approved", 0)], certificate: "eA==" },
    false,
  ],
])("isAbandoned: %s", (_, age, status, isOver) => {
  const metadata = { name: "a", creationTimestamp: ago(age) };
  expect(isAbandoned({ metadata, status }, now)).toBe(isOver);
});

test("requests that were never decided are deleted after a day, at the next full hour", async () => {
  const cluster = await accountedCluster({ runnables: partsOf(csrCleanerModule) });
  onTestFinished(() => cluster.end());
  const { client, advance } = cluster;
  const names = async () =>
    (await client.list(CertificateSigningRequest)).items.map(({ metadata }) => metadata.name);
  await client.create(CertificateSigningRequest, {
    metadata: { name: "a" },
    spec: {
      signerName: "example.com/signer",
      request: testRequest({ commonName: "a" }),
      usages: ["client auth"],
    },
  });
  await advance("24h");
  expect(await names()).toEqual(["a"]);
  await advance("1h");
  expect(await names()).toEqual([]);
});
