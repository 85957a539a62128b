import type { KeptCertificate } from "../../../../platform/pki/kept-certificates.ts";
import type { Check } from "./check.ts";

const yearMs = 365 * 86_400_000;

/** Checks of the authorities that sign certificates; `now` is the time in milliseconds. */
export const certificateChecks = (now: () => number): readonly Check[] => [
  {
    id: "authorities",
    title: "Authorities outlive the certificates that they sign",
    why: "A certificate ends with its authority, and other machines need time to trust a new one.",
    fix: "Run wherry certs rotate-ca, and follow its steps; replace an authority that was made elsewhere there.",
    severity: "advice",
    look: ({ certificates }) =>
      certificates
        ?.filter((one) => one.isAuthority && one.role !== "previous" && endOf(one) < now() + yearMs)
        .map((one) => `${one.name} expires on ${one.certificate?.validTo ?? "an unknown day"}`),
  },
  {
    id: "rotation",
    title: "No rotation of an authority is unfinished",
    why: "Until the previous authority is dropped, whoever has its key can sign certificates that are trusted.",
    fix: "Run wherry certs rotate-ca until it says that nothing is being rotated.",
    severity: "advice",
    look: ({ certificates }) =>
      certificates
        ?.filter(({ role }) => role !== undefined)
        .map(({ name }) => `${name} is trusted, too`),
  },
];

const endOf = ({ certificate }: KeptCertificate): number =>
  certificate ? Date.parse(certificate.validTo) : 0;
