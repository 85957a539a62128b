import {
  type ExpressionType,
  expressionType,
} from "../../api/admissionregistration/v1/type-checker.ts";
import { ValidatingAdmissionPolicy } from "../../api/admissionregistration/v1/validating-admission-policy.ts";
import { decodeResponse } from "../../client/decode-response.ts";
import { createDiscovery } from "../../client/discovery/discovery.ts";
import { parseApiVersion } from "../../client/discovery/server-apis.ts";
import { controller } from "../../controller-runtime/reconcile/controller.ts";
import type { ReconcileContext } from "../../controller-runtime/reconcile/controller-definition.ts";
import { expressionWarnings, type PolicyTypes } from "./expression-warnings.ts";
import { type PublishedSchemas, publishedSchema } from "./published-schema.ts";
import { type CheckedKind, typesToCheck } from "./types-to-check.ts";

const fieldManager = "validatingadmissionpolicy-status";

/** Checks the expressions of admission policies against the types of the objects that they are for. */
export const validatingAdmissionPolicyStatusController = controller({
  name: "validatingadmissionpolicy-status-controller",
  for: ValidatingAdmissionPolicy,
  predicates: [({ type, object }) => type !== "deleted" && !isObserved(object)],
  async reconcile(key, ctx) {
    const { cache, client, signal } = ctx;
    const policy = await cache.get(ValidatingAdmissionPolicy, key);
    if (!policy || isObserved(policy)) return;
    const warnings = expressionWarnings(policy, await typesOf(policy, ctx));
    const status = {
      observedGeneration: policy.metadata.generation,
      typeChecking: warnings.length > 0 ? { expressionWarnings: warnings } : {},
    };
    await client.apply(
      ValidatingAdmissionPolicy,
      { metadata: { name: key.name }, status },
      { subresource: "status", fieldManager, force: true, signal },
    );
  },
});

const isObserved = ({ metadata, status }: ValidatingAdmissionPolicy): boolean =>
  (metadata.generation ?? 0) <= (status.observedGeneration ?? 0);

/** The types of the objects and of the parameters of a policy. A kind whose schema is unknown is skipped. */
async function typesOf(
  policy: ValidatingAdmissionPolicy,
  ctx: ReconcileContext,
): Promise<PolicyTypes> {
  const { client, signal } = ctx;
  const { resources } = await createDiscovery(client).apis({ signal });
  const declared = typeReader(ctx);
  const kinds = typesToCheck(policy, resources);
  const found = await Promise.all(
    kinds.map(async (kind) => {
      const result = await declared(kind);
      return result ? [{ kind, type: result.type }] : [];
    }),
  );
  const { paramKind } = policy.spec;
  const params = paramKind && {
    type: (
      await declared({ ...parseApiVersion(paramKind.apiVersion ?? ""), kind: paramKind.kind ?? "" })
    )?.type,
  };
  return { objects: found.flat(), params };
}

/** Reads the types of kinds; each document is requested once. */
function typeReader({ client, clock, log, signal }: ReconcileContext) {
  const documents = new Map<string, Promise<PublishedSchemas>>();
  const read = async (path: string): Promise<PublishedSchemas> => {
    const response = await client.raw({ method: "GET", path: `/openapi/v3/${path}`, signal });
    return (await decodeResponse(response)) as PublishedSchemas;
  };
  return async (
    kind: CheckedKind,
  ): Promise<{ readonly type: ExpressionType | undefined } | undefined> => {
    const { group, version } = kind;
    const path = group === "" ? `api/${version}` : `apis/${group}/${version}`;
    const document = documents.get(path) ?? read(path);
    documents.set(path, document);
    try {
      const schema = publishedSchema(await document, kind);
      if (!schema) return undefined;
      // Two kinds of one name must not be the same type.
      const name = `${kind.kind}${(clock.now() % 1000) * 1_000_000}`;
      return { type: expressionType(schema, name) };
    } catch (error) {
      log.debug("the schema of a kind cannot be read", { kind: kind.kind, error });
      return undefined;
    }
  };
}
