import { resourceAttributes } from "../../authorization/attributes.ts";
import type { Authorizer } from "../../authorization/authorizer.ts";
import type { User } from "../../request/identity.ts";

/** Whether a user has this right for a signer, or for all signers of its domain. */
export async function maySign(
  authorizer: Authorizer,
  user: User,
  { verb, signerName }: { readonly verb: string; readonly signerName: string },
): Promise<boolean> {
  const [domain = ""] = signerName.split("/");
  for (const name of [signerName, `${domain}/*`]) {
    const permission = { group: "certificates.k8s.io", version: "*", resource: "signers", name };
    const { verdict } = await authorizer.authorize(resourceAttributes(user, verb, permission));
    if (verdict === "allow") return true;
  }
  return false;
}
