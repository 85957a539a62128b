import {
  buildKustomization,
  type Kustomized,
  type KustomizeOptions,
} from "./build-kustomization.ts";
import { localFiles } from "./loading/local-files.ts";
import { localRemotes } from "./loading/local-remotes.ts";

/** Builds a kustomization of this machine, or of a repository; `cwd` is the folder of relative paths. */
export const buildLocalKustomization = (
  path: string,
  { cwd, options }: { readonly cwd: string; readonly options?: KustomizeOptions },
): Promise<Kustomized> =>
  buildKustomization({
    path,
    files: localFiles(cwd),
    remotes: localRemotes,
    ...(options && { options }),
  });
