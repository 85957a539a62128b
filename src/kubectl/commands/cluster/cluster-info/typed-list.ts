import type { Client } from "../../../../client/client.ts";
import type { DiscoveredKind } from "../../../../client/discovery/rest-mapper.ts";
import type { DynamicObject } from "../../../../client/resource-kind.ts";
import type { CommandContext } from "../../../program/kubectl-command.ts";
import { helper } from "../../../resource/helper.ts";
import { isList } from "../../../resource/info.ts";
import { typedObject } from "../../../resource/typed-object.ts";

/** Lists objects as the original's typed clients do: items do not say what they are, and no items are null. */
export async function typedList(
  { factory, signal }: Pick<CommandContext, "factory" | "signal">,
  client: Client,
  { kind, namespace = "" }: { readonly kind: DiscoveredKind; readonly namespace?: string },
): Promise<DynamicObject> {
  const requests = helper(client, kind, { signal, onWarning: (text) => factory.warn(text) });
  const list = await requests.list(namespace);
  const apiVersion = kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
  const items: unknown[] = [];
  for (const item of isList(list) ? list.items : []) {
    const {
      apiVersion: _,
      kind: __,
      ...rest
    } = await typedObject({
      ...item,
      apiVersion,
      kind: kind.kind,
    });
    items.push(rest);
  }
  const { metadata } = list;
  return {
    kind: `${kind.kind}List`,
    apiVersion,
    metadata,
    items: items.length > 0 ? items : null,
  };
}
