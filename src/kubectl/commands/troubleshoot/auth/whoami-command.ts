import { StatusError } from "../../../../api/meta/v1/status-error.ts";
import type { Client } from "../../../../client/client.ts";
import { type DynamicObject, dynamicKind } from "../../../../client/resource-kind.ts";
import { goString } from "../../../../schema/values/go-print.ts";
import { sortedKeys } from "../../../../schema/values/utf8-order.ts";
import { TabWriter } from "../../../print/tab-writer.ts";
import { type CommandContext, kubectlCommand } from "../../../program/kubectl-command.ts";
import { helper } from "../../../resource/helper.ts";
import { typedObject } from "../../../resource/typed-object.ts";
import { objectPrinter, outputFlags } from "../../shared/object-output.ts";

export const whoamiCommand = kubectlCommand({
  name: "whoami",
  short: "Experimental: Check self subject attributes",
  long: `Experimental: Check who you are and your attributes (groups, extra).

The server says which user it takes you for, which is not obvious with token webhooks, proxies or OpenID Connect.`,
  examples: `# Get your subject attributes
kubectl auth whoami

# Get your subject attributes in JSON format
kubectl auth whoami -o json`,
  flags: outputFlags,
  async run(context) {
    const { factory, given, io } = context;
    const print = given.has("output")
      ? objectPrinter(context, { keepsOrder: true })
      : (review: DynamicObject) => printTable(review, new TabWriter(io.stdout));
    const review = await reviewSelf(context, await factory.client());
    print(review.apiVersion === "authentication.k8s.io/v1" ? await typedObject(review) : review);
    return undefined;
  },
});

async function reviewSelf(
  { factory, signal }: Pick<CommandContext, "factory" | "signal">,
  client: Client,
): Promise<DynamicObject> {
  for (const version of ["v1", "v1beta1", "v1alpha1"]) {
    const kind = dynamicKind({
      group: "authentication.k8s.io",
      version,
      kind: "SelfSubjectReview",
      plural: "selfsubjectreviews",
      scope: "Cluster",
    });
    const body = {
      kind: kind.kind,
      apiVersion: `${kind.group}/${version}`,
      metadata: {},
      status: { userInfo: {} },
    };
    const requests = helper(client, kind, { signal, onWarning: (text) => factory.warn(text) });
    try {
      return await requests.create("", body);
    } catch (error) {
      if (StatusError.is(error, "Forbidden"))
        throw new Error(
          "the selfsubjectreviews API is not enabled in the cluster or you do not have permission to call it",
          { cause: error },
        );
      if (!StatusError.is(error, "NotFound")) throw error;
    }
  }
  throw new Error("the selfsubjectreviews API is not enabled in the cluster");
}

interface UserInfo {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

function printTable({ status }: DynamicObject, out: TabWriter): void {
  const { userInfo = {} } = (status ?? {}) as { readonly userInfo?: UserInfo };
  const { username, uid, groups = [], extra = {} } = userInfo;
  out.write("ATTRIBUTE\tVALUE\n");
  if (username) out.write(`Username\t${username}\n`);
  if (uid) out.write(`UID\t${uid}\n`);
  if (groups.length > 0) out.write(`Groups\t${goString(groups)}\n`);
  for (const name of sortedKeys(extra)) out.write(`Extra: ${name}\t${goString(extra[name])}\n`);
  out.flush();
}
