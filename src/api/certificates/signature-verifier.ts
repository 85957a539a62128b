import type { VerifySignature } from "../../base/cryptography/verify-signature.ts";
import type { At } from "../../schema/language/report.ts";

/** The verifier that validation was given. Without one nothing may count as signed, so this throws. */
export function signatureVerifier({ options }: At): VerifySignature {
  if (!options.verifySignature)
    throw new Error("signatures cannot be checked: validation was given no verifySignature");
  return options.verifySignature;
}
