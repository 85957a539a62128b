import { entriesOf, type Section } from "../../kubeconfig/kubeconfig.ts";
import { loadKubeconfig } from "../../kubeconfig/load-kubeconfig.ts";
import { beginning, type Rule, withoutFiles } from "./candidates.ts";

/** The names of a section of the kubeconfig, whatever was typed before. */
export const entryName =
  (section: Section): Rule =>
  async ({ program, given, word }) => {
    const { env, cwd } = program;
    const path = given.get("kubeconfig");
    try {
      const { config } = await loadKubeconfig({
        path: typeof path === "string" && path !== "" ? path : undefined,
        env,
        cwd,
      });
      return withoutFiles(beginning([...entriesOf(config, section).keys()].sort(), word));
    } catch {
      return withoutFiles([]);
    }
  };

/** The same as the only argument of `kubectl config …`, which reads the usual kubeconfig. */
export const entryArgument =
  (section: Section): Rule =>
  ({ given, ...line }) =>
    line.args.length > 0
      ? withoutFiles([])
      : entryName(section)({
          ...line,
          given: new Map([...given].filter(([name]) => name !== "kubeconfig")),
        });
