import { ownKeyName } from "../../../encryption/own-key.ts";
import { etcdServersOf } from "../stored-secrets.ts";
import type { Check } from "./check.ts";

const octal = (mode: number): string => mode.toString(8).padStart(4, "0");
const isPublic = (path: string): boolean => path.endsWith(".pub");

/** Checks of what lies on the machine of the server. */
export const fileChecks: readonly Check[] = [
  {
    id: "file-modes",
    title: "Only their owner can read keys, certificates, kubeconfigs and the store",
    why: "Whoever reads the key of the authority or admin.kubeconfig is an administrator; the store has all secrets.",
    fix: "Run chmod -R go-rwx on the data directory.",
    severity: "fault",
    look: ({ files }) =>
      files
        ?.filter(({ path, mode }) => !isPublic(path) && (mode & 0o077) !== 0)
        .map(({ path, mode }) => `${path || "."} has mode ${octal(mode)}`),
  },
  {
    id: "file-owner",
    title: "All files of the cluster have one owner",
    why: "The owner of a file can change its mode, and what is in it.",
    fix: "Run chown -R on the data directory, with the user that runs the server.",
    severity: "fault",
    look({ files }) {
      const root = files?.find(({ path }) => path === "");
      return (
        root &&
        files
          ?.filter(({ owner }) => owner !== root.owner)
          .map(({ path, owner }) => `${path} belongs to user ${owner}, not to ${root.owner}`)
      );
    },
  },
  {
    id: "encryption",
    title: "Secrets are encrypted in the store",
    why: "Otherwise a copy of the store, a snapshot or a stolen disk has all of them in plain text.",
    fix: "Start the server with --encryption-provider-config, and run wherry store reencrypt.",
    severity: "fault",
    look({ flags, files, secrets }) {
      if (!secrets) return undefined;
      const [first] = secrets.plain;
      if (first !== undefined)
        return [
          `${secrets.plain.length} of ${secrets.count} secrets are not encrypted, such as ${first}`,
        ];
      const hasKey = files?.some(({ path }) => path === ownKeyName);
      const isUsed = hasKey && etcdServersOf(flags).length === 0;
      return secrets.count > 0 || isUsed || flags?.["encryption-provider-config"]
        ? []
        : ["there is no encryption key"];
    },
  },
  {
    id: "certificates",
    title: "Certificates can be used, and are renewed in time",
    why: "With an expired certificate of the server no client can connect.",
    fix: "Run wherry certs renew; restore a broken file from a backup.",
    severity: "fault",
    look: ({ certificates }) =>
      certificates
        ?.filter(({ problem, isDue }) => problem !== undefined || isDue)
        .map(({ name, problem }) => `${name} ${problem ?? "expires soon"}`),
  },
];
