/**
 * The variables that programs of a box get of a process of the machine: those that name folders of its user are left
 * out, because a box does not have these folders.
 */
export function boxEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(
    ([name]) => !userFolders.has(name) && !name.startsWith("XDG_"),
  );
  return { ...Object.fromEntries(kept), HOME: "/root" };
}

const userFolders = new Set(["TMPDIR", "TMP", "TEMP", "KUBECONFIG", "DOCKER_CONFIG", "PWD"]);
