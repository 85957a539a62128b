import type { TokenRequest } from "../../../api/authentication/v1/token-request.ts";
import { Pod } from "../../../api/core/v1/pod/pod.ts";
import { notFound } from "../../../api/meta/v1/status-error.ts";
import { quote } from "../../../schema/values/quote.ts";
import { resourceAttributes } from "../../authorization/attributes.ts";
import { audienceUse } from "./audience-use.ts";
import type { NodeRequest, NodeRule } from "./node-restriction.ts";

/** A node may request tokens for its pods, with the audiences that they name. */
export const accountTokens: NodeRule = async (request) => {
  const { node, attributes, setup } = request;
  if (attributes.operation !== "CREATE" || attributes.subresource !== "token") return undefined;
  const { spec } = attributes.object as unknown as TokenRequest;
  const { apiVersion, kind, name, uid } = spec.boundObjectRef ?? {};
  if (apiVersion !== "v1" || kind !== "Pod" || !name)
    return "node requested token not bound to a pod";
  if (!uid) return "node requested token with a pod binding without a uid";
  const { namespace } = attributes.address;
  const pod = await setup.reader.getCachedFirst(Pod, { namespace, name });
  if (!pod) throw notFound({ group: "", resource: "pod", name });
  if (uid !== pod.metadata.uid)
    return `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
  if (pod.spec.nodeName !== node)
    return "node requested token bound to a pod scheduled on a different node";
  return audienceFault(request, pod, spec.audiences ?? []);
};

async function audienceFault(
  { attributes, setup }: NodeRequest,
  pod: Pod,
  audiences: readonly string[],
): Promise<string | undefined> {
  if (audiences.length > 1) return "node may only request 0 or 1 audiences";
  const [audience = ""] = audiences;
  const { isUsed, problem } = await audienceUse(setup.reader, pod, audience);
  if (problem !== undefined) return `error validating audience ${quote(audience)}: ${problem}`;
  if (isUsed) return undefined;
  const { context, address } = attributes;
  const { namespace, name } = address;
  const permission = { version: "v1", resource: audience, namespace, name };
  const verb = "request-serviceaccounts-token-audience";
  const { verdict } = await setup.access.authorizer.authorize(
    resourceAttributes(context.user, verb, permission),
  );
  return verdict === "allow"
    ? undefined
    : `audience ${quote(audience)} not found in pod spec volume, ${context.user.name} is not authorized to request tokens for this audience`;
}
