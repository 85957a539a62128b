/**
 * The path of a cgroup in its hierarchies. `SLICE:PREFIX:NAME` is how an OCI configuration names a unit of systemd,
 * whose slices lie in each other as their names say: `a-b.slice` in `a.slice`.
 */
export function cgroupPath(path: string): string {
  const parts = path.split(":");
  if (parts.length !== 3) return absolute(path);
  const [slice = "", prefix = "", name = ""] = parts;
  const unit = name.endsWith(".slice") ? name : `${prefix}-${name}.scope`;
  return absolute(`${slicePath(slice === "" ? "system.slice" : slice)}/${unit}`);
}

/** The folder of a slice; throws if it is not one's name. */
export function slicePath(slice: string): string {
  if (slice === "-.slice") return "/";
  const name = /^([^/]+)\.slice$/.exec(slice)?.[1];
  const parts = name?.split("-") ?? [""];
  if (parts.includes("")) throw new Error(`invalid slice name: ${slice}`);
  return parts.map((_, at) => `/${parts.slice(0, at + 1).join("-")}.slice`).join("");
}

/** No part may lead elsewhere: these folders are written and removed. */
function absolute(path: string): string {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes("..")) throw new Error(`invalid cgroup path: ${path}`);
  return `/${parts.join("/")}`;
}
