import { StatusError } from "../../../../api/meta/v1/status-error.ts";
import { boolFlag } from "../../../../cli/flag.ts";
import { type DynamicObject, dynamicKind } from "../../../../client/resource-kind.ts";
import { quote } from "../../../../schema/values/quote.ts";
import { formatTime, timeFromMillis } from "../../../../schema/values/time.ts";
import {
  type CommandContext,
  type KubectlCommand,
  kubectlCommand,
} from "../../../program/kubectl-command.ts";
import { findResources } from "../../../resource/find-resources.ts";
import { helper } from "../../../resource/helper.ts";
import { filenameFlags, filenameQuery, namesFiles } from "../../shared/filename-flags.ts";
import { objectPrinter, outputFlags } from "../../shared/object-output.ts";

/** What is decided about a request, and which decision excludes it. */
interface Decision {
  readonly verb: "approve" | "deny";
  readonly operation: "approved" | "denied";
  readonly condition: "Approved" | "Denied";
  readonly opposite: "Approved" | "Denied";
  readonly reason: string;
}

const flags = {
  ...outputFlags,
  ...filenameFlags("identifying the resource to update"),
};

export const approveCommand = decideCommand(
  {
    verb: "approve",
    operation: "approved",
    condition: "Approved",
    opposite: "Denied",
    reason: "KubectlApprove",
  },
  `Approve a certificate signing request.

An administrator approves a certificate signing request (CSR), so that its signer issues the certificate that it requests.

SECURITY NOTICE: A certificate may give access to the cluster, or to the identity that the request names. Before you approve it, make sure that you know what the certificate can do.`,
);

export const denyCommand = decideCommand(
  {
    verb: "deny",
    operation: "denied",
    condition: "Denied",
    opposite: "Approved",
    reason: "KubectlDeny",
  },
  `Deny a certificate signing request.

An administrator denies a certificate signing request (CSR), so that no certificate is issued for it.`,
);

function decideCommand(decision: Decision, long: string): KubectlCommand {
  const { verb, operation } = decision;
  return kubectlCommand({
    name: verb,
    usage: "(-f FILENAME | NAME)",
    short: `${verb === "approve" ? "Approve" : "Deny"} a certificate signing request`,
    long,
    examples: `# ${verb === "approve" ? "Approve" : "Deny"} CSR 'csr-sqgzp'
kubectl certificate ${verb} csr-sqgzp`,
    flags: {
      ...flags,
      force: boolFlag({ usage: `Update the CSR even if it is already ${operation}.` }),
    },
    async run(context) {
      const { args, flags } = context;
      const print = objectPrinter(context, { operation });
      if (args.length === 0 && !namesFiles(flags))
        throw new Error("one or more CSRs must be specified as <name> or -f <filename>");
      const found = await findResources(context, {
        ...filenameQuery(flags),
        named: args.map(namedRequest),
        namespace: "",
        defaultsNamespace: false,
        enforcesNamespace: false,
        flattens: true,
        isLatest: true,
        continuesOnError: true,
      });
      let count = 0;
      await found.visit(async (info, error) => {
        if (error) throw error;
        const { object } = info;
        if (!object) return;
        await decide(context, object, { decision, force: flags.force });
        count++;
        print(object);
      });
      if (count === 0) context.io.stdout.write("No resources found\n");
      return undefined;
    },
  });
}

/** A name, or a type and a name. */
function namedRequest(arg: string): { readonly type: string; readonly name: string } {
  const [type = "", name, ...more] = arg.split("/");
  return name === undefined || more.length > 0
    ? { type: "certificatesigningrequests", name: arg }
    : { type, name };
}

const requests = dynamicKind({
  group: "certificates.k8s.io",
  version: "v1",
  kind: "CertificateSigningRequest",
  plural: "certificatesigningrequests",
  scope: "Cluster",
});

async function decide(
  { factory, signal }: Pick<CommandContext, "factory" | "signal">,
  object: DynamicObject,
  { decision, force }: { readonly decision: Decision; readonly force: boolean },
): Promise<void> {
  const { apiVersion, kind, metadata } = object;
  const group = apiVersion.includes("/") ? apiVersion.split("/")[0] : "";
  if (kind !== requests.kind || group !== requests.group)
    throw new Error(
      `can only handle CertificateSigningRequest.certificates.k8s.io objects, got ${kind}${group && `.${group}`}`,
    );
  const client = await factory.client();
  const options = { signal, onWarning: (text: string) => factory.warn(text) };
  const place = { namespace: "", name: metadata.name ?? "" };
  for (let attempt = 0; ; attempt++) {
    const csr = await helper(client, requests, options)
      .get(place)
      .catch((error: unknown) => {
        if (!StatusError.is(error, "NotFound")) throw error;
        throw new Error(`could not find v1 version of ${place.name}: ${error.message}`, {
          cause: error,
        });
      });
    const { changed, isDecided } = withDecision(csr, decision, factory.clock.now());
    if (isDecided && !force) return;
    try {
      await helper(client, requests, { ...options, subresource: "approval" }).replace(
        place,
        changed,
      );
      return;
    } catch (error) {
      if (!StatusError.is(error, "Conflict") || attempt >= 10) throw error;
    }
  }
}

interface Condition {
  readonly type: string;
}

function withDecision(
  csr: DynamicObject,
  { condition, opposite, operation, verb, reason }: Decision,
  now: number,
): { readonly changed: DynamicObject; readonly isDecided: boolean } {
  const status = (csr.status ?? {}) as { readonly conditions?: readonly Condition[] };
  const conditions = status.conditions ?? [];
  if (conditions.some(({ type }) => type === opposite))
    throw new Error(
      `certificate signing request ${quote(csr.metadata.name ?? "")} is already ${opposite}`,
    );
  if (conditions.some(({ type }) => type === condition)) return { changed: csr, isDecided: true };
  const added = {
    type: condition,
    status: "True",
    reason,
    message: `This CSR was ${operation} by kubectl certificate ${verb}.`,
    lastUpdateTime: formatTime(timeFromMillis(now)),
    lastTransitionTime: null,
  };
  return {
    changed: { ...csr, status: { ...status, conditions: [...conditions, added] } },
    isDecided: false,
  };
}
