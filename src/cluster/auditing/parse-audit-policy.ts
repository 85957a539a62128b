import { AuditPolicy, auditPolicyFaults } from "../../apiserver/audit/audit-policy.ts";
import { aggregateMessage } from "../../base/aggregate-message.ts";
import { isMap } from "../../schema/json/json-value.ts";
import { DocumentError, decodeDocument, unknownKind } from "../../schema/yaml/read-document.ts";
import { YamlError, yamlToJson } from "../../schema/yaml/yaml.ts";

/** An audit policy, and warnings about fields that are ignored; throws with upstream's words. */
export function parseAuditPolicy(text: string): {
  readonly policy: AuditPolicy;
  readonly warnings: readonly string[];
} {
  const { policy, ignored } = decoded(text);
  const faults = auditPolicyFaults(policy);
  if (faults.length > 0) throw new Error(aggregateMessage(faults));
  if ((policy.rules ?? []).length === 0) throw new Error("loaded illegal policy with 0 rules");
  return {
    policy,
    warnings: ignored.map((fault) => `the audit policy has fields that are ignored: ${fault}`),
  };
}

const version = "audit.k8s.io/v1";
const scheme = "k8s.io/apiserver/pkg/audit/scheme.go:30";

function decoded(text: string): { policy: AuditPolicy; ignored: readonly string[] } {
  try {
    const document = yamlToJson(text, { lenient: true }) ?? {};
    if (!isMap(document)) throw new DocumentError("the policy is not a map");
    const { kind = "", apiVersion = "" } = document;
    // As upstream, what a policy does not say of its kind is taken from what is expected.
    if (apiVersion === "")
      throw new Error(
        `unknown group version field audit.k8s.io/__internal, Kind=${String(kind) || "Policy"} in policy`,
      );
    if ((kind !== "" && kind !== "Policy") || apiVersion !== version)
      throw unknownKind({ kind: kind || "Policy", apiVersion }, scheme);
    const { value, strict } = decodeDocument(AuditPolicy, document);
    return { policy: value, ignored: [...repeated(text), ...strict] };
  } catch (error) {
    if (error instanceof DocumentError || error instanceof YamlError)
      throw new Error(`failed decoding: ${error.message}`);
    throw error;
  }
}

/** What a strict reader minds in the text itself: keys that are repeated. */
function repeated(text: string): string[] {
  try {
    yamlToJson(text);
    return [];
  } catch (error) {
    if (error instanceof YamlError) return [error.message];
    throw error;
  }
}
