import { command } from "../../../cli/command.ts";
import { stringFlag } from "../../../cli/flag.ts";
import { UsageError } from "../../../cli/parse-flags.ts";
import type { KeptCertificate } from "../../../platform/pki/kept-certificates.ts";
import { formatTime, humanDuration, timeFromMillis } from "../../../schema/values/time.ts";
import { tableText } from "../../store/terminal.ts";
import { certificatesOf, certsFlags } from "./certs-folder.ts";

/** Shows when certificates expire. */
export const checkCommand = command({
  name: "check",
  short: "Show when certificates expire",
  long: `Show when the certificates of a cluster expire, and what is wrong with them.

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
    const { certificates } = await certificatesOf(inherited(certsFlags), now);
    if (flags.output === "json")
      streams.stdout.write(`${JSON.stringify(certificates.map(described), undefined, 2)}\n`);
    else streams.stdout.write(certificateTables(certificates, now));
    return certificates.some(({ problem }) => problem !== undefined) ? 1 : 0;
  },
});

/** Two tables, with kubeadm's columns: certificates, then authorities. */
export function certificateTables(certificates: readonly KeptCertificate[], now: Date): string {
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
${tableText(["CERTIFICATE AUTHORITY", ...heading, "STATE"], authorities.map(cells))}`;
}

const expires = ({ certificate }: KeptCertificate): string | undefined =>
  certificate && formatTime(timeFromMillis(Date.parse(certificate.validTo)));

const described = (kept: KeptCertificate) => ({
  name: kept.name,
  isAuthority: kept.isAuthority,
  ...(kept.authority !== undefined && { authority: kept.authority }),
  expires: expires(kept),
  isDue: kept.isDue,
  ...(kept.problem !== undefined && { problem: kept.problem }),
});
