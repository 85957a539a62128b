import { command } from "../../../cli/command.ts";
import { stringFlag } from "../../../cli/flag.ts";
import { UsageError } from "../../../cli/parse-flags.ts";
import type { KeptCertificate } from "../../../platform/pki/kept-certificates.ts";
import { ownAuthorities } from "../../../platform/pki/pki-authority.ts";
import { readAuthority } from "../../../platform/pki/rotate-authority.ts";
import type { RotationStage } from "../../../platform/pki/rotation-stage.ts";
import { readTokenKeys } from "../../../platform/pki/token-key-files.ts";
import { formatTime, humanDuration, timeFromMillis } from "../../../schema/values/time.ts";
import { tableText } from "../../store/terminal.ts";
import { certificatesOf, certsFlags } from "./certs-folder.ts";
import { stageTexts } from "./rotation-step.ts";

/** Shows when certificates expire. */
export const checkCommand = command({
  name: "check",
  short: "Show when certificates expire",
  long: `Show when the certificates of a cluster expire, what is wrong with them, and where the rotation of authorities and
keys stands.

Exit codes: 0 when all can be used, 1 when some cannot, 2 when the command line is invalid.`,
  arity: { max: 0 },
  flags: {
    output: stringFlag({
      short: "o",
      usage: "the form of the output: text or json",
      default: "text",
    }),
  },
  async run({ flags, inherited, streams }) {
    if (!["text", "json"].includes(flags.output))
      throw new UsageError(`unknown output "${flags.output}": choose text or json`);
    const now = new Date();
    const { dir, certificates } = await certificatesOf(inherited(certsFlags), now);
    const rotations = await readRotations(dir);
    if (flags.output === "json") {
      const all = [...certificates.map(described), ...rotations];
      streams.stdout.write(`${JSON.stringify(all, undefined, 2)}\n`);
    } else streams.stdout.write(certificateTables(certificates, { rotations, now }));
    return certificates.some(({ problem }) => problem !== undefined) ? 1 : 0;
  },
});

/** Where the rotation of an authority or of keys stands. */
interface Rotation {
  readonly name: string;
  readonly rotation: RotationStage;
}

/** Where rotations stand, but for what was made elsewhere or cannot be read. */
async function readRotations(dir: string): Promise<readonly Rotation[]> {
  const authorities = await Promise.all(
    ownAuthorities.map((one) => readAuthority(dir, one).catch(() => undefined)),
  );
  const found = authorities.flatMap((state) =>
    state ? [{ name: state.name, rotation: state.stage }] : [],
  );
  const keys = await readTokenKeys(dir).catch(() => undefined);
  return keys ? [...found, { name: "service-account-keys", rotation: keys.stage }] : found;
}

/** Tables, with kubeadm's columns where it has them: certificates, authorities, and what can be rotated. */
function certificateTables(
  certificates: readonly KeptCertificate[],
  { rotations, now }: { readonly rotations: readonly Rotation[]; readonly now: Date },
): string {
  const cells = (kept: KeptCertificate): string[] => {
    const { name, certificate, problem, isDue } = kept;
    const left = certificate ? Date.parse(certificate.validTo) - now.getTime() : 0;
    const state = problem ?? (isDue ? "to be renewed" : "ok");
    return [name, expires(kept) ?? "<unknown>", left > 0 ? humanDuration(left) : "<none>", state];
  };
  const authorities = certificates.filter(({ isAuthority }) => isAuthority);
  const others = certificates.filter(({ isAuthority }) => !isAuthority);
  const rows = others.map((kept) => {
    const [name = "", end = "", left = "", state = ""] = cells(kept);
    return [name, end, left, kept.authority ?? "<other>", state];
  });
  const heading = ["EXPIRES", "RESIDUAL TIME"];
  return `${tableText(["CERTIFICATE", ...heading, "CERTIFICATE AUTHORITY", "STATE"], rows)}
${tableText(["CERTIFICATE AUTHORITY", ...heading, "STATE"], authorities.map(cells))}
${tableText(
  ["ROTATED", "STATE"],
  rotations.map(({ name, rotation }) => [name, stageTexts[rotation]]),
)}`;
}

const expires = ({ certificate }: KeptCertificate): string | undefined =>
  certificate && formatTime(timeFromMillis(Date.parse(certificate.validTo)));

const described = (kept: KeptCertificate) => ({
  name: kept.name,
  isAuthority: kept.isAuthority,
  ...(kept.role !== undefined && { role: kept.role }),
  ...(kept.authority !== undefined && { authority: kept.authority }),
  expires: expires(kept),
  isDue: kept.isDue,
  ...(kept.problem !== undefined && { problem: kept.problem }),
});
