import type { DiscoveredKind } from "../../client/discovery/rest-mapper.ts";
import type { Shape } from "../../schema/language/shape.ts";

/** How patches merge objects of a kind that is part of Kubernetes; undefined for others. */
export async function builtInShape({
  group,
  version,
  kind,
}: Pick<DiscoveredKind, "group" | "version" | "kind">): Promise<Shape | undefined> {
  // Loaded on use: the declarations of all kinds would double the time that every command takes to start.
  const [{ kinds }, { shapeOf }] = await Promise.all([
    import("../../api/kinds.generated.ts"),
    import("../../schema/language/shape.ts"),
  ]);
  const found = kinds.find(
    (one) => one.group === group && one.version === version && one.kind === kind,
  );
  return found && shapeOf(found.struct);
}
