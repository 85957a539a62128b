import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readCertificates } from "../../../../platform/pki/kept-certificates.ts";
import { ensurePki } from "../../../../platform/pki/pki.ts";
import { clusterAuthority } from "../../../../platform/pki/pki-authority.ts";
import { rotateAuthority } from "../../../../platform/pki/rotate-authority.ts";
import { certificateChecks } from "./certificate-checks.ts";
import type { Facts } from "./check.ts";

const now = new Date("2026-03-01T00:00:00Z");
const yearsLater = (years: number): number => now.getTime() + years * 365 * 86_400_000;

test("certificateChecks: authorities that expire within a year, and rotations that are unfinished", async () => {
  const dir = mkdtempSync(join(tmpdir(), "wherry-doctor-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  await ensurePki(dir, { now });
  const findings = async (at: number) => {
    const certificates = await readCertificates(dir, now);
    return certificateChecks(() => at).map(({ look }) =>
      look({ certificates } as unknown as Facts),
    );
  };
  expect(await findings(yearsLater(8))).toEqual([[], []]);
  expect((await findings(yearsLater(9.5)))[0]).toEqual(
    ["ca", "front-proxy-ca", "kubelet-ca"].map((name) =>
      expect.stringMatching(new RegExp(`^${name} expires on Feb \\d+ .* 2036 GMT$`)),
    ),
  );
  await rotateAuthority(dir, clusterAuthority, now);
  expect((await findings(yearsLater(1)))[1]).toEqual(["ca (next) is trusted, too"]);
});
