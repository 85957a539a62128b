import type { RunnableContext } from "../../controller-runtime/manager/manager-options.ts";
import type { ServerNames } from "../../platform/pki/server-certificates.ts";
import { type CertificateFiles, followCertificates } from "./given-certificates.ts";
import {
  type CertificateSecret,
  type KeptCertificates,
  keepCertificates,
} from "./kept-certificates.ts";

/** Where the certificates of a server come from. */
export interface CertificateOptions {
  readonly name: string;
  readonly service?: { readonly namespace: string } | undefined;
  readonly secret?: CertificateSecret | undefined;
  readonly certificate?: CertificateFiles | undefined;
}

export interface CertificateUse {
  readonly names: ServerNames;
  /** What they are for: the secret is called `NAME-PURPOSE`, unless another is given. */
  readonly purpose: string;
  onChange(): void;
}

/** Opens the certificates of files, or makes some, which the processes of a service share. */
export function openCertificates(
  { name, service, secret, certificate }: CertificateOptions,
  { client, informers, clock, log }: RunnableContext,
  { names, purpose, onChange }: CertificateUse,
): Promise<KeptCertificates> {
  if (certificate) return followCertificates(certificate, { clock, log, onChange });
  const key = { namespace: service?.namespace ?? "", name: `${name}-${purpose}`, ...secret };
  const shared = service && { secret: key, client, informers };
  return keepCertificates({ names, clock, log, shared, onChange });
}
